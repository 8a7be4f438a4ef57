import { endpoints } from '../../routes/index.ts'
import type { TestWorkspace } from '../workspace.ts'
import { bodyOf, type Ids, idAt, type Operation, operations, ownParameter, pathOf, placesOfIds, queryOf } from './samples.ts'

/**
 * A workspace with one record of everything that can be made through the API, and their ids. What is new in the register
 * is made too: its create endpoint is called as soon as all that its path and body name exists.
 */
export async function seed(ws: TestWorkspace): Promise<Ids> {
  const colleague = await ws.key({ role: 'client_editor' })
  const ids: Ids = { user_id: colleague.userId }
  const open = operations.filter(makes)
  for (;;) {
    // Those that may name what does not exist yet come last.
    const [next] = open.filter((operation) => isReady(operation, ids)).sort((a, b) => unknownTo(ids, a) - unknownTo(ids, b))
    if (!next) break
    open.splice(open.indexOf(next), 1)
    await make(ws, next, ids)
  }
  if (endpoints.some(({ path }) => path === '/approvals')) await ws.post('/contacts', { first_name: 'Held', require_approval: true })
  await find(ws, ids)
  if (ids.pipeline_id) await findStages(ws, ids)
  return ids
}

/** Records that nobody creates by themselves, such as events, are found in their lists. */
async function find(ws: TestWorkspace, ids: Ids): Promise<void> {
  for (const { endpoint } of operations.filter(({ endpoint }) => endpoint.list && endpoint.method === 'GET')) {
    const parameter = ownParameter(endpoint)
    if (!parameter || ids[parameter] || /:/.test(endpoint.path)) continue
    const { body } = await ws.get(`${endpoint.path}?limit=1`)
    if (body.data[0]?.id) ids[parameter] = body.data[0].id
  }
}

/** Where cards go when theirs goes, and what a new order of stages has to name. */
async function findStages(ws: TestWorkspace, ids: Ids): Promise<void> {
  const { body } = await ws.get('/pipelines')
  for (const { id, stages } of body.data as { id: string; stages: { id: string }[] }[]) {
    if (id === ids.pipeline_id) ids.all_stage_ids = stages.map(({ id }) => id).join()
    else ids.move_to_stage_id = stages[0]!.id
  }
}

/** Creates a record, or links one: there is a path below it for what it makes, or its own path names both ends. */
function makes({ endpoint }: Operation): boolean {
  const { method, path, successor, public: open } = endpoint
  if (method !== 'POST' || successor || open) return false
  return (
    endpoints.some((other) => other.path.startsWith(`${path}/:`)) ||
    (/:\w+$/.test(path) && endpoints.some((other) => other.path === path && other.method === 'DELETE'))
  )
}

function isReady(operation: Operation, ids: Ids): boolean {
  const { endpoint, body } = operation
  const named = [...endpoint.path.matchAll(/:(\w+)/g)].every(([, name]) => ids[name as string])
  const required = body ? placesOfIds(body).filter(([field]) => body.required?.includes(field)) : []
  return named && required.every((place) => idAt(endpoint, place, ids))
}

const unknownTo = (ids: Ids, { endpoint, body }: Operation) =>
  body ? placesOfIds(body).filter((place) => !idAt(endpoint, place, ids)).length : 0

async function make(ws: TestWorkspace, operation: Operation, ids: Ids): Promise<void> {
  const { endpoint, name } = operation
  const body = bodyOf(operation, ids)
  const answer = await ws.post(`${pathOf(endpoint, ids)}?${new URLSearchParams(queryOf(operation, ids))}`, body)
  if (answer.status >= 300)
    throw new Error(
      `The sample for ${name} was refused: see OVER in test/contract/samples.ts\n${JSON.stringify({ body, answer: answer.body })}`,
    )
  const parameter = ownParameter(endpoint)
  ids[parameter] ??= answer.body.data.id
}
