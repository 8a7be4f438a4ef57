import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JsonSchema } from '../../src/http/openapi/schemas.ts'
import { type Harness, start } from '../harness.ts'
import { limit } from '../speed.ts'
import type { ApiResponse, TestWorkspace } from '../workspace.ts'
import { otherValues } from './other-values.ts'
import { bodyOf, type Ids, idFor, idsFor, type Operation, operations, pathOf, probed } from './samples.ts'
import { seed } from './seed.ts'
import { sendSample } from './send.ts'
import { NOT_COMPARED, PREPARED } from './stored-exceptions.ts'

let app: Harness
let ws: TestWorkspace
let ids: Ids
beforeAll(async () => {
  app = await start()
  ws = await app.workspace()
  ids = await seed(app, ws)
  // The second pipeline, because the stages of the first one are changed.
  const { body } = await ws.get('/pipelines')
  const stages = body.data.find(({ id }: Row) => id !== ids.pipeline_id).stages as { id: string; kind: string }[]
  for (const kind of ['won', 'lost']) ids[`${kind}_stage_id`] = stages.find((stage) => stage.kind === kind)?.id as string
})
afterAll(() => app.close())

type Row = Record<string, unknown>
type Field = { name: string; schema: JsonSchema }
type Case = { operation: Operation; fields: Field[] }

const entriesOf = (schema: unknown): Row => (schema as { entries?: Row }).entries ?? {}
const isUpdate = ({ endpoint: { method } }: Operation) => method !== 'POST'
/** Upserts are compared with creates, field by field, in upserts.test.ts. */
const isCreate = ({ endpoint: { method, returns } }: Operation) => method === 'POST' && ['created', 'added'].includes(returns.as)
const isWrite = (operation: Operation) => (isUpdate(operation) ? operation.endpoint.returns.as === 'one' : isCreate(operation))
/** Bookings need the sample's hours; the settings replace picklists, which other calls use, and a status may end what can be changed. */
const rankOf = (name: string) => (/crm-settings|^(status|state|archived)$/.test(name) ? 2 : /scheduling-/.test(name) ? 0 : 1)

/** Every create and update, with the fields that it takes and also returns. */
const cases: Case[] = probed
  .filter((operation) => isWrite(operation) && operation.body && !operation.endpoint.access.public)
  .map((operation) => {
    const returned = entriesOf(operation.endpoint.returns.schema)
    const sent = Object.entries((operation.body?.properties ?? {}) as Record<string, JsonSchema>)
    const fields = sent.filter(([name]) => name in returned && !NOT_COMPARED[`${operation.name} ${name}`] && !NOT_COMPARED[name])
    return { operation, fields: fields.map(([name, schema]) => ({ name, schema })).sort((a, b) => rankOf(a.name) - rankOf(b.name)) }
  })
  .filter(({ fields }) => fields.length > 0)
  .sort((a, b) => rankOf(a.operation.name) - rankOf(b.operation.name))

/** The endpoint that reads what the operation has written: at its path, or of a new record at the path with its id. */
function readerOf({ endpoint }: Operation): Operation | undefined {
  const found = (path: string) =>
    operations.find(({ endpoint: other }) => other.method === 'GET' && other.path.replace(/:\w+$/, ':') === path)
  return found(isUpdate({ endpoint } as Operation) ? endpoint.path.replace(/:\w+$/, ':') : `${endpoint.path}/:`)
}

async function stored(operation: Operation, { body }: Pick<ApiResponse, 'body'> = { body: {} }): Promise<Row> {
  const path = pathOf(operation.endpoint, idsFor(operation, ids))
  const read = readerOf(operation) && (await ws.get(isUpdate(operation) ? path : `${path}/${body.data?.id}`))
  return read?.status === 200 && !Array.isArray(read.body.data) ? read.body.data : (body.data ?? {})
}

/** The records that a field may refer to: the one of the samples, and another one. */
function referencesOf(field: string, own: Ids): string[] {
  const id = idFor(field, own)
  const others = Object.keys(own).filter((name) => own[name] === id && own[`other_${name}`])
  return [id, ...others.map((name) => own[`other_${name}`])].filter((id) => id !== undefined) as string[]
}

/** What keeps each of the fields from being stored as it was sent. */
async function faultsOf({ operation, fields }: Case): Promise<string[]> {
  const own = idsFor(operation, ids)
  const before = isUpdate(operation) ? await stored(operation) : {}
  const sample = bodyOf(operation, own) ?? {}
  const base = () => {
    const body = bodyOf(operation, own) ?? {}
    const needed = Object.keys(body).filter((name) => isCreate(operation) || operation.body?.required?.includes(name))
    return Object.fromEntries(needed.map((name) => [name, body[name]]))
  }
  const valuesFor = ({ name, schema }: Field) => otherValues(name, schema, before[name], sample[name], referencesOf(name, own))
  const send = async (values: Row) => {
    const answer = await sendSample(app, ws, operation, ids, { body: { ...base(), ...values } })
    return { answer, row: answer.status < 300 ? await stored(operation, answer) : undefined }
  }

  // All together, and those that do not hold one by one.
  const together = Object.fromEntries(fields.map((field) => [field.name, valuesFor(field)[0]]))
  const { row } = await send(together)
  const open = row ? fields.filter(({ name }) => !holds(row[name], together[name])) : fields
  const faults: string[] = []
  for (const field of open) {
    let fault = 'no value differs'
    let refusal = ''
    const prepared = PREPARED[`${operation.name} ${field.name}`]?.(own)
    for (const value of prepared ? [prepared[field.name]] : valuesFor(field)) {
      const { answer, row } = await send({ [field.name]: value, ...prepared })
      refusal ||= `${JSON.stringify(value)}: ${answer.status} ${JSON.stringify(answer.body.error?.details ?? answer.body.error)}`
      fault = row ? `${JSON.stringify(value)} is read as ${JSON.stringify(row[field.name])}` : refusal
      if (!row) continue
      if (holds(row[field.name], value)) fault = ''
      break
    }
    if (fault) faults.push(`${operation.name} ${field.name}: ${fault}`)
  }
  return faults
}

const DAY = /^\d{4}-\d\d-\d\d/
/** Whether what is stored has all that was sent; a list in any order, and a time in any spelling. */
function holds(found: unknown, sent: unknown): boolean {
  if (typeof sent === 'string' && typeof found === 'string')
    return found === sent || (DAY.test(sent) && DAY.test(found) && Date.parse(sent) === Date.parse(found))
  if (Array.isArray(sent))
    return Array.isArray(found) && found.length === sent.length && sent.every((item) => found.some((other) => holds(other, item)))
  if (typeof sent !== 'object' || sent === null) return isDeepStrictEqual(found ?? null, sent)
  if (typeof found !== 'object' || found === null) return false
  return Object.entries(sent).every(([name, value]) => holds((found as Row)[name], value))
}

test('every field that a write takes and returns is stored', { timeout: limit(120_000) }, async () => {
  const faults: string[] = []
  for (const one of cases) faults.push(...(await faultsOf(one)))
  expect(faults).toEqual([])
  expect(cases.flatMap(({ fields }) => fields).length).toBeGreaterThan(700)
})

test('each exception is about a field that exists', () => {
  const known = operations.flatMap(({ name, body }) => Object.keys(body?.properties ?? {}).flatMap((field) => [field, `${name} ${field}`]))
  expect(Object.keys({ ...NOT_COMPARED, ...PREPARED }).filter((name) => !known.includes(name))).toEqual([])
})
