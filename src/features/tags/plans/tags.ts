import { eq, getTableName, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import * as v from 'valibot'
import type { Tag } from '../../../../schema/columns.ts'
import type { Ctx } from '../../../context.ts'
import { type Reference, updateEach } from '../../../data/bulk.ts'
import { db } from '../../../data/db.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { assert, assertField, constant, mapResult, oneOrThrow } from '../../../data/query.ts'
import { columnsFor, lockForUpdate, type OwnedTable } from '../../../data/store.ts'
import { MAX_TAGS } from '../../../domain/limits.ts'
import type { RecordEntity } from '../../../domain/records.ts'
import { withArticle } from '../../../lib/nouns.ts'
import { type Bulk, validateEach, valuesOf } from '../../../schemas/bulk.ts'
import { Id } from '../../../schemas/fields.ts'
import { bulkTable, bulkWrite } from '../../records/plans/bulk.ts'
import { type BulkTags, TaggedRecord, type TagIn } from '../schemas/tags.ts'

/** Tags are a column of the records that have them. Names are unique regardless of case. */

/** A kind of record with tags. */
export type Tagged = { entity: RecordEntity; table: OwnedTable & { tags: PgColumn } }
type Change = Omit<BulkTags, 'ids'>
const Target = v.strictObject({ id: Id })

/** The SQL of the tags of a new record in a bulk write (see insertEach). */
export const distinctTags: SQL = sql`distinct_tags(r.tags, true)`
/** The same for an update (see updateEach): a list that is sent replaces the stored one. */
export const mergedTags = (table: OwnedTable): SQL => sql`case when p.patch ? 'tags' then ${distinctTags} else ${table}.tags end`
/** The tags of a single new record as a column. */
export const newTags = ({ tags }: { tags?: Tag[] | undefined }) =>
  tags ? { tags: sql`distinct_tags(${JSON.stringify(tags)}::jsonb, true)` } : {}

const tagsOf = ({ table, entity }: Tagged, id: string, tags: SQL | PgColumn) =>
  oneOrThrow(
    db
      .select({ tags: sql<Tag[]>`${tags}`.as('tags') })
      .from(table)
      .where(eq(table.id, id)),
    entity,
    id,
  )
const most = ({ entity }: Tagged) => `${withArticle(entity).replace(/^a/, 'A')} has at most ${MAX_TAGS} tags`

export const listTags = (of: Tagged, id: string) => read(mapResult(tagsOf(of, id, of.table.tags), ({ tags }) => tags))

/** Adds a tag, or changes the colour of the tag with this name. */
export function addTag(ctx: Ctx, of: Tagged, id: string, { name, color = null }: v.InferOutput<typeof TagIn>) {
  const { table, entity } = of
  const own = sql`(select jsonb_agg(t) from jsonb_array_elements(${table.tags}) t where norm(t ->> 'name') = norm(${name}))`
  return plan(
    [
      lockForUpdate(ctx, table, id, entity),
      sql`update ${table} set tags = with_tag(tags, ${name}, ${color}) where id = ${id}`,
      assertField(sql`(select jsonb_array_length(tags) <= ${MAX_TAGS} from ${table} where id = ${id})`, 'name', most(of)),
    ],
    mapResult(tagsOf(of, id, own), ({ tags }) => tags[0] as Tag),
  )
}

/** Removes a tag. `key` is the name of the record's id in the response. */
export function removeTag(ctx: Ctx, { table, entity }: Tagged, key: string, id: string, name: string) {
  const isTagged = sql`exists (select from ${table}, jsonb_array_elements(tags) t where id = ${id} and norm(t ->> 'name') = norm(${name}))`
  return plan(
    [
      lockForUpdate(ctx, table, id, entity),
      assert(isTagged, 'NOT_FOUND', `No such tag on this ${entity}`),
      sql`update ${table} set tags = without_tag(tags, ${name}) where id = ${id}`,
    ],
    constant({ [key]: id, name, deleted: true as const }),
  )
}

/** Adds tags to up to 100 records and removes others, and reports the tags of each record. */
export function tagRecords(of: Tagged, ids: unknown[], { add, remove }: Change): Plan<Bulk<v.InferOutput<typeof TaggedRecord>>> {
  const { table, entity } = of
  const changed = (tags: SQL) => sql`changed_tags(${tags}, ${JSON.stringify(add)}::jsonb, ${JSON.stringify(remove)}::jsonb)`
  const references: Reference[] = [
    {
      field: 'add',
      message: most(of),
      condition: sql`(select jsonb_array_length(${changed(sql`t.tags`)}) <= ${MAX_TAGS} from ${table} t where t.id = r.id)`,
    },
  ]
  const validated = validateEach(
    Target,
    ids.map((id) => ({ id })),
    (target) => target,
  )
  const name = sql.identifier(getTableName(table))
  const records = bulkTable({ table, entity, what: entity, fields: columnsFor(table, TaggedRecord), references })
  return bulkWrite(records, validated, updateEach(table, valuesOf(validated), references, { tags: changed(sql`${name}.tags`) })) as Plan<
    Bulk<v.InferOutput<typeof TaggedRecord>>
  >
}
