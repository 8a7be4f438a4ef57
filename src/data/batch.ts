import type { neon } from '@neondatabase/serverless'
import { AppError } from '../errors.ts'
import { type DbError, translate } from './database-errors.ts'
import { compile, type PlainStatement, type Statement } from './db.ts'

/** `deadline` is the number of milliseconds after which a batch is aborted. */
export type Database = { url: string; proxy?: string | undefined; deadline?: number | undefined }
type Sql = ReturnType<typeof neon<true, true>>

const clients = new Map<string, Sql>()

/** Loads the driver on first use: it would add a tenth to the Worker's start-up time. */
async function connect({ url, proxy }: Database): Promise<Sql> {
  const { neon, neonConfig } = await import('@neondatabase/serverless')
  if (proxy) neonConfig.fetchEndpoint = `${proxy}/sql`
  const client = neon(url, { arrayMode: true, fullResults: true })
  clients.set(url, client)
  return client
}

/** Longer than the role's transaction_timeout (0018), so that PostgreSQL ends what is slow and its error says why. */
const DEADLINE_MS = 20_000

/** Deadlock and serialization failure. Everything was rolled back, so the batch can be repeated. */
const TRANSIENT = new Set(['40P01', '40001'])
const ATTEMPTS = 4

/**
 * Runs the statements as one transaction in one round trip. Returns the first column of each statement's first row. @throws AppError or
 * RolledBack; UNAVAILABLE when the database cannot be reached or does not respond before the deadline.
 */
export async function batch(database: Database, statements: (Statement | PlainStatement)[]): Promise<unknown[]> {
  const sql = clients.get(database.url) ?? (await connect(database))
  const queries = statements.map((statement) => {
    const { sql: text, params } = compile(statement)
    return { text, params }
  })
  const milliseconds = database.deadline ?? DEADLINE_MS
  const deadline = AbortSignal.timeout(milliseconds)
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        const results = await sql.transaction(
          queries.map(({ text, params }) => sql.query(text, params)),
          { fetchOptions: { signal: deadline } },
        )
        return results.map((result) => result.rows[0]?.[0])
      } catch (error) {
        if (deadline.aborted || attempt === ATTEMPTS || !TRANSIENT.has((error as DbError).code ?? '')) throw error
      }
    }
  } catch (error) {
    throw deadline.aborted ? timedOut(milliseconds) : reported(error as DbError, database)
  }
}

function timedOut(milliseconds: number): AppError {
  warn(`no answer within ${milliseconds} ms`)
  const remedy = 'a write may have happened all the same, so repeat it with its Idempotency-Key'
  return new AppError('UNAVAILABLE', `The database did not answer in time: ${remedy}`, undefined, 2)
}

/** Translates an error for the caller. An internal error keeps its message without the connection string, which the driver may quote. */
function reported(error: DbError, { url }: Database): Error {
  const translated = translate(error)
  if (translated === error) return new Error(`Database error ${error.code ?? ''}: ${error.message.replaceAll(url, '(DATABASE_URL)')}`)
  if (translated instanceof AppError && translated.code === 'UNAVAILABLE') warn(String(error), error.code)
  return translated
}

const warn = (error: string, code?: string) => console.error(JSON.stringify({ level: 'warn', message: 'database', code, error }))
