import type { Hono } from 'hono'
import type * as v from 'valibot'
import type { Page } from '../data/paged.ts'
import type { Plan } from '../data/plan.ts'
import type { Accepted, Added, WithWarnings } from '../data/query.ts'
import type { Streamed } from '../data/streamed.ts'
import type { Text } from '../lib/typed-text.ts'
import type { WebPage } from '../lib/web-page.ts'
import type { Restoring } from '../schemas/common.ts'
import { type Base, type Call, type Endpoint, endpointOf, type Method, type Schema, type Spec } from './endpoint.ts'
import type { Body, Returns } from './modes.ts'
import { type App, serve } from './serve.ts'

export type { App }

type Maybe = Schema | undefined
type Helper = NonNullable<Endpoint['helper']>
/** A record as its schema describes it, alone or with warnings. */
type Item<S extends Schema> =
  | v.InferOutput<S>
  | WithWarnings<v.InferOutput<S>>
  | Added<v.InferOutput<S>>
  | Accepted<v.InferOutput<S> | Restoring>
/**
 * What the plan of an endpoint must result in: what its schema describes, a page of that for a list, pieces for a stream, a string for
 * text.
 */
type Result<R> = R extends { as: 'list'; schema: infer S extends Schema }
  ? Page<v.InferOutput<S>>
  : R extends { as: 'stream' }
    ? Streamed
    : R extends { as: 'text' }
      ? Text
      : R extends { as: 'html' }
        ? string | WebPage
        : R extends { schema: infer S extends Schema }
          ? Item<S>
          : R extends Schema
            ? Item<R>
            : never
type Router = Hono<App>
type Place = { path: `/${string}`; tag: string }
/** `bodies`: those that differ on the older path, by the id of the endpoint. What such a body accepts, the newer one accepts, too. */
type Legacy = Place & { router: Router; bodies?: Record<string, Schema> }
type Options = Place & { legacy?: Legacy; base?: Base }
export type Mount = { path: string; router: Router }

/**
 * Registers endpoints on a resource's router. Each becomes a route and an entry of the endpoint registry, which is documented and tested.
 * With
 * `legacy` each is also served under that older path, marked as deprecated. Without `base` the paths are below /v1.
 */
export function endpoints(router: Router, { path, tag, legacy, base = '/v1' }: Options) {
  const list: Endpoint[] = []
  const mounts: Mount[] = [{ path: base + path, router }]
  if (legacy) mounts.push({ path: base + legacy.path, router: legacy.router })

  const add = (to: Router, sub: string, endpoint: Endpoint) => {
    list.push(endpoint)
    to.on(endpoint.method, sub || '/', (c) => serve(c, endpoint))
  }
  const on =
    (method: Method, helper?: Helper) =>
    <
      P extends Maybe = undefined,
      Q extends Maybe = undefined,
      B extends Maybe | Body = undefined,
      R extends Schema | Returns = Schema | Returns,
    >(
      sub: string,
      spec: Spec<P, Q, B, R>,
      plan: (call: Call<P, Q, B>) => Plan<NoInfer<Result<R>>> | Promise<Plan<NoInfer<Result<R>>>>,
    ) => {
      const endpoint = { ...endpointOf(method, { base, path: path + sub, tag }, spec as Spec, plan), helper }
      add(router, sub, endpoint)
      if (!legacy) return
      const successor = endpoint.successor ?? endpoint.path
      const older = { base, path: legacy.path + sub, tag: legacy.tag }
      const body = legacy.bodies?.[spec.id]
      const same = body ? { ...endpointOf(method, older, { ...(spec as Spec), body }, plan), helper } : endpoint
      add(legacy.router, sub, { ...same, ...older, id: `${endpoint.id}Legacy`, successor })
    }

  const registrars = (helper?: Helper) => ({
    get: on('GET', helper),
    post: on('POST', helper),
    put: on('PUT', helper),
    patch: on('PATCH', helper),
    delete: on('DELETE', helper),
  })
  return {
    endpoints: list,
    /** Each router with its path. */
    mounts,
    ...registrars(),
    /** As above, for the endpoints that a helper generates. */
    from: registrars,
  }
}
export type Api = ReturnType<typeof endpoints>
