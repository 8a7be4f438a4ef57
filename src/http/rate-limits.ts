import { AppError } from '../errors.ts'
import { ExpiringMap } from '../lib/expiring-map.ts'
import type { AppContext } from './serve.ts'

/** The limits of wrangler.toml: the number of requests in ten seconds, by kind of caller. */
const RATES = {
  default: { binding: 'RATE_LIMIT', quota: 100, whose: 'with this key' },
  sends: { binding: 'SEND_RATE_LIMIT', quota: 20, whose: 'that send something with this key' },
  workspace: { binding: 'WORKSPACE_RATE_LIMIT', quota: 1000, whose: 'in this workspace' },
  address: { binding: 'ADDRESS_RATE_LIMIT', quota: 20, whose: 'without a valid key, or to paths that do not exist, from this address' },
} as const
export type Rate = keyof typeof RATES

const PERIOD_SECONDS = 10
const MAX_CALLERS = 10_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/** What this isolate remembers. Keys are identified by their hashes, so a caller with a forged key does not affect the real one. */
const refusedKeys = new ExpiringMap<true>(MAX_CALLERS, MINUTE_MS)
const limitedAddresses = new ExpiringMap<true>(MAX_CALLERS, PERIOD_SECONDS * 1000)
const workspaces = new ExpiringMap<string>(MAX_CALLERS, HOUR_MS)

/** The message for a well-formed key that the database does not accept; the same as in schema/functions/authority.sql. */
const NOT_ACCEPTED = 'The API key is unknown, expired or revoked: send a current one as "Authorization: Bearer wck_…"'

/**
 * Admits a request with a well-formed key, before the database is asked. @throws UNAUTHENTICATED for a key that was refused in the last
 * minute; RATE_LIMITED for too many requests of the key, of its workspace, or of unknown keys from this address.
 */
export async function admitKey(c: AppContext, keyHash: string): Promise<void> {
  if (refusedKeys.has(keyHash)) throw new AppError('UNAUTHENTICATED', NOT_ACCEPTED)
  const workspace = workspaces.get(keyHash)
  if (!workspace && limitedAddresses.has(addressOf(c))) throw limited(c, 'address')
  await Promise.all([limitRate(c, 'default', keyHash), workspace && limitRate(c, 'workspace', workspace)])
}

/** Remembers the workspace of a key that the database accepted. The first request of a key is counted after it was executed. */
export function rememberWorkspace(c: AppContext, keyHash: string, workspace: string): void {
  if (workspaces.has(keyHash)) return
  workspaces.set(keyHash, workspace)
  c.executionCtx.waitUntil(isWithin(c, 'workspace', workspace))
}

/** Counts a request without a valid key, and returns the error for its caller: the given one, or RATE_LIMITED when there were too many. */
export async function countRefusal(c: AppContext, error: unknown, keyHash: string | undefined): Promise<unknown> {
  if (!(error instanceof AppError) || error.code !== 'UNAUTHENTICATED') return error
  if (keyHash && !refusedKeys.has(keyHash)) refusedKeys.set(keyHash, true)
  if (keyHash) workspaces.delete(keyHash)
  if (await isWithin(c, 'address', addressOf(c))) return error
  limitedAddresses.set(addressOf(c), true)
  return limited(c, 'address')
}

/** @throws RATE_LIMITED. */
export async function limitRate(c: AppContext, rate: Rate, id: string): Promise<void> {
  if (!(await isWithin(c, rate, id))) throw limited(c, rate)
}

export const addressOf = (c: AppContext): string => c.req.header('cf-connecting-ip') ?? 'unknown'

/** Counts a request. If the limiter fails, the request passes, because a limiter must not make the service unavailable. */
async function isWithin({ env }: AppContext, rate: Rate, id: string): Promise<boolean> {
  const { binding } = RATES[rate]
  try {
    return (await env[binding].limit({ key: id })).success
  } catch (error) {
    console.error(JSON.stringify({ level: 'error', message: 'a rate limit failed and was passed', binding, error: String(error) }))
    return true
  }
}

/**
 * The limits that apply to a request, as the header RateLimit-Policy names them. How much is left of a limit is known only once it is
 * reached.
 */
export const policiesOf = (hasKey: boolean, further?: Rate): string => {
  const policies = hasKey ? WITH_KEY : WITHOUT_KEY
  return further ? `${policies}, ${policyOf(further)}` : policies
}

const policyOf = (rate: Rate): string => `"${rate}";q=${RATES[rate].quota};w=${PERIOD_SECONDS}`
const WITH_KEY = `${policyOf('default')}, ${policyOf('workspace')}`
const WITHOUT_KEY = policyOf('address')

function limited(c: AppContext, rate: Rate): AppError {
  const { whose } = RATES[rate]
  c.header('RateLimit-Policy', policyOf(rate))
  c.header('RateLimit', `"${rate}";r=0;t=${PERIOD_SECONDS}`)
  return new AppError('RATE_LIMITED', `Too many requests ${whose}: wait and try again`, { limit: rate }, PERIOD_SECONDS)
}
