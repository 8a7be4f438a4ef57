import { toJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import type { Operation, ToolInput } from '../domain/operations.ts'
import { type Endpoint, type EndpointCtx, isEventStream, isWrite, type Schema } from './endpoint.ts'

/**
 * Whether a model may have the endpoint as a tool: it can be held for approval if it writes, takes and returns JSON or text, and is neither
 * for client_admins only nor about keys, approvals and the runs of models themselves.
 */
export const isTool = (endpoint: Endpoint): boolean =>
  !endpoint.access.direct &&
  !endpoint.access.public &&
  !endpoint.access.admin &&
  !endpoint.content &&
  !endpoint.successor &&
  !isEventStream(endpoint) &&
  ['one', 'list', 'created', 'upserted', 'added', 'accepted', 'text'].includes(endpoint.returns.as) &&
  !OWN.test(endpoint.path)

/** What decides about rights, approvals and models stays with people. */
const OWN =
  /^\/(api-keys|approvals|approval-policies|roles|company\/users|invitations|skills|auto-responders|webhooks|incoming-webhooks|billing|me)\b/

/** The endpoint as a tool: what it does, what it takes, and which scopes it needs. */
export const operationOf = (endpoint: Endpoint): Operation => ({
  id: endpoint.id,
  description: `${endpoint.summary}. ${endpoint.description ?? ''}`.slice(0, 1_000).trim(),
  writes: isWrite(endpoint),
  sends: sendsSomething(endpoint),
  scopes: [...endpoint.access.scopes],
  schema: schemaOf(endpoint),
})

/** Sends name the errors of channels, or count against the rate of sends. */
const sendsSomething = ({ id, access, limits, errors = [] }: Endpoint): boolean =>
  limits?.rate === 'sends' ||
  access.scopes.some((scope) => scope.endsWith(':send')) ||
  errors.some((code) => code === 'CHANNEL_NOT_CONFIGURED' || code === 'RECIPIENT_UNREACHABLE') ||
  /send|notify|reply|message|invite|share|forward/i.test(id)

/** The parts of a request that the endpoint has, each with its JSON Schema. */
function schemaOf({ params, query, body }: Endpoint): object {
  const parts = Object.entries({ params, query, body: withoutControl(body) })
    .filter((part): part is [string, Schema] => part[1] !== undefined)
    .map(([name, schema]): [string, object] => [name, json(schema)])
    .filter(([, { properties }]: [string, { properties?: object }]) => properties === undefined || Object.keys(properties).length > 0)
  const required = parts.filter(([, schema]) => ((schema as { required?: string[] }).required ?? []).length > 0).map(([name]) => name)
  return { type: 'object', properties: Object.fromEntries(parts), required, additionalProperties: false }
}

/** The body without what the caller of a skill decides: whether a write waits, and whether automations react to it. */
function withoutControl(body: Schema | undefined): Schema | undefined {
  const entries = (body as v.StrictObjectSchema<v.ObjectEntries, undefined> | undefined)?.entries
  if (!entries) return body
  const { require_approval: _held, skip_automations: _skipped, dry_run: _dry, ...own } = entries
  return v.strictObject(own)
}

const json = (schema: Schema): object => {
  const { $schema: _, ...described } = toJsonSchema(schema, { typeMode: 'input', target: 'draft-2020-12', errorMode: 'ignore' })
  return described
}

type Register = () => Promise<Endpoint[]>

/** Finds the endpoints that a model may have as tools, by operationId. */
export const finderIn = (register: Register) => async (ids: readonly string[]) =>
  (await register()).filter((one) => ids.includes(one.id) && isTool(one)).map(operationOf)

/** The endpoints as tools of a run, whose requests are sent with the caller's key. */
export const toolsIn = (register: Register, ctx: EndpointCtx) => ({
  find: finderIn(register),
  call: async (id: string, { params, query, body }: ToolInput, hold: boolean) => {
    const endpoint = (await register()).find((one) => one.id === id && isTool(one))
    return ctx.send(endpoint, { params: textsOf(params), query: textsOf(query), body: endpoint?.body ? (body ?? {}) : undefined }, hold)
  },
})

export const textsOf = (values: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, asText(value)]))
const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
