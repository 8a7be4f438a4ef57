import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'
import type { ApiResponse, TestWorkspace } from '../workspace.ts'
import { bodyOf, type Ids, idsFor, type Operation, operations } from './samples.ts'
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

type Issue = { path: string; message: string }
const issuesOf = ({ body }: ApiResponse): Issue[] => body.error?.details?.issues ?? []
const pathsOf = (answer: ApiResponse) => issuesOf(answer).map(({ path }) => path)
const entriesOf = (schema: unknown): string[] => Object.keys((schema as { entries?: object } | undefined)?.entries ?? {})

const withBody = operations.filter(({ endpoint }) => !endpoint.successor && entriesOf(endpoint.body).length > 0 && !endpoint.access.public)
const updates = operations.filter(
  ({ endpoint: { method, successor, body, returns } }) =>
    (method === 'PATCH' || method === 'PUT') && !successor && entriesOf(body).length > 0 && returns.as === 'one',
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

test('every update accepts the record as it was read, and refuses read-only fields with another value', async () => {
  expect(updates.length).toBeGreaterThan(20)
  // The settings replace lists whose entries other operations update.
  const inOrder = [...updates.filter(({ name }) => !name.includes('settings')), ...updates.filter(({ name }) => name.includes('settings'))]
  for (const operation of inOrder) await acceptsWhatWasRead(operation)
})

async function acceptsWhatWasRead(operation: Operation): Promise<void> {
  const writable = entriesOf(operation.endpoint.body)
  const { body, status } = await sendSample(app, ws, operation, ids)
  expect([operation.name, status, body]).toEqual([operation.name, 200, expect.anything()])
  const readOnly = Object.entries(body.data).filter(([name]) => !writable.includes(name))
  const sample = bodyOf(operation, idsFor(operation, ids))
  const same = await sendSample(app, ws, operation, ids, { body: { ...sample, ...Object.fromEntries(readOnly) } })
  expect([operation.name, same.status, issuesOf(same)]).toEqual([operation.name, 200, []])
  const others = Object.fromEntries(readOnly.map(([name]) => [name, 'another value']))
  const changed = await sendSample(app, ws, operation, ids, { body: { ...sample, ...others } })
  expect([operation.name, changed.status, pathsOf(changed).sort()]).toEqual([operation.name, 400, Object.keys(others).sort()])
  for (const { message } of issuesOf(changed)) expect(message).toMatch(/^is read-only: /)
}
