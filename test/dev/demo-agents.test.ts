import type { RequestInit } from 'miniflare'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demonstrateAgents } from '../../dev/demo/agents.ts'
import { type Inbox, startInbox } from '../../dev/inbox/server.ts'
import { responding } from '../routes/auto-responders/responding.ts'
import { TOKEN } from '../routes/campaigning.ts'
import { found, useCrm } from '../routes/crm.ts'
import { mailing } from '../routes/mailing.ts'
import { limit } from '../speed.ts'

const crm = useCrm({ ownServer: true })
const BASE = 'http://api.test'
const { grant, later } = responding(crm)
const callWorker = async (url: string, init: object) => crm.app.fetch(url.slice(BASE.length), init as RequestInit)
let inbox: Inbox

beforeAll(async () => {
  const { email, sms, whatsapp, google } = crm.app
  inbox = await startInbox({ email, sms, whatsapp, google, apiUrl: BASE, emailToken: TOKEN, post: callWorker })
})
afterAll(() => inbox.close())

test('the guides answer with sources or not at all, a draft is approved, an injection fails, and receipts say what it cost', {
  timeout: limit(120_000),
}, async () => {
  inbox.inboundPath = await mailing(crm).inbox()
  await grant(2_000)
  const lines: string[] = []
  await demonstrateAgents(BASE, crm.ws.apiKey, (line) => lines.push(line), {
    fetch: callWorker,
    inbox: inbox.url,
    script: crm.app.models.script,
    async pass() {
      await crm.app.drain()
      await later()
    },
  })
  const output = lines.join('\n')
  for (const part of [
    ' guides, searched in ',
    '(approvals.md: ',
    'I do not know. It would not go out by itself: The reply cites no source',
    'audit: 10 of 10 answers cite the guide that says it, and none goes out without a source',
    'Receptionist is published, version 1, with the tools end_call',
    'answers.transfer_number: Left out',
    '@example.com has received it',
    'sendEmail: pending_approval, ',
    'deleteContact: pending_approval, ',
    'audit: 3 orders, 0 emails, the contact is as it was',
    'audit: each run has paid what its answer says',
  ])
    expect(output).toContain(part)
  for (const path of ['/knowledge-bases', '/knowledge-entries', '/auto-responders', '/email/configs', '/agents', '/skills', '/contacts'])
    expect(found(await crm.ws.get(path)), path).toEqual([])
  expect(found(await crm.ws.get('/approvals?status=pending'))).toEqual([])
})
