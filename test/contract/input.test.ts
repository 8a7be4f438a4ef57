import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eachOf } from '../../src/lib/each-of.ts'
import { TWO_DECIMALS } from '../../src/schemas/pipes.ts'
import { type Harness, start } from '../harness.ts'
import type { ApiResponse, TestWorkspace } from '../workspace.ts'
import {
  bodyOf,
  type Ids,
  idAt,
  idsFor,
  type Operation,
  operations,
  type Place,
  pathOf,
  placesOfIds,
  probed,
  setAt,
  valueAt,
} from './samples.ts'
import { seed } from './seed.ts'
import { sendSample } from './send.ts'

let app: Harness
let ws: TestWorkspace
let ids: Ids
beforeAll(async () => {
  app = await start()
  ws = await app.workspace()
  ids = await seed(app, ws)
})
afterAll(() => app.close())

/** A number as it stands in the text of a response. */
type Source = { source?: string }
const moneyOf = (schema: unknown): string[] => [...moneyIn(schema as Node, '')]
type Node = { entries?: Record<string, Node>; item?: Node; wrapped?: Node; pipe?: Node[] }
function* moneyIn(schema: Node, path: string): Generator<string> {
  if (isMoney(schema)) yield path
  else if (schema.wrapped) yield* moneyIn(schema.wrapped, path)
  else if (schema.item) yield* moneyIn(schema.item, `${path}.*`)
  else for (const [name, part] of Object.entries(schema.entries ?? {})) yield* moneyIn(part, path ? `${path}.${name}` : name)
}
const isMoney = (schema: Node): boolean => (schema.pipe ?? []).some((part) => part === (TWO_DECIMALS as unknown) || isMoney(part))

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
type Row = Record<string, any>
type Issue = { path: string; message: string }
const issuesOf = ({ body }: ApiResponse): Issue[] => body.error?.details?.issues ?? []
const pathsOf = (answer: ApiResponse) => issuesOf(answer).map(({ path }) => path)
const entriesOf = (schema: unknown): string[] => Object.keys((schema as { entries?: object } | undefined)?.entries ?? {})

const withBody = operations.filter(({ endpoint }) => !endpoint.successor && entriesOf(endpoint.body).length > 0 && !endpoint.access.public)
/** Marks what happens once: the same again is a conflict (agency/team-commission.test.ts). */
const ONCE = ['PATCH /agency/team-commission/payouts/:payout_id']
const updates = operations.filter(
  ({ name, endpoint: { method, successor, body, returns } }) =>
    (method === 'PATCH' || method === 'PUT') && !successor && entriesOf(body).length > 0 && returns.as === 'one' && !ONCE.includes(name),
)

test('every body reports all of its unknown fields, and the message names the first issue', async () => {
  expect(withBody.length).toBeGreaterThan(100)
  await Promise.all(withBody.map(reportsUnknownFields))
})

async function reportsUnknownFields(operation: Operation): Promise<void> {
  const body = { ...bodyOf(operation, idsFor(operation, ids)), qqqqqqqqq: 1, zzzzzzzzz: 2 }
  const answer = await sendSample(app, ws, operation, ids, { body })
  expect([operation.name, answer.status, pathsOf(answer)]).toEqual([
    operation.name,
    400,
    expect.arrayContaining(['qqqqqqqqq', 'zzzzzzzzz']),
  ])
  const [first, ...others] = issuesOf(answer) as [Issue, ...Issue[]]
  expect(answer.body.error.message).toBe(`${first.path}: ${first.message}; and ${others.length} more`)
}

const bulkUpdates = operations.filter(({ endpoint: { path, successor } }) => path.endsWith('/bulk-update') && !successor)

test('every bulk update accepts the records as they were read, and refuses those with another value of a read-only field', async () => {
  expect(bulkUpdates.map(({ endpoint }) => endpoint.path.split('/')[1]).sort()).toEqual([
    'companies',
    'contacts',
    'conversations',
    'documents',
    'opportunities',
    'tasks',
  ])
  for (const operation of bulkUpdates) {
    const resource = operation.endpoint.path.split('/')[1]
    const [create, list] = ['POST', 'GET'].map((method) => operations.find(({ name }) => name === `${method} /${resource}`))
    const everything = list && entriesOf(list.endpoint.query).includes('archived') ? '&archived=all' : ''
    // Messages begin conversations.
    const made = create ? [] : [ids.conversation_id, ids.sms_conversation_id]
    for (let at = 0; create && at < 2; at++) made.push((await sendSample(app, ws, create, ids)).body.data.id)
    // As lists show them; a single contact has more.
    const [same, other] = (await ws.get(`/${resource}?ids=${made}${everything}`)).body.data as [Row, Row]
    const { data } = (await sendSample(app, ws, operation, ids, { body: { records: [same, { id: other.id }] } })).body
    expect([operation.name, data.errors, data.results.map(({ id }: Row) => id)]).toEqual([operation.name, [], [same.id, other.id]])
    const [known] = data.results
    const stale = { ...known, version: known.version + 1, created_at: '2020-01-01T00:00:00.000Z' }
    const body = { records: [stale, { id: randomUUID(), version: 7 }, { ...data.results[1] }, { id: 'no id', version: 1 }] }
    const answer = (await sendSample(app, ws, operation, ids, { body })).body.data
    const issue = (path: string) => ({ path, message: 'is read-only: leave it out, or send its current value' })
    expect([operation.name, answer.results.map(({ id }: Row) => id), answer.errors]).toMatchObject([
      operation.name,
      [other.id],
      [
        { index: 0, id: known.id, error: { details: { issues: [issue('version'), issue('created_at')] } } },
        { index: 1, error: { code: 'NOT_FOUND' } },
        {
          index: 3,
          error: { code: 'VALIDATION_ERROR', details: { issues: expect.arrayContaining([expect.objectContaining({ path: 'id' })]) } },
        },
      ],
    ])
  }
})

const inLists = operations.flatMap((operation) => {
  const { endpoint, body } = operation
  if (endpoint.successor || !body) return []
  // Which filters an audience may have depends on its type, whether a notepad has an access list on its visibility, a link is either added
  // or removed, and a schedule is one of its host, whom a list names once: see their tests.
  const elsewhere = ['audience_filter', 'access', 'remove', 'availability_schedule_id']
  const places = placesOfIds(body).filter((place) => !place.some((step) => elsewhere.includes(`${step}`)))
  return places.flatMap((place) => (place.some((step) => typeof step === 'number') ? [[operation, place] as const] : []))
})

test('an unknown id in a list is reported with its index', async () => {
  expect(inLists.length).toBeGreaterThan(40)
  for (const [operation, place] of inLists) await namesTheIndex(operation, place)
})

/** Sends the list with its sample entry and a second one that differs in the id: no record has it. */
async function namesTheIndex(operation: Operation, place: Place): Promise<void> {
  const at = place.findLastIndex((step) => typeof step === 'number')
  const [list, inner] = [place.slice(0, at), place.slice(at + 1)]
  const body = bodyOf(operation, idsFor(operation, ids)) as Row
  if (valueAt(body, [...list, 0]) === undefined) setAt(body, [...list, 0, ...inner], idAt(operation.endpoint, place, ids))
  // An audience stands in place of contacts.
  if (list[0] === 'audience') delete body.contact_ids
  const entry = valueAt(body, [...list, 0])
  const second = inner.length > 0 ? { ...(entry as Row), ...renamed(entry) } : randomUUID()
  setAt(body, [...list, 1], second)
  if (inner.length > 0) setAt(body, [...list, 1, ...inner], randomUUID())
  // An update of the same record twice is another error.
  if (list[0] === 'records' && (entry as Row | undefined)?.id) setAt(body, [...list, 0, 'id'], randomUUID())
  // A bulk call also writes the first entry.
  const dryRun = entriesOf(operation.endpoint.query).includes('dry_run') && { query: { dry_run: 'true' } }
  const { status, body: answer } = await sendSample(app, ws, operation, ids, { body, ...dryRun })
  const path = [...list, 1, ...inner]
  const [first, index, ...rest] = path
  // A bulk call reports each record's failure beside the others' success.
  const isBulk = Array.isArray(answer.data?.errors)
  const failures: Row[] = isBulk ? answer.data?.errors?.filter((failure: Row) => failure.index === index) : [answer]
  const issues = failures?.flatMap(({ error }) => error?.details?.issues?.map(({ path }: Issue) => path) ?? [error?.code])
  const wanted = !isBulk ? path.join('.') : rest.length > 0 && rest.join('.') !== 'id' ? rest.join('.') : 'NOT_FOUND'
  expect([operation.name, first, status, issues]).toEqual([operation.name, first, isBulk ? 200 : 400, expect.arrayContaining([wanted])])
}

/** Unique values of a second entry. */
const renamed = (entry: unknown): Row => ('name' in ((entry as Row | undefined) ?? {}) ? { name: `Name ${randomUUID()}` } : {})

test('every update accepts the record as it was read, and refuses read-only fields with another value', async () => {
  expect(updates.length).toBeGreaterThan(20)
  // The calls of the other tests have decided the approval.
  ids = await seed(app, ws)
  // The settings replace lists whose entries other operations update.
  const inOrder = [...updates.filter(({ name }) => !name.includes('settings')), ...updates.filter(({ name }) => name.includes('settings'))]
  for (const operation of inOrder) await acceptsWhatWasRead(operation)
})

async function acceptsWhatWasRead(operation: Operation): Promise<void> {
  const writable = entriesOf(operation.endpoint.body)
  await sendSample(app, ws, operation, ids)
  // What it leads to may change the record in the background.
  await app.drain()
  const { body, status } = await sendSample(app, ws, operation, ids)
  expect([operation.name, status, body]).toEqual([operation.name, 200, expect.anything()])
  // What a change of a queue's steps does is no field of the step.
  const readOnly = Object.entries(body.data).filter(([name]) => !writable.includes(name) && name !== 'inside')
  const sample = bodyOf(operation, idsFor(operation, ids))
  const same = await sendSample(app, ws, operation, ids, { body: { ...sample, ...Object.fromEntries(readOnly) } })
  expect([operation.name, same.status, issuesOf(same)]).toEqual([operation.name, 200, []])
  const others = Object.fromEntries(readOnly.map(([name]) => [name, 'another value']))
  const changed = await sendSample(app, ws, operation, ids, { body: { ...sample, ...others } })
  expect([operation.name, changed.status, pathsOf(changed).sort()]).toEqual([operation.name, 400, Object.keys(others).sort()])
  for (const { message } of issuesOf(changed)) expect(message).toMatch(/^is read-only: /)
}

const AT_ONCE = 16

test('every response has an ETag where it has a version, 201 for a create, and two decimals in every amount of money', async () => {
  const calls = operations.filter(
    ({ endpoint: { successor, access, returns } }) => !successor && !access.public && JSON_MODES.includes(returns.as),
  )
  const judged: Judged[] = []
  // What is created first can be read afterwards. A call that another one has made impossible says nothing.
  for (const methods of [['POST', 'PATCH', 'PUT'], ['GET']])
    await eachOf(
      AT_ONCE,
      calls.filter(({ endpoint }) => methods.includes(endpoint.method)),
      async (call) => judged.push(await judge(call)),
    )
  expect(judged.flatMap(({ faults }) => faults)).toEqual([])
  expect(judged.reduce((sum, { amounts }) => sum + amounts, 0)).toBeGreaterThan(50)
  expect(judged.filter(({ answered }) => answered).length).toBeGreaterThan(150)
})

/** Single records that other calls change and that have no version of their own, with the reason. */
const WITHOUT_VERSION: Record<string, string> = {
  'GET /email/signature': 'only its member changes it',
  'PUT /email/signature': 'only its member changes it',
  'GET /company/birthday-messages': 'a list; its change honours the version of the settings that it belongs to',
  'GET /company/settings/tag-palette': 'a list; its change honours the version of the settings that it belongs to',
  'GET /dead-letters/:dead_letter_id': 'nobody edits it',
  'GET /agent-knowledge-bases/:kb_id': 'a copy, which nobody edits; the knowledge base that it is of has a version',
  'DELETE /agent-knowledge-bases/:kb_id': 'ends the copy; the knowledge base stays',
  'DELETE /dead-letters/:dead_letter_id': 'nobody edits it',
}

test('every single record that can be changed has an ETag, and its changes honour If-Match', async () => {
  const changes = probed.filter(({ endpoint: { method, access } }) => ['PATCH', 'PUT', 'DELETE'].includes(method) && !access.public)
  const faults: string[] = []
  let compared = 0
  for (const operation of changes) {
    const read = operations.find(({ name }) => name === `GET ${operation.endpoint.path}`)
    if (read?.endpoint.returns.as !== 'one') continue
    // The same record as the change is about.
    const path = pathOf(operation.endpoint, idsFor(operation, ids))
    const { status, headers } = await ws.get(path)
    if (status !== 200) continue
    if (!headers.get('etag')) faults.push(`${read.name}: no ETag`)
    const refused = await sendSample(app, ws, operation, ids, { headers: { 'if-match': '"999999"' } })
    compared += Number(refused.status === 412)
    if (refused.status !== 412) faults.push(`${operation.name}: ${refused.status} for another version`)
  }
  expect(faults.filter((fault) => !WITHOUT_VERSION[fault.slice(0, fault.indexOf(': '))])).toEqual([])
  expect(compared).toBeGreaterThan(40)
})

type Judged = { faults: string[]; amounts: number; answered: boolean }

async function judge(operation: Operation): Promise<Judged> {
  const { returns } = operation.endpoint
  const { status, headers, text } = await textOf(operation)
  if (status >= 300) return { faults: [], amounts: 0, answered: false }
  const { data } = JSON.parse(text)
  const faults: string[] = []
  if (returns.as !== 'list' && data?.version !== undefined && headers.get('etag') !== `"${data.version}"`) faults.push('no ETag')
  if (!/^"default";q=\d+;w=10, "workspace"/.test(headers.get('ratelimit-policy') ?? '')) faults.push('no RateLimit-Policy')
  if (returns.as === 'created' && (status !== 201 || (data.id && !headers.get('location')))) faults.push(`status ${status}, no Location`)
  const amounts = moneyOf(returns.schema).flatMap((path) => sourcesAt(text, returns.as === 'list' ? `*.${path}` : path))
  faults.push(...amounts.filter(({ source }) => !/^-?\d+\.\d\d$/.test(source)).map(({ path, source }) => `${path} is ${source}`))
  return { faults: faults.map((fault) => `${operation.name}: ${fault}`), amounts: amounts.length, answered: true }
}

const JSON_MODES = ['one', 'list', 'created', 'upserted']

async function textOf(operation: Operation) {
  let text = ''
  const client: Harness['client'] = async (...parts) => {
    const response = await app.client(...parts)
    text = response.text
    return response
  }
  const { status, headers } = await sendSample({ ...app, client }, ws, operation, ids)
  return { status, headers, text }
}

/** The numbers at a path of the data, as they are written. */
function sourcesAt(text: string, path: string): { path: string; source: string }[] {
  const written = JSON.parse(text, (_, value, context?: Source) => (typeof value === 'number' ? { number: context?.source ?? '' } : value))
  const at = (value: unknown, [step, ...rest]: string[]): unknown[] => {
    if (value === null || value === undefined) return []
    if (step === undefined) return [value]
    if (step === '*') return (value as unknown[]).flatMap((item) => at(item, rest))
    return at((value as Record<string, unknown>)[step], rest)
  }
  return at(written.data, path.split('.')).map((value) => ({ path, source: (value as { number: string }).number }))
}
