import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { getTableColumns, is } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import type { Feature, TableFacts } from '../src/domain/feature.ts'
import type { RecordEntity } from '../src/domain/records.ts'
import { entityOf } from './generate/complete.ts'
import { Complaint, root } from './settings.ts'
import { filled, generated, lookup } from './sql-text.ts'

/**
 * The shared lists that are generated from `src/features/<feature>/feature.ts` and from the tables, so that nobody writes them.
 * `npm run generate` and the test of constants write them.
 */

/** Columns that the history of any table leaves out: the normal form of the name for search and sorting, and that of several fields. */
const COMMON_COLUMNS = ['name_norm', 'search_text']
/** Those of every table: the caller sees one workspace only, each change has its version, and the first and the last one are the times. */
const EVERYWHERE = ['workspace_id', 'version', 'created_at', 'updated_at']
/** The columns of items of work (`work` in schema/columns.ts), also with a prefix. */
const OF_WORK = ['due_at', 'turn', 'claim_id', 'claimed_until', 'attempts']
const MERGED = { contacts: 'contact', companies: 'company', opportunities: 'opportunity' } as const

type Kind = 'hidden' | 'derived' | 'secret'
type Known = TableFacts & {
  name: string
  entity: string
  columns: string[]
  references: { column: string; to: string }[]
  tracked: boolean
}
type Registered = { features: Feature[]; tables: Known[] }

const modulesIn = (folder: string, names: string[]) =>
  Promise.all(names.map((name): Promise<Record<string, unknown>> => import(join(root, folder, name))))

/** The features and the tables, with what is registered about each. Raises a Complaint for a table with a history that no feature has. */
export async function readRegistrations(): Promise<Registered> {
  const folders = readdirSync(join(root, 'src/features'), { recursive: true, encoding: 'utf8' })
  const features = (await modulesIn('src/features', folders.filter((name) => /^[\w-]+.feature\.ts$/.test(name)).sort())).map(
    ({ feature }) => feature as Feature,
  )
  const facts = new Map(features.flatMap(({ tables = {} }) => Object.entries(tables)))
  const modules = await modulesIn(
    'schema',
    readdirSync(join(root, 'schema')).filter((name) => /(?<!index)\.ts$/.test(name)),
  )
  const found = modules.flatMap((module) => Object.values(module)).filter((value): value is PgTable => is(value, PgTable))
  const tables = [...new Set(found)].map((table) => knownOf(table, facts)).sort((a, b) => (a.name < b.name ? -1 : 1))
  const lost = [...facts.keys()].filter((name) => !tables.some((table) => table.name === name))
  if (lost.length > 0) throw new Complaint(`Features know of tables that do not exist: ${lost.join(', ')}.`)
  return { features, tables }
}

function knownOf(table: PgTable, facts: Map<string, TableFacts>): Known {
  const { name, foreignKeys } = getTableConfig(table)
  const columns = Object.values(getTableColumns(table)).map((column) => column.name)
  const references = foreignKeys.map((key) => {
    const { columns: from, foreignTable } = key.reference()
    return { column: from.at(-1)?.name as string, to: getTableConfig(foreignTable).name }
  })
  const known = facts.get(name)
  const tracked = known?.history ?? (columns.includes('version') && columns.includes('updated_at'))
  if (tracked && !known?.readers)
    throw new Complaint(
      `${name} has a history: name it in the \`tables\` of src/features/<feature>/feature.ts, with the scopes of its \`readers\`.`,
    )
  return { ...known, name, entity: known?.entity ?? entityOf(name), columns, references, tracked }
}

/** The columns that the history of a table leaves out, by kind. */
function unrecorded({ columns, hidden = {}, derived = {}, secret = {} }: Known): [column: string, kind: Kind][] {
  const as = (kind: Kind, names: string[]) => names.map((column): [string, Kind] => [column, kind])
  const named = [...as('hidden', Object.keys(hidden)), ...as('derived', Object.keys(derived)), ...as('secret', Object.keys(secret))]
  const prefixes = columns.filter((column) => column.endsWith('claim_id')).map((column) => column.slice(0, -'claim_id'.length))
  const works = prefixes
    .map((prefix) => OF_WORK.map((column) => prefix + column))
    .filter((all) => all.every((one) => columns.includes(one)))
  const common = COMMON_COLUMNS.filter((column) => columns.includes(column))
  const shared = [...as('hidden', common), ...as('derived', works.flat())]
  return [...named, ...shared.filter(([column]) => !named.some(([name]) => name === column))]
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`
const arrayOf = (names: readonly string[]) => `'{${names.join(',')}}'`
const keepsRows = ({ tracked, columns, secret, restored }: Known) =>
  restored ?? (tracked && !secret && ['id', 'workspace_id'].every((name) => columns.includes(name)))

/** A function that returns these rows. */
function rowsFunction(comment: string, head: string, [first, ...rows]: string[]): string {
  return `-- ${comment}
create or replace function ${head}
  immutable parallel safe language sql as $$
${filled('  values ', [first as string, ...rows], '')}
$$;
`
}

/** schema/functions/constants-tables.sql. */
function tablesSql({ tables }: Registered): string {
  const tracked = tables.filter((table) => table.tracked)
  const read = tables.filter(({ readers }) => readers)
  return generated(
    'src/features/*/feature.ts and schema',
    rowsFunction(
      'The tables with a history: the kind of record, and the column that identifies it.',
      'tracked_tables() returns table (table_name text, entity text, key text)',
      tracked.map(({ name, entity, key = 'id' }) => `(${quoted(name)}, ${quoted(entity)}, ${quoted(key)})`),
    ),
    rowsFunction(
      'The scopes that reading each kind of record needs; several for a kind that is about others.',
      'entity_scopes() returns table (entity text, scopes text[])',
      read.map(({ entity, readers = [] }, at) => `(${quoted(entity)}, ${arrayOf(readers)}${at === 0 ? '::text[]' : ''})`),
    ),
    `-- The kinds of records that only keys of a client_admin read.
create or replace function admin_entities() returns text[] immutable parallel safe language sql
  return ${arrayOf(read.filter(({ adminsOnly }) => adminsOnly).map(({ entity }) => entity))}::text[];
`,
    `/*
  The columns of tracked tables that history, events, dry runs and approvals leave out; \`*\` stands for every tracked table. A \`hidden\`
  column is bookkeeping; only the snapshots of events have the version and the times of a record. A \`derived\` column follows from others,
  and may follow later: its change alone gives the record no new version. A \`secret\` column appears in no response, log or export either.
  Every other column is public, under its name in the API.
*/
${rowsFunction(
  'The reasons stand in the features.',
  'unrecorded_columns() returns table (table_name text, column_name text, kind text)',
  [
    ...EVERYWHERE.map((column) => ['*', column, 'hidden']),
    ...tracked.flatMap((table) => unrecorded(table).map((one) => [table.name, ...one])),
  ].map((row) => `(${row.map(quoted).join(', ')})`),
)}`,
    rowsFunction(
      'Columns whose name in the API is another one; the history uses that name.',
      'renamed_columns() returns table (table_name text, column_name text, api_name text)',
      tables.flatMap(({ name, renamed = {} }) =>
        Object.entries(renamed).map(([column, api]) => `(${[name, column, api].map(quoted).join(', ')})`),
      ),
    ),
    lookup(
      'A part of records with a timeline: its table, and the columns that refer to these records.',
      'timeline_part',
      'text[]',
      tables.flatMap(({ name, entity, timeline }) => (timeline ? [[entity, `{${[name, ...timeline].join(',')}}`]] : [])),
    ),
    `/*
  Text about several records: a row that is linked to a purged record and to another one stays, without its text. For each table: the entity
  of its rows in the history, and the value that replaces each text.
*/
create or replace function shared_text_columns() returns jsonb immutable parallel safe language sql
${filled("  return '", JSON.stringify(sharedTexts(tables)).split(','), "'::jsonb;")}
`,
    `-- The tables whose rows come back with the record that they were deleted with.
create or replace function restorable_tables() returns text[] immutable parallel safe language sql
${filled(
  "  return '{",
  tables.filter(keepsRows).map(({ name }) => name),
  "}'::text[];",
)}
`,
  )
}

const sharedTexts = (tables: Known[]) =>
  Object.fromEntries(tables.flatMap(({ name, entity, purged }) => (purged ? [[name, { entity, texts: purged }]] : [])))

const GENERATED = `// Generated from src/features/*/feature.ts and schema: \`npm run generate\` and the test of constants write it.`
const listOf = (names: readonly string[]) => `[\n${names.map((name) => `  ${quoted(name)},\n`).join('')}] as const`
const propertyOf = (name: string) => (/^[a-z]\w*$/i.test(name) ? name : quoted(name))
const textOf = (text: string) => (text.includes("'") ? JSON.stringify(text) : quoted(text))

/** src/domain/registered.ts: what the Worker needs to know from its start. */
function registeredTs({ features, tables }: Registered): string {
  const entities = tables.filter(({ tracked }) => tracked).map(({ entity }) => entity)
  const scopes = features.flatMap(({ scopes = {} }) => Object.entries(scopes)).sort(byName)
  return `${GENERATED}

/** Kinds of records whose changes are events. */
export const TRACKED = ${listOf(entities.sort())}

/** Events that are more than a change of a record. */
export const SPECIAL = ${listOf(features.flatMap(({ events = [] }) => events).sort())}

/** Every scope that an endpoint asks for, by resource. */
export const SCOPES_BY_RESOURCE = {
${scopes.map(([resource, actions]) => `  ${propertyOf(resource)}: [${actions.map(quoted).join(', ')}],\n`).join('')}} as const
`
}

const byName = ([a]: [string, ...unknown[]], [b]: [string, ...unknown[]]) => (a < b ? -1 : 1)

/** src/features/merges/rules/categories.ts. */
function categoriesTs({ tables }: Registered): string {
  const categoriesOf = (parent: string, entity: RecordEntity) =>
    tables.flatMap(({ name, references, merges = {} }) => {
      const declared = references.filter(({ to }) => to === parent).map(({ column }) => [column, name])
      const categories: Record<string, string> = { ...Object.fromEntries(declared), ...merges[entity] }
      return Object.entries(categories).map(([column, category]) => [`${name}.${column}`, category] as const)
    })
  const parts = Object.entries(MERGED).map(
    ([parent, entity]) =>
      `  ${entity}: {\n${categoriesOf(parent, entity)
        .map(([key, category]) => `    ${quoted(key)}: ${quoted(category)},\n`)
        .join('')}  },\n`,
  )
  return `${GENERATED}

/** The related rows that a merge moves, by the foreign key to the record. The names are those of \`transfer\` and of the responses. */
export const MERGE_CATEGORIES: Record<${Object.values(MERGED).map(quoted).join(' | ')}, Record<string, string>> = {
${parts.join('')}}
`
}

/** src/http/openapi/tag-descriptions.ts. */
const tagsTs = ({ features }: Registered): string => `${GENERATED}

/** What the documentation says about each tag. */
export const TAG_DESCRIPTIONS: Record<string, string> = {
${features
  .flatMap(({ tags = {} }) => Object.entries(tags))
  .sort(byName)
  .map(([tag, text]) => `  ${propertyOf(tag)}: ${textOf(text)},\n`)
  .join('')}}
`

/** The generated files, by their path in the project. */
export async function registrations(): Promise<Record<string, string>> {
  const all = await readRegistrations()
  return {
    'schema/functions/constants-tables.sql': tablesSql(all),
    'src/domain/registered.ts': registeredTs(all),
    'src/features/merges/rules/categories.ts': categoriesTs(all),
    'src/http/openapi/tag-descriptions.ts': tagsTs(all),
  }
}
