import { eq, sql } from 'drizzle-orm'
import { customFields } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { plan } from '../../../data/plan.ts'
import { assert, assertField, oneOrThrow } from '../../../data/query.ts'
import { lockForUpdate } from '../../../data/store.ts'
import type { Rename } from '../schemas/picklists.ts'
import { namingOption, withNaming } from './named-options.ts'
import { changed, inCountedBatches } from './picklists.ts'

/**
 * Renames an option of a custom field in its definition and in the records that have it. With more than CHANGE_LIMIT records, repeat the
 * call for the rest.
 */
export function renameCustomOption(ctx: Ctx, id: string, { from, to }: Rename) {
  const has = (option: string) => sql`exists (select from custom_fields where id = ${id} and ${option} = any(options))`
  const remains = sql`exists (select from custom_usages(${id}::uuid, ${from}, ${to}, 1))`
  const result = db
    .select({
      name: sql<string>`${to}::text`.as('name'),
      changed,
      more: sql<boolean>`${remains}`.as('more'),
      version: customFields.version,
      naming: namingOption(sql`${from}`, sql`${to}`, sql`field_key`),
    })
    .from(customFields)
    .where(eq(customFields.id, id))
  return plan(
    [
      lockForUpdate(ctx, customFields, id, 'custom field'),
      assert(sql`${has(from)} or ${remains}`, 'NOT_FOUND', `Neither the field nor any record has the option “${from}”`),
      assertField(sql`${has(from)} or ${has(to)}`, 'to', 'must be an option of the field, because the old name is not'),
      assert(
        sql`not (${has(from)} and ${has(to)})`,
        'CONFLICT',
        `“${to}” is an option already: remove “${from}” from the options first, to combine them`,
      ),
      sql`update custom_fields set options = array_replace(options, ${from}, ${to}) where id = ${id} and ${from} = any(options)`,
      ...inCountedBatches((limit) => sql`rename_custom_option(${id}::uuid, ${from}, ${to}, ${limit})`),
    ],
    withNaming(oneOrThrow(result, 'custom field'), from),
  )
}
