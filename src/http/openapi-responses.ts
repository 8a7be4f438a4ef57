import { type ErrorCode, STATUS_OF } from '../errors.ts'
import { type Endpoint, isList, isWrite, mediaTypesOf, statusOf, uploadOf } from './endpoint.ts'
import { type JsonSchema, ref } from './openapi-schemas.ts'

type Responses = Record<string, JsonSchema>

const EVERY: ErrorCode[] = ['VALIDATION_ERROR', 'RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE']
const WITH_KEY: ErrorCode[] = ['UNAUTHENTICATED', 'INSUFFICIENT_SCOPE', 'FORBIDDEN']
const ON_WRITE: ErrorCode[] = ['PAYLOAD_TOO_LARGE', 'IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED']
const WITH_BODY: ErrorCode[] = ['INVALID_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']
const RETRIED: ErrorCode[] = ['IDEMPOTENCY_IN_PROGRESS', 'RATE_LIMITED', 'UNAVAILABLE']

/** Writes that may name, in If-Match, the version of the record that they are about. */
export const isGuarded = (endpoint: Endpoint) =>
  isWrite(endpoint) && !endpoint.access.public && (endpoint.path.includes(':') || (endpoint.errors ?? []).includes('PRECONDITION_FAILED'))

/** All that an endpoint may answer, by status. */
export function responsesOf(endpoint: Endpoint, returns: JsonSchema, components: Record<string, JsonSchema>): Responses {
  const [list, status, streams] = [isList(endpoint), statusOf(endpoint), mediaTypesOf(endpoint)]
  const writes = isWrite(endpoint) && !endpoint.access.public
  const holds = writes && !endpoint.access.direct
  const versioned = 'version' in ((returns.$ref ? components[returns.$ref.split('/').at(-1)] : returns)?.properties ?? {})
  const data = envelope(returns, list)
  const dry = { ...data, properties: { ...data.properties, dry_run: ref('DryRun') } }
  const headers = {
    ...header('X-Request-Id'),
    ...(versioned && !list && header('ETag')),
    ...(status === 201 && header('Location')),
    ...(writes && header('Idempotency-Replayed')),
    ...(endpoint.successor && header('Deprecation', 'Link')),
  }
  return {
    ...(holds && status === 201 && { 200: answer('A dry run: what the call would have done.', header('X-Request-Id'), dry) }),
    ...(endpoint.returns.as === 'upserted' && { 201: answer('Created: there was none.', { ...headers, ...header('Location') }, data) }),
    [status]: streams
      ? streamed(streams, { ...headers, ...(endpoint.returns.as === 'stream' && header('X-Truncated')) })
      : answer(status === 201 ? 'Created.' : 'Done.', headers, holds && status === 200 ? dry : data),
    ...(holds && { 202: { $ref: '#/components/responses/Held' } }),
    ...Object.fromEntries([...byStatus(endpoint)].map(([code, codes]) => [code, { $ref: `#/components/responses/${nameOf(codes)}` }])),
  }
}

function envelope(returns: JsonSchema, list = false): JsonSchema {
  if (list) return object({ data: { type: 'array', items: returns }, page: ref('Page') }, ['data', 'page'])
  return object({ data: returns, _warnings: { type: 'array', items: ref('Warning'), description: 'What was left out or adjusted.' } }, [
    'data',
  ])
}

const answer = (description: string, headers: JsonSchema, schema: JsonSchema) => ({
  description,
  headers,
  content: { 'application/json': { schema } },
})
const streamed = (types: readonly string[], headers: JsonSchema) => ({
  description: 'Sent as it is read.',
  headers,
  content: Object.fromEntries(types.map((type) => [type, { schema: { type: 'string' } }])),
})
const object = (properties: JsonSchema, required: string[]): JsonSchema => ({ type: 'object', properties, required })
const header = (...names: string[]) => Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

function byStatus(endpoint: Endpoint): Map<number, ErrorCode[]> {
  const codes = new Set<ErrorCode>([
    ...EVERY,
    ...(endpoint.access.public ? [] : WITH_KEY),
    ...(isWrite(endpoint) ? ON_WRITE : []),
    ...(endpoint.body ? WITH_BODY : []),
    ...(uploadOf(endpoint) ? (['UNSUPPORTED_MEDIA_TYPE'] as const) : []),
    ...(endpoint.path.includes(':') ? (['NOT_FOUND'] as const) : []),
    ...(isGuarded(endpoint) ? (['PRECONDITION_FAILED'] as const) : []),
    ...(endpoint.errors ?? []),
  ])
  const grouped = Map.groupBy([...codes].sort(inOrder), (code) => STATUS_OF[code] as number)
  return new Map([...grouped].sort(([a], [b]) => a - b))
}

const order = Object.keys(STATUS_OF)
const inOrder = (a: ErrorCode, b: ErrorCode) => order.indexOf(a) - order.indexOf(b)
const nameOf = (codes: ErrorCode[]) => codes.join('.')

/** The refusals that the endpoints share, one a set of codes, and the answer to a held write. */
export function sharedResponses(endpoints: Endpoint[]): Responses {
  const sets = new Map(endpoints.flatMap((endpoint) => [...byStatus(endpoint).values()].map((codes) => [nameOf(codes), codes] as const)))
  const refusals = [...sets].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, codes]) => [name, refusal(codes)])
  const held = answer('Held until a person approves it. Nothing else has happened.', header('X-Request-Id', 'Location'), ref('Held'))
  return { Held: held, ...Object.fromEntries(refusals) }
}

function refusal(codes: ErrorCode[]): JsonSchema {
  const [first = 'INTERNAL'] = codes
  const retried = codes.some((code) => RETRIED.includes(code))
  return {
    description: codes.map((code) => `\`${code}\`: ${WHEN[code]}`).join('\n\n'),
    headers: header('X-Request-Id', ...(retried ? ['Retry-After'] : []), ...(codes.includes('RATE_LIMITED') ? ['RateLimit-Policy'] : [])),
    content: {
      'application/json': {
        schema: { ...ref('Error'), properties: { error: { properties: { code: { enum: codes } } } } },
        example: {
          error: {
            code: first,
            message: '…',
            ...(first === 'VALIDATION_ERROR' && { details: ISSUES }),
            request_id: SAMPLE_ID,
            docs_url: `/docs/errors#${first}`,
          },
        },
      },
    },
  }
}

const SAMPLE_ID = '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d'
const ISSUES = { issues: [{ path: 'email', message: 'must be an email address, such as ana@example.com' }] }

const WHEN: Record<ErrorCode, string> = {
  VALIDATION_ERROR:
    'a field or parameter is unknown, missing or not valid, or names a record that does not exist. `details.issues` lists the first hundred `{path, message}`; `details.more_issues` says how many more there are.',
  INVALID_JSON: 'the body is no JSON.',
  UNAUTHENTICATED: 'the key is missing, malformed, unknown, expired or revoked.',
  INSUFFICIENT_SCOPE: 'the key lacks a scope. `details.required_scopes` and `details.missing_scopes` name them.',
  FORBIDDEN: 'the key’s level or its owner’s role does not allow it.',
  NOT_FOUND: 'no such record in this workspace.',
  METHOD_NOT_ALLOWED: 'the path has no such method; `Allow` lists those that it has.',
  CONFLICT: 'another record has a value that must be unique, or still refers to this one.',
  INVALID_STATE: 'the record’s state does not allow it. `details.state` and `details.allowed` say why.',
  APPROVAL_STALE: 'what the approval was to change has changed since it was asked for.',
  IDEMPOTENCY_IN_PROGRESS: 'the first request with this Idempotency-Key is still running.',
  PRECONDITION_FAILED: 'the record has another version than `If-Match` names. `details.version` is the present one.',
  PAYLOAD_TOO_LARGE: 'the body is larger than 1 MB, or a file than its own limit.',
  UNSUPPORTED_MEDIA_TYPE:
    'the body is not declared as `application/json`, an upload not as `multipart/form-data`, or a file is of no type that is taken.',
  IDEMPOTENCY_KEY_REUSED: 'this Idempotency-Key was used for another request.',
  RATE_LIMITED: 'too many requests with this key: wait as long as `Retry-After` says.',
  INTERNAL: 'something went wrong on our side. Quote `request_id`.',
  PROVIDER_ERROR: 'an outside provider failed. `details.provider` names it.',
  UNAVAILABLE: 'the database is out of reach or the record is busy: try again after `Retry-After` seconds.',
}

const text = (description: string): JsonSchema => ({ description, schema: { type: 'string' } })

export const HEADERS: Responses = {
  'X-Request-Id': { description: 'This request, as the logs name it.', schema: { type: 'string', format: 'uuid' } },
  ETag: text('The record’s version, such as `"3"`: send it as If-Match with a later write.'),
  Location: text('Where the new record, or the held request, is found.'),
  'Idempotency-Replayed': text('`true` when this is the answer to an earlier request with the same Idempotency-Key.'),
  Deprecation: text('`true`: this path is kept for old callers.'),
  Link: text('The path to use instead, as `rel="successor-version"`.'),
  'X-Truncated': text('`1` when there are more rows than the answer has.'),
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
  'RateLimit-Policy': text('The limit that was hit, such as `"default";q=100;w=10`: 100 requests in 10 seconds.'),
}

const string = { type: 'string' }
const id = { type: 'string', format: 'uuid' }

/** What envelopes are made of. */
export const ENVELOPES: Record<string, JsonSchema> = {
  Error: object(
    {
      error: object(
        {
          code: { type: 'string', enum: order },
          message: string,
          details: { description: 'Depends on the code.' },
          request_id: id,
          docs_url: {
            type: 'string',
            format: 'uri-reference',
            description: 'What causes this error and what to do about it, on the server that answered.',
          },
        },
        ['code', 'message', 'request_id', 'docs_url'],
      ),
    },
    ['error'],
  ),
  Page: object(
    {
      limit: { type: 'integer' },
      next: { type: ['string', 'null'], description: 'Send it as `after` for the next page; null on the last one.' },
    },
    ['limit', 'next'],
  ),
  Warning: object({ code: string, field: string, message: string, details: {} }, ['code', 'field', 'message']),
  Held: object({ approval_id: id, status: { const: 'pending' } }, ['approval_id', 'status']),
  DryRun: {
    ...object(
      {
        changes: {
          type: 'array',
          items: object(
            {
              entity: string,
              entity_id: id,
              action: { enum: ['created', 'updated', 'deleted'] },
              version: { type: 'integer' },
              fields: { type: 'object' },
            },
            ['entity', 'entity_id', 'action', 'version', 'fields'],
          ),
        },
        events: { type: 'array', items: object({ type: string, entity: string, entity_id: id }, ['type', 'entity', 'entity_id']) },
      },
      ['changes', 'events'],
    ),
    description: 'Only with `dry_run=true`: the changes and events that the call would have made. It has left no trace.',
  },
}
