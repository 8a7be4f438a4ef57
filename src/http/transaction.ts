import { type SQL, sql } from 'drizzle-orm'
import type { Deployment } from '../context.ts'
import { call } from '../data/call.ts'
import { compile, PlainStatement, type Statement } from '../data/db.ts'
import { asJson, type Query, withKeptPlan } from '../data/query.ts'
import type { Feed } from '../providers/feed/port.ts'
import type { Files } from '../providers/files/port.ts'
import type { Input } from './check.ts'
import { type Endpoint, isWrite, pathOf, statusOf } from './endpoint.ts'
import type { Principal } from './modes.ts'

/**
 * The caller: the holder of a key, an approved request, a run of an automation (`key_id` is the key that published it), what an
 * incoming webhook has received or an auto responder replies (`key_id` is the key that wrote either last), or a principal
 * without a key. `authorize` (authority.sql) decides what each may do.
 */
export type Caller =
  | { kind: 'key'; key_hash: string; address?: string | undefined }
  | { kind: 'approval'; approval_id: string; workspace_id: string }
  | { kind: 'automation_run'; automation_run_id: string; workspace_id: string; key_id: string; depth: number }
  | { kind: 'incoming_webhook'; incoming_request_id: string; workspace_id: string; key_id: string }
  | { kind: 'auto_reply'; auto_reply_id: string; workspace_id: string; key_id: string }
  | Principal

export type Request = {
  endpoint: Endpoint
  input: Input
  caller: Caller
  requestId: string
  now: Date
  ifMatch?: number | undefined
  /** The origin of the web page that sent it: the workspace must allow it. */
  origin?: string | undefined
  idempotency?: { key: string; hash: string } | undefined
  /** Only of a request received by HTTP. Endpoints that need them never wait for approval. */
  files?: Files
  feed?: Feed
  received?: { headers: Headers; bytes: Uint8Array }
  /** What commits together with a write of the background: the last statement, around finish_request. */
  ending?: { done: (finished: SQL) => SQL; held: (finished: SQL) => SQL }
  deployment?: Deployment
  appUrl: string
  /** Whether another request has sent it, to prepare itself. */
  isSentByAnother?: boolean
  /** The step of a run that sends it: `<id of the run>:<sequence>`. */
  step?: string
}

/** The first statements of each of a request's transactions: they identify the caller and the workspace. */
export function opening(request: Request, extra: Record<string, unknown>): (Statement | PlainStatement)[] {
  if (!request.endpoint.access.public) return [beginRequest(request, extra)]
  return 'grant' in request.caller ? [beginRequest(request, extra)] : []
}

export function beginRequest({ endpoint, caller, requestId, origin }: Request, extra: Record<string, unknown>): Statement | PlainStatement {
  const { grant, ...known } = 'grant' in caller ? caller : { ...caller, grant: undefined }
  const parameters = {
    ...known,
    scopes: endpoint.access.scopes,
    write: isWrite(endpoint),
    ...(endpoint.access.admin && { admin: true }),
    ...(endpoint.access.direct && { direct: true }),
    ...(endpoint.access.direct === 'every_level' && { every_level: true }),
    request_id: requestId,
    ...(origin !== undefined && { origin }),
    ...extra,
  }
  if (grant) return sql`select begin_request(${JSON.stringify(parameters)}::jsonb || jsonb_build_object('grant', (${grant.getSQL()})))`
  return new PlainStatement('select begin_request($1::jsonb)', [JSON.stringify(parameters)])
}

/** The parameters of begin_request. */
export function options(request: Request): Record<string, unknown> {
  const { endpoint, input, idempotency, files } = request
  if (!isWrite(endpoint)) return {}
  if (previews(request)) return { mode: 'preview' }
  const sent = { ...input.query, ...(typeof input.body === 'object' && !Array.isArray(input.body) ? input.body : {}) } as Record<
    string,
    unknown
  >
  return {
    ...(idempotency && { idempotency_key: idempotency.key, request_hash: idempotency.hash + (files?.digest ?? '') }),
    ...(isTrue(sent.dry_run) && { mode: 'dry' }),
    require_approval: isTrue(sent.require_approval),
    skip_automations: isTrue(sent.skip_automations),
    request: {
      method: endpoint.method,
      path: pathOf(endpoint.path, input.params),
      endpoint: endpoint.path,
      status: statusOf(endpoint),
    },
    ...(Array.isArray(sent.skip_action_ids) && { skip_action_ids: sent.skip_action_ids }),
  }
}

/** A switch of the query or the body. */
export const isTrue = (value: unknown) => value === true || value === 'true'

const CONTROL = ['require_approval', 'skip_automations', 'dry_run']

/** The fields of the endpoint itself, without those that every write accepts. */
export function without(part: unknown): unknown {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
  return Object.fromEntries(Object.entries(part).filter(([name]) => !CONTROL.includes(name)))
}

/** A dry run returns more than a preview, so it takes precedence. */
export const previews = ({ endpoint, input }: Request): boolean =>
  endpoint.effect === 'preview' && isTrue((input.body as { preview?: unknown } | null)?.preview) && !isTrue(input.query.dry_run)

/** Whether the batch ends with finish_request. */
export const ends = (request: Request): boolean => isWrite(request.endpoint) && !request.endpoint.access.public && !previews(request)

/** Whether it is a write without a key, in a workspace that a grant names. */
export const isGranted = ({ endpoint, caller }: Request): boolean => isWrite(endpoint) && !!endpoint.access.public && 'grant' in caller

/** The approval policies of a write without a key, which cannot wait for approval; finish_request checks those of other writes. */
export const assertions = (request: Request): Statement[] => (isGranted(request) ? [call('assert_unheld')] : [])

/**
 * The statement that returns the result: by finish_request for a write, by end_preview for a preview, and for a read as JSON text where
 * possible.
 */
export function finish(request: Request, answer: Query<unknown>): Statement | PlainStatement {
  const { endpoint } = request
  if (previews(request)) return sql`select end_preview(${asJson(answer)}::jsonb)`
  if (ends(request)) return sql`select ${finished(request, 'done', withKeptPlan(answer, asJson(answer)))}`
  if (isGranted(request)) return sql`select jsonb_build_object('rows', ${asJson(answer)}::jsonb, 'delivers', delivers_events())`
  if (isWrite(endpoint)) return sql`select ${asJson(answer)}`
  return answer.compiled ?? readingOf(answer)
}

/** The statement that reads a result. */
export function readingOf(answer: Query<unknown>): PlainStatement {
  const text = answer.json ? withKeptPlan(answer, answer.json.query) : sql`${withKeptPlan(answer, asJson(answer))}::json`
  const { sql: compiled, params } = compile(sql`select ${text}`)
  return new PlainStatement(compiled, params)
}

/** The call of finish_request with what commits together with it. */
export function finished({ ending }: Request, how: 'done' | 'held', answer: SQL): SQL {
  const call = sql`finish_request(${answer}::jsonb)`
  return ending ? ending[how](call) : call
}
