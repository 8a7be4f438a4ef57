import type { RequestInit } from 'miniflare'
import { afterAll, expect, test } from 'vitest'
import { apiOf } from '../../dev/demo/api.ts'
import { demonstrateAutomation } from '../../dev/demo/automation.ts'
import { walkTour } from '../../dev/demo/crm.ts'
import { demonstrateSync } from '../../dev/demo/sync.ts'
import { startWebhookReceiver } from '../../dev/webhook-receiver.ts'
import { found, useCrm } from '../routes/crm.ts'
import { limit } from '../speed.ts'

const receiver = await startWebhookReceiver()
const crm = useCrm({ ownServer: true, vars: { LOCAL_RECEIVERS: receiver.host } })
afterAll(() => receiver.close())
const callWorker = (url: string, init: object) => crm.app.fetch(url.slice('http://api.test'.length), init as RequestInit)

test('the tour shows what it promises, and leaves everything as it was', async () => {
  const customer_id = await crm.company('Cancity')
  const { stages } = await crm.firstPipeline()
  await crm.opportunity({ customer_id, stage_id: stages.New, value: 30_000 })
  const before = await tables()
  const lines: string[] = []
  await walkTour('http://api.test', crm.ws.apiKey, (line) => lines.push(line), callWorker)
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
  timeout: limit(120_000),
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

test('a demonstration sends a call again that came too soon', async () => {
  const statuses = [429, 429, 200]
  const answer = async () => ({
    status: statuses.shift() ?? 500,
    headers: new Headers({ 'retry-after': '0.01' }),
    text: async () => '{"data": 1}',
  })
  expect(await apiOf('http://api.test', crm.ws.apiKey, () => {}, answer)('GET', '/contacts')).toEqual({ data: 1 })
  expect(statuses).toEqual([])
})

test('an automation, a schedule, a birthday and a webhook do what the demonstration promises, and nothing is left', async () => {
  const before = await tables()
  const lines: string[] = []
  // What waits for a time is due, and so is the schedule until it has fired.
  const pass = async () => {
    await crm.app.drain()
    await crm.app.owner.query(`update automation_runs set due_at = now() where due_at is not null;
      update auto_schedules set next_run_at = date_trunc('minute', now()) where run_count = 0`)
    await crm.app.cron('* * * * *')
    await crm.app.drain()
  }
  await demonstrateAutomation('http://api.test', crm.ws.apiKey, (line) => lines.push(line), { fetch: callWorker, receiver, pass })
  const output = lines.join('\n')
  for (const part of [
    'create_task done',
    'received task.created "Welcome ANA", verified with the library standardwebhooks',
    '50 runs in',
    'add_tags: 50 done',
    'email queued',
    'contact.created: The conditions of the automation did not hold',
  ])
    expect(output).toContain(part)
  expect(await tables()).toEqual(before)
  expect(await crm.count('tasks')).toBe(0)
})
