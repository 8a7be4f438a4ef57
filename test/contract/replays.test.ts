import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isWrite } from '../../src/http/endpoint.ts'
import { type Harness, start } from '../harness.ts'
import type { ApiResponse, TestWorkspace } from '../workspace.ts'
import { bodyOf, type Ids, idsFor, inTurn, probed } from './samples.ts'
import { seed } from './seed.ts'
import { sendSample } from './send.ts'

let app: Harness
let agent: TestWorkspace
let ids: Ids

beforeAll(async () => {
  app = await start()
  const ws = await app.workspace()
  ids = await seed(app, ws)
  agent = await ws.key({ level: 'approval', member: ws.userId })
  await app.drain()
})
afterAll(() => app.close())

const replayed = ({ headers }: ApiResponse) => headers.get('idempotency-replayed') === 'true'
const approvals = async () => {
  const { rows } = await app.owner.query<{ id: string }>('select id from approvals where key_id = $1', [agent.keyId])
  return rows.map(({ id }) => id)
}

// The texts of voice tools have no id of the approval: see the tests of voice tools.
const held = inTurn(probed, 1).filter(
  ({ endpoint }) => isWrite(endpoint) && !endpoint.access.public && !endpoint.access.direct && endpoint.returns.as !== 'text',
)

describe.each(held)('$name with a key of level approval', (operation) => {
  test('creates one approval for two concurrent requests with one Idempotency-Key, and its repetition returns it', async () => {
    const change = { body: bodyOf(operation, idsFor(operation, ids)), headers: { 'idempotency-key': crypto.randomUUID() } }
    const call = () => sendSample(app, agent, operation, ids, change)
    const before = await approvals()
    const twins = await Promise.all([call(), call()])
    const again = await call()
    for (const { status, body } of [...twins, again]) expect([status, body.status], JSON.stringify(body)).toEqual([202, 'pending'])
    const created = (await approvals()).filter((id) => !before.includes(id))
    expect([...twins, again].map(({ body }) => body.approval_id)).toEqual([created[0], created[0], created[0]])
    expect(created).toHaveLength(1)
    expect([twins.filter(replayed).length, replayed(again)]).toEqual([1, true])
  })
})
