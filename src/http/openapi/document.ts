import { EVENT_TYPES } from '../../domain/events.ts'
import { isConditional } from '../conditional.ts'
import { type Endpoint, isResumable, isWrite, uploadOf } from '../endpoint.ts'
import type { FormFields } from '../modes.ts'
import { ENVELOPES, HEADERS } from './envelopes.ts'
import { CONTROL, exampleOf } from './examples.ts'
import { describeSchemas } from './glossary.ts'
import { isGuarded, responsesOf, sharedResponses } from './responses.ts'
import { type JsonSchema, ref, referencesIn, schemasOf } from './schemas.ts'
import { inReadingOrder, tagsOf } from './tags.ts'
import { webhooksOf } from './webhooks.ts'

const DESCRIPTION = `
A CRM for many workspaces. A key belongs to one workspace and sees nothing of the others.

**Keys.** Send \`Authorization: Bearer <key>\` or \`X-API-Key: <key>\`. A key has scopes such as \`contacts:read\`; \`contacts:*\`, \
\`*:read\` and \`*:*\` stand for many.
In 10 seconds at most 100 requests with a key, 1,000 in a workspace, and 20 from an address without a valid key or to \
paths that do not exist.

**Responses.** One record is \`{data}\`, a list \`{data, page}\`: send \`page.next\` as \`after\` for the next page. \
Times are UTC with milliseconds, money is a number with two
decimals, an absent value is \`null\`. A bulk call returns 200 with \`results\`, \`skipped\` and \`errors\`: \
an invalid record does not affect the others.

**Errors.** \`{error: {code, message, details?, request_id, docs_url}}\`. Unknown fields and parameters are refused by name; \
an update accepts read-only fields with their current value, so a record can be sent back as it was read.

**Safe writes.** With an \`Idempotency-Key\` a repeated request returns the response of the first one, for 24 hours. \
\`If-Match\` with an \`ETag\` prevents overwriting a record
that has changed since. \`dry_run=true\` shows what a write would do. \`require_approval\` makes a write wait until a person approves it: \
202, with the approval's id.
`.trim()

const json = (schema: JsonSchema, example?: unknown) => ({ 'application/json': { schema, ...(example !== undefined && { example }) } })

/** By operationId: the body of a successful response. */
export type Examples = Record<string, unknown>
type Options = { version?: string; title?: string; examples?: Examples }

/** The OpenAPI 3.1 document of some endpoints. */
export function openapi(listed: Endpoint[], { version = '1.0.0', title = 'Workspace CRM API', examples = {} }: Options = {}) {
  const endpoints = inReadingOrder(listed)
  const { parts, components } = schemasOf(endpoints)
  const ids = endpoints.map(({ id }) => id)
  const bodies: Record<string, JsonSchema> = {}
  const paths: Record<string, JsonSchema> = {}

  /** A deprecated path shares the body schema of its successor, unless they differ. */
  const requestBodyOf = ({ method, path, successor = path, content: sent }: Endpoint, body: JsonSchema, index: number) => {
    const form = sent?.as === 'form'
    const same = endpoints.findIndex((other, at) => other.method === method && other.path === successor && equal(parts[at]?.body, body))
    const name = `${capital(ids[same === -1 ? index : same] as string)}Body`
    const own = !body.properties || Object.keys(body.properties).some((field) => !CONTROL.includes(field))
    if (own) bodies[name] = { ...body, description: body.description ?? `The body of ${method} ${braced(path)}.` }
    const required = body.type !== 'object' || (body.required ?? []).length > 0
    const content = json(own ? ref(name) : body, exampleOf(body, components))
    return { required, content: form ? { 'application/x-www-form-urlencoded': content['application/json'] } : content }
  }

  endpoints.forEach((endpoint, index) => {
    const { params, query, body, returns, related } = parts[index] as (typeof parts)[number]
    const { method, path, tag, summary, successor } = endpoint
    paths[braced(path)] = {
      ...paths[braced(path)],
      [method.toLowerCase()]: {
        operationId: ids[index],
        tags: [tag],
        summary,
        description: descriptionOf(endpoint),
        ...(successor && { deprecated: true }),
        security: endpoint.access.public ? [] : [{ bearer: endpoint.access.scopes }, { apiKey: endpoint.access.scopes }],
        parameters: [
          ...parametersOf('path', params),
          ...parametersOf('query', query),
          ...(isConditional(endpoint) ? [{ $ref: '#/components/parameters/If-None-Match' }] : []),
          ...(isResumable(endpoint) ? [{ $ref: '#/components/parameters/Last-Event-ID' }] : []),
          ...(isGuarded(endpoint) ? [{ $ref: '#/components/parameters/If-Match' }] : []),
          ...(isWrite(endpoint) && !endpoint.access.public ? [{ $ref: '#/components/parameters/Idempotency-Key' }] : []),
        ],
        ...(body && { requestBody: requestBodyOf(endpoint, body, index) }),
        ...(uploadOf(endpoint) && { requestBody: uploadBody(uploadOf(endpoint)) }),
        ...(endpoint.content?.as === 'raw' && { requestBody: RAW }),
        ...(endpoint.base === '' && { servers: [{ url: '/' }] }),
        responses: responsesOf(endpoint, { returns: returns as JsonSchema, related }, components, examples[endpoint.id]),
      },
    }
  })

  const schemas: Record<string, JsonSchema> = { ...ENVELOPES, ...components, ...bodies }
  return described(
    withoutUnused({
      openapi: '3.1.0',
      info: {
        title,
        version,
        description: DESCRIPTION,
        license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
      },
      servers: SERVERS,
      tags: tagsOf(endpoints),
      paths: { ...paths, ...(endpoints.some(({ successor }) => !successor) && { '/openapi.json': ITSELF }) },
      ...(components.WebhookPayload && endpoints.some(({ successor }) => !successor) && { webhooks: webhooksOf(EVENT_TYPES) }),
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'A key of this API: `wck_…`.' },
          apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The same key, in the header `X-API-Key`.' },
        },
        parameters: HEADER_PARAMETERS,
        headers: HEADERS,
        responses: sharedResponses(endpoints, schemas),
        schemas,
      },
    }),
  )
}

/** Absolute URLs, so that clients in Node can use them unchanged. */
const SERVERS = [
  { url: 'http://127.0.0.1:8787/v1', description: 'What `npm run dev` starts.' },
  {
    url: '{origin}/v1',
    description: 'Your own installation.',
    variables: { origin: { default: 'https://api.example.com', description: 'Scheme and host, without a slash at the end.' } },
  },
]

type Document = { components: Record<string, Record<string, JsonSchema>>; [part: string]: unknown }

/** The document without components that no path refers to. */
function withoutUnused<D extends Document>(document: D): D {
  const { components, ...rest } = document
  const used = referencesIn(rest, (place) => place.split('/').reduce((at: unknown, step) => (at as JsonSchema)[step], components))
  const pruned = Object.entries(components).map(([kind, parts]) => [
    kind,
    kind === 'securitySchemes' ? parts : Object.fromEntries(Object.entries(parts).filter(([name]) => used.has(`${kind}/${name}`))),
  ])
  return { ...document, components: Object.fromEntries(pruned) }
}

function described<D extends Document>(document: D): D {
  const paths = describeSchemas(document.paths)
  return { ...document, paths, components: { ...document.components, schemas: describeSchemas(document.components.schemas, true) } }
}

/** One file, in a form. */
const UPLOAD = {
  required: true,
  content: {
    'multipart/form-data': {
      schema: {
        type: 'object',
        properties: { file: { type: 'string', contentMediaType: 'application/octet-stream', format: 'binary' } },
        required: ['file'],
        additionalProperties: false,
      },
    },
  },
}

/** Bytes that the endpoint itself verifies. */
const RAW = { required: true, content: { '*/*': { schema: { type: 'string', format: 'binary' } } } }

/** The form with its further fields, or also the file by itself. */
function uploadBody({ types = [], fields = {} }: { types?: readonly string[]; fields?: FormFields } = {}) {
  const { schema } = UPLOAD.content['multipart/form-data']
  const further = Object.entries(fields).map(([name, { description, values }]) => [name, { type: 'string', enum: values, description }])
  const required = [...schema.required, ...Object.keys(fields).filter((name) => fields[name]?.required)]
  const form = { schema: { ...schema, properties: { ...schema.properties, ...Object.fromEntries(further) }, required } }
  return {
    required: true,
    content: { 'multipart/form-data': form, ...Object.fromEntries(types.map((type) => [type, { schema: { type: 'string' } }])) },
  }
}

const equal = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
const braced = (path: string) => path.replace(/:(\w+)/g, '{$1}')

function descriptionOf({ description, access, limits, successor }: Endpoint): string {
  const { scopes, admin, direct, public: open } = access
  const needs = scopes.map((scope) => `\`${scope}\``).join(' and ')
  return [
    successor && `Kept for old callers: use \`${braced(successor)}\`.`,
    description,
    open ? 'Needs no key.' : scopes.length > 0 && `Needs ${needs}${admin ? ', and a key whose owner is a client_admin' : ''}.`,
    direct === true && 'Cannot wait for approval, so a key of level approval may not call it.',
    limits?.rate === 'sends' && 'At most 20 sends in 10 seconds with a key.',
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** The parameters, without examples: a page that fills them in would request a record that does not exist. */
function parametersOf(where: 'path' | 'query', { properties = {}, required = [] }: JsonSchema = {}): JsonSchema[] {
  return Object.entries(properties as Record<string, JsonSchema>).map(([name, { description, examples: _, ...schema }]) => ({
    name,
    in: where,
    ...((where === 'path' || required.includes(name)) && { required: true }),
    ...(description && { description }),
    schema,
  }))
}

const HEADER_PARAMETERS = {
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description: 'The ETag of the version that you read. The write is refused if the record has another version.',
    schema: { type: 'string', pattern: '^(\\*|(W/)?"\\d{1,9}")$' },
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of an earlier response. If the content is still the same, the response is 304 without a body.',
    schema: { type: 'string', maxLength: 2000 },
  },
  'Last-Event-ID': {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'The `id` of the last message that you received, when you connect again. It takes precedence over `after`.',
    schema: { type: 'string', maxLength: 2000 },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A value that you choose for each request. Repeating the request with the same key returns the same response and has no further ' +
      'effect. Refusals are not stored.',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
  },
}

const ITSELF = {
  get: {
    operationId: 'getOpenApiDocument',
    tags: ['Reference'],
    summary: 'Get the OpenAPI document',
    security: [],
    description: 'The deprecated paths are described in `/openapi.legacy.json`.\n\nNeeds no key.',
    responses: {
      200: { description: 'OpenAPI 3.1.', content: json({ type: 'object', additionalProperties: true }, { openapi: '3.1.0' }) },
      '4XX': { description: 'The request was refused.', content: json(ref('ApiError')) },
    },
  },
}
