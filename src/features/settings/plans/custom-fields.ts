import { asc, eq, type SQL, sql } from 'drizzle-orm'
import { crmSettings, customFields } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { assertNone } from '../../../data/blockers.ts'
import { db, type Statement } from '../../../data/db.ts'
import { listWhere } from '../../../data/lists.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import { plan, read } from '../../../data/plan.ts'
import {
  assert,
  assertEveryId,
  assertField,
  assertNoPaths,
  constant,
  mapResult,
  oneOrThrow,
  rows,
  WithWarnings,
} from '../../../data/query.ts'
import { restored } from '../../../data/restore.ts'
import { columnsFor, insertRow, lockForUpdate } from '../../../data/store.ts'
import {
  type FieldObject,
  type FieldType,
  hasOptions,
  isReference,
  keyFrom,
  REFERENCE_TYPES,
  UNIQUE_TYPES,
} from '../../../domain/filters/custom-types.ts'
import { droppedEntries } from '../../../domain/warnings.ts'
import { invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { CustomField, type CustomFieldPatch, type NewCustomField } from '../schemas/custom-fields.ts'

const MAX_FIELDS = 200
const OPTIONS = 'Only select and multi_select fields have options, and they need at least one'
const UNIQUE = `Only these types can be unique: ${UNIQUE_TYPES.join(', ')}`

const MAX_INDEXED = 20
const INDEXED = 'A long_text field cannot be indexed'
const REFERENCE = 'A field that refers to records is always indexed, so that a deleted record is removed from its values'
const UNINDEXED = 'A unique field is always indexed: also set unique to false'

const index = (value: SQL): SQL =>
  sql`(select ${value} from custom_indexes i where i.field_id = ${customFields.id} and i.status <> 'clearing')`
const progress = sql`case i.status
  when 'ready' then 1 else case when i.total > 0 then round(least(i.done::numeric / i.total, 1), 3)::float8 end end`
const fields = columnsFor(customFields, CustomField, {
  index_status: index(sql`i.status`).as('index_status'),
  index_progress: index(sql`coalesce(${progress}, 0)`).as('index_progress'),
  index_error: index(sql`i.error`).as('index_error'),
})
const record = (id: string) => oneOrThrow(db.select(fields).from(customFields).where(eq(customFields.id, id)), 'custom field')
/** The record as it is stored, with warnings about what was sent. */
const written = (id: string, sent: CustomFieldPatch) =>
  mapResult(record(id), (row) => new WithWarnings(row, droppedEntries('options', sent.options, row.options)))
const select = (keys: Keys) => db.select({ ...fields, ...keys }).from(customFields)

/** Lists custom fields in display order. */
export function listCustomFields(query: PageQuery) {
  return read(
    page({
      select,
      id: customFields.id,
      where: listWhere(customFields, { object: true, type: true }, query),
      sorts: { position: customFields.position },
      archived: customFields.archived,
      name: 'custom fields',
      query: { ...query, sort: 'position' },
    }),
  )
}

export const getCustomField = (id: string) => read(record(id))

/** Creates a custom field. @throws AppError VALIDATION_ERROR for settings that the type does not allow. */
export function createCustomField(input: NewCustomField) {
  const { object, type, label, unique = false, position } = input
  const options = [...new Set(input.options)]
  const indexed = input.indexed ?? (unique || isReference(type))
  const key = input.key ?? keyFrom(label)
  const issues = [
    ...(key ? [] : [{ path: 'key', message: 'Required: no key can be derived from this label' }]),
    ...(hasOptions(type) === options.length > 0 ? [] : [{ path: 'options', message: OPTIONS }]),
    ...(indexed && !unique && type === 'long_text' ? [{ path: 'indexed', message: INDEXED }] : []),
    ...(isReference(type) && !indexed ? [{ path: 'indexed', message: REFERENCE }] : []),
    ...(unique && !indexed ? [{ path: 'indexed', message: UNINDEXED }] : []),
    ...(unique && !UNIQUE_TYPES.includes(type) ? [{ path: 'unique', message: UNIQUE }] : []),
  ]
  if (issues.length > 0) throw invalid(issues)
  const id = newId()
  const values = {
    ...input,
    id,
    key,
    options,
    indexed,
    position: position ?? sql`(select coalesce(max(position) + 1, 0) from custom_fields where object = ${object})`,
  }
  return plan([fewFields(sql`${object}`), indexed && fewerIndexed(sql`${object}`), insertRow(customFields, values)], written(id, input))
}

const FEWER_INDEXED = `At most ${MAX_INDEXED} custom fields of one object can be indexed: set indexed to false for another one first`
/** `others`: how many others there may be. */
const fewerIndexed = (object: SQL, others = MAX_INDEXED - 1): Statement =>
  assertNone(
    sql`select id from custom_fields where object = ${object} and indexed
      and (select count(*) from custom_fields where object = ${object} and indexed) > ${others}::int`,
    'custom_fields',
    FEWER_INDEXED,
  )

const TOO_MANY_FIELDS = `There can be at most ${MAX_FIELDS} custom fields of one object, those that are archived included`
const fewFields = (object: SQL, others = MAX_FIELDS - 1): Statement =>
  assert(sql`(select count(*) from custom_fields where object = ${object}) <= ${others}::int`, 'CONFLICT', TOO_MANY_FIELDS)

export function updateCustomField(ctx: Ctx, id: string, patch: CustomFieldPatch) {
  const { unique } = patch
  const options = patch.options && [...new Set(patch.options)]
  const changes = { ...patch, ...(options && { options }), ...(unique && patch.indexed === undefined && { indexed: true }) }
  const is = (condition: SQL): SQL => sql`exists (select from custom_fields where id = ${id} and ${condition})`
  const isOf = (types: readonly FieldType[]): SQL =>
    sql`exists (select from custom_fields where id = ${id} and type = any(${`{${types.join(',')}}`}::text[]))`
  return plan(
    [
      lockForUpdate(ctx, customFields, id, 'custom field'),
      !!options && assertField(sql`${isOf(['select', 'multi_select'])} and ${options.length > 0}`, 'options', OPTIONS),
      !!unique && assertField(isOf(UNIQUE_TYPES), 'unique', UNIQUE),
      !!changes.indexed && assertField(is(sql`type <> 'long_text'`), 'indexed', INDEXED),
      changes.indexed === false &&
        assertField(unique === false ? sql`true` : is(sql`not "unique" and ${unique !== true}`), 'indexed', UNINDEXED),
      changes.indexed === false && assertField(sql`not ${isOf(REFERENCE_TYPES)}`, 'indexed', REFERENCE),
      !!changes.indexed && fewerIndexed(sql`(select object from custom_fields where id = ${id} and not indexed)`),
      Object.keys(patch).length > 0 && db.update(customFields).set(changes).where(eq(customFields.id, id)),
    ],
    written(id, patch),
  )
}

/** Deletes the definition. The values remain in metadata under their name. */
export function deleteCustomField(ctx: Ctx, id: string) {
  return plan(
    [lockForUpdate(ctx, customFields, id, 'custom field'), db.delete(customFields).where(eq(customFields.id, id))],
    constant({ id, deleted: true as const }),
  )
}

/** Restores the definition. Its index is built again in the background. */
export function restoreCustomField(id: string) {
  const object = sql`(select object from custom_fields where id = ${id})`
  const guards = [fewFields(object, MAX_FIELDS), fewerIndexed(object, MAX_INDEXED)]
  return restored({ table: customFields, what: 'custom field' }, id, getCustomField(id), guards)
}

/** Replaces the whole order. The request must name every active field of the object exactly once. */
export function reorderCustomFields(object: FieldObject, ids: string[]) {
  const requested = sql`unnest(${`{${ids.join(',')}}`}::uuid[])`
  const active = sql`(select array_agg(id) from custom_fields where object = ${object} and not archived)`
  return plan(
    [
      sql`select count(*) from (select from custom_fields where object = ${object} order by id for update) locked`,
      assertEveryId('custom_field_ids', ids, active, 'Send every active field of this object exactly once'),
      sql`update custom_fields set position = requested.at - 1 from ${requested} with ordinality as requested(id, at)
        where custom_fields.id = requested.id and custom_fields.position <> requested.at - 1`,
    ],
    rows(
      db
        .select(fields)
        .from(customFields)
        .where(sql`object = ${object} and not archived`)
        .orderBy(asc(customFields.position), asc(customFields.id)),
    ),
  )
}

/** The active custom fields, in the form used by the CRM settings. */
export const definitions = sql`(select coalesce(json_agg(json_build_object('key', f.field_key, 'label', f.label,
  'object', f.object, 'type', f.type,
  'required', f.required, 'options', f.options) order by f.position, f.id), '[]') from custom_fields f where not f.archived)`

type Definition = { key: string; label: string; object: FieldObject; type: FieldType; required: boolean; options: string[] }

/**
 * Replaces the active fields by these, in this order. Fields are matched by object and key; archived fields remain unless they are named.
 */
export function replaceCustomFields(entries: Definition[]): Statement[] {
  const rows = entries.map((entry, at) => ({ ...entry, options: hasOptions(entry.type) ? [...new Set(entry.options)] : [], at }))
  const requested = sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as g(key text, label text, object text, type text,
    required boolean, options text[], at int)`
  const isSame = sql`g.object = f.object and g.key = f.field_key`
  return [
    assertNoPaths(
      sql`array(select format('custom_fields.%s.type', g.at) from ${requested} join custom_fields f on ${isSame}
        where g.type <> f.type order by g.at)`,
      'The type of a field cannot be changed: use a different key for the new field',
    ),
    sql`delete from custom_fields f where not f.archived and not exists (select from ${requested} where ${isSame})`,
    sql`update custom_fields f
      set label = g.label, required = g.required, options = g.options, position = g.at, archived = false
      from ${requested} where ${isSame}`,
    sql`insert into custom_fields (object, field_key, label, type, required, options, position, indexed)
      select g.object, g.key, g.label, g.type, g.required, g.options, g.at, custom_target_table(g.type) is not null
      from ${requested} where not exists (select from custom_fields f where ${isSame}) order by g.at`,
    assert(sql`not exists (select from custom_fields group by object having count(*) > ${MAX_FIELDS}::int)`, 'CONFLICT', TOO_MANY_FIELDS),
    assertNone(
      sql`select id from custom_fields where indexed
        and object in (select f.object from custom_fields f where f.indexed group by f.object having count(*) > ${MAX_INDEXED})`,
      'custom_fields',
      FEWER_INDEXED,
    ),
  ]
}

const settings = oneOrThrow(
  db.select({ strict: crmSettings.custom_fields_strict, version: crmSettings.version }).from(crmSettings),
  'settings',
)

export const getCustomFieldSettings = () => read(mapResult(settings, (row) => row))

/** Sets strict mode, which applies to later writes only: existing records are not checked. */
export function setStrict(ctx: Ctx, strict: boolean) {
  return plan(
    [
      sql`select assert_version((select version from crm_settings where workspace_id = current_workspace() for update),
        ${ctx.ifMatch ?? null}::int, 'settings')`,
      db.update(crmSettings).set({ custom_fields_strict: strict }).where(sql`workspace_id = current_workspace()`),
    ],
    settings,
  )
}
