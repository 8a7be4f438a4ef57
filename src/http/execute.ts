import { sql } from 'drizzle-orm'
import type { Deployment } from '../context.ts'
import { type Assumptions, afterRefuted, assuming, noAssumptions } from '../data/assumptions.ts'
import { batch, type Database } from '../data/batch.ts'
import { referrersOf, withReferrers } from '../data/blockers.ts'
import { call } from '../data/call.ts'
import { conflictOf, withConflict } from '../data/conflicts.ts'
import { RolledBack } from '../data/database-errors.ts'
import type { Statement } from '../data/db.ts'
import { bodyOf } from '../data/json-body.ts'
import type { Outside, Plan } from '../data/plan.ts'
import { asJson, constant, decodeResult, type Query } from '../data/query.ts'
import { assertUnchanged, markChanged } from '../data/read-only.ts'
import { assumedZone } from '../data/workspace-zone.ts'
import { AppError } from '../errors.ts'
import { withInstants } from '../lib/instants.ts'
import type { Feed } from '../providers/feed/port.ts'
import type { Files } from '../providers/files/port.ts'
import type { Wake } from '../wake.ts'
import { check } from './check.ts'
import { type Endpoint, type EndpointCtx, isWrite } from './endpoint.ts'
import { keepingPlan } from './kept-plans.ts'
import { otherRequests } from './other-requests.ts'
import { pendingRequest } from './pending-request.ts'
import { readOnlyMessage } from './read-only.ts'
import {
  assertions,
  beginRequest,
  type Caller,
  ends,
  finish,
  finished,
  isGranted,
  opening,
  options,
  type Request,
  without,
} from './transaction.ts'

export type Actor = { workspace_id: string; key_id: string; user_id: string; level: string; role: string }
export type Outcome = {
  kind: 'done' | 'held' | 'dry'
  /** The decoded result; the id of the approval for a pending one. */
  value: unknown
  /** Unknown for a replayed response and for a dry run. */
  actor?: Actor
  /** The workspace of a write without a key. */
  grantedIn?: string
  /** Whether it wrote an event that a listener wants. */
  delivers?: boolean
  /** What the caller of execute enqueues. */
  wakes?: Wake | undefined
  /** Only for a dry run; a preview returns its result alone. */
  dryRun?: { changes: unknown[]; events: unknown[] }
  /** The rights that the request takes, and the approval policies that hold it; only for a dry run. */
  needs?: { scopes: string[]; admin: boolean; policies: string[] }
  /** The request whose response this is, when it is the stored one of an earlier request with the same Idempotency-Key. */
  replayOf?: string | null
}

type DryRun = {
  answer: unknown[][]
  changes: unknown[]
  events: unknown[]
  required_scopes?: string[]
  requires_admin?: boolean
  policy_ids?: string[]
}
/** The result of finish_request. */
type Ended = { rows: unknown[][]; delivers: boolean }
type StoredResponse = { mode: string; answer: unknown[][]; request_id?: string }

/** Runs one request: checks its parts, plans it, and executes the plan as one batch. */
export async function execute(database: Database, request: Request): Promise<Outcome> {
  return attempt(database, request, noAssumptions())
}

/** How often a request is planned, at most, while other requests change what it was planned with. */
const MAX_PLANS = 20

async function attempt(database: Database, request: Request, assumptions: Assumptions, plans = 1): Promise<Outcome> {
  const { endpoint } = request
  const { guards } = assumptions
  try {
    const plan = await planOf(database, request, assumptions).catch(async (error: unknown) => {
      // Authorisation is checked before the request's own errors are reported, and so are the assumptions that they were decided by.
      if (error instanceof AppError && !endpoint.access.public) await checkGuards(database, request, guards)
      throw error
    })
    return await run(database, request, plan, guards).catch((error: unknown) => explainConflict(database, request, plan, error))
  } catch (error) {
    if (!(error instanceof RolledBack) || error.kind !== 'assumption') throw error
    if (plans === MAX_PLANS) throw new AppError('CONFLICT', 'Other requests keep changing these records: try again')
    return attempt(database, request, afterRefuted(assumptions, error.detail), plans + 1)
  }
}

/** Checks the caller and the assumptions alone. What the assumptions did, such as claiming a time, is rolled back. */
async function checkGuards(database: Database, request: Request, guards: Statement[]): Promise<void> {
  const undo = guards.length > 0 ? [call('roll_back')] : []
  await batch(database, [beginRequest(request, { mode: 'read' }), ...guards, ...undo]).catch((error: unknown) => {
    if (!(error instanceof RolledBack) || error.kind !== 'dry') throw error
  })
}

/**
 * Throws the error again; one over a unique value with its field and the record that has the value, and one over a record that others refer
 * to with the first of those. A second batch finds them.
 */
async function explainConflict(database: Database, request: Request, plan: Plan<unknown>, error: unknown): Promise<never> {
  const referrers = referrersOf(error, request.input.params)
  if (referrers) {
    const found = await batch(database, [...opening(request, { mode: 'read' }), referrers]).catch(() => [])
    throw withReferrers(error as AppError, found.at(-1))
  }
  const conflict = conflictOf(error, plan.statements)
  if (!conflict) throw error
  const found = await batch(database, [...opening(request, { mode: 'read' }), conflict.query]).catch(() => [])
  throw withConflict(error as AppError, conflict.field, found.at(-1))
}

async function run(database: Database, request: Request, plan: Plan<unknown>, guards: Statement[]): Promise<Outcome> {
  const { endpoint } = request
  const decode = (answer: unknown[][]) => decodeResult(plan.result, answer)
  const shown = async (found: unknown) => (plan.afterwards ? plan.afterwards(found) : found)

  try {
    const results = await batch(database, [
      ...opening(request, options(request)),
      ...guards,
      ...plan.statements,
      ...assertions(request),
      finish(request, plan.result),
    ])
    const actor = endpoint.access.public ? undefined : (results[0] as Actor)
    if (isGranted(request)) {
      const { rows, delivers } = results.at(-1) as Ended
      const found = decode(rows)
      const value = plan.outside ? await callOutside(database, request, plan.outside, found) : await shown(found)
      return { kind: 'done', value, delivers, grantedIn: (results[0] as Actor).workspace_id, wakes: wakeOf(plan, value) }
    }
    if (!ends(request)) return { kind: 'done', value: await shown(readResult(endpoint, plan.result, results.at(-1))), actor }
    const { rows, delivers } = results.at(-1) as Ended
    const value = decode(rows)
    if (plan.outside) {
      const called = await callOutside(database, request, plan.outside, value)
      return { kind: 'done', value: called, actor, delivers: true, wakes: wakeOf(plan, value) }
    }
    return { kind: 'done', value, actor, delivers, wakes: wakeOf(plan, value) }
  } catch (error) {
    if (!(error instanceof RolledBack) || error.kind === 'assumption') throw error
    if (error.kind === 'replay') return replay(database, request, plan, error)
    const dryRun = JSON.parse(error.detail) as DryRun
    const { answer, changes, events } = dryRun
    if (error.kind === 'dry')
      return {
        kind: 'dry',
        value: plan.outside?.preview ? plan.outside.preview(decode(answer)) : decode(answer),
        ...(changes && { dryRun: { changes: withInstants(changes) as unknown[], events } }),
        needs: { scopes: dryRun.required_scopes ?? [], admin: dryRun.requires_admin ?? false, policies: dryRun.policy_ids ?? [] },
      }
    // Of concurrent requests with one Idempotency-Key, the first creates the approval, and the others return its response.
    return createApproval(database, request, dryRun).catch((refusal: unknown) => {
      if (refusal instanceof RolledBack && refusal.kind === 'replay') return replay(database, request, plan, refusal)
      throw refusal
    })
  }
}

/** The wake-up that a result needs. */
export const wakeOf = ({ wakes }: Plan<unknown>, result: unknown) => (typeof wakes === 'function' ? wakes(result) : wakes)

/** Makes the outside call that a committed plan has reserved, and records its outcome in a second transaction. */
async function callOutside(database: Database, request: Request, outside: Outside, reserved: unknown): Promise<unknown> {
  const called = await outside.call(reserved).then(
    (value) => ({ ok: true, value }),
    (error: unknown) => ({ ok: false, error }),
  )
  return readAfter(database, request, outside.settle(reserved, called), outside.result(reserved)).catch((error: unknown) => {
    throw outside.unrecorded?.(reserved, called, error) ?? error
  })
}

/** The outcome that begin_request found stored for this Idempotency-Key, decoded as the first request decoded it. */
async function replay(database: Database, request: Request, plan: Plan<unknown>, { detail }: RolledBack): Promise<Outcome> {
  const { mode, answer, request_id: replayOf = null } = JSON.parse(detail) as StoredResponse
  if (mode === 'hold') return { kind: 'held', value: answer[0]?.[0], replayOf }
  const value = decodeResult(plan.result, answer)
  const { outside } = plan
  return { kind: 'done', value: outside ? await readAfter(database, request, [], outside.result(value)) : value, replayOf }
}

async function readAfter(database: Database, request: Request, statements: Statement[], result: Query<unknown>): Promise<unknown> {
  const results = await batch(database, [...opening(request, { mode: 'read' }), ...statements, sql`select ${asJson(result)}`])
  return decodeResult(result, results.at(-1) as unknown[][])
}

/** Rebuilds the response of an earlier request from its stored rows. */
export async function decodeStored(database: Database, request: Request, stored: unknown[][]): Promise<unknown> {
  const { result, outside } = await planOf(database, request)
  return outside ? readAfter(database, request, [], outside.result(decodeResult(result, stored))) : decodeResult(result, stored)
}

/** What the workspace of a caller is remembered by. */
function nameOf(caller: Caller): string {
  if ('key_hash' in caller) return caller.key_hash
  return 'workspace_id' in caller ? caller.workspace_id : caller.id
}

export const planOf = (database: Database, request: Request, assumptions: Assumptions = noAssumptions()): Promise<Plan<unknown>> =>
  keepingPlan(
    request,
    () => contextOf(database, request, assumptions),
    (ctx, planning) => planned(ctx, planning, assumptions.guards),
  )

async function planned(ctx: EndpointCtx, { endpoint, input }: Request, guards: Statement[]): Promise<Plan<unknown>> {
  const { params, query, body, readOnly } = check(endpoint, input)
  const plan = await endpoint.plan({ ctx, params, query: without(query), body: without(body) })
  const messageOf = (field: string) => readOnlyMessage(endpoint, field) as string
  if (readOnly && 'one' in readOnly) guards.push(assertUnchanged(plan.result, readOnly.one, messageOf))
  if (readOnly && 'each' in readOnly) guards.push(markChanged(plan.result, readOnly.each, messageOf))
  return plan
}

/** The context of a plan. What the plan assumes becomes a guard, which runs before its statements. */
function contextOf(database: Database, request: Request, assumptions: Assumptions): EndpointCtx {
  let zone: Promise<string> | undefined
  const readRows = async (query: Query<unknown>) =>
    (await batch(database, [...opening(request, { mode: 'read' }), sql`select ${asJson(query)}`])).at(-1) as unknown[][]
  const level = async () => ((await batch(database, [beginRequest(request, { mode: 'read' })]))[0] as Actor).level
  const ctx: EndpointCtx = {
    now: request.now,
    requestId: request.requestId,
    effectKey: request.step ? `step:${request.step}` : `request:${request.requestId}`,
    ifMatch: request.ifMatch,
    files: request.files as Files,
    feed: request.feed as Feed,
    get deployment() {
      return request.deployment as Deployment
    },
    appUrl: request.appUrl,
    received: request.received,
    read: async (query) => decodeResult(query, await readRows(query)),
    ...assuming(assumptions, readRows),
    ...otherRequests(request, (other) => execute(database, other), level),
    zone: () => {
      zone ??= assumedZone(ctx, nameOf(request.caller))
      return zone
    },
    readText: async (query) => (await batch(database, [...opening(request, { mode: 'read' }), sql`select ${query}`])).at(-1) as string,
  }
  return ctx
}

/** The second round trip of a write that needs approval: the dry run found it valid, so the whole request is stored. */
async function createApproval(database: Database, request: Request, dryRun: DryRun): Promise<Outcome> {
  const { endpoint, input } = request
  const pending = pendingRequest(endpoint, input, {
    changes: dryRun.changes,
    required_scopes: dryRun.required_scopes ?? [],
    requires_admin: dryRun.requires_admin ?? false,
    policy_ids: dryRun.policy_ids ?? [],
  })
  const answer = { ...constant(null), query: call('create_approval', JSON.stringify(pending)) }
  const [actor, ended] = await batch(database, [
    beginRequest(request, { ...options(request), mode: 'hold' }),
    sql`select ${finished(request, 'held', asJson(answer))}`,
  ])
  const { rows, delivers } = ended as Ended
  return { kind: 'held', value: rows[0]?.[0], actor: actor as Actor, delivers }
}

function readResult(endpoint: Endpoint, answer: Query<unknown>, result: unknown): unknown {
  if (isWrite(endpoint) || !answer.json) return decodeResult(answer, result as unknown[][])
  // A missing text means that no row matched, which `decode` turns into an error.
  return result === null ? decodeResult(answer, []) : bodyOf(answer.json, result as string)
}
