import { connect } from 'node:net'
import type pg from 'pg'
import { nameOf, readBlocks, type SqlTrace, selectOf, type TracedStatement } from './sql-trace.ts'

export interface NeonQuery {
  query: string
  params?: unknown[]
}

export type NeonRequest = NeonQuery | { queries: NeonQuery[] }

export interface BatchOptions {
  isolation?: string | undefined
  readOnly?: boolean
  deferrable?: boolean
}

export interface RunOptions {
  /** Bytes of a response; a transaction whose response is larger is rolled back. */
  limit: number
  /** Whether a batch is sent at once. Neon waits for each statement twice, for its description and for its rows. */
  pipelining: boolean
  /** Counts how often the endpoint waited for PostgreSQL. */
  onTrip(): void
  /** Gets what each request did in the database. */
  onTrace?: ((trace: SqlTrace) => void) | undefined
}

/** An error of the endpoint itself: Neon gives it a status and a message, and no SQLSTATE. */
export class EndpointError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const ISOLATION: Record<string, string> = {
  ReadUncommitted: 'read uncommitted',
  ReadCommitted: 'read committed',
  RepeatableRead: 'repeatable read',
  Serializable: 'serializable',
}

/** Neon returns PostgreSQL's own text and leaves the parsing to the driver. */
const RAW_TEXT = { getTypeParser: () => (value: string) => value } as unknown as pg.CustomTypesConfig

/** Whether statements of a request may change the session's settings. This project's functions change those of the transaction only. */
export const mayLeaveSettings = (body: NeonRequest): boolean =>
  ('queries' in body ? body.queries : [body]).some(({ query }) => /^\s*(set|reset|discard)\b|set_config\s*\(/i.test(query))

/** Runs a request on a session and returns the response body. */
export async function runRequest(client: pg.ClientBase, body: NeonRequest, batch: BatchOptions, options: RunOptions): Promise<string> {
  const { onTrace } = options
  if (!onTrace) return run(client, body, batch, options)
  const before = await readBlocks(client)
  const statements: TracedStatement[] = []
  try {
    return await run(client, body, batch, { ...options, onStatement: (statement) => statements.push(statement) })
  } finally {
    // A session that has ended says no more.
    const after = await readBlocks(client).catch(() => before)
    // A batch begins with its BEGIN.
    onTrace({ request: nameOf(body), statements: statements.slice('queries' in body ? 1 : 0), blocks: after - before })
  }
}

type Options = RunOptions & { onStatement?: (statement: TracedStatement) => void }

async function run(client: pg.ClientBase, body: NeonRequest, batch: BatchOptions, options: Options): Promise<string> {
  if (!('queries' in body)) {
    const [result] = await runAll(client, [body], options)
    return bounded(JSON.stringify(shape(result!)), options.limit)
  }
  const { isolation = '', readOnly, deferrable } = batch
  const begin = ['begin', isolation && `isolation level ${ISOLATION[isolation]}`, readOnly && 'read only', deferrable && 'deferrable']
  try {
    const [, ...results] = await runAll(client, [{ query: begin.filter(Boolean).join(' ') }, ...body.queries], options)
    const text = bounded(JSON.stringify({ results: results.map(shape) }), options.limit)
    options.onTrip()
    await client.query('commit')
    return text
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

/** In the order in which they were sent, up to the first failure. */
async function runAll(
  client: pg.ClientBase,
  queries: NeonQuery[],
  { pipelining, onTrip, onStatement }: Options,
): Promise<pg.QueryResult[]> {
  if (pipelining) {
    onTrip()
    const send = onStatement ? timed(client, onStatement) : (query: NeonQuery) => runOne(client, query)
    const settled = await Promise.allSettled(queries.map(send))
    const failed = settled.find((result) => result.status === 'rejected')
    if (failed) throw failed.reason
    return settled.map((result) => (result as PromiseFulfilledResult<pg.QueryResult>).value)
  }
  const results: pg.QueryResult[] = []
  for (const query of queries) {
    // Replaces the round trip that describes the statement.
    onTrip()
    await client.query('')
    onTrip()
    results.push(await runOne(client, query))
  }
  return results
}

/** Runs statements that are sent at once; each is reported with the time since the one before it has ended. */
function timed(client: pg.ClientBase, onStatement: (statement: TracedStatement) => void) {
  let last = performance.now()
  return async ({ query, params = [] }: NeonQuery) => {
    const ended = (rows: number | null) => {
      const now = performance.now()
      onStatement({ query: selectOf({ query, params }).query, milliseconds: now - last, rows })
      last = now
    }
    try {
      const result = await runOne(client, { query, params })
      ended(result.rowCount ?? 0)
      return result
    } catch (error) {
      ended(null)
      throw error
    }
  }
}

function runOne(client: pg.ClientBase, { query, params = [] }: NeonQuery) {
  // The extended protocol refuses several statements in one string, as Neon does.
  const config = { text: query, values: params, rowMode: 'array', types: RAW_TEXT, queryMode: 'extended' }
  return client.query(config as pg.QueryArrayConfig) as unknown as Promise<pg.QueryResult>
}

function shape({ command, rowCount, rows, fields }: pg.QueryResult) {
  return { command, rowCount, rowAsArray: true, rows, fields }
}

function bounded(text: string, limit: number): string {
  if (Buffer.byteLength(text) > limit) throw new EndpointError(507, `response is too large (max is ${limit} bytes)`)
  return text
}

/** Cancels the query of a session whose client has disconnected: sends PostgreSQL's CancelRequest on a separate connection. */
export function cancel(client: pg.ClientBase, port: number): Promise<void> {
  const { processID, secretKey } = client as unknown as { processID: number; secretKey: number }
  const message = Buffer.alloc(16)
  for (const [at, value] of [16, 80_877_102, processID, secretKey].entries()) message.writeInt32BE(value, at * 4)
  return new Promise((done) => {
    const socket = connect({ host: '127.0.0.1', port }, () => socket.end(message))
    // PostgreSQL closes the connection when the signal has been sent.
    socket
      .resume()
      .on('close', () => done())
      .on('error', () => done())
  })
}
