import type { RequestInit } from 'miniflare'
import { expect, test } from 'vitest'
import { type Browse, shownFrom } from '../../dev/demo/emulators.ts'
import { demonstrateGrowth } from '../../dev/demo/growth.ts'
import { found, useCrm } from '../routes/crm.ts'
import { inWorkspace } from '../routes/growth/leading.ts'
import { limit } from '../speed.ts'

const crm = useCrm({ ownServer: true })
const BASE = 'http://api.test'
const open: Browse = async (url) => shownFrom(await crm.app.fetch(url.slice(BASE.length), { redirect: 'manual' } as RequestInit))

test('reviews have a page, a week of outreach keeps its limits, and a service request is found by other words', {
  timeout: limit(120_000),
}, async () => {
  const lines: string[] = []
  await demonstrateGrowth(BASE, crm.ws.apiKey, (line) => lines.push(line), {
    fetch: (url, init) => crm.app.fetch(url.slice(BASE.length), init as RequestInit),
    browse: open,
    askIn: (workspace) => (text, values) =>
      inWorkspace(crm.app.owner, workspace, async (client) => (await client.query(text, values)).rows[0]),
  })
  const output = lines.join('\n')
  for (const part of [
    'a draft is not published: INVALID_STATE',
    ' answers with 200, and tells programs: 3.7 of 5 from 3',
    'audit: 3 published reviews with 3.7 on average; the figures and the page say the same',
    'a person who is known already: duplicate, by email',
    ': 5 emails, 09:00:00 to 09:06:00',
    'unsubscribed: 1 person',
    'bounced: 1 person',
    'converted: 1 person',
    'audit: 25 emails, none outside 09:00 to 12:00 or on another day',
    'audit: at most 5 a day, and 5 are allowed',
    'audit: no gap below 90 s: the shortest has 90 s',
    'audit: the counters equal a recount',
    ', by similarity',
    'audit: the request is the first that is found',
  ])
    expect(output).toContain(part)
  expect(found(await crm.ws.get('/lead-gen/initiatives'))).toEqual([])
  expect(found(await crm.ws.get('/reputation/reviews'))).toEqual([])
  expect(found(await crm.ws.get('/suppressions'))).toEqual([])
  expect(found(await crm.ws.get('/reputation/profile'))).toMatchObject({ is_published: false, total_reviews: 0 })
})
