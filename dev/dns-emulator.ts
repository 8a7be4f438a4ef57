import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface DnsEmulator {
  url: string
  /** The addresses of each name; others do not exist. */
  names: Map<string, string[]>
  /** Whether every query is answered with status 503. */
  failing: boolean
  close(): Promise<void>
}

/** The field of a response that has its records. */
export const RECORDS = 'Answer'
const TYPES: Record<string, (address: string) => boolean> = {
  '1': (address) => !address.includes(':'),
  '28': (address) => address.includes(':'),
}

/** A resolver that speaks DNS over HTTPS in its JSON form, as https://cloudflare-dns.com/dns-query does. */
export async function startDnsEmulator(): Promise<DnsEmulator> {
  const server = createServer((request, response) => {
    const query = new URL(request.url ?? '/', 'http://dns').searchParams
    if (emulator.failing) return response.writeHead(503).end()
    const [name = '', type = '1'] = [query.get('name') ?? undefined, query.get('type') ?? undefined]
    const known = emulator.names.get(name)
    const records = (known ?? []).filter((address) => TYPES[type]?.(address))
    const body = { Status: known ? 0 : 3, [RECORDS]: records.map((data) => ({ name, type: Number(type), TTL: 60, data })) }
    return response.writeHead(200, { 'content-type': 'application/dns-json' }).end(JSON.stringify(body))
  })
  const emulator: DnsEmulator = {
    url: '',
    names: new Map(),
    failing: false,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  emulator.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/dns-query`
  return emulator
}
