import type { Plan } from '../data/plan.ts'
import { type Endpoint, type EndpointCtx, isWrite } from './endpoint.ts'
import type { Request } from './transaction.ts'

/** How many plans an isolate keeps, and up to how many characters of endpoint and query. One takes some 20 kB, more with long texts. */
const MOST = 100
const LONGEST = 200

/** The plans that an isolate keeps, by endpoint and query; those that were used last come last. */
const kept = new Map<string, Plan<unknown>>()

/**
 * The plan of a request. That of a list is kept for other requests with the same short query, unless it has read anything of its context,
 * such as the time. Which workspace it is about is decided by the database.
 */
export async function keepingPlan(
  { endpoint, input }: Request,
  context: () => EndpointCtx,
  planned: (ctx: EndpointCtx) => Promise<Plan<unknown>>,
): Promise<Plan<unknown>> {
  if (!isKept(endpoint)) return planned(context())
  const name = `${endpoint.base}${endpoint.path} ${JSON.stringify(input.query)}`
  if (name.length > LONGEST) return planned(context())
  const known = kept.get(name)
  kept.delete(name)
  if (known) {
    kept.set(name, known)
    return known
  }
  let isOwn = false
  const ctx = watched(context(), () => {
    isOwn = true
    kept.delete(name)
  })
  const plan = await planned(ctx)
  if (isOwn || plan.afterwards || plan.outside) return plan
  kept.set(name, plan)
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST) break
    kept.delete(oldest)
  }
  return plan
}

/** Whether other requests have the same parts: it only reads, and its path names no record. */
const isKept = (endpoint: Endpoint) => !isWrite(endpoint) && !endpoint.access.public && !endpoint.body && !endpoint.params

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
