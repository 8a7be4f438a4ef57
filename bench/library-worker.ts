import { neon, neonConfig } from '@neondatabase/serverless'
import { type Context, Hono } from 'hono'
import type { NeonRequest } from '../dev/neon-sql.ts'

type Env = { DATABASE_URL: string; NEON_PROXY: string; REQUESTS: string }
type Sql = ReturnType<typeof neon<true, true>>

/**
 * What the libraries cost by themselves: a router, the database driver, a deadline and three response headers, for a known workspace. Like
 * the bare Worker it forwards the text of the result.
 */
const DEADLINE_MS = 20_000
const app = new Hono<{ Bindings: Env }>()
// As in the API, a path with a static segment after a parameter decides which of Hono's routers is used.
for (const path of ['/duplicates/dismissed/:id', '', '/:id'])
  for (const plural of ['contacts', 'opportunities']) app.get(`/v1/${plural}${path}`, forward)
export default app

let sql: Sql | undefined
let requests: Record<string, NeonRequest> | undefined

async function forward(c: Context<{ Bindings: Env }>): Promise<Response> {
  neonConfig.fetchEndpoint = `${c.env.NEON_PROXY}/sql`
  sql ??= neon(c.env.DATABASE_URL, { arrayMode: true, fullResults: true })
  requests ??= JSON.parse(c.env.REQUESTS) as Record<string, NeonRequest>
  const request = requests[c.req.path] as NeonRequest
  const queries = 'queries' in request ? request.queries : [request]
  const client = sql
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(), DEADLINE_MS)
  const results = await client.transaction(
    queries.map(({ query, params }) => client.query(query, params)),
    { fetchOptions: { signal: deadline.signal } },
  )
  clearTimeout(timer)
  const text = results.at(-1)?.rows[0]?.[0] as string
  return c.body(text, 200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', 'X-Request-Id': crypto.randomUUID() })
}
