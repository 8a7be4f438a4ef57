import { type SQL, sql } from 'drizzle-orm'
import { linksOf, TABLES } from '../../../data/filter-links.ts'
import { column } from '../../../data/filter-tests.ts'
import { catalogueOf } from '../../../domain/filters/catalogue.ts'
import type { ObjectName } from '../../../domain/filters/types.ts'
import { PLURAL_OF, RECORD_ENTITIES, RECORD_PLURALS, type RecordEntity, type RecordPlural } from '../../../domain/records.ts'
import { readSnapshot } from '../../events/schemas/snapshots.ts'
import { NAMING } from '../rules/about.ts'
import { valueAt } from '../rules/templates.ts'

type Values = Record<string, unknown>
/** The record that a condition is about, with the values of its fields as they are now, and those of the first related records. */
export type Present = { id: string; own: Values; related: Record<string, (Values & { id: string })[] | null> }

const MOST_RELATED = 5
const isRecords = (object: ObjectName): object is RecordPlural => (RECORD_PLURALS as readonly string[]).includes(object)
const kindOf = (object: RecordPlural): RecordEntity => RECORD_ENTITIES.find((kind) => PLURAL_OF[kind] === object) as RecordEntity
const relationsOf = (kind: RecordEntity): [string, RecordPlural][] =>
  Object.entries(catalogueOf(PLURAL_OF[kind]).relations).flatMap(([name, to]) =>
    isRecords(to) ? [[name, to] as [string, RecordPlural]] : [],
  )

/** The record of a kind that the event `o` is about, as recordsOf decides it. */
function subjectOf(kind: RecordEntity): SQL {
  const named = NAMING[kind].map(
    (name) => sql`case jsonb_typeof(o.payload -> ${name}) when 'array' then o.payload -> ${name} ->> 0 else o.payload ->> ${name} end`,
  )
  return sql`(case when o.entity = ${kind} then o.entity_id
    when o.entity = any (${`{${RECORD_ENTITIES.join(',')}}`}::text[]) then null
    when o.type in ('list.entered', 'list.left') then case
      when o.payload ->> 'object' = ${PLURAL_OF[kind]} then (o.payload ->> 'record_id')::uuid end
    else coalesce(${sql.join(named, sql`, `)})::uuid end)`
}

const picked = (alias: string) =>
  sql.raw(`(select coalesce(jsonb_object_agg(e.key, e.value), '{}') from jsonb_each(to_jsonb(${alias})) e where e.key = any (c.names))`)

/** The records that a relation leads to; archived ones count only if the condition asks about them. */
function related(kind: RecordEntity, relation: string, to: RecordPlural): SQL {
  const parts = linksOf(PLURAL_OF[kind], relation).map((link) => {
    const { own, key, join = sql`` } = link({ object: to, alias: 'other' })
    return sql`select other.* from public.${TABLES[to]} other${join}
      where ${key} = ${column({ object: PLURAL_OF[kind], alias: 'own' }, own)}
      and (not other.archived or 'archived' = any (c.names))`
  })
  return sql`case
    when ${relation} = any (c.relations) then (select coalesce(jsonb_agg(jsonb_build_object('id', r.id) || ${picked('r')}), '[]')
    from (${sql.join(parts, sql` union all `)} limit ${MOST_RELATED}::int) r) end`
}

function presentOf(kind: RecordEntity): SQL {
  const relations = relationsOf(kind).map(([name, to]) => sql`${name}::text, ${related(kind, name, to)}`)
  return sql`(select jsonb_build_object('id', own.id, 'own', ${picked('own')},
    'related', jsonb_build_object(${sql.join(relations, sql`, `)}))
    from public.${TABLES[PLURAL_OF[kind]]} own where own.id = ${subjectOf(kind)})`
}

/**
 * A Present of the condition that kept the event `o` from starting a run of the version `v`: the one that the skip `s` names. Null without
 * one.
 */
export const presentValues: SQL = sql`(select case c.kind ${sql.join(
  RECORD_ENTITIES.map((kind) => sql`when ${kind} then ${presentOf(kind)}`),
  sql` `,
)} end
  from (select t.test ->> 'on' as kind, array(select distinct split_part(f #>> '{}', '.', 1)
      from jsonb_path_query(t.test, '$.filter.**.field') f)
      || '{first_name,last_name,currency}' as names,
        array(select r #>> '{}' from jsonb_path_query(t.test, '$.filter.**.has') r) as relations
    from (select v.definition #> array['conditions', split_part(s.failed, '.', 2)] as test where s.failed like 'conditions.%.filter') t) c)`

/** The value of a field of a condition over records. */
const valueIn = (kind: RecordEntity, record: Values, field: string): unknown =>
  kind === 'contact' && field === 'name'
    ? [record.first_name, record.last_name].filter((part) => typeof part === 'string').join(' ') || null
    : valueAt(record, field.split('.'))

/**
 * Reads what a condition over records is about: of the record as the event has it, if it has it, else as it is now; and of related records,
 * of which each of the first few has a value.
 */
export const readerOf =
  (kind: RecordEntity, known: Values | undefined, present: Present | null) =>
  (field: string | undefined, relation: string | undefined): unknown => {
    if (relation !== undefined) {
      const [, to] = relationsOf(kind).find(([name]) => name === relation) ?? []
      const rows = to && present?.related[relation]
      if (!rows) return undefined
      return rows.map((row) => (field === undefined ? row.id : (valueIn(kindOf(to), readSnapshot(kindOf(to), row.id, row), field) ?? null)))
    }
    const record = known ?? (present && readSnapshot(kind, present.id, present.own))
    return record && field !== undefined ? valueIn(kind, record, field) : undefined
  }
