import { PlainStatement } from '../data/db.ts'
import type { Plan } from '../data/plan.ts'
import { AppError } from '../errors.ts'
import { isId } from '../lib/ids.ts'
import type { Input } from './check.ts'
import { type Endpoint, type EndpointCtx, isWrite } from './endpoint.ts'
import { type Request, readingOf } from './transaction.ts'

/** How many plans an isolate keeps, and up to how many characters of endpoint and query. One takes some 20 kB, more with long texts. */
const MOST = 200
const LONGEST = 200

/** A plan as a function of the ids in the path. */
type For = (ids: string[]) => Plan<unknown>
type Planning = (ctx: EndpointCtx, request: Request) => Promise<Plan<unknown>>

/** What an isolate keeps, by endpoint and query: plans, and that there is none to keep. Those that were used last come last. */
const kept = new Map<string, For | 'none'>()

/**
 * The plan of a request. That of a list, or of one record, is kept for other requests with the same short query, unless it has read
 * anything of its context, such as the time. Which workspace it is about is decided by the database.
 */
export async function keepingPlan(request: Request, context: () => EndpointCtx, planned: Planning): Promise<Plan<unknown>> {
  const { endpoint, input } = request
  const name = isKept(endpoint) ? `${endpoint.base}${endpoint.path} ${JSON.stringify(input.query)}` : ''
  const ids = endpoint.params ? namesIn(input).map((param) => input.params[param] as string) : []
  if (name === '' || name.length > LONGEST || !ids.every(isCanonical)) return planned(context(), request)
  const known = kept.get(name)
  kept.delete(name)
  if (!known && ids.length === 0) return planList(name, request, context(), planned)
  // What refuses a request is not kept, or requests that are not valid would displace plans.
  const found = known ?? (await planRecord(request, planned).catch((error) => (error instanceof AppError ? undefined : 'none')))
  if (found) keep(name, found)
  return !found || found === 'none' ? planned(context(), request) : found(ids)
}

function keep(name: string, found: For | 'none'): void {
  kept.set(name, found)
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST) break
    kept.delete(oldest)
  }
}

/** Whether requests with the same query may have the same plan, but for the ids in the path, which cursors of lists contain. */
const isKept = (endpoint: Endpoint) =>
  !isWrite(endpoint) && !endpoint.access.public && !endpoint.body && (!endpoint.params || endpoint.returns.as === 'one')

/** The parameters of the path, in an order that does not depend on who sends the request. */
const namesIn = ({ params }: Input) => Object.keys(params).sort()

/** Whether the database writes the id so. Others are converted, or refused, by the schema of the path. */
const isCanonical = (text: string) => isId(text) && text === text.toLowerCase()

async function planList(name: string, request: Request, context: EndpointCtx, planned: Planning): Promise<Plan<unknown>> {
  let isOwn = false
  const ctx = watched(context, () => {
    isOwn = true
    kept.delete(name)
  })
  const plan = await planned(ctx, request)
  if (isOwn || plan.afterwards || plan.outside) return plan
  const compiled = { ...plan, result: { ...plan.result, compiled: readingOf(plan.result) } }
  keep(name, () => compiled)
  return compiled
}

/**
 * Plans the request for ids that nothing has, and finds where they stand in the statement that reads the record. `none` if more than that
 * may depend on the ids. @throws when the plan reads its context, or the request is not valid.
 */
async function planRecord(request: Request, planned: Planning): Promise<For | 'none'> {
  const ids = namesIn(request.input).map((param) => [param, crypto.randomUUID()] as const)
  const ctx = watched({} as EndpointCtx, () => {
    throw new Error('This plan depends on its request')
  })
  const plan = await planned(ctx, { ...request, input: { ...request.input, params: Object.fromEntries(ids) } })
  const { result, statements, afterwards, outside, wakes } = plan
  if (!result.json?.isRecord || statements.length > 0 || afterwards || outside || wakes) return 'none'
  const reading = filling(
    readingOf(result),
    ids.map(([, id]) => id),
  )
  return (own) => ({ ...plan, result: { ...result, compiled: reading(own) } })
}

/** The statement as a function of what takes the place of these ids. @throws for one that has them in its text. */
function filling({ sql, params }: PlainStatement, ids: string[]): (own: string[]) => PlainStatement {
  const has = (text: string) => ids.some((id) => text.includes(id))
  if (has(sql) || params.some((param) => typeof param !== 'string' && has(String(JSON.stringify(param)))))
    throw new Error('A statement has an id of the path that is no value')
  const places = params.flatMap((param, at) => (typeof param === 'string' && has(param) ? [at] : []))
  return (own) => {
    const filled = [...params]
    for (const at of places) filled[at] = ids.reduce((text, id, n) => text.replaceAll(id, own[n] as string), params[at] as string)
    return new PlainStatement(sql, filled)
  }
}

/** The context, which tells when anything of it is read. */
function watched(ctx: EndpointCtx, noted: () => void): EndpointCtx {
  return new Proxy(ctx, {
    get(target, name) {
      noted()
      return Reflect.get(target, name)
    },
    ownKeys(target) {
      noted()
      return Reflect.ownKeys(target)
    },
  })
}
