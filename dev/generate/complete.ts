import { BREAKPOINT, OUTSIDE } from '../migrations.ts'
import { Complaint } from '../settings.ts'

/** The parts of drizzle-kit's snapshot that matter here. */
export type Snapshot = { tables: Record<string, Table> }
export type Table = {
  name: string
  columns: Record<string, { name: string; type: string; notNull: boolean; default?: unknown }>
  indexes: Record<string, { columns: { expression: string; isExpression: boolean }[] }>
  compositePrimaryKeys: Record<string, { columns: string[] }>
  foreignKeys: Record<string, Reference>
}
type Reference = { name: string; tableFrom: string; tableTo: string; columnsFrom: string[]; onDelete?: string }

/**
 * A migration completed with everything that drizzle-kit cannot know, the migration that builds the indexes of tables that exist already,
 * and notes for the developer. Either migration is empty when it has no statement.
 */
export type Completed = { sql: string; indexes: string; notes: string[] }

/**
 * Adds tenancy, references within the workspace and indexes by mention to the statements of drizzle-kit. `before` and `after` are the
 * tables without and with the change. Raises a Complaint for a table that breaks a rule of this schema.
 */
export function completeMigration(sql: string, before: Snapshot, after: Snapshot): Completed {
  const created = tablesOf(after).filter(({ name }) => !has(before, name))
  const references = tablesOf(after).flatMap((table) => {
    const known = before.tables[keyOf(table.name)]?.foreignKeys ?? {}
    return Object.values(table.foreignKeys).filter(({ name }) => !(name in known))
  })
  for (const table of created) checkTable(table)
  for (const reference of references) checkReference(reference, after)
  const replaced = new Set(references.map(({ name }) => `ADD CONSTRAINT "${name}" `))
  const kept = sql
    .split(BREAKPOINT)
    .map((statement) => statement.trim())
    .filter((statement) => statement && ![...replaced].some((start) => statement.includes(start)))
  const added = [
    ...created.filter(isTenant).map(({ name }) => `call tenant_table('${name}');`),
    ...references.map(callOf),
    ...created.filter(isLog).map(mentionIndexOf),
  ]
  const isConcurrent = (statement: string) => canBuildConcurrently(statement, before)
  const indexes = kept.filter(isConcurrent).map(concurrently)
  return {
    sql: toFile([...kept.filter((statement) => !isConcurrent(statement)), ...added]),
    indexes: indexes.length > 0 ? `${OUTSIDE}\n${toFile(indexes)}` : '',
    notes: [...created.flatMap(unreferenced), ...references.flatMap(mergeNote)],
  }
}

const toFile = (statements: string[]) => (statements.length > 0 ? `${statements.join(`\n${BREAKPOINT}\n`)}\n` : '')

/** PostgreSQL builds no index of a partitioned table concurrently. */
const PARTITIONED = ['changes', 'outbox', 'requests']
const CREATE_INDEX = /^CREATE (UNIQUE )?INDEX ("\w+") ON "(\w+)"/

/** Whether the statement builds an index of a table that has rows already, whose writers would have to wait for it. */
function canBuildConcurrently(statement: string, before: Snapshot): boolean {
  const table = CREATE_INDEX.exec(statement)?.[3]
  return table !== undefined && has(before, table) && !PARTITIONED.includes(table)
}

const concurrently = (statement: string) => statement.replace(CREATE_INDEX, 'CREATE $1INDEX CONCURRENTLY IF NOT EXISTS $2 ON "$3"')

const tablesOf = ({ tables }: Snapshot) => Object.values(tables)
const keyOf = (name: string) => `public.${name}`
const has = ({ tables }: Snapshot, name: string) => keyOf(name) in tables
const isTenant = ({ columns }: Table) => 'workspace_id' in columns
/** A table whose rows are versioned has a history, and its changes are events. */
const isTracked = (table: Table) => isTenant(table) && 'version' in table.columns
const jsonOf = ({ columns }: Table) => Object.values(columns).filter(({ type }) => type === 'jsonb')
/** A tenant table with JSON and without a history may mention records that a purge must find. */
const isLog = (table: Table) => isTenant(table) && !isTracked(table) && jsonOf(table).length > 0

function checkTable(table: Table): void {
  const { name, columns } = table
  if (!isTenant(table)) throw new Complaint(`${name} has no workspace_id: spread "...identity" or "...tenant" into its columns.`)
  if (columns.workspace_id?.default !== 'current_workspace()')
    throw new Complaint(`${name}.workspace_id has no default: use "...identity" or "...tenant" of schema/columns.ts.`)
  const [key] = Object.values(table.compositePrimaryKeys)
  if (key?.columns[0] !== 'workspace_id')
    throw new Complaint(
      `The primary key of ${name} does not begin with workspace_id: declare primaryKey({ columns: [t.workspace_id, …] }).`,
    )
}

/** Columns that look like references but are none, which is right only if they contain ids of several kinds of records. */
function unreferenced({ name, columns, foreignKeys }: Table): string[] {
  const referring = new Set(Object.values(foreignKeys).flatMap(({ columnsFrom }) => columnsFrom))
  return Object.values(columns)
    .filter(
      (column) => column.type === 'uuid' && column.name.endsWith('_id') && column.name !== 'workspace_id' && !referring.has(column.name),
    )
    .map(
      (column) => `${name}.${column.name} refers to no table. If it should: add reference(t.${column.name}, <table>) and generate again.`,
    )
}

const MERGED = ['contacts', 'companies', 'opportunities']
const mergeNote = ({ tableFrom, tableTo }: Reference): string[] =>
  MERGED.includes(tableTo)
    ? [`Merges move the rows of ${tableFrom} under this name: its feature can give them another category (\`merges\`).`]
    : []

function checkReference({ name, tableFrom, tableTo, columnsFrom }: Reference, { tables }: Snapshot): void {
  const [workspace, column] = columnsFrom
  if (workspace !== 'workspace_id' || !column || name !== `${tableFrom}.${column}`)
    throw new Complaint(`The reference "${name}" is not limited to the workspace: declare it with "reference(t.<column>, <table>)".`)
  // Members are removed, never deleted, so nothing looks for the rows that refer to one.
  if (tableTo === 'memberships') return
  const { indexes = {}, compositePrimaryKeys: keys = {} } = tables[keyOf(tableFrom)] ?? {}
  const listed = Object.values(indexes).map(({ columns }) => columns.map(({ expression }) => expression))
  const isFound = [...listed, ...Object.values(keys).map(({ columns }) => columns)].some(
    ([first, second]) => first === 'workspace_id' && second === column,
  )
  if (!isFound)
    throw new Complaint(
      `${tableFrom} has no index for the deletion of what ${column} refers to: ` +
        `add index('${tableFrom}_by_${column.replace(/_id$/, '')}').on(t.workspace_id, t.${column}, …).`,
    )
}

function callOf({ tableFrom, tableTo, columnsFrom, onDelete = 'no action' }: Reference): string {
  const rest = onDelete === 'no action' ? '' : `, '${onDelete}'`
  return `call tenant_reference('${tableFrom}', '${columnsFrom[1]}', '${tableTo}'${rest});`
}

function mentionIndexOf(table: Table): string {
  const texts = jsonOf(table).map(({ name, notNull }) => (notNull ? `"${name}"::text` : `coalesce("${name}"::text, '')`))
  return `create index ${table.name}_by_mention on ${table.name}
    using gin (mention_keys(${texts.join(" || ' ' || ")})) with (gin_pending_list_limit = 256);`
}

/** The name of a table's records in history and events: `price_lists` → `price_list`, `statuses` → `status`. */
export const entityOf = (table: string): string =>
  table
    .replace(/ies$/, 'y')
    .replace(/(ss|us|sh|ch|x|canvas)es$/, '$1')
    .replace(/(?<!s|u|canva)s$/, '')
