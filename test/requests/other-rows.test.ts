import { afterAll, beforeAll, expect, test } from 'vitest'
import { isWrite, uploadOf } from '../../src/http/endpoint.ts'
import { type Ids, type Operation, probed } from '../contract/samples.ts'
import { seed } from '../contract/seed.ts'
import { sendSample } from '../contract/send.ts'
import { type Harness, start } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import { addOtherRows, type OtherRows } from './other-rows.ts'
import { expectWritten, namesOf, ofLastTransactions, type RowWrite, reportWrites, textsOf, writeIn } from './written-rows.ts'

/** A write changes the rows that it is about, and none beside them: every write with a dry run, beside copies of all rows. */
let app: Harness
let ws: TestWorkspace
let ids: Ids
let others: OtherRows
const written: RowWrite[] = []
beforeAll(async () => {
  app = await start({ own: true })
  ws = await app.workspace()
  ids = await seed(app, ws)
  await app.drain()
  others = await addOtherRows(app, ws.id)
  await reportWrites(app.owner)
}, 120_000)
afterAll(() => app.close())

/** Dry runs at once. */
const AT_ONCE = 16

/** Writes that may be about other rows, too, and the tables of these: strangers, and twins with a colon. */
const OTHERS: Record<string, string[]> = {
  // What is moved up or down, or is current no longer.
  'POST /opportunities/:opportunity_id/buckets': ['opportunity_buckets:'],
  'POST /pipelines/:pipeline_id/stages': ['stages:'],
  'POST /document-templates/:document_template_id/sections': ['document_template_sections:'],
  'POST /memory': ['memories', 'memories:'],
  // Versions whose runs act with the rights of the caller.
  'PATCH /auto-queues/:auto_queue_id': ['automation_versions:'],
  'POST /auto-queues/:auto_queue_id/steps': ['auto_queue_steps:', 'automation_versions:'],
  'PATCH /auto-queues/:auto_queue_id/steps/:step_id': ['automation_versions:'],
  // What has the same number, the same name or the same parent.
  'POST /sms/send': ['conversations', 'conversations:', 'sms_conversations', 'sms_conversations:'],
  'PATCH /company/crm-settings': ['custom_fields', 'custom_fields:', 'lead_sources', 'lead_sources:'],
  'POST /email/reply': ['email_participants:'],
  'POST /calendar-connections/:connection_id/resync': ['connection_calendars:'],
  'POST /lead-gen/initiatives/:initiative_id/enrolments/:lead_enrolment_id/pause': ['lead_tasks:'],
  'POST /lead-gen/initiatives/:initiative_id/enrolments/:lead_enrolment_id/resume': ['lead_tasks:'],
}
/** What belongs to a record goes with it, and the twins do. */
const takesTwins = (name: string) => /^DELETE |\/bulk-delete$|\/merge$/.test(name)

const entriesOf = (part: unknown): string[] => Object.keys((part as { entries?: object } | undefined)?.entries ?? {})
const writes = probed.filter(({ endpoint }) => isWrite(endpoint) && !uploadOf(endpoint) && entriesOf(endpoint.query).includes('dry_run'))
const expectedOf = ({ name }: Operation) => OTHERS[name] ?? []
const isAlone = (operation: Operation) => takesTwins(operation.name) || expectedOf(operation).length > 0

test('a write changes no row beside those that it is about', { timeout: 120_000 }, async () => {
  expect(others.count).toBeGreaterThan(600)
  const alone = writes.filter(isAlone)
  const together = writes.filter((one) => !isAlone(one))
  const groups = [
    ...alone.map((one) => [one]),
    ...Array.from({ length: Math.ceil(together.length / AT_ONCE) }, (_, n) => together.slice(n * AT_ONCE, (n + 1) * AT_ONCE)),
  ]
  const faults: string[] = []
  let done = 0
  app.proxy.onNotice = (message) => {
    const found = writeIn(message)
    if (found) written.push(found)
  }
  for (const group of groups) {
    const answers = await Promise.all(group.map((operation) => sendSample(app, ws, operation, ids, { query: { dry_run: 'true' } })))
    done += answers.filter(({ status }) => status < 300).length
    const touched = (await others.touched()).filter((table) => !(table.endsWith(':') && takesTwins(group[0]?.name ?? '')))
    const expected = group.flatMap(expectedOf)
    const wrong = touched.filter((table) => !expected.includes(table))
    if (wrong.length > 0) faults.push(`${group.map(({ name }) => name).join(', ')}: ${wrong}`)
  }
  expect(faults).toEqual([])
  expect(done).toBeGreaterThan(writes.length * 0.95)
})

test('each write changes the rows that are recorded of it (WRITTEN=write records them)', () => {
  const names = namesOf(ids)
  const byEndpoint = Map.groupBy(ofLastTransactions(written), ({ endpoint }) => endpoint)
  expectWritten('requests.txt', Object.fromEntries([...byEndpoint].map(([name, rows]) => [name, textsOf(rows, names, true)])))
})
