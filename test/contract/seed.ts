import { endpoints } from '../../routes/index.ts'
import type { TestWorkspace } from '../workspace.ts'
import { bodyOf, type Ids, idAt, type Operation, operations, ownParameter, pathOf, placesOfIds, queryOf } from './samples.ts'

/** Where the documented example does not do: what is put over it, by path. */
const BODIES: Record<string, (ids: Ids) => Record<string, unknown>> = {
  '/api-keys': () => ({ scopes: ['contacts:read'] }),
  '/contacts': ({ customer_id, lead_source_id }) => ({ customer_id, source_id: lead_source_id }),
  '/opportunities': ({ customer_id, stage_id, user_id }) => ({ customer_id, stage_id, assigned_to: user_id }),
  '/opportunities/:opportunity_id/products': ({ product_id }) => ({ product_id }),
}

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
  const over = Object.entries(BODIES[endpoint.path]?.(ids) ?? {}).filter(([, value]) => value !== undefined)
  const body = { ...bodyOf(operation, ids), ...Object.fromEntries(over) }
  const answer = await ws.post(`${pathOf(endpoint, ids)}?${new URLSearchParams(queryOf(operation, ids))}`, body)
  if (answer.status >= 300)
    throw new Error(
      `The sample for ${name} was refused: see BODIES in test/contract/seed.ts\n${JSON.stringify({ body, answer: answer.body })}`,
    )
  const parameter = ownParameter(endpoint)
  ids[parameter] ??= answer.body.data.id
}
