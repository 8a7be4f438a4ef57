import type { NeonRequest } from '../dev/neon-sql.ts'

type Env = { DATABASE_URL: string; NEON_PROXY: string; REQUESTS: string }

let bodies: Record<string, string> | undefined

/** The minimal Worker: sends the same statement for a known workspace with plain fetch, and forwards the response text unchanged. */
export default {
  async fetch(request, env) {
    bodies ??= Object.fromEntries(
      Object.entries(JSON.parse(env.REQUESTS) as Record<string, NeonRequest>).map(([path, body]) => [path, JSON.stringify(body)]),
    )
    const { pathname, search } = new URL(request.url)
    const response = await fetch(`${env.NEON_PROXY}/sql`, {
      method: 'POST',
      headers: { 'Neon-Connection-String': env.DATABASE_URL, 'Neon-Raw-Text-Output': 'true', 'Neon-Array-Mode': 'true' },
      body: bodies[pathname + search] as string,
    })
    return new Response(await response.text(), { status: response.status, headers: { 'Content-Type': 'application/json' } })
  },
} satisfies ExportedHandler<Env>
