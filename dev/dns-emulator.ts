import { type LocalServer, reply, startLocalServer } from './local-server.ts'

export interface DnsEmulator extends LocalServer {
  /** The addresses of each name; others do not exist. */
  names: Map<string, string[]>
  /** Whether every query is answered with status 503. */
  failing: boolean
}

/** The field of a response that has its records. */
export const RECORDS = 'Answer'
const TYPES: Record<string, (address: string) => boolean> = {
  '1': (address) => !address.includes(':'),
  '28': (address) => address.includes(':'),
}

/** A resolver that speaks DNS over HTTPS in its JSON form, as https://cloudflare-dns.com/dns-query does. */
export async function startDnsEmulator(): Promise<DnsEmulator> {
  const server = await startLocalServer((request, response) => {
    const query = new URL(request.url ?? '/', 'http://dns').searchParams
    if (emulator.failing) return void response.writeHead(503).end()
    const [name = '', type = '1'] = [query.get('name') ?? undefined, query.get('type') ?? undefined]
    const known = emulator.names.get(name)
    const records = (known ?? []).filter((address) => TYPES[type]?.(address))
    const body = { Status: known ? 0 : 3, [RECORDS]: records.map((data) => ({ name, type: Number(type), TTL: 60, data })) }
    reply(response, 200, body, { 'content-type': 'application/dns-json' })
  })
  const emulator: DnsEmulator = { ...server, url: `${server.url}/dns-query`, names: new Map(), failing: false }
  return emulator
}
