import * as v from 'valibot'
import type { Ctx } from '../context.ts'
import type { Plan } from '../data/plan.ts'
import type { WithWarnings } from '../data/query.ts'
import { pascal } from '../lib/nouns.ts'
import { BulkIds, bulkOf } from '../schemas/bulk.ts'
import { BulkDeleted, bulkResult } from '../schemas/common.ts'
import { forEachId } from './bulk-ids.ts'
import type { Schema } from './endpoint.ts'
import { one, scopes } from './modes.ts'
import type { Api } from './router.ts'

type Result<R extends Schema> = v.InferOutput<ReturnType<typeof bulkResult<R>>>
type Planned<Out> = Plan<Out | WithWarnings<Out>> | Promise<Plan<Out | WithWarnings<Out>>>

type Bulk<R extends Schema> = {
  plural: string
  /** The schema of each record in the response. */
  returns: R
  create?: { body: Schema; plan: (ctx: Ctx, records: unknown[]) => Planned<Result<R>> }
  update?: { body: Schema; plan: (ctx: Ctx, records: unknown[]) => Planned<Result<R>> }
  /** `action`: the right that it takes, where that is another one. */
  remove?: { description?: string; action?: 'write'; plan: (ids: string[]) => Plan<v.InferOutput<typeof BulkDeleted>> }
}

/** Registers the calls that create, update and delete up to 100 records. */
export function bulk<R extends Schema>(api: Api, { plural, returns, create, update, remove }: Bulk<R>): void {
  const write = (verb: string, { body, plan }: NonNullable<Bulk<R>['create']>) =>
    api.post(
      `/bulk-${verb}`,
      {
        ...wordsOf(verb, plural),
        access: scopes(`${plural}:write`),
        body: v.strictObject({ records: bulkOf(body) }),
        returns: one(bulkResult(returns)),
      },
      ({ ctx, body }) => plan(ctx, body.records),
    )
  if (create) write('create', create)
  if (update) write('update', update)
  if (remove) {
    const { plan, action = 'delete', ...texts } = remove
    api.post(
      '/bulk-delete',
      {
        ...wordsOf('delete', plural),
        ...texts,
        access: scopes(`${plural}:${action}`),
        body: v.strictObject({ ids: BulkIds(100) }),
        returns: BulkDeleted,
      },
      ({ body }) => forEachId(body.ids, plan),
    )
  }
}

const wordsOf = (verb: string, plural: string) => ({
  id: `bulk${pascal(verb)}${pascal(plural)}`,
  summary: `${pascal(verb)} up to 100 ${plural}`,
})
