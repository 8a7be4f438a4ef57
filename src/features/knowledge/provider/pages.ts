import robotsParser from 'robots-parser'
import { loggable } from '../../../lib/text.ts'
import type { OutsideHttp } from '../../../providers/http/port.ts'
import { MAX_ENTRY_TEXT } from '../rules/entries.ts'
import { htmlText } from '../rules/html-text.ts'
import { clean, titleOf } from '../rules/texts.ts'

/** What was read at an address. A failure that is final does not end by itself. */
export type PageRead =
  | { outcome: 'read'; title: string; text: string; etag: string | null }
  | { outcome: 'unchanged' }
  | { outcome: 'failed'; reason: string; isFinal: boolean }

type Failed = Extract<PageRead, { outcome: 'failed' }>
type Fetched = { outcome: 'fetched'; url: string; status: number; headers: Record<string, string>; body: string }

/** What robots.txt calls the reader of pages. */
export const ROBOT = 'CrmKnowledgeBot'
const MAX_HOPS = 5
export const MAX_PAGE = 2_000_000
const MAX_ROBOTS = 500_000
const HTML = /^(?:text\/html|application\/xhtml\+xml)\b/i
const TEXT = /^text\/(?:plain|markdown)\b/i

const failed = (reason: string, isFinal = true): Failed => ({ outcome: 'failed', reason: loggable(reason, 300), isFinal })
const isTemporary = (status: number) => status === 429 || status >= 500

/**
 * Reads a page as text. Every address that it leads to is checked as the first one, and robots.txt of each host is respected. With the ETag
 * of the page as it was read before, one that has not changed is not read again.
 */
export async function readPage(http: OutsideHttp, url: string, etag: string | null): Promise<PageRead> {
  const rules = new Map<string, Promise<Robots>>()
  const fetched = await follow(http, url, {
    headers: { Accept: 'text/html, text/markdown, text/plain;q=0.9', ...(etag && { 'If-None-Match': etag }) },
    maxRead: MAX_PAGE,
    async mayRead(address) {
      const { origin } = new URL(address)
      const reading = rules.get(origin) ?? robotsOf(http, origin)
      rules.set(origin, reading)
      const robots = await reading
      if ('outcome' in robots) return robots
      return robots.allows(address) ? undefined : failed(`robots.txt of ${origin} does not let ${ROBOT} read this page`)
    },
  })
  if (fetched.outcome === 'failed') return fetched
  const { status, headers } = fetched
  if (status === 304) return { outcome: 'unchanged' }
  if (status < 200 || status >= 300) return failed(`The page answers with ${status}`, !isTemporary(status))
  return textOf(fetched, headers['content-type'] ?? '', headers.etag ?? null)
}

function textOf({ url, body }: Fetched, type: string, etag: string | null): PageRead {
  if (!HTML.test(type) && !TEXT.test(type))
    return failed(`The page has ${type || 'content without a type'}: only HTML and text can be read`)
  const { title, text } = HTML.test(type) ? htmlText(body) : { title: null, text: body.trim() }
  if (text === '') return failed('The page has no text: it may need a browser to show it')
  if (text.length > MAX_ENTRY_TEXT)
    return failed(`The page has more than ${MAX_ENTRY_TEXT} characters of text: add its parts by themselves`)
  return { outcome: 'read', title: titleOf(title ?? url), text: clean(text), etag: etag?.slice(0, 200) ?? null }
}

type Robots = { allows(url: string): boolean } | Failed

/** Who has no robots.txt allows everything; while it cannot be read, nothing is (RFC 9309). */
async function robotsOf(http: OutsideHttp, origin: string): Promise<Robots> {
  const url = `${origin}/robots.txt`
  const fetched = await follow(http, url, { headers: { Accept: 'text/plain' }, maxRead: MAX_ROBOTS, isCut: true })
  if (fetched.outcome === 'failed') return fetched
  if (isTemporary(fetched.status)) return failed(`${url} answers with ${fetched.status}`, false)
  if (fetched.status >= 300) return { allows: () => true }
  const robots = robotsParser(url, fetched.body)
  return { allows: (address) => robots.isAllowed(address, ROBOT) !== false }
}

type Request = {
  headers: Record<string, string>
  maxRead: number
  /** A longer response is cut rather than refused. */
  isCut?: boolean
  /** Why an address may not be read. */
  mayRead?(url: string): Promise<Failed | undefined>
}

/** Reads an address, and follows redirects: each address is one that may be called. */
export async function follow(http: OutsideHttp, first: string, request: Request): Promise<Fetched | Failed> {
  const { maxRead, isCut = false, mayRead } = request
  let url = first
  for (let hop = 0; hop <= MAX_HOPS; hop++) {
    const refused = await mayRead?.(url)
    if (refused) return refused
    const headers = { 'User-Agent': `${ROBOT}/1.0`, ...request.headers }
    const response = await http.send({ method: 'GET', url, headers, maxRead })
    if (!response.ok) return failed(`${shown(url, first)}${response.reason}`, response.failure === 'refused')
    const location = response.headers.location
    if (response.status < 300 || response.status >= 400 || response.status === 304 || !location) {
      if (response.truncated && !isCut) return failed(`The page is larger than ${maxRead / 1_000_000} MB`)
      return { outcome: 'fetched', url, status: response.status, headers: response.headers, body: response.body }
    }
    if (!URL.canParse(location, url)) return failed('The page redirects to what is no address')
    url = new URL(location, url).href
  }
  return failed(`The page redirects more than ${MAX_HOPS} times`)
}

const shown = (url: string, first: string) => (url === first ? '' : `The page redirects to ${url.slice(0, 100)}: `)
