import * as v from 'valibot'
import type { Statement } from '../data/db.ts'
import type { Deletable } from '../data/deletions.ts'
import type { Relation } from '../data/relations.ts'
import type { Env } from '../env.ts'
import type { AppError } from '../errors.ts'
import type { Text } from '../lib/typed-text.ts'
import type { WebPage } from '../lib/web-page.ts'
import type { Schema } from './endpoint.ts'

export type Scope = `${string}:${'read' | 'write' | 'delete' | 'send'}`

/** Who may call an endpoint: the holder of a key with all of these scopes. */
export type Access = {
  scopes: Scope[]
  /** Only keys whose owner is a client_admin. */
  admin?: boolean
  /**
   * Never waits for approval, so the key must have the level `execute`: decisions on approvals, creation of keys. `every_level`: a key of
   * level approval may call it too, because it only asks for something.
   */
  direct?: boolean | 'every_level'
  /** Needs no key. */
  public?: boolean
  /**
   * Identifies callers without a key, such as the holder of a signed link. Their grant must include `scopes`. Holders of keys may call such
   * an endpoint too.
   */
  principal?: (request: Received) => Principal | Promise<Principal>
}

/** A request before its body is parsed, with the exact bytes (none for a GET), so that a signature can be verified. */
export type Received = { method: string; url: string; headers: Headers; bytes: Uint8Array; env: Env; now: Date }

/**
 * A caller without a key. `grant` is an SQL expression for what its token or signature grants: a jsonb object with workspace_id, scopes and
 * optionally expires_at, or null. `authorize` decides about it in each of the request's transactions. `id` is what its rate is counted by;
 * with
 * `rates` each of these is counted instead.
 */
export type Principal = { kind: 'public_token' | 'provider_callback'; id: string; grant: Statement; rates?: CountedRate[] }
export type CountedRate = { rate: 'default' | 'sends'; id: string }

export const scopes = (...names: Scope[]): Access => ({ scopes: names })

/**
 * `read`: needs only the right to read and never waits for approval; also a POST whose parameters do not fit a query string. `write`:
 * changes records. `preview`: a write that, with `preview: true` in its body, returns its result without changing anything; a preview never
 * waits.
 */
export type Effect = 'read' | 'write' | 'preview'

/**
 * `rate`: a limit in addition to that of every key, counted by key, or without a key by principal or client address. `body`: the maximum
 * size of a body that is not a file, in bytes; 1,000,000 by default. `values`: the maximum number of values in it, if that is not the usual
 * one; its schema must then bound the number of issues (`untilRefused`).
 */
export type Limits = { rate?: 'sends'; body?: number; values?: number }

/**
 * A body that is not JSON. `form`: the fields of an application/x-www-form-urlencoded body. `raw`: what `verify` returns for the bytes.
 * `file`: one file, as multipart/form-data or, with a media type, also by itself; see ctx.files. `max`: its maximum size in bytes, 25 MB by
 * default. `verify` throws for a signature that does not match, before anything reaches the database. Endpoints with a raw body or a file
 * are `direct` or `public`, because bytes cannot be stored with an approval.
 */
export type Body<Out = unknown> = { out?: Out } & (
  | { as: 'file'; types?: readonly string[]; fields?: FormFields; max?: number }
  | { as: 'form'; schema: Schema; verify?: ((request: Received) => void | Promise<void>) | undefined }
  | { as: 'raw'; verify: (request: Received) => unknown }
)
export const upload = (...types: string[]): Body<Record<string, never>> => ({ as: 'file', ...(types.length > 0 && { types }) })
/** A file in a form with further fields. */
export const uploadWith = (fields: FormFields, max?: number): Body<Record<string, never>> => ({
  as: 'file',
  fields,
  ...(max !== undefined && { max }),
})
/** The fields of a form besides its file: one of the values each. */
export type FormFields = Record<string, { description: string; values: readonly string[]; required: boolean }>
export const form = <S extends Schema>(schema: S, verify?: (request: Received) => void | Promise<void>): Body<v.InferOutput<S>> => ({
  as: 'form',
  schema,
  verify,
})
export const raw = <Out>(verify: (request: Received) => Out | Promise<Out>): Body<Out> => ({ as: 'raw', verify })

/** The texts of an endpoint in place of its result: for an error, and for a request that waits for approval. `body` is the request's. */
export type Wording = { failure: (error: AppError, body: unknown) => Text; held: (body: unknown) => Text }

/** The page that a visitor gets for an error. */
export type Failure = (error: AppError, request: Request) => WebPage

/** The path of the collection that a new record is in, which may depend on the record. */
export type CollectionOf = string | ((record: object) => string)

/**
 * What an endpoint returns. A single record is its `own` if it has no values of other records. A list whose records are `deletable` can
 * show deleted ones instead. A record, and those of a list, can include their `relations`. `upserted` creates or updates a record:
 * `created` of the result decides between 201 and 200; its path is that of the create endpoint with /upsert. `added` adds a row that may be
 * there already: 201 or 200 (see Added). `accepted`: 200, or 202 with a job that completes it (see Accepted), and then with what `begun`
 * names, or the same. `stream` sends text of these types instead of JSON (see Streamed); `text` and `html` send a string. With
 * `failures: 200` an error is also a text with status 200, for callers that show nothing else; only a refused key and a missing right are
 * errors in JSON. `wording` has such texts, and that of a request which waits for approval.
 */
export type Returns<S extends Schema = Schema> =
  | { as: 'one'; schema: S; own?: boolean | undefined; relations?: Relation[] | undefined }
  | { as: 'created'; schema: S; at?: CollectionOf | undefined }
  | { as: 'upserted' | 'added'; schema: S }
  | { as: 'accepted'; schema: S; begun?: 'Restoring' }
  | { as: 'list'; schema: S; deletable?: Deletable | undefined; relations?: Relation[] | undefined }
  | { as: 'stream'; schema: S; types: readonly string[] }
  | { as: 'text'; schema: S; failures?: 200 | undefined; wording?: Wording | undefined }
  | { as: 'html'; schema: S; failure?: Failure | undefined }

export const one = <S extends Schema>(schema: S, own = false, relations?: Relation[]) => ({ as: 'one', schema, own, relations }) as const
export const listOf = <S extends Schema>(schema: S, deletable?: Deletable, relations?: Relation[]) =>
  ({ as: 'list', schema, deletable, relations }) as const
/** `at`: the path of the collection that the record is in, unless it is that of the endpoint. */
export const created = <S extends Schema>(schema: S, at?: CollectionOf) => ({ as: 'created', schema, at }) as const
export const upserted = <S extends Schema>(schema: S) => ({ as: 'upserted', schema }) as const
/** One that the background may complete, with its job (see Accepted). */
export const accepted = <S extends Schema>(schema: S) => ({ as: 'accepted', schema }) as const
/** A restored record; its id and the job, if that restores what went with it. */
export const restoredIn = <S extends Schema>(schema: S) => ({ as: 'accepted', schema, begun: 'Restoring' }) as const
export const added = <S extends Schema>(schema: S) => ({ as: 'added', schema }) as const
export const stream = <S extends Schema>(types: readonly string[], schema: S) => ({ as: 'stream', schema, types }) as const
export const text = (failures?: 200, wording?: Wording) => ({ as: 'text', schema: v.string(), failures, wording }) as const
export const html = (failure?: Failure) => ({ as: 'html', schema: v.string(), failure }) as const
