import { toHex } from '../lib/keys.ts'
import { type Endpoint, isList } from './endpoint.ts'
import type { Answered } from './respond.ts'

/** The part of a page that differs between two reads of the same records. */
const SYNCED = /"synced_until":"[^"]*"(?=[^[\]]*$)/

/**
 * Whether callers can ask for the content only if it has changed (If-None-Match): lists, and records without values of other records, which
 * have the same content as long as they have the same version.
 */
export const isConditional = (endpoint: Pick<Endpoint, 'method' | 'returns'>): boolean => {
  const { method, returns } = endpoint
  return method === 'GET' && (isList(endpoint) || (returns.as === 'one' && returns.own === true))
}

const DIGEST_BYTES = 12

/** Adds the ETag of a list, a digest of its content, and leaves out the content that the caller has already. */
export async function conditional(
  endpoint: Endpoint,
  { headers, url }: Pick<Request, 'headers' | 'url'>,
  answered: Answered,
): Promise<Answered> {
  if (!isConditional(endpoint) || answered.status !== 200) return answered
  // A record with related ones changes without a new version.
  if (!isList(endpoint) && url.includes('?') && new URL(url).searchParams.has('include')) return answered
  const text = answered.text ?? JSON.stringify(answered.body)
  const etag = isList(endpoint) ? await digestOf(text) : answered.headers.ETag
  if (etag === undefined) return answered
  const tagged = { ...answered, text, headers: { ...answered.headers, ETag: etag } }
  return matches(headers.get('if-none-match'), etag) ? { ...tagged, status: 304 } : tagged
}

async function digestOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text.replace(SYNCED, '')))
  return `W/"${toHex(new Uint8Array(digest, 0, DIGEST_BYTES))}"`
}

/** Compares weakly, as RFC 9110 says for If-None-Match. */
function matches(sent: string | null, etag: string): boolean {
  const known = (sent ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return known.includes('*') || known.includes(etag.replace(/^W\//, ''))
}
