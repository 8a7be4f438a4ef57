import { existsSync, readFileSync } from 'node:fs'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import { type LocalServer, startLocalServer } from '../dev/local-server.ts'
import { root } from '../dev/settings.ts'

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
}

/** The headers that public/_headers gives all pages. */
const HEADERS = Object.fromEntries(
  readFileSync(join(root, 'public/_headers'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('  '))
    .map((line) => line.trim().split(/: (.*)/, 2) as [string, string]),
)

/** Serves a generated site as the assets binding does, and forwards all other requests to the Worker. */
export function serveDocs(folder: string, worker: URL): Promise<LocalServer> {
  return startLocalServer((incoming, outgoing) => {
    const { pathname } = new URL(incoming.url as string, 'http://docs')
    if (!pathname.startsWith('/docs/')) return pass(incoming, outgoing, worker)
    const name = pathname.slice('/docs/'.length) || 'index'
    const file = [name, `${name}.html`].map((one) => join(folder, one)).find((one) => extname(one) && existsSync(one))
    outgoing.writeHead(file ? 200 : 404, { ...HEADERS, 'Content-Type': TYPES[extname(file ?? '')] ?? 'text/plain' })
    outgoing.end(file ? readFileSync(file) : '')
  })
}

function pass(incoming: IncomingMessage, outgoing: ServerResponse, worker: URL): void {
  const onward = request(`${worker.origin}${incoming.url}`, { method: incoming.method, headers: incoming.headers }, (answer) => {
    outgoing.writeHead(answer.statusCode as number, answer.headers)
    answer.pipe(outgoing)
  })
  onward.on('error', () => outgoing.writeHead(502).end())
  incoming.pipe(onward)
}
