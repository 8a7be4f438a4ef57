import { type SQL, sql } from 'drizzle-orm'
import { AppError } from '../errors.ts'

/** A unique value: its field in the body, the table and column that have it, and whether the column has its normal form. */
type UniqueValue = { field: string; table: string; column: string; normalised?: boolean }

const byExternalId = (table: string) => [`${table}_external_id_key`, { field: 'external_id', table, column: 'external_id' }] as const
const byName = (table: string) => [`${table}_name_key`, { field: 'name', table, column: 'name_norm', normalised: true }] as const

/** The unique values of a workspace by their constraints. */
const UNIQUE_VALUES: Record<string, UniqueValue> = {
  ...Object.fromEntries(['contacts', 'companies', 'opportunities', 'tasks', 'products', 'invoices'].map(byExternalId)),
  ...Object.fromEntries(['pipelines', 'lead_sources', 'stakeholder_types', 'roles'].map(byName)),
  products_sku_key: { field: 'sku', table: 'products', column: 'sku' },
  invoices_number_key: { field: 'invoice_number', table: 'invoices', column: 'invoice_number' },
  roles_key_key: { field: 'key', table: 'roles', column: 'role_key' },
}

/**
 * The select for the record that has a unique value already. Under row-level security PostgreSQL's error does not say which one it is.
 * Undefined for another error, or for a value that the body does not have.
 */
export function conflictingRecord(error: unknown, body: unknown): { field: string; query: SQL } | undefined {
  const { constraint } = ((error instanceof AppError && error.code === 'CONFLICT' && error.details) || {}) as { constraint?: string }
  const unique = constraint === undefined ? undefined : UNIQUE_VALUES[constraint]
  const value = unique && (body as Record<string, unknown> | null)?.[unique.field]
  if (!unique || typeof value !== 'string') return undefined
  const { field, table, column, normalised } = unique
  const wanted = normalised ? sql`norm(${value}::text)` : sql`${value.trim()}::text`
  return { field, query: sql`select to_json(t.id) from ${sql.identifier(table)} t where t.${sql.identifier(column)} = ${wanted} limit 1` }
}

/** The same error with the field and the record that has its value. */
export const withConflict = (error: AppError, field: string, id: unknown): AppError =>
  new AppError(error.code, error.message, { ...(error.details as object), field, ...(typeof id === 'string' && { id }) })
