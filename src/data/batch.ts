import type { neon } from '@neondatabase/serverless'
import { AppError, type ErrorCode, invalid } from '../errors.ts'
import { compile, type PlainStatement, type Statement } from './db.ts'

export type Database = { url: string; proxy?: string | undefined }
type Sql = ReturnType<typeof neon<true, true>>

const clients = new Map<string, Sql>()

/** The driver is loaded by the first request that needs it: it is a tenth of what starting the Worker would cost. */
async function connect({ url, proxy }: Database): Promise<Sql> {
  const { neon, neonConfig } = await import('@neondatabase/serverless')
  if (proxy) neonConfig.fetchEndpoint = `${proxy}/sql`
  const made = neon(url, { arrayMode: true, fullResults: true })
  clients.set(url, made)
  return made
}

/** What the database says by SQLSTATE instead of by rows (see begin_request and end_request). */
export class Signal extends Error {
  readonly kind: 'replay' | 'held' | 'dry'
  readonly detail: string

  constructor(kind: Signal['kind'], detail: string) {
    super(kind)
    this.kind = kind
    this.detail = detail
  }
}

const SIGNALS: Record<string, Signal['kind']> = { WK208: 'replay', WK202: 'held', WK200: 'dry' }
/** Deadlock and serialization failure: all was rolled back, so the batch may simply run again. */
const TRANSIENT = new Set(['40P01', '40001'])

/**
 * Runs the statements as one transaction in one round trip. Answers the first column of each statement's first row.
 * @throws AppError, or Signal; UNAVAILABLE when the database is out of reach.
 */
export async function batch(database: Database, statements: (Statement | PlainStatement)[], attempt = 1): Promise<unknown[]> {
  const sql = clients.get(database.url) ?? (await connect(database))
  try {
    const results = await sql.transaction(
      statements.map((statement) => {
        const { sql: text, params } = compile(statement)
        return sql.query(text, params)
      }),
    )
    return results.map((result) => result.rows[0]?.[0])
  } catch (error) {
    const { code } = error as { code?: string }
    if (code && TRANSIENT.has(code) && attempt < 4) return batch(database, statements, attempt + 1)
    const told = translate(error)
    if (told instanceof AppError && told.code === 'UNAVAILABLE')
      console.error(JSON.stringify({ level: 'warn', message: 'database', code, error: String(error) }))
    throw told
  }
}

type DbError = Error & { code?: string; detail?: string; constraint?: string; table?: string; column?: string; sourceError?: unknown }

/** A database error as the caller's: constraints are named `<table>.<column>`, so they tell the field. */
function translate(error: unknown): Error {
  const { code, message, detail = '', constraint = '' } = error as DbError
  if (!code) return new AppError('UNAVAILABLE', 'The database is out of reach', undefined, 2)
  const signal = SIGNALS[code]
  if (signal) return new Signal(signal, detail)
  if (code === 'WK000') {
    const { code: name, details } = JSON.parse(detail) as { code: ErrorCode; details: unknown }
    return new AppError(name, message, details, name === 'IDEMPOTENCY_IN_PROGRESS' ? 1 : undefined)
  }
  const [table = '', field = ''] = constraint.split('.')
  if (code === '23503' && field) {
    return message.startsWith('insert or update')
      ? invalid([{ path: field, message: `No such record in this workspace (${field})` }])
      : new AppError('CONFLICT', `Still referenced by ${table.replaceAll('_', ' ')}: change or delete those first`, {
          referenced_by: table,
          field,
        })
  }
  if (code === '23505') return new AppError('CONFLICT', conflictOf((error as DbError).table ?? '', constraint), { constraint })
  if (code === '23514') return invalid([{ path: constraint, message: 'Not an allowed value' }])
  if (code === '23502') return invalid([{ path: (error as DbError).column ?? '', message: 'Required' }])
  if (code.startsWith('22'))
    return invalid([{ path: (error as DbError).column ?? '', message: 'A value is out of range, or not of its field’s type' }])
  if (TRANSIENT.has(code) || code === '55P03' || code === '57014')
    return new AppError('UNAVAILABLE', 'The record is busy with other requests', undefined, 1)
  if (/^(08|53|57P|XX)/.test(code)) return new AppError('UNAVAILABLE', 'The database is out of reach', undefined, 2)
  return error as Error
}

/** Under row-level security Postgres keeps the values to itself; the constraint's name, `<table>_<fields>_key`, tells the field. */
const conflictOf = (table: string, constraint: string): string =>
  `Another record already has this ${constraint.replace(new RegExp(`^${table}_`), '').replace(/_key$/, '')}`
