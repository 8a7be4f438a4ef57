import { RawJsonBody } from '../data/json-body.ts'
import { Page } from '../data/paged.ts'
import { Accepted, Added, WithWarnings } from '../data/query.ts'
import { Streamed } from '../data/streamed.ts'
import { AppError, type ErrorCode, STATUS_OF } from '../errors.ts'
import { type Text, TypedText } from '../lib/typed-text.ts'
import { WebPage } from '../lib/web-page.ts'
import { withMoney } from '../schemas/money.ts'
import { type Endpoint, pathOf, statusOf, urlOf } from './endpoint.ts'
import type { Outcome } from './execute.ts'

/** `text` or `stream` replaces `body` when the body is not a value to serialise as JSON. */
export type Answered = { status: number; body: unknown; text?: string; stream?: ReadableStream; headers: Record<string, string> }

/** Translates an outcome to a response: status, body and headers. */
export function respond(endpoint: Endpoint, params: Record<string, string>, outcome: Outcome, body?: unknown): Answered {
  const { returns } = endpoint
  const waits = outcome.kind === 'held' && returns.as === 'text' ? returns.wording : undefined
  const answered = waits ? asText(waits.held(body)) : answerOf(endpoint, params, outcome)
  return outcome.replayOf === undefined ? answered : { ...answered, headers: { ...answered.headers, 'Idempotency-Replayed': 'true' } }
}

function answerOf(endpoint: Endpoint, params: Record<string, string>, { kind, value, dryRun: trial }: Outcome): Answered {
  const { returns } = endpoint
  if (kind === 'held')
    return { status: 202, body: { approval_id: value, status: 'pending' }, headers: { Location: `/v1/approvals/${value}` } }
  if (value instanceof RawJsonBody) return { status: statusOf(endpoint), body: null, text: value.text, headers: etagOf(value.version) }
  if (value instanceof Streamed)
    return { status: 200, body: null, stream: value.stream(), headers: { ...value.headers, 'Content-Type': value.type } }
  if (returns.as === 'text') return asText(value instanceof TypedText ? value : String(value))
  if (value instanceof WebPage) return webPage(value)
  if (returns.as === 'html') return { status: 200, body: null, text: String(value), headers: HTML }
  const plain = envelope(value)
  const body = { ...plain, data: withMoney(returns.schema, plain.data) }
  if (kind === 'dry') return { status: 200, body: { ...body, ...(trial && { dry_run: trial }) }, headers: {} }
  if (value instanceof Accepted) return { status: 202, body, headers: { Location: `/v1/jobs/${value.jobId}` } }
  const { id, version, created: made } = (body.data ?? {}) as { id?: string; version?: number; created?: boolean }
  const isNew = value instanceof Added ? value.isNew : returns.as === 'upserted' && made
  const status = isNew ? 201 : statusOf(endpoint)
  const created = status === 201 && id !== undefined && returns.as !== 'added'
  return {
    status,
    body,
    headers: {
      ...etagOf(version),
      ...(created && {
        Location: `${pathOf(collectionOf(endpoint, body.data as object), params)}/${id}`,
      }),
    },
  }
}

/** The path of the collection that a new record is in. */
function collectionOf(endpoint: Endpoint, record: object): string {
  const at = endpoint.returns.as === 'created' ? endpoint.returns.at : undefined
  if (!at) return urlOf(endpoint).replace(/\/(upsert|invite)$/, '')
  return endpoint.base + (typeof at === 'string' ? at : at(record))
}

const webPage = ({ status, text, headers }: WebPage): Answered => ({ status, body: null, text, headers: { ...HTML, ...headers } })

/** The data of the response to a request that was done; the text of one that is not JSON. */
export function dataOf(endpoint: Endpoint, outcome: Outcome, params: Record<string, string> = {}): unknown {
  const { body, text } = respond(endpoint, params, outcome)
  if (endpoint.returns.as === 'text' || endpoint.returns.as === 'html') return text
  return ((body ?? JSON.parse(text ?? '{}')) as { data?: unknown }).data ?? null
}

function asText(value: Text): Answered {
  const typed = typeof value === 'string' ? undefined : value
  return { status: 200, body: null, text: typed?.text ?? String(value), headers: typed ? { 'Content-Type': typed.type } : PLAIN }
}

const PLAIN = { 'Content-Type': 'text/plain; charset=utf-8' }
/** An HTML page may submit forms to this host, but loads nothing and runs no script. */
const HTML = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
}

const etagOf = (version: number | undefined): Record<string, string> => (version === undefined ? {} : { ETag: `"${version}"` })

function envelope(value: unknown): { data: unknown; page?: unknown; _warnings?: unknown } {
  if (value instanceof Page) return { data: value.items, page: { limit: value.limit, next: value.next, ...value.about } }
  if (value instanceof Added) return { data: value.data }
  if (value instanceof WithWarnings || value instanceof Accepted)
    return { data: value.data, ...(value.warnings.length > 0 && { _warnings: value.warnings }) }
  return { data: value }
}

/** Translates an error to a response. Anything but an AppError is logged, and the caller learns only that it happened. */
export function refuse(error: unknown, requestId: string): Answered {
  const known = error instanceof AppError ? error : new AppError('INTERNAL', 'Something went wrong on our side')
  if (known !== error)
    console.error(JSON.stringify({ level: 'error', request_id: requestId, error: String((error as Error)?.stack ?? error) }))
  const { code, message, details, retryAfter } = known
  return {
    status: STATUS_OF[code],
    body: { error: { code, message, ...(details !== undefined && { details }), request_id: requestId, docs_url: `/docs/errors#${code}` } },
    headers: {
      ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
      ...(STATUS_OF[code] === 401 && { 'WWW-Authenticate': 'Bearer realm="Workspace CRM"' }),
    },
  }
}

/** Errors that every caller sees as such: the program that calls has no right to do so. */
const NO_RIGHT = [401, 403]

/** An error in the content type that the endpoint's callers expect. `body` is that of the request, as far as it could be read. */
export function refuseAs({ returns }: Endpoint, error: unknown, requestId: string, body?: unknown, request?: Request): Answered {
  const refused = refuse(error, requestId)
  if (returns.as === 'text' && returns.failures && !NO_RIGHT.includes(refused.status)) {
    const { code, message, details } = (refused.body as { error: { code: ErrorCode; message: string; details?: unknown } }).error
    const failure = returns.wording?.failure(new AppError(code, message, details), body) ?? `${code}: ${message}`
    const text = asText(failure)
    return { ...text, headers: { ...refused.headers, ...text.headers } }
  }
  if (returns.as === 'html' && returns.failure && request) {
    const known = error instanceof AppError ? error : new AppError('INTERNAL', '')
    const page = webPage(returns.failure(known, request))
    return { ...page, headers: { ...page.headers, ...retryOf(refused.headers) } }
  }
  if (returns.as === 'html')
    return {
      ...refused,
      text: errorPage((refused.body as { error: { message: string } }).error.message, requestId),
      headers: { ...refused.headers, ...HTML },
    }
  return refused
}

const retryOf = ({ 'Retry-After': seconds }: Record<string, string>): Record<string, string> => (seconds ? { 'Retry-After': seconds } : {})

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => ENTITIES[character] as string)
const errorPage = (message: string, requestId: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Error</title><h1>${escaped(message)}</h1><p>Request ${requestId}</p></html>`
