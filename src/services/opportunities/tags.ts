import { eq, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { opportunities } from '../../../schema/index.ts'
import type { Ctx } from '../../context.ts'
import { db } from '../../data/db.ts'
import { plan, read } from '../../data/plan.ts'
import { assert, assertField, constant, mapResult, oneOrThrow } from '../../data/query.ts'
import { lockForUpdate } from '../../data/store.ts'
import { MAX_TAGS } from '../../domain/limits.ts'
import type { TagIn } from '../../schemas/opportunities.ts'

/** Tags are a column of the opportunity. Names are unique regardless of case. */

const tagged = (id: string, name: string) =>
  sql`exists (select from opportunities, jsonb_array_elements(tags) t where id = ${id} and norm(t ->> 'name') = norm(${name}))`
const tagsOf = (id: string) =>
  oneOrThrow(db.select({ tags: opportunities.tags }).from(opportunities).where(eq(opportunities.id, id)), 'opportunity', id)

export const listTags = (id: string) => read(mapResult(tagsOf(id), ({ tags }) => tags))

/** Adds a tag, or changes the colour of the tag with this name. */
export function addTag(ctx: Ctx, id: string, { name, color = null }: v.InferOutput<typeof TagIn>) {
  const tag = sql<{
    name: string
    color: string | null
  }>`(select t from jsonb_array_elements(opportunities.tags) t where norm(t ->> 'name') = norm(${name}))`.as('tag')
  return plan(
    [
      lockForUpdate(ctx, opportunities, id, 'opportunity'),
      sql`update opportunities set tags = with_tag(tags, ${name}, ${color}) where id = ${id}`,
      assertField(
        sql`(select jsonb_array_length(tags) <= ${MAX_TAGS} from opportunities where id = ${id})`,
        'name',
        `An opportunity has at most ${MAX_TAGS} tags`,
      ),
    ],
    mapResult(oneOrThrow(db.select({ tag }).from(opportunities).where(eq(opportunities.id, id)), 'opportunity'), ({ tag }) => tag),
  )
}

export function removeTag(ctx: Ctx, id: string, name: string) {
  return plan(
    [
      lockForUpdate(ctx, opportunities, id, 'opportunity'),
      assert(tagged(id, name), 'NOT_FOUND', 'No such tag on this opportunity'),
      sql`update opportunities set tags = without_tag(tags, ${name}) where id = ${id}`,
    ],
    constant({ opportunity_id: id, name, deleted: true as const }),
  )
}
