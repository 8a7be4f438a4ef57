import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isWrite } from '../../src/http/endpoint.ts'
import { type Harness, start } from '../harness.ts'
import { proving } from '../proof.ts'
import type { TestWorkspace } from '../workspace.ts'
import { type Ids, type Operation, operations } from './samples.ts'
import { seed } from './seed.ts'
import { sendSample } from './send.ts'

/** Only its author edits a note, which is somebody else than the member who requests it here. */
const BY_AUTHOR = 'PATCH /agency/service-requests/:request_id/notes/:note_id'

/** Approving a write requires the same rights as the write itself, for every write that can need approval. */
const all = operations.filter(
  ({ name, endpoint }) =>
    name !== BY_AUTHOR && isWrite(endpoint) && !endpoint.access.direct && !endpoint.access.public && !endpoint.successor,
)
/** Outside a proof one write of each kind: those of one resource that need the same scopes and role, and are sent with the same method. */
const kindOf = ({ endpoint: { path, method, access } }: Operation) => [path.split('/')[1], method, access.admin, ...access.scopes].join(' ')
const held = proving ? all : all.filter((operation, i) => all.findIndex((other) => kindOf(other) === kindOf(operation)) === i)
const scopes = [...new Set([...operations.flatMap(({ endpoint }) => endpoint.access.scopes)])]
const needed = [...new Set(all.flatMap(({ endpoint }) => endpoint.access.scopes))]

let app: Harness
let ws: TestWorkspace
let agent: TestWorkspace
let editor: TestWorkspace
let ids: Ids
/** Approvers, by the scope that their key or its owner's role lacks. */
const lacking = new Map<string, TestWorkspace[]>()

beforeAll(async () => {
  app = await start()
  ws = await app.workspace()
  ids = await seed(app, ws)
  agent = await ws.key({ level: 'approval' })
  editor = await ws.key({ role: 'client_editor' })
  for (const scope of needed) {
    const others = scopes.filter((one) => one !== scope)
    const role = await ws.post('/roles', { name: `All but ${scope}`, scopes: others })
    lacking.set(scope, [await ws.key({ scopes: others }), await ws.key({ role: role.body.data.key })])
  }
  await app.drain()
})
afterAll(() => app.close())

test('there are writes to hold, of every resource and for every scope', () => {
  expect(all.length).toBeGreaterThan(100)
  const resourcesOf = (operations: Operation[]) => new Set(operations.map(({ endpoint }) => endpoint.path.split('/')[1]))
  expect(resourcesOf(held)).toEqual(resourcesOf(all))
  expect(new Set(held.flatMap(({ endpoint }) => endpoint.access.scopes))).toEqual(new Set(needed))
})

describe.each(held)('$name', (operation) => {
  const { endpoint } = operation
  test('is approved only by those who could call it', async () => {
    const request = await sendSample(app, agent, operation, ids)
    expect(request.status, JSON.stringify(request.body)).toBe(202)
    const path = `/approvals/${request.body.approval_id}`
    const approval = (await ws.get(path)).body.data
    if (endpoint.access.admin) expect(approval.requires_admin).toBe(true)
    expect(approval.required_scopes).toEqual(expect.arrayContaining(endpoint.access.scopes))
    for (const scope of endpoint.access.scopes) {
      const [byKey, byRole] = await Promise.all((lacking.get(scope) ?? []).map((approver) => approver.post(`${path}/approve`)))
      for (const answer of [byKey, byRole]) {
        expect(answer?.status, scope).toBe(403)
        expect(answer?.body.error.details.missing_scopes).toContain(scope)
      }
    }
    if (endpoint.access.admin) expect((await editor.post(`${path}/approve`)).status).toBe(403)
    expect((await ws.get(path)).body.data.status).toBe('pending')
  })
})
