import { neon, neonConfig } from '@neondatabase/serverless'

type Env = { DATABASE_URL: string; NEON_PROXY: string; WORKSPACE_ID: string; STATEMENTS: string }
type Statement = { query: string; params: unknown[] }

let sql: ReturnType<typeof neon<true, true>>
let statements: Record<string, Statement>

/** The least that answers: the statement that the real Worker sends for this path, for one workspace and whoever asks. */
export default {
  async fetch(request, env) {
    neonConfig.fetchEndpoint = `${env.NEON_PROXY}/sql`
    sql ??= neon(env.DATABASE_URL, { arrayMode: true, fullResults: true })
    statements ??= JSON.parse(env.STATEMENTS)
    const { pathname, search } = new URL(request.url)
    const { query, params } = statements[pathname + search]!
    const tenant = sql.query(`select set_config('app.workspace_id', $1, true)`, [env.WORKSPACE_ID])
    // The driver parses the JSON that the statement answers with.
    const [, result] = await sql.transaction([tenant, sql.query(query, params)])
    return Response.json(result!.rows[0]![0])
  },
} satisfies ExportedHandler<Env>
