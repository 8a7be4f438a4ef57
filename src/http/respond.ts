import { RawJsonBody } from '../data/json-body.ts'
import { Page } from '../data/page.ts'
import { WithWarnings } from '../data/query.ts'
import { Streamed } from '../data/streamed.ts'
import { AppError, STATUS_OF } from '../errors.ts'
import { type Endpoint, pathOf } from './endpoint.ts'
import type { Outcome } from './execute.ts'

/** `text` or `stream` is the body where it is no value that is to be written as JSON. */
export type Answered = { status: number; body: unknown; text?: string; stream?: ReadableStream; headers: Record<string, string> }

/** What the caller receives for an outcome: status, body and headers. */
export function respond(endpoint: Endpoint, params: Record<string, string>, { kind, value, dryRun: trial }: Outcome): Answered {
  if (kind === 'held')
    return { status: 202, body: { approval_id: value, status: 'pending' }, headers: { Location: `/v1/approvals/${value}` } }
  if (value instanceof RawJsonBody) return { status: endpoint.status ?? 200, body: null, text: value.text, headers: etagOf(value.version) }
  if (value instanceof Streamed)
    return { status: 200, body: null, stream: value.stream(), headers: { ...value.headers, 'Content-Type': value.type } }
  const body = envelope(value)
  if (kind === 'dry') return { status: 200, body: { ...body, ...(trial && { dry_run: trial }) }, headers: {} }
  const { id, version, created: made } = (body.data ?? {}) as { id?: string; version?: number; created?: boolean }
  const status = endpoint.upserts && made ? 201 : (endpoint.status ?? 200)
  const created = status === 201 && id !== undefined
  return {
    status,
    body,
    headers: {
      ...etagOf(version),
      ...(created && {
        Location: `/v1${pathOf(endpoint.path.replace(/\/upsert$/, ''), params)}/${id}`,
      }),
      ...(kind === 'replay' && { 'Idempotency-Replayed': 'true' }),
    },
  }
}

const etagOf = (version: number | undefined): Record<string, string> => (version === undefined ? {} : { ETag: `"${version}"` })

function envelope(value: unknown): { data: unknown; page?: unknown; _warnings?: unknown } {
  if (value instanceof Page) return { data: value.items, page: { limit: value.limit, next: value.next } }
  if (value instanceof WithWarnings) return { data: value.data, ...(value.warnings.length > 0 && { _warnings: value.warnings }) }
  return { data: value }
}

/** An error as the caller sees it. What is not an AppError says nothing here and everything in the log. */
export function refuse(error: unknown, requestId: string): Answered {
  const known = error instanceof AppError ? error : new AppError('INTERNAL', 'Something went wrong on our side')
  if (known !== error)
    console.error(JSON.stringify({ level: 'error', request_id: requestId, error: String((error as Error)?.stack ?? error) }))
  const { code, message, details, retryAfter } = known
  return {
    status: STATUS_OF[code],
    body: { error: { code, message, ...(details !== undefined && { details }), request_id: requestId, docs_url: `/docs/errors#${code}` } },
    headers: retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) },
  }
}
