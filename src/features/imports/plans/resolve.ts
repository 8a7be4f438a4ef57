import { type SQL, sql } from 'drizzle-orm'
import type { Statement } from '../../../data/db.ts'
import { assert } from '../../../data/query.ts'
import type { Referred } from '../rules/kinds.ts'
import { IMPORTED, type ImportObject } from '../rules/types.ts'
import type { Job } from './job.ts'
import type { Key, Line, Reference } from './lines.ts'

/** A record that a key matches, with those of its lists that lines add to. */
export type Found = { id: string } & Record<string, unknown>
/**
 * The ids that a reference resolves to, and its text as the database compares names. For a stage, its kind; for a pipeline, the number of
 * its stages, and whether this import has created it.
 */
export type ResolvedReference = { ids: string[]; norm: string | null; kind?: string | null; stages?: number; own?: boolean }
/** What was found, at most two records each: `matches` by the index of the line and of its key, and `references` by reference. */
export type Resolved = { matches: Map<string, Found[]>; references: Map<string, ResolvedReference>; pipelines: number }

const tableOf = (object: ImportObject) => sql.identifier(IMPORTED[object].table)

const CONDITIONS: Record<string, SQL> = {
  id: sql`t.id = k.text::uuid`,
  external_id: sql`t.external_id = k.text`,
  email: sql`t.email = k.text and t.archived = k.archived`,
  phone: sql`t.phone = k.text and t.archived = k.archived`,
  sku: sql`t.sku = k.text`,
  name: sql`t.name_norm = norm(k.text) and t.archived = k.archived`,
}

const uuidIn = sql`(case when pg_input_is_valid(k.text, 'uuid') then k.text::uuid end)`
const named = (table: string) => sql`select t.id from ${sql.raw(table)} t where t.id = ${uuidIn} or t.name_norm = norm(k.text)`

/** The records by their ids, and those that share a name or an address: active ones, or archived ones if there are no active ones. */
function recordNamed(table: string, ...shared: SQL[]): SQL {
  const from = sql.raw(table)
  const active = shared.map((condition) => sql`select t.id from ${from} t where ${condition} and t.archived = false`)
  const archived = shared.map(
    (condition) => sql`select t.id from ${from} t where ${condition} and t.archived = true
      and not exists (${sql.join(active, sql` union all `)})`,
  )
  const byId = [sql`select t.id from ${from} t where t.id = ${uuidIn}`, sql`select t.id from ${from} t where t.external_id = k.text`]
  return sql.join([...byId, ...active, ...archived], sql` union `)
}
const sameName = sql`t.name_norm = norm(k.text)`

/** The records that a reference may resolve to. */
const NAMED: Record<Referred, SQL> = {
  company: recordNamed('companies', sameName),
  contact: recordNamed('contacts', sql`t.email = lower(k.text)`, sameName),
  opportunity: recordNamed('opportunities', sameName),
  product: recordNamed('products', sql`t.sku = k.text`, sameName),
  member: sql`select m.user_id as id from memberships m join users u on u.id = m.user_id where m.status <> 'removed'
    and (m.user_id = ${uuidIn} or u.email = lower(k.text)
      or norm((select p.name from member_profile(m.workspace_id, m.user_id) p)) = norm(k.text))`,
  lead_source: named('lead_sources'),
  pipeline: sql`${named('pipelines')} or k.text = '' and t.is_default`,
  stage: sql`(select t.id from stages t join pipelines p on p.id = t.pipeline_id where (t.id = ${uuidIn} or t.name_norm = norm(k.text))
    and (coalesce(k.within, '') = ''
      and (p.is_default or not exists (select from stages o join pipelines d on d.id = o.pipeline_id
        where d.is_default and o.name_norm = norm(k.text)))
      or p.name_norm = norm(k.within) or p.id::text = k.within))`,
}

/** What else is read of the records that a reference resolves to. */
const moreOf = (to: Referred, { id }: Job): SQL => {
  if (to !== 'stage' && to !== 'pipeline') return sql`null::json`
  const found = sql`(select n.id from (${NAMED[to]}) n order by n.id limit 1)`
  return to === 'stage'
    ? sql`(select json_build_object('kind', s.kind) from stages s where s.id = ${found})`
    : sql`(select json_build_object('stages', (select count(*) from stages s where s.pipeline_id = f.id),
        'own', exists (select from changes c
        where c.entity = 'pipeline' and c.entity_id = f.id and c.action = 'created' and c.request_id = ${id}::text)) from ${found} f)`
}

/** The pipeline that a stage is looked up in: the default one, unless the line names one. */
export const pipelineOf = ({ within = '' }: Reference) => ({ to: 'pipeline' as const, text: within })

export const nameOf = ({ to, text, within = '' }: Pick<Reference, 'to' | 'text' | 'within'>): string => JSON.stringify([to, text, within])

export const matchName = (line: number, key: number): string => `${line} ${key}`

/**
 * The condition of a key. A record with an external id is another one than a line with a different external id. `num_nulls`, because an
 * index of external ids would give all records without one.
 */
function conditionOf(object: ImportObject, { by, adopts }: Key): SQL {
  const condition = object === 'companies' && by === 'name' ? COMPANY_NAME : (CONDITIONS[by] as SQL)
  return adopts ? sql`${condition} and num_nulls(t.external_id) = 1` : condition
}

/**
 * An archived company also takes over the placeholder that an import made of its name, which nobody has changed and no line has become yet.
 */
const COMPANY_NAME = sql`t.archived = any (array[false, k.archived]) and t.name_norm = norm(k.text)
  and (t.archived = k.archived or t.version = 1
  and exists (select from changes c where c.entity = 'company' and c.entity_id = t.id and c.cause_type = 'import')
  and not exists (select from import_rows l where l.record_id = t.id))`

const byCondition = <K extends Key>(keys: K[]) => [...Map.groupBy(keys, ({ by, adopts }) => `${by} ${adopts}`).values()]

const recordset = (list: object[]) => sql`jsonb_to_recordset(${JSON.stringify(list)}::jsonb)`

/** The records that the keys of the lines match. */
function matchesOf({ object, lists }: Job, lines: Line[]): SQL | undefined {
  const keys = lines.flatMap(({ keys, faults }, i) => (faults.length > 0 ? [] : keys.map((key, n) => ({ ...key, name: matchName(i, n) }))))
  if (keys.length === 0) return undefined
  const columns = [
    ...(lines.some(({ added }) => Object.keys(added).length > 0) ? lists : []),
    ...(object === 'opportunities' ? ['status', 'pipeline_id'] : []),
  ]
  const stage = object === 'opportunities' ? [sql`'stage', (select s.name from stages s where s.id = t.stage_id)`] : []
  const fields = sql.join(
    [sql`'id', t.id`, ...stage, ...columns.map((name) => sql`${sql.raw(`'${name}'`)}, t.${sql.identifier(name)}`)],
    sql`, `,
  )
  const queries = byCondition(keys).map((group) => {
    const texts = group.map(({ name, text, archived }) => ({ name, text, archived }))
    return sql`select k.name, array(select json_build_object(${fields}) from ${tableOf(object)} t
      where ${conditionOf(object, group[0] as Key)} order by t.id limit 2) as found
      from ${recordset(texts)} as k(name text, text text, archived boolean)`
  })
  return sql`(select json_agg(json_build_array(m.name, to_json(m.found))) from (${sql.join(queries, sql` union all `)}) m)`
}

/**
 * One select that resolves all references of the lines and finds the records that they match; undefined when there is nothing to look up.
 */
export function lookUp(job: Job, lines: Line[]): SQL | undefined {
  const written = lines.flatMap((line) => line.references)
  const wanted = [...written, ...written.filter(({ to }) => to === 'stage').map(pipelineOf)] as Pick<Reference, 'to' | 'text' | 'within'>[]
  const references = new Map(wanted.map((reference) => [nameOf(reference), reference] as const))
  const matches = matchesOf(job, lines)
  if (!matches && references.size === 0) return undefined
  const kinds = Map.groupBy([...references], ([, { to }]) => to)
  const queries = [...kinds].map(([to, list]) => {
    const texts = list.map(([name, { text, within }]) => ({ name, text, within }))
    return sql`select k.name, array(select n.id from (${NAMED[to]}) n order by n.id limit 2) as ids, norm(k.text) as norm,
      ${moreOf(to, job)} as more from ${recordset(texts)} as k(name text, text text, within text)`
  })
  const named =
    queries.length === 0
      ? sql`'[]'::json`
      : sql`(select json_agg(json_build_array(f.name, f.ids, f.norm, f.more)) from (${sql.join(queries, sql` union all `)}) f)`
  return sql`select json_build_object('matches', ${matches ?? sql`'[]'::json`}, 'references', ${named},
    'pipelines', ${kinds.has('pipeline') ? sql`(select count(*) from pipelines)` : sql`0`})`
}

/** The keys of new records that matched none. One that adopts may have matched several, of which none is taken over. */
export const unmatchedKeys = (lines: Line[], creates: Line[], { matches }: Resolved): Key[] =>
  creates.flatMap((line) => {
    const at = lines.indexOf(line)
    return line.keys.filter((_, n) => !matches.get(matchName(at, n))?.length)
  })

/**
 * Asserts that none of the new records was created since the lookup. Imports of a workspace run one at a time, so that two imports of the
 * same file create each record once. @throws CONFLICT with `again` in the details: look up again.
 */
export function stillMissing({ object }: Job, keys: Key[]): Statement[] {
  if (keys.length === 0) return []
  const checks = byCondition(keys).map(
    (group) =>
      sql`exists (select from ${recordset(group.map(({ text, archived }) => ({ text, archived })))} as k(text text, archived boolean)
        join ${tableOf(object)} t on ${conditionOf(object, group[0] as Key)})`,
  )
  return [
    sql`select pg_advisory_xact_lock(hashtext('imports'), hashtext(current_workspace()::text))`,
    assert(sql`not (${sql.join(checks, sql` or `)})`, 'CONFLICT', 'A record of this import came to be there meanwhile', { again: true }),
  ]
}

export function resolvedFrom(raw: unknown): Resolved {
  const { matches, references, pipelines } = (raw ?? { matches: [], references: [], pipelines: 0 }) as {
    matches: [string, Found[]][]
    references: [string, string[], string | null, Omit<ResolvedReference, 'ids' | 'norm'> | null][]
    pipelines: number
  }
  const resolved = references.map(([name, ids, norm, more]) => [name, { ids, norm, ...more }] as const)
  return { matches: new Map(matches), references: new Map(resolved), pipelines }
}
