import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import pg from 'pg'
import { type WebSocket, WebSocketServer } from 'ws'

export interface NeonQuery {
  query: string
  params?: unknown[]
}

export type NeonRequest = NeonQuery | { queries: NeonQuery[] }

export interface NeonProxy {
  port: number
  url: string
  /** HTTP requests received: the round trips a Worker makes. */
  trips: number
  /** Statements received in them, without the BEGIN and COMMIT of a batch. */
  statements: number
  /** Sees every request before the database does; a promise holds the request back. */
  onRequest?: ((request: NeonRequest) => void | Promise<void>) | undefined
  /** `refuse` drops connections before the database is asked, `lose_answer` after it has done the work. */
  outage: 'none' | 'refuse' | 'lose_answer'
  close(): Promise<void>
}

const ERROR_FIELDS = [
  ...['severity', 'code', 'detail', 'hint', 'position', 'internalPosition', 'internalQuery', 'where'],
  ...['schema', 'table', 'column', 'dataType', 'constraint', 'file', 'line', 'routine'],
]

const ISOLATION: Record<string, string> = {
  ReadUncommitted: 'read uncommitted',
  ReadCommitted: 'read committed',
  RepeatableRead: 'repeatable read',
  Serializable: 'serializable',
}

/** Neon answers with PostgreSQL's own text and leaves the parsing to the driver. */
const RAW_TEXT = { getTypeParser: () => (value: string) => value } as unknown as pg.CustomTypesConfig

/** Neon's HTTP (`/sql`) and WebSocket (`/v2`) endpoint in front of a local PostgreSQL. */
export async function startNeonProxy(options: { postgresPort: number; port?: number }): Promise<NeonProxy> {
  const pools = new Map<string, pg.Pool>()
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })

  const server = createServer(async (request, response) => {
    const send = (status: number, body: unknown) => {
      if (proxy.outage === 'lose_answer') return request.socket.destroy()
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    if (proxy.outage === 'refuse') return request.socket.destroy()
    if (request.method !== 'POST' || request.url !== '/sql') return send(404, { message: 'Not found' })
    try {
      const body = await readJson(request)
      proxy.trips += 1
      proxy.statements += 'queries' in body ? body.queries.length : 1
      await proxy.onRequest?.(body)
      const pool = poolFor(pools, String(request.headers['neon-connection-string']), options.postgresPort)
      send(200, await withClient(pool, (client) => execute(client, body, request.headers)))
    } catch (error) {
      const { message, ...fields } = error as Error & Record<string, unknown>
      send(400, { message, ...Object.fromEntries(ERROR_FIELDS.map((field) => [field, fields[field] ?? null])) })
    }
  })
  server.on('upgrade', (request, socket, head) => {
    if (proxy.outage === 'refuse') return socket.destroy()
    sockets.handleUpgrade(request, socket, head, (ws) => tunnel(ws, options.postgresPort))
  })
  // A connection closed while the Worker picks it up again would be a request lost; theirs close first.
  server.keepAliveTimeout = 600_000
  await new Promise<void>((ready, fail) => server.once('error', fail).listen(options.port ?? 0, '127.0.0.1', ready))

  const { port } = server.address() as AddressInfo
  const proxy: NeonProxy = {
    port,
    url: `http://127.0.0.1:${port}`,
    trips: 0,
    statements: 0,
    outage: 'none',
    async close() {
      for (const client of sockets.clients) client.terminate()
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
      await Promise.all([...pools.values()].map((pool) => pool.end()))
    },
  }
  return proxy
}

async function readJson(request: IncomingMessage): Promise<NeonRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as NeonRequest
}

function poolFor(pools: Map<string, pg.Pool>, connectionString: string, port: number): pg.Pool {
  const { username, password, pathname } = new URL(connectionString)
  const key = `${username}:${password}@${pathname}`
  let pool = pools.get(key)
  if (!pool) {
    const [user, secret, database] = [username, password, pathname.slice(1)].map(decodeURIComponent)
    // Pipelined, a batch from BEGIN to COMMIT is one write.
    pool = new pg.Pool({ host: '127.0.0.1', port, user, password: secret, database, max: 20, pipeline: true } as pg.PoolConfig)
    pool.on('error', () => {})
    pools.set(key, pool)
  }
  return pool
}

async function withClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken = false
  try {
    return await work(client)
  } catch (error) {
    broken = !(error instanceof pg.DatabaseError)
    throw error
  } finally {
    // Each request meets a session without another's settings, as it does at Neon; nobody waits for this.
    if (!broken) client.query('reset all').catch(() => {})
    client.release(broken)
  }
}

async function execute(client: pg.PoolClient, body: NeonRequest, headers: IncomingHttpHeaders) {
  if (!('queries' in body)) return shape(await run(client, body))
  const isolation = ISOLATION[String(headers['neon-batch-isolation-level'])]
  const begin = ['begin', isolation && `isolation level ${isolation}`]
  if (headers['neon-batch-read-only'] === 'true') begin.push('read only')
  if (headers['neon-batch-deferrable'] === 'true') begin.push('deferrable')
  const settled = await Promise.allSettled([
    client.query(begin.filter(Boolean).join(' ')),
    ...body.queries.map((query) => run(client, query)),
    client.query('commit'),
  ])
  const failed = settled.find((result) => result.status === 'rejected')
  if (failed) {
    await client.query('rollback').catch(() => {})
    throw failed.reason
  }
  return { results: settled.slice(1, -1).map((result) => shape((result as PromiseFulfilledResult<pg.QueryResult>).value)) }
}

function run(client: pg.PoolClient, { query, params = [] }: NeonQuery) {
  // The extended protocol refuses several statements in one string, as Neon does.
  const config = { text: query, values: params, rowMode: 'array', types: RAW_TEXT, queryMode: 'extended' }
  return client.query(config as pg.QueryArrayConfig) as unknown as Promise<pg.QueryResult>
}

function shape({ command, rowCount, rows, fields }: pg.QueryResult) {
  return { command, rowCount, rowAsArray: true, rows, fields }
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
