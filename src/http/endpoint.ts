import * as v from 'valibot'
import type { Ctx } from '../context.ts'
import type { Plan } from '../data/plan.ts'
import type { METHODS } from '../domain/access.ts'
import type { ErrorCode } from '../errors.ts'
import { Bool, QueryBool } from '../schemas/fields.ts'
import { pipeOf } from '../schemas/pipes.ts'
import type { Input } from './check.ts'
import { type Access, type Body, type Effect, type Limits, one, type Returns } from './modes.ts'
import type { Sent, Simulated } from './other-requests.ts'
import { readingBody, readingQuery, withReading } from './reading.ts'

// biome-ignore lint/suspicious/noExplicitAny: a schema of anything
export type Schema = v.GenericSchema<any, any>
type Maybe = Schema | undefined
type Parsed<S> = S extends Schema ? v.InferOutput<S> : S extends Body<infer Out> ? Out : Record<string, never>
export type Method = (typeof METHODS)[number]

export type Base = '/v1' | ''

/** The definition of an endpoint: at most twelve keys (test/http/modes.test.ts). */
export type Spec<
  P extends Maybe = Maybe,
  Q extends Maybe = Maybe,
  B extends Maybe | Body = Maybe | Body,
  R extends Schema | Returns = Schema | Returns,
> = {
  /** The operationId: verb plus noun, unique, and never changed once published. */
  id: string
  summary: string
  description?: string
  access: Access
  params?: P
  query?: Q
  /** The schema of a JSON body, or `upload(…)`, `form(…)`, `raw(…)`. */
  body?: B
  /** Unless set, a GET reads and anything else writes. */
  effect?: Effect
  /**
   * The schema of `data` for one record, or `listOf(…)`, `created(…)`, `upserted(…)`, `added(…)`, `accepted(…)`, `stream(…)`, `text(…)`,
   * `html()`.
   */
  returns: R
  errors?: ErrorCode[]
  limits?: Limits
  /** The canonical path, when this one is kept for old callers. */
  successor?: string
}

/**
 * What the dry run of another request found: its data and its changes, the rights that it takes, and the approval policies that hold
 * it.
 */
export type Rehearsal = {
  data: unknown
  changes: unknown[]
  required_scopes: string[]
  requires_admin: boolean
  policy_ids: string[]
}
/** The context as endpoints see it. Other requests are sent as the same caller, each in a round trip of its own. */
export type EndpointCtx = Ctx & {
  /** Whether the request is a dry run, and not one that another request has sent. */
  isDryRun: boolean
  /** Whether another request has sent it, to see its result. */
  isSentByAnother: boolean
  /** A dry run of another request. */
  rehearse(endpoint: Endpoint | undefined, input: Input): Promise<Rehearsal>
  /** The data that another endpoint, which only reads, returns. */
  fetch(endpoint: Endpoint | undefined, input: Input): Promise<unknown>
  /** Sends a request of its own, with its effect; with `hold` it waits for approval. It is logged by itself. */
  send(endpoint: Endpoint | undefined, input: Input, hold: boolean): Promise<Sent>
  /** The text that another endpoint would return, without its effect. */
  simulate(endpoint: Endpoint | undefined, input: Input): Promise<Simulated>
}

export type Call<P extends Maybe, Q extends Maybe, B> = { ctx: EndpointCtx; params: Parsed<P>; query: Parsed<Q>; body: Parsed<B> }
type Planned = Plan<unknown> | Promise<Plan<unknown>>

/** An endpoint as it is served, documented and tested: its definition with every default filled in. */
export type Endpoint = Omit<Spec, 'body' | 'returns' | 'effect'> & {
  method: Method
  /** The prefix of the path, such as /v1. */
  base: Base
  /** The path, with `:name` for parameters. */
  path: string
  tag: string
  /** The fields of a JSON body or a form, including those that every write accepts. */
  body?: Schema | undefined
  /** The format of a body that is not JSON. */
  content?: Body | undefined
  effect: Effect
  returns: Returns
  /** The helper that generated the endpoint; undefined for one that is written by hand. */
  helper?: 'resource' | 'children' | undefined
  // biome-ignore lint/suspicious/noExplicitAny: each handler knows its own parts
  plan: (call: { ctx: EndpointCtx; params: any; query: any; body: any }) => Planned
}

/** The path with its parameters filled in. */
export const pathOf = (path: string, params: Record<string, string>): string =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))

export const isWrite = ({ effect }: Pick<Endpoint, 'effect'>) => effect !== 'read'
export const isList = ({ returns }: Pick<Endpoint, 'returns'>) => returns.as === 'list'
/** The status of a success, unless an upsert or an addition created a record. */
export const statusOf = ({ returns }: Pick<Endpoint, 'returns'>): 200 | 201 => (returns.as === 'created' ? 201 : 200)
/** The file that the endpoint takes as its body, if it takes one. */
export const uploadOf = ({ content }: Pick<Endpoint, 'content'>) => (content?.as === 'file' ? content : undefined)
const TEXT = { text: ['text/plain'], html: ['text/html'] }
/** The media types of a response that is not JSON. */
export const mediaTypesOf = ({ returns }: Pick<Endpoint, 'returns'>): readonly string[] | undefined =>
  returns.as === 'stream' ? returns.types : returns.as === 'text' || returns.as === 'html' ? TEXT[returns.as] : undefined
/** Whether it sends server-sent events. */
export const isEventStream = ({ returns }: Pick<Endpoint, 'returns'>) =>
  returns.as === 'stream' && returns.types.includes('text/event-stream')
/** Whether it is such a stream that continues after a cursor, which a client that connects again sends in Last-Event-ID. */
export const isResumable = (endpoint: Pick<Endpoint, 'returns' | 'query'>) =>
  isEventStream(endpoint) && 'after' in ((endpoint.query as Entries | undefined)?.entries ?? {})
/** The path from the root of the host. */
export const urlOf = ({ base, path }: Pick<Endpoint, 'base' | 'path'>): string => base + path

/** Accepted by every write beside its own fields; they never reach a handler. */
const control = {
  require_approval: v.optional(v.pipe(Bool, v.description('Hold this write until a person approves it.'))),
  skip_automations: v.optional(v.pipe(Bool, v.description('Let no automation react to this write.'))),
}
const controlQuery = {
  require_approval: v.optional(v.pipe(QueryBool, v.description('Hold this write until a person approves it.'))),
  skip_automations: v.optional(v.pipe(QueryBool, v.description('Let no automation react to this write.'))),
}
const dryRun = { dry_run: v.optional(v.pipe(QueryBool, v.description('Return what the call would do, without changing anything.'))) }

type Entries = v.StrictObjectSchema<v.ObjectEntries, undefined>

/** The rules that concern several fields of the body, applied to its extended form. */
function withRules(form: Schema, body: Maybe): Schema {
  const [, ...rules] = (body as { pipe?: unknown[] } | undefined)?.pipe ?? []
  return rules.length === 0 ? form : pipeOf<Schema>(form, ...rules)
}

function withControl(
  method: Method,
  { query, body, content, access, effect, returns }: Pick<Endpoint, 'query' | 'body' | 'content' | 'access' | 'effect' | 'returns'>,
) {
  const sent = { ...(query as Entries | undefined)?.entries, ...readingQuery({ method, returns }) }
  if (method === 'GET' || (content && content.as !== 'form')) return { query: v.strictObject(sent), body: undefined }
  const reading = readingBody({ returns, method, effect })
  if (body && Object.keys(reading).length > 0)
    return { query: v.strictObject(sent), body: withRules(v.strictObject({ ...(body as Entries).entries, ...reading }), body) }
  if (access.direct || access.public || effect === 'read') return { query: v.strictObject(sent), body: body ?? v.strictObject({}) }
  if (method === 'DELETE') return { query: v.strictObject({ ...sent, ...controlQuery, ...dryRun }), body: undefined }
  const fields = (body as Entries | undefined)?.entries
  const wanted = fields || !body ? withRules(v.strictObject({ ...fields, ...control }), body) : body
  return { query: v.strictObject({ ...sent, ...dryRun }), body: wanted }
}

const isMode = <Mode extends { as: string }>(part: Schema | Mode | undefined): part is Mode => part !== undefined && 'as' in part

/** The endpoint of a definition, with every default filled in. */
export function endpointOf(
  method: Method,
  { base, path, tag }: Pick<Endpoint, 'base' | 'path' | 'tag'>,
  spec: Spec,
  plan: Endpoint['plan'],
): Endpoint {
  const { body, returns, effect = method === 'GET' ? 'read' : 'write', ...others } = spec
  const access = { ...spec.access, ...(spec.access.principal && { public: true }) }
  const content = isMode(body) ? body : undefined
  const result = isMode(returns) ? returns : one(returns)
  const fields = isMode(body) ? (body.as === 'form' ? body.schema : undefined) : body
  const part = { ...others, access, effect, content, body: fields, returns: result }
  if (content && content.as !== 'form' && !access.direct && !access.public)
    throw new Error(`${spec.id}: a body of bytes cannot be held, so it needs direct access`)
  return { ...part, ...withControl(method, part), method, base, path, tag, plan: withReading({ returns: result, method }, plan) }
}
