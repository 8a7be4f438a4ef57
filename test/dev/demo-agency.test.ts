import type { RequestInit } from 'miniflare'
import { expect, test } from 'vitest'
import { demonstrateAgency } from '../../dev/demo/agency.ts'
import { useCrm } from '../routes/crm.ts'
import { limit } from '../speed.ts'

const crm = useCrm({ ownServer: true })
const BASE = 'http://api.test'

test('an agency sees what its clients pay, explains a cent, pays a salesperson once, answers a client and shows a failed build', {
  timeout: limit(120_000),
}, async () => {
  const lines: string[] = []
  await demonstrateAgency(BASE, (line) => lines.push(line), {
    fetch: (url, init) => crm.app.fetch(url.slice(BASE.length), init as RequestInit),
    database: crm.app.owner,
    sent: async () => crm.app.email.sent as never,
    async pass() {
      await crm.app.cron('* * * * *')
      await crm.app.drain()
    },
  })
  const output = lines.join('\n')
  for (const part of [
    'gets 12.5 % of what its 2 clients pay',
    'Bright Roofs has paid 1064.87 AUD',
    'the account manager sees 1 of 3 lines, and no payable sum',
    'the refund changes the commission by -41.67: 12.5 %, +0 (0.000000 of 0) -41.67 (41.666250 of 333.33)',
    'version 1 of the plan counts since ',
    'payable 199.52, owed',
    ',50.00,199.00,99.500000,99.50,,,,99.50',
    'waiting on the agency: The form on our website sends nothing',
    'the address was wrong. The request is still open, with the agency',
    '9b1d7e0 published, https://preview.example.com/9b1d7e0',
    '4f2a9c1 failed, the end of 4096 bytes: DEPLOY_TOKEN=[redacted] | login with [redacted] | Error: form.html has no address',
    'Corner Bakery: starter, 99 AUD, 1 user, 0 open requests, lacks contact_details, website, team, mailbox, calendar',
    'Bright Roofs: growth, 1064.87 AUD, 1 user, 1 open requests',
  ])
    expect(output).toContain(part)
  expect(output).not.toContain('swordfish')
})
