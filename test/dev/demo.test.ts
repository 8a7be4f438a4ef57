import type { RequestInit } from 'miniflare'
import { expect, test } from 'vitest'
import { walkTour } from '../../dev/demo/crm.ts'
import { demonstrateSync } from '../../dev/demo/sync.ts'
import { found, useCrm } from '../routes/crm.ts'

const crm = useCrm({ ownServer: true })

test('the tour shows what it promises, and leaves everything as it was', async () => {
  const customer_id = await crm.company('Cancity')
  const { stages } = await crm.firstPipeline()
  await crm.opportunity({ customer_id, stage_id: stages.New, value: 30_000 })
  const before = await tables()
  const lines: string[] = []
  await walkTour(
    'http://api.test',
    crm.ws.apiKey,
    (line) => lines.push(line),
    (url, init) => crm.app.fetch(url.slice('http://api.test'.length), init as RequestInit),
  )
  const output = lines.join('\n')
  for (const part of [
    '"cancty" finds Cancity',
    'merged_into',
    'status "open" → "won"',
    'rejected',
    'line 4: ',
    'undone: 2 removed, 0 kept',
  ]) {
    expect(output).toContain(part)
  }
  expect(await tables()).toEqual(before)
})

/** What the workspace has, without when it was last written. */
const tables = async () =>
  Promise.all(
    ['companies', 'contacts', 'opportunities'].map(async (path) =>
      found(await crm.ws.get(`/${path}?archived=all&limit=100`)).map(({ version: _, updated_at: __, ...row }) => row),
    ),
  )

test('a copy that follows the events equals the API, however often its program is killed, and leaves everything as it was', {
  timeout: 120_000,
}, async () => {
  const before = await tables()
  const lines: string[] = []
  const base = (await crm.app.url()).origin
  await demonstrateSync(base, crm.ws.apiKey, (line) => lines.push(line), { changes: 600, kills: 1 })
  const output = lines.join('\n')
  for (const part of ['hubspot-7432: Ben', 'must not be emailed', 'killed', '600 changes', 'the mirror equals the API'])
    expect(output).toContain(part)
  expect(await tables()).toEqual(before)
})
