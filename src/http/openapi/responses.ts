import { type ErrorCode, STATUS_OF } from '../../errors.ts'
import { isConditional } from '../conditional.ts'
import { type Endpoint, isEventStream, isList, isWrite, mediaTypesOf, statusOf, uploadOf } from '../endpoint.ts'
import { MESSAGES } from './error-messages.ts'
import { envelopeOfErrors, errorName, WHEN } from './errors.ts'
import { exampleOf } from './examples.ts'
import { type JsonSchema, object, ref } from './schemas.ts'

type Responses = Record<string, JsonSchema>

const EVERY: ErrorCode[] = ['VALIDATION_ERROR', 'RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE']
const WITH_KEY: ErrorCode[] = ['UNAUTHENTICATED', 'INSUFFICIENT_SCOPE', 'FORBIDDEN']
const ON_WRITE: ErrorCode[] = ['PAYLOAD_TOO_LARGE', 'IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED']
const WITH_BODY: ErrorCode[] = ['INVALID_JSON', 'PAYLOAD_TOO_LARGE']
const RETRIED: ErrorCode[] = ['IDEMPOTENCY_IN_PROGRESS', 'RATE_LIMITED', 'UNAVAILABLE']

/** Writes that accept the version of their record in If-Match. */
export const isGuarded = (endpoint: Endpoint) =>
  isWrite(endpoint) && !endpoint.access.public && (endpoint.path.includes(':') || (endpoint.errors ?? []).includes('PRECONDITION_FAILED'))

/** The responses of an endpoint, by status. */
export function responsesOf(
  endpoint: Endpoint,
  { returns, related }: { returns: JsonSchema; related: JsonSchema | undefined },
  components: Record<string, JsonSchema>,
  example: unknown,
): Responses {
  const [list, status, streams] = [isList(endpoint), statusOf(endpoint), mediaTypesOf(endpoint)]
  const writes = isWrite(endpoint) && !endpoint.access.public
  const holds = writes && !endpoint.access.direct
  const versioned = 'version' in ((returns.$ref ? components[returns.$ref.split('/').at(-1)] : returns)?.properties ?? {})
  const data = envelope(related ? { allOf: [returns, related], description: WITH_RELATED } : returns, list)
  const dry = { ...data, properties: { ...data.properties, dry_run: ref('DryRun') } }
  const headers = {
    ...header('X-Request-Id'),
    ...((versioned || list) && header('ETag')),
    ...(status === 201 && header('Location')),
    ...(writes && header('Idempotency-Replayed')),
    ...(endpoint.successor && header('Deprecation', 'Link')),
  }
  return {
    ...(holds && status === 201 && { 200: response('A dry run: what the call would have done.', header('X-Request-Id'), dryRun(dry)) }),
    ...(endpoint.returns.as === 'upserted' && {
      201: response('Created: no record matched.', { ...headers, ...header('Location') }, data),
    }),
    ...(endpoint.returns.as === 'added' && { 201: response('Created: it was not there before.', headers, data) }),
    [status]: streams
      ? streamed(
          streams,
          { ...headers, ...(endpoint.returns.as === 'stream' && !isEventStream(endpoint) && header('X-Truncated')) },
          example,
        )
      : response(status === 201 ? 'Created.' : 'OK.', headers, holds && status === 200 ? dry : data, example),
    ...(isConditional(endpoint) && { 304: UNCHANGED }),
    ...(holds && {
      202:
        endpoint.returns.as === 'accepted'
          ? acceptedOr(endpoint.returns.begun ? envelope(ref(endpoint.returns.begun)) : data, headers)
          : { $ref: '#/components/responses/PendingApproval' },
    }),
    ...Object.fromEntries([...byStatus(endpoint)].map(([code, codes]) => [code, { $ref: `#/components/responses/${nameOf(codes)}` }])),
  }
}

/** A job completes the request, or it waits for approval. */
const acceptedOr = (data: JsonSchema, headers: JsonSchema): JsonSchema =>
  response(
    'Accepted: a job completes what was asked, and `job_id` names it (`GET /jobs/{job_id}`). ' +
      'Or the write waits until a person approves it, and nothing has been changed.',
    { ...headers, ...header('Location') },
    { oneOf: [data, ref('PendingApproval')] },
  )

const WITH_RELATED = 'The record, and the related ones that `include` names.'
const UNCHANGED = { description: 'The content has not changed since the response with this ETag.', headers: header('X-Request-Id', 'ETag') }

function envelope(returns: JsonSchema, list = false): JsonSchema {
  if (list)
    return object({ data: { type: 'array', items: returns, description: 'The items of this page.' }, page: ref('Page') }, ['data', 'page'])
  return object(
    {
      data: returns.$ref || returns.description ? returns : { ...returns, description: 'The result.' },
      _warnings: { type: 'array', items: ref('Warning'), description: 'Values that were left out or adjusted.' },
    },
    ['data'],
  )
}

/** A dry run with a status of its own always has its report. */
const dryRun = (schema: JsonSchema): JsonSchema => ({ ...schema, required: [...schema.required, 'dry_run'] })

const response = (description: string, headers: JsonSchema, schema: JsonSchema, example?: unknown) => ({
  description,
  headers,
  content: { 'application/json': { schema, ...(example !== undefined && { example }) } },
})
const streamed = (types: readonly string[], headers: JsonSchema, example?: unknown) => ({
  description: types.includes('text/event-stream')
    ? 'The messages, sent as the events happen.'
    : 'The content, sent while it is read from the database.',
  headers,
  content: Object.fromEntries(types.map((type) => [type, { schema: { type: 'string' }, ...(example !== undefined && { example }) }])),
})
function header(...names: string[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** Whether errors are texts with status 200. */
const saysErrors = ({ returns }: Endpoint) => returns.as === 'text' && returns.failures === 200

function byStatus(endpoint: Endpoint): Map<number, ErrorCode[]> {
  const codes = new Set<ErrorCode>([
    ...EVERY,
    ...(endpoint.access.public ? [] : WITH_KEY),
    ...(isWrite(endpoint) ? ON_WRITE : []),
    ...(endpoint.body ? WITH_BODY : []),
    ...((endpoint.body && !saysErrors(endpoint)) || uploadOf(endpoint) ? (['UNSUPPORTED_MEDIA_TYPE'] as const) : []),
    ...(endpoint.path.includes(':') ? (['NOT_FOUND'] as const) : []),
    ...(isGuarded(endpoint) ? (['PRECONDITION_FAILED'] as const) : []),
    ...(endpoint.errors ?? []),
  ])
  const grouped = Map.groupBy([...codes].sort(inOrder), (code) => STATUS_OF[code] as number)
  return new Map([...grouped].sort(([a], [b]) => a - b))
}

const order = Object.keys(STATUS_OF)
const inOrder = (a: ErrorCode, b: ErrorCode) => order.indexOf(a) - order.indexOf(b)
/** `ConflictOrInvalidState` for CONFLICT and INVALID_STATE. */
const nameOf = (codes: ErrorCode[]) => codes.map((code) => errorName(code).replace(/Error$/, '')).join('Or')

/** The responses that the endpoints share: one for each set of error codes, and that of a write that waits for approval. */
export function sharedResponses(endpoints: Endpoint[], schemas: Record<string, JsonSchema>): Responses {
  const sets = new Map(endpoints.flatMap((endpoint) => [...byStatus(endpoint).values()].map((codes) => [nameOf(codes), codes] as const)))
  const refusals = [...sets].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, codes]) => [name, refusal(codes, schemas)])
  const pending = response(
    'The write waits until a person approves it. Nothing has been changed.',
    header('X-Request-Id', 'Location', 'Idempotency-Replayed'),
    ref('PendingApproval'),
    { approval_id: SAMPLE_ID, status: 'pending' },
  )
  return { PendingApproval: pending, ...Object.fromEntries(refusals) }
}

function refusal(codes: ErrorCode[], schemas: Record<string, JsonSchema>): JsonSchema {
  const retried = codes.some((code) => RETRIED.includes(code))
  return {
    description: codes.map((code) => `\`${code}\`: ${WHEN[code]}`).join('\n\n'),
    headers: header(
      'X-Request-Id',
      ...(retried ? ['Retry-After'] : []),
      ...(codes.includes('RATE_LIMITED') ? ['RateLimit-Policy'] : []),
      ...(codes.some((code) => STATUS_OF[code] === 401) ? ['WWW-Authenticate'] : []),
    ),
    content: {
      'application/json': {
        schema: envelopeOfErrors(codes),
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOfError(code, schemas) }])),
      },
    },
  }
}

function exampleOfError(code: ErrorCode, schemas: Record<string, JsonSchema>): unknown {
  const { details } = (schemas[errorName(code)] as JsonSchema).properties
  return {
    error: {
      code,
      message: MESSAGES[code],
      ...(details?.required && { details: exampleOf(details, schemas) }),
      request_id: SAMPLE_ID,
      docs_url: `/docs/errors#${code}`,
    },
  }
}

const SAMPLE_ID = '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d'
