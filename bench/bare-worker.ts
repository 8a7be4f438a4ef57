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
    const [, result] = await sql.transaction([tenant, sql.query(query, params)])
    const answer = result!.rows[0]![0]
    return Response.json(typeof answer === 'string' ? parse(answer) : answer)
  },
} satisfies ExportedHandler<Env>

/** The driver parses JSON by itself; text has a line that is for the real Worker alone, then a record or several. */
function parse(answer: string): unknown {
  const text = answer.slice(answer.indexOf('\n'))
  return JSON.parse(text.includes(',\n') ? `[${text}]` : text)
}
