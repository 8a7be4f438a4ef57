import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { examplesFile } from '../../dev/openapi.ts'
import { type Endpoint, isWrite } from '../../src/http/endpoint.ts'
import { type Harness, start } from '../harness.ts'
import { faultsOf } from './answers.ts'
import { ROUNDS } from './flat-calls.ts'
import { type Operation, operations } from './samples.ts'
import { seed } from './seed.ts'
import { sendSample } from './send.ts'
import { shortened } from './shorten.ts'

/** EXAMPLES=write replaces missing and outdated examples by the current response. */
const writing = process.env.EXAMPLES === 'write'

type Examples = Record<string, unknown>
const stored = (existsSync(examplesFile) ? JSON.parse(readFileSync(examplesFile, 'utf8')) : {}) as Examples
const current = operations.filter(({ endpoint }) => !endpoint.successor)
const received: Record<string, { status: number; body: unknown }> = {}

let app: Harness

beforeAll(async () => {
  app = await start()
  for (const { calls } of ROUNDS.filter(({ former }) => !former)) {
    const ws = await app.workspace()
    const target = { app, ws, ids: await seed(app, ws) }
    for (const { operation, prepare } of calls) {
      const { id } = operation.endpoint
      if ((received[id]?.status ?? 500) < 300) continue
      const { status, body } = await sendSample(app, ws, operation, target.ids, await prepare(target))
      if (isWrite(operation.endpoint)) await app.drain()
      received[id] = { status, body: shortened(body) }
    }
  }
  if (!writing) return
  const fresh = current.filter(({ endpoint }) => (received[endpoint.id]?.status ?? 500) < 300).sort(byId)
  const bodies = fresh.map(({ endpoint }) => [
    endpoint.id,
    faultsOfExample(endpoint).length > 0 ? received[endpoint.id]?.body : stored[endpoint.id],
  ])
  for (const name of Object.keys(stored)) delete stored[name]
  Object.assign(stored, Object.fromEntries(bodies))
  writeFileSync(examplesFile, `${JSON.stringify(stored, null, 2)}\n`)
}, 600_000)
afterAll(() => app.close())

test('every operation has a stored example, and every example an operation', () => {
  expect(Object.keys(stored).sort(), 'run with EXAMPLES=write, then `npm run openapi`').toEqual(
    current.map(({ endpoint }) => endpoint.id).sort(),
  )
})

test('every stored example fits the document, and has the fields that the API responds with', () => {
  const wrong = current.flatMap(({ endpoint }) => {
    const { status = 0, body } = received[endpoint.id] ?? {}
    if (status >= 300) return [`${endpoint.id}: its sample was refused: ${JSON.stringify(body)}`]
    return faultsOfExample(endpoint).map((fault) => `${endpoint.id}: ${fault}`)
  })
  expect(wrong, 'run with EXAMPLES=write, then `npm run openapi`').toEqual([])
})

function faultsOfExample(endpoint: Endpoint): string[] {
  const { status = 0, body } = received[endpoint.id] ?? {}
  const example = stored[endpoint.id]
  const faults = typeof body === 'string' ? [] : [...faultsOf(endpoint, status, example), ...faultsOf(endpoint, status, body)]
  const differs = fieldsOf(example) === fieldsOf(body) ? [] : [`has ${fieldsOf(example)} and not ${fieldsOf(body)}`]
  return [...faults, ...differs]
}

const byId = (a: Operation, b: Operation) => (a.endpoint.id < b.endpoint.id ? -1 : 1)

/** The field names of the envelope, and of the record or the first record of a list. */
function fieldsOf(body: unknown): string {
  if (typeof body !== 'object' || body === null) return typeof body
  const { data } = body as { data?: unknown }
  const record = Array.isArray(data) ? data[0] : data
  return [...Object.keys(body), ...Object.keys((record ?? {}) as object).map((name) => `data.${name}`)].sort().join(' ')
}
