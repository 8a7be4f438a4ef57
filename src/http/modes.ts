import * as v from 'valibot'
import type { Statement } from '../data/db.ts'
import type { Env } from '../env.ts'
import type { Schema } from './endpoint.ts'

export type Scope = `${string}:${'read' | 'write' | 'delete' | 'send'}`

/** Who may call an endpoint: the holder of a key with all of these scopes. */
export type Access = {
  scopes: Scope[]
  /** Only keys whose owner is a client_admin. */
  admin?: boolean
  /** Never held for approval, so only for keys that may execute: deciding on approvals, making keys. */
  direct?: boolean
  /** Needs no key. */
  public?: boolean
  /**
   * Identifies callers who have no key, such as the holder of a signed link. Their grant must include `scopes`. Such an endpoint is public to
   * the holders of keys, too.
   */
  principal?: (request: Received) => Principal | Promise<Principal>
}

/** A request as verification sees it: the exact bytes of its body (empty for a GET), before anything else has read them. */
export type Received = { method: string; url: string; headers: Headers; bytes: Uint8Array; env: Env; now: Date }

/**
 * A caller without a key. `grant` is an SQL expression for what its token or signature grants: a jsonb object with workspace_id, scopes and
 * optionally expires_at, or null. `authorize` decides about it in each of the request's transactions. `id` is what its rate is counted by.
 */
export type Principal = { kind: 'public_token' | 'provider_callback'; id: string; grant: Statement }

export const scopes = (...names: Scope[]): Access => ({ scopes: names })

/**
 * `read`: open to whoever may read, and never held for approval; also a POST whose question does not fit a query. `write`: changes records.
 * `preview`: a write that with `preview: true` in its body returns what it would return, and changes nothing; that is never held.
 */
export type Effect = 'read' | 'write' | 'preview'

/**
 * `rate`: a limit beside that of every key, counted by key, or by principal or client address where there is none. `body`: the most bytes of a body
 * that is no file, 1,000,000 unless set.
 */
export type Limits = { rate?: 'sends'; body?: number }

/**
 * A body that is not JSON. `form`: the fields of an application/x-www-form-urlencoded body. `raw`: whatever `verify` makes of the bytes; only for
 * endpoints that cannot be held. `verify` throws for a signature that does not match, before anything reaches the database. `file`: one file, as multipart/form-data or, with a media type, also by itself; see ctx.files. Such an endpoint is
 * always `direct`, for a file cannot be held for approval.
 */
export type Body<Out = unknown> = { out?: Out } & (
  | { as: 'file'; type?: 'text/csv' }
  | { as: 'form'; schema: Schema; verify?: ((request: Received) => void | Promise<void>) | undefined }
  | { as: 'raw'; verify: (request: Received) => unknown }
)
export const upload = (type?: 'text/csv'): Body<Record<string, never>> => ({ as: 'file', ...(type && { type }) })
export const form = <S extends Schema>(schema: S, verify?: (request: Received) => void | Promise<void>): Body<v.InferOutput<S>> => ({
  as: 'form',
  schema,
  verify,
})
export const raw = <Out>(verify: (request: Received) => Out | Promise<Out>): Body<Out> => ({ as: 'raw', verify })

/**
 * What an endpoint returns. `upserted` creates or changes a record: 201 or 200, as `created` of the result says; its path is that of the create,
 * and /upsert. `stream` sends text of these types in place of JSON (see Streamed); `text` and `html` send a string. With `failures: 200` an error
 * too is a text of status 200, for callers that show nothing else.
 */
export type Returns<S extends Schema = Schema> =
  | { as: 'one' | 'list' | 'created' | 'upserted'; schema: S }
  | { as: 'stream'; schema: S; types: readonly string[] }
  | { as: 'text'; schema: S; failures?: 200 | undefined }
  | { as: 'html'; schema: S }

export const one = <S extends Schema>(schema: S) => ({ as: 'one', schema }) as const
export const listOf = <S extends Schema>(schema: S) => ({ as: 'list', schema }) as const
export const created = <S extends Schema>(schema: S) => ({ as: 'created', schema }) as const
export const upserted = <S extends Schema>(schema: S) => ({ as: 'upserted', schema }) as const
export const stream = <S extends Schema>(types: readonly string[], schema: S) => ({ as: 'stream', schema, types }) as const
export const text = (failures?: 200) => ({ as: 'text', schema: v.string(), failures }) as const
export const html = () => ({ as: 'html', schema: v.string() }) as const
