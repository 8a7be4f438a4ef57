import { ExpiringMap } from '../../lib/expiring-map.ts'
import type { Resolver } from './port.ts'

/** Record types of DNS (RFC 1035, RFC 3596). */
const A = 1
const AAAA = 28
/** An address may change, so an answer is remembered for a short time only, in milliseconds. */
const REMEMBERED_MS = 30_000
const MAX_NAMES = 500
/** The most records that are read for each type. */
const MAX_RECORDS = 50
/** The field that has them. */
const RECORDS = 'Answer'

/** A response, of which only these fields are read. */
type Resolved = Record<string, unknown>
type DnsRecord = { type?: number; data?: unknown }

/** Names and their addresses, of every resolver of this isolate. */
const remembered = new ExpiringMap<string[]>(MAX_NAMES, REMEMBERED_MS)

/** Resolves names by DNS over HTTPS at `url`, in the JSON form that Cloudflare and Google share (`application/dns-json`). */
export function dnsOverHttps(url: string): Resolver {
  const lookUp = async (name: string, type: number, signal: AbortSignal): Promise<string[]> => {
    const query = new URLSearchParams({ name, type: String(type) })
    const response = await fetch(`${url}?${query}`, { headers: { Accept: 'application/dns-json' }, signal })
    if (!response.ok) throw new Error(`The DNS resolver returned the status ${response.status}`)
    const resolved = (await response.json()) as Resolved
    const status = resolved.Status
    const records = (resolved[RECORDS] ?? []) as DnsRecord[]
    // 0: no error; 3: the name does not exist (RFC 1035, section 4.1.1).
    if (status !== 0 && status !== 3) throw new Error(`The DNS resolver returned the code ${status}`)
    // A record that is not read could lead to any address.
    if (records.length > MAX_RECORDS) throw new Error(`The DNS resolver returned more than ${MAX_RECORDS} records`)
    return records.filter((one) => one.type === type).map(({ data }) => String(data))
  }
  return async (name, signal) => {
    const key = `${url} ${name}`
    const known = remembered.get(key)
    if (known) return known
    const found = (await Promise.all([lookUp(name, A, signal), lookUp(name, AAAA, signal)])).flat()
    remembered.set(key, found)
    return found
  }
}
