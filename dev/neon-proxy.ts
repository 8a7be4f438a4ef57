import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import pg from 'pg'
import { type WebSocket, WebSocketServer } from 'ws'
import { type LocalServer, listen } from './local-server.ts'
import { cancel, EndpointError, mayLeaveSettings, type NeonRequest, type RunOptions, runRequest } from './neon-sql.ts'

export type { NeonQuery, NeonRequest } from './neon-sql.ts'

/**
 * The failure to simulate, until it is reset to `none`. `refuse` drops connections before the database is called, `lose_answer` after it
 * has done the work; `hang` accepts a request and never responds, `hang_answer` does the work and sends half of the response;
 * `too_many_connections` is the endpoint's own limit (500), `no_code` a refused login and `connection_lost` a session that ended (both
 * 400, without SQLSTATE).
 */
export type Outage = 'none' | 'refuse' | 'lose_answer' | 'hang' | 'hang_answer' | keyof typeof REFUSALS

export interface NeonProxy extends LocalServer {
  /** HTTP requests received: the round trips a Worker makes. */
  trips: number
  /** Statements received in them, without the BEGIN and COMMIT of a batch. */
  statements: number
  /** The number of times that the endpoint waited for PostgreSQL. */
  internalTrips: number
  /** Called with every request before the database is. A promise delays the request, and one that fails drops its connection. */
  onRequest?: ((request: NeonRequest) => void | Promise<void>) | undefined
  /** Called with every notice of PostgreSQL. */
  onNotice?: ((message: string) => void) | undefined
  outage: Outage
  /**
   * The maximum size of a request or response in bytes, 10 MiB by default. A larger response becomes a 507, and its transaction is rolled
   * back.
   */
  limit: number
  /** False: each statement waits for the previous one, as at the real endpoint, which makes two round trips for each. */
  pipelining: boolean
  /** Ends every simulated failure, as for a proxy that has just started. The counts go on. */
  clear(): void
  /**
   * Sends requests to a database of another server, whichever they name. Sessions of the database that it leaves stay, because a new
   * session compiles and plans everything again.
   */
  moveTo(postgresPort: number, database: string): void
  /** Closes the sessions of a database. */
  leave(postgresPort: number, database: string): Promise<void>
}

export interface NeonProxyOptions {
  postgresPort: number
  /** The database to use, instead of the one that a request names. */
  database?: string
  port?: number
  limit?: number
  /** The number of sessions in its pool; 20 by default. */
  sessions?: number
  /** After how many seconds a session that nothing uses is closed; 10 by default. */
  idleSeconds?: number
  /** Gets what each request did in the database. */
  onTrace?: RunOptions['onTrace']
}

const DEFAULT_LIMIT = 10 * 2 ** 20
/** The maximum that Neon allows. */
const MAX_LIMIT = 64 * 2 ** 20

const ERROR_FIELDS = [
  ...['severity', 'code', 'detail', 'hint', 'position', 'internalPosition', 'internalQuery', 'where'],
  ...['schema', 'table', 'column', 'dataType', 'constraint', 'file', 'line', 'routine'],
]

const REFUSALS = {
  too_many_connections: new EndpointError(500, 'Too many connections to this endpoint. Please try again later.'),
  no_code: new EndpointError(400, "password authentication failed for user 'app'"),
  connection_lost: new EndpointError(400, 'connection closed'),
}

/**
 * Neon's HTTP (`/sql`) and WebSocket (`/v2`) endpoint in front of a local PostgreSQL, as strict as the real one. What it answers, and when,
 * is that of Neon's proxy (github.com/neondatabase/neon, proxy/src/serverless/sql_over_http.rs, backend.rs and error.rs) as its driver
 * (@neondatabase/serverless 1.2.0) reads it: an error of PostgreSQL is 400 with its fields; a login that is refused 400 without a code; a
 * session that cannot be opened 500, with PostgreSQL's code if there is one; a request too large 413, a response 507. A client that goes
 * has its query cancelled.
 */
export async function startNeonProxy({ ...options }: NeonProxyOptions): Promise<NeonProxy> {
  const pools = new Map<string, pg.Pool>()
  const closePools = async (place = '') => {
    const open = [...pools].filter(([key]) => key.startsWith(place))
    for (const [key] of open) pools.delete(key)
    await Promise.all(open.map(([, pool]) => pool.end()))
  }
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<string> {
    if (request.method !== 'POST' || request.url !== '/sql') throw new EndpointError(404, 'Not found')
    const body = await readJson(request, proxy.limit)
    proxy.trips += 1
    proxy.statements += 'queries' in body ? body.queries.length : 1
    try {
      await proxy.onRequest?.(body)
    } catch {
      throw REFUSALS.connection_lost
    }
    if (proxy.outage in REFUSALS) throw REFUSALS[proxy.outage as keyof typeof REFUSALS]
    const { onTrace } = options
    const run: RunOptions = { limit: proxy.limit, pipelining: proxy.pipelining, onTrip: () => void proxy.internalTrips++, onTrace }
    const pool = poolFor(pools, String(request.headers['neon-connection-string']), options, (message) => proxy.onNotice?.(message))
    const { postgresPort: port } = options
    const work = (client: pg.PoolClient) => runRequest(client, body, batchOptions(request.headers), run)
    return withClient(pool, response, { port, resets: mayLeaveSettings(body) }, work)
  }

  const server = createServer(async (request, response) => {
    if (proxy.outage === 'refuse') return request.socket.destroy()
    // Never responds to the request.
    if (proxy.outage === 'hang') return
    const [status, text] = await answer(request, response).then(
      (text) => [200, text] as const,
      (error) => failure(error),
    )
    if (proxy.outage === 'lose_answer') return request.socket.destroy()
    response.writeHead(status, { 'content-type': 'application/json' })
    if (proxy.outage === 'hang_answer') response.write(text.slice(0, text.length / 2))
    else response.end(text)
  })
  server.on('upgrade', (request, socket, head) => {
    if (proxy.outage === 'refuse') return socket.destroy()
    sockets.handleUpgrade(request, socket, head, (ws) => tunnel(ws, options.postgresPort))
  })
  // A connection that closes while the Worker reuses it would lose a request, so clients close theirs first.
  server.keepAliveTimeout = 600_000
  const local = await listen(server, options.port)

  let limit = checkedLimit(options.limit ?? DEFAULT_LIMIT)
  const proxy: NeonProxy = {
    ...local,
    trips: 0,
    statements: 0,
    internalTrips: 0,
    outage: 'none',
    pipelining: true,
    get limit() {
      return limit
    },
    set limit(bytes) {
      limit = checkedLimit(bytes)
    },
    clear() {
      Object.assign(proxy, {
        outage: 'none',
        onRequest: undefined,
        onNotice: undefined,
        limit: options.limit ?? DEFAULT_LIMIT,
        pipelining: true,
      })
    },
    moveTo(postgresPort, database) {
      Object.assign(options, { postgresPort, database })
    },
    leave: (postgresPort, database) => closePools(poolPrefix({ postgresPort, database })),
    async close() {
      for (const client of sockets.clients) client.terminate()
      await local.close()
      await closePools()
    },
  }
  return proxy
}

function checkedLimit(bytes: number): number {
  if (!(bytes > 0 && bytes <= MAX_LIMIT)) throw new RangeError(`The limit must be between 1 and ${MAX_LIMIT} bytes, not ${bytes}`)
  return bytes
}

function failure(error: Error): [status: number, body: string] {
  const { message, ...fields } = error as Error & Record<string, unknown>
  const status = error instanceof EndpointError ? error.status : 400
  return [status, JSON.stringify({ message, ...Object.fromEntries(ERROR_FIELDS.map((field) => [field, fields[field] ?? null])) })]
}

async function readJson(request: IncomingMessage, limit: number): Promise<NeonRequest> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size <= limit) chunks.push(chunk as Buffer)
  }
  if (size > limit) throw new EndpointError(413, `request is too large (max is ${limit} bytes)`)
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as NeonRequest
  } catch (error) {
    throw new EndpointError(400, `could not parse the HTTP request body: ${(error as Error).message}`)
  }
}

const batchOptions = (headers: IncomingHttpHeaders) => ({
  isolation: headers['neon-batch-isolation-level'] as string | undefined,
  readOnly: headers['neon-batch-read-only'] === 'true',
  deferrable: headers['neon-batch-deferrable'] === 'true',
})

/** Pools of one place have keys that begin with this. */
const poolPrefix = ({ postgresPort, database = '' }: NeonProxyOptions) => `${postgresPort}/${database} `

function poolFor(
  pools: Map<string, pg.Pool>,
  connectionString: string,
  options: NeonProxyOptions,
  onNotice: (message: string) => void,
): pg.Pool {
  const { postgresPort: port, database: fixed, sessions: max = 20, idleSeconds = 10 } = options
  const { username, password, pathname } = new URL(connectionString)
  const key = `${poolPrefix(options)}${username}:${password}@${pathname}`
  let pool = pools.get(key)
  if (!pool) {
    const [user, secret, named] = [username, password, pathname.slice(1)].map(decodeURIComponent)
    const database = fixed ?? named
    // Pipelined, the statements of a batch are one write.
    const idleTimeoutMillis = idleSeconds * 1000
    pool = new pg.Pool({
      host: '127.0.0.1',
      port,
      user,
      password: secret,
      database,
      max,
      idleTimeoutMillis,
      pipeline: true,
    } as pg.PoolConfig)
    pool.on('error', () => {})
    // A session that ends reports it beside the statement that fails: before the login is complete, in a request, or between two.
    pool.on('connect', (client) => client.on('error', () => {}).on('notice', ({ message = '' }) => onNotice(message)))
    pools.set(key, pool)
  }
  return pool
}

async function withClient<T>(
  pool: pg.Pool,
  response: ServerResponse,
  { port, resets }: { port: number; resets: boolean },
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect().catch((error) => {
    throw loginFailure(error)
  })
  if (response.destroyed) {
    client.release()
    throw new EndpointError(500, 'query was cancelled while stuck trying to connect to the database')
  }
  let broken = false
  let cancelling: Promise<void> | undefined
  const abandon = () => {
    cancelling = cancel(client, port)
  }
  response.once('close', abandon)
  try {
    return await work(client)
  } catch (error) {
    const isSql = error instanceof pg.DatabaseError
    broken = !(isSql || error instanceof EndpointError) || (isSql && error.severity === 'FATAL')
    throw broken && !isSql ? new EndpointError(400, 'connection closed') : error
  } finally {
    response.off('close', abandon)
    // The cancellation must not affect the next request of this session.
    broken ||= cancelling !== undefined
    await cancelling
    // As at Neon, each request gets a session without the settings of another. Nobody waits for the reset.
    if (!broken && resets) client.query('reset all').catch(() => {})
    client.release(broken)
  }
}

/** Neon checks the password itself, and reports PostgreSQL's refusal with status 500. */
function loginFailure(error: Error & { code?: string }): Error {
  if (!(error instanceof pg.DatabaseError)) return new EndpointError(500, 'error connecting to server')
  return error.code?.startsWith('28')
    ? new EndpointError(400, error.message)
    : Object.assign(new EndpointError(500, error.message), { code: error.code })
}

function tunnel(ws: WebSocket, port: number) {
  const tcp = connect({ host: '127.0.0.1', port, noDelay: true })
  ws.on('message', (data: Buffer) => tcp.write(data))
  ws.on('close', () => tcp.end())
  ws.on('error', () => tcp.destroy())
  tcp.on('data', (data) => ws.readyState === ws.OPEN && ws.send(data))
  tcp.on('close', () => ws.close(1000))
  tcp.on('error', () => ws.close(1011))
}
