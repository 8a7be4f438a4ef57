import * as v from 'valibot'
import type { Ctx } from '../context.ts'
import type { Plan } from '../data/plan.ts'
import type { METHODS } from '../domain/access.ts'
import type { ErrorCode } from '../errors.ts'
import { Bool, QueryBool } from '../schemas/fields.ts'

// biome-ignore lint/suspicious/noExplicitAny: a schema of anything
export type Schema = v.GenericSchema<any, any>
type Maybe = Schema | undefined
type Parsed<S extends Maybe> = S extends Schema ? v.InferOutput<S> : Record<string, never>
export type Method = (typeof METHODS)[number]
export type Scope = `${string}:${'read' | 'write' | 'delete' | 'send'}`

export type Spec<P extends Maybe = Maybe, Q extends Maybe = Maybe, B extends Maybe = Maybe, R extends Maybe = Maybe> = {
  /** The operationId: verb plus noun, unique, and never changed once published. */
  id: string
  summary: string
  description?: string
  scopes: Scope[]
  /** Only keys whose owner is a client_admin. */
  admin?: boolean
  params?: P
  query?: Q
  body?: B
  /** The schema of `data` (of one item of it for a list). */
  returns: R
  list?: boolean
  /** Needs no key. */
  public?: boolean
  /** Never held for approval, so only for keys that may execute: deciding on approvals, making keys. */
  direct?: boolean
  /**
   * Takes one file, as multipart/form-data, in place of a JSON body: see ctx.files. Always `direct`, for no file can be held. With a media
   * type, the body may also be a file of that type by itself.
   */
  upload?: true | 'text/csv'
  /** Answers a stream of these types (see Streamed) in place of JSON. */
  streams?: readonly string[]
  /** A POST that only reads, for what is asked does not fit a query: open to whoever may read, and never held. */
  reads?: boolean
  /** With `preview: true` in its body it answers what it would answer, and nothing of it happens; never held. */
  previews?: boolean
  /** Counts against the limit for sends too. */
  sends?: boolean
  status?: 200 | 201
  /** Creates or changes a record: 201 or 200, as `created` of what it answers says. Its path is that of the create, and /upsert. */
  upserts?: boolean
  errors?: ErrorCode[]
  /** The canonical path, when this one is kept for old callers. */
  successor?: string
}

export type Call<P extends Maybe, Q extends Maybe, B extends Maybe> = { ctx: Ctx; params: Parsed<P>; query: Parsed<Q>; body: Parsed<B> }
type Planned = Plan<unknown> | Promise<Plan<unknown>>

export type Endpoint = Spec & {
  method: Method
  /** With `:name` for parameters, below /v1. */
  path: string
  tag: string
  // biome-ignore lint/suspicious/noExplicitAny: each handler knows its own parts
  plan: (call: { ctx: Ctx; params: any; query: any; body: any }) => Planned
}

/** The path with its parameters in place. */
export const pathOf = (path: string, params: Record<string, string>): string =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))

export const isWrite = ({ method, reads }: { method: Method; reads?: boolean }) => method !== 'GET' && !reads

/** Accepted by every write beside its own fields; they never reach a handler. */
const control = {
  require_approval: v.optional(v.pipe(Bool, v.description('Hold this write until a person approves it.'))),
  skip_automations: v.optional(v.pipe(Bool, v.description('Let no automation react to this write.'))),
}
const controlQuery = {
  require_approval: v.optional(v.pipe(QueryBool, v.description('Hold this write until a person approves it.'))),
  skip_automations: v.optional(v.pipe(QueryBool, v.description('Let no automation react to this write.'))),
}
const dryRun = { dry_run: v.optional(v.pipe(QueryBool, v.description('Answer what the call would do and leave no trace.'))) }

type Entries = v.StrictObjectSchema<v.ObjectEntries, undefined>

/** The rules that the body's fields keep together, behind its new form. */
function withRules(form: Schema, body: Maybe): Schema {
  const [, ...rules] = (body as { pipe?: unknown[] } | undefined)?.pipe ?? []
  return rules.length === 0 ? form : (v.pipe as unknown as (...parts: unknown[]) => Schema)(form, ...rules)
}

function withControl(
  method: Method,
  { query, body, ...spec }: Pick<Spec, 'query' | 'body' | 'direct' | 'upload' | 'reads' | 'public'>,
): Pick<Spec, 'query' | 'body'> {
  const sent = (query as Entries | undefined)?.entries ?? {}
  if (method === 'GET') return { query: v.strictObject(sent), body: undefined }
  if (spec.upload) return { query: v.strictObject(sent), body: undefined }
  if (spec.direct || spec.reads || spec.public) return { query: v.strictObject(sent), body: body ?? v.strictObject({}) }
  if (method === 'DELETE') return { query: v.strictObject({ ...sent, ...controlQuery, ...dryRun }), body: undefined }
  const fields = (body as Entries | undefined)?.entries
  const wanted = fields || !body ? withRules(v.strictObject({ ...fields, ...control }), body) : body
  return { query: v.strictObject({ ...sent, ...dryRun }), body: wanted }
}

/**
 * A set of endpoints under one path. The same list is served, documented and tested. With `legacy`, each is served under
 * that older path too, marked as deprecated.
 */
export function group(path: `/${string}`, tag: string, legacy?: { path: `/${string}`; tag: string }) {
  const endpoints: Endpoint[] = []

  const on =
    (method: Method) =>
    <P extends Maybe = undefined, Q extends Maybe = undefined, B extends Maybe = undefined, R extends Maybe = undefined>(
      sub: string,
      spec: Spec<P, Q, B, R>,
      plan: (call: Call<P, Q, B>) => Planned,
    ) => {
      const endpoint = { ...spec, ...withControl(method, spec), method, path: path + sub, tag, plan } as Endpoint
      endpoints.push(endpoint)
      if (legacy)
        endpoints.push({
          ...endpoint,
          id: `${endpoint.id}Legacy`,
          path: legacy.path + sub,
          tag: legacy.tag,
          successor: endpoint.successor ?? endpoint.path,
        })
    }

  return { endpoints, get: on('GET'), post: on('POST'), put: on('PUT'), patch: on('PATCH'), delete: on('DELETE') }
}
export type Group = ReturnType<typeof group>
