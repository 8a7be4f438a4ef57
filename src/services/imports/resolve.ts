import { type SQL, sql } from 'drizzle-orm'
import type { Statement } from '../../data/db.ts'
import { assert } from '../../data/query.ts'
import type { Referred } from '../../domain/imports/fields.ts'
import type { Job } from './job.ts'
import type { Line, Reference } from './lines.ts'

/** The ids found: `matches` by the index of the line, at most two each, and `references` by reference. */
export type Resolved = { matches: Map<number, string[]>; references: Map<string, string[]> }

const CONDITIONS: Record<string, SQL> = {
  id: sql`t.id = k.text::uuid`,
  external_id: sql`t.external_id = k.text`,
  email: sql`t.email = k.text and t.archived = false`,
  phone: sql`t.phone = k.text and t.archived = false`,
  name: sql`t.name_norm = norm(k.text) and t.archived = false`,
}

const uuidIn = sql`(case when pg_input_is_valid(k.text, 'uuid') then k.text::uuid end)`
const named = (table: string) => sql`select t.id from ${sql.raw(table)} t where t.id = ${uuidIn} or t.name_norm = norm(k.text)`

/** The records that a reference may resolve to. */
const NAMED: Record<Referred, SQL> = {
  company: sql`select t.id from companies t where t.id = ${uuidIn} union select t.id from companies t where t.external_id = k.text
    union select t.id from companies t where t.name_norm = norm(k.text) and t.archived = false`,
  member: sql`select m.user_id as id from memberships m join users u on u.id = m.user_id where m.status <> 'removed'
    and (m.user_id = ${uuidIn} or u.email = lower(k.text) or norm(coalesce(case when m.joined_at is not null then u.full_name end, m.invite_name)) = norm(k.text))`,
  lead_source: named('lead_sources'),
  pipeline: named('pipelines'),
  stage: sql`(select t.id from stages t join pipelines p on p.id = t.pipeline_id where (t.id = ${uuidIn} or t.name_norm = norm(k.text))
    and (coalesce(k.within, '') = '' and (p.is_default or not exists (select from stages o join pipelines d on d.id = o.pipeline_id where d.is_default and o.name_norm = norm(k.text)))
      or p.name_norm = norm(k.within) or p.id::text = k.within))`,
}

export const nameOf = ({ to, text, within = '' }: Reference): string => JSON.stringify([to, text, within])

/**
 * One select that resolves all references of the lines and finds the records that they match; undefined when there is nothing to look up.
 */
export function lookUp({ object, match_by }: Job, lines: Line[]): SQL | undefined {
  const keys = lines.flatMap(({ key, faults }, i) => (key === null || faults.length > 0 ? [] : [{ i, text: key }]))
  const references = new Map(lines.flatMap((line) => line.references.map((reference) => [nameOf(reference), reference] as const)))
  if (keys.length === 0 && references.size === 0) return undefined
  const recordset = (list: object[]) => sql`jsonb_to_recordset(${JSON.stringify(list)}::jsonb)`
  const matches =
    keys.length === 0
      ? sql`'[]'::json`
      : sql`(select json_agg(json_build_array(k.i, array(select t.id from ${sql.identifier(object)} t where ${CONDITIONS[match_by as string] as SQL} order by t.id limit 2))) from ${recordset(keys)} as k(i int, text text))`
  const kinds = Map.groupBy([...references], ([, { to }]) => to)
  const queries = [...kinds].map(([to, list]) => {
    const texts = list.map(([name, { text, within }]) => ({ name, text, within }))
    return sql`select k.name, array(select n.id from (${NAMED[to]}) n order by n.id limit 2) as ids from ${recordset(texts)} as k(name text, text text, within text)`
  })
  const named =
    queries.length === 0
      ? sql`'[]'::json`
      : sql`(select json_agg(json_build_array(f.name, f.ids)) from (${sql.join(queries, sql` union all `)}) f)`
  return sql`select json_build_object('matches', ${matches}, 'references', ${named})`
}

/**
 * Asserts that none of the new records was created since the lookup. Imports of a workspace run one at a time, so that two imports of the
 * same file create each record once. @throws CONFLICT with `again` in the details: look up again.
 */
export function stillMissing({ object, match_by }: Job, lines: Line[]): Statement[] {
  const keys = lines.flatMap(({ key }) => (key === null ? [] : [{ text: key }]))
  if (keys.length === 0) return []
  const there = sql`exists (select from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) as k(text text) join ${sql.identifier(object)} t on ${CONDITIONS[match_by as string] as SQL})`
  return [
    sql`select pg_advisory_xact_lock(hashtext('imports'), hashtext(current_workspace()::text))`,
    assert(sql`not ${there}`, 'CONFLICT', 'A record of this import came to be there meanwhile', { again: true }),
  ]
}

export function resolvedFrom(raw: unknown): Resolved {
  const { matches, references } = (raw ?? { matches: [], references: [] }) as {
    matches: [number, string[]][]
    references: [string, string[]][]
  }
  return { matches: new Map(matches), references: new Map(references) }
}
