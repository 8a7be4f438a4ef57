import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type LocalServer, reply, startLocalServer } from './local-server.ts'

/** What an address of the site has: a page, or where it redirects to. */
export type SitePage = { type?: string; body?: string; status?: number; location?: string; hasEtag?: boolean }
export type Article = { id: number; title: string; body: string; draft?: boolean; locale?: string }

/** A web site, and a help centre of Zendesk on it. */
export interface SiteEmulator extends LocalServer {
  /** The address of the help centre. */
  helpCenterUrl: string
  /** By path. */
  pages: Map<string, SitePage>
  articles: Article[]
  /** Whether the help centre names a next page after each. */
  isEndless: boolean
  /** The method, the path and the status of each request, oldest first. */
  requests: string[]
  /** Makes the next requests fail with a status, robots.txt excepted; `drop` closes the connection. */
  fail(mode: number | 'drop', times?: number): void
  clear(): void
}

const LOCALE = 'en-au'
const PAGE_SIZE = 100

/**
 * Serves pages with ETags, and articles as Zendesk's public API does
 * (https://developer.zendesk.com/api-reference/help_center/help-center-api/articles/), in pages with cursors.
 */
export async function startSiteEmulator(options: { port?: number } = {}): Promise<SiteEmulator> {
  const failures: (number | 'drop')[] = []

  function answer(request: IncomingMessage, response: ServerResponse) {
    const { pathname, searchParams } = new URL(request.url!, emulator.url)
    response.once('finish', () => emulator.requests.push(`${request.method} ${pathname} ${response.statusCode}`))
    const failure = pathname === '/robots.txt' ? undefined : failures.shift()
    if (failure === 'drop') return request.socket.destroy()
    if (failure) return response.writeHead(failure, { 'content-type': 'text/plain' }).end('The site fails')
    if (pathname.startsWith('/api/v2/help_center/')) return helpCenter(pathname, searchParams, response)
    const page = emulator.pages.get(pathname)
    if (!page) return response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not found</h1>')
    sendPage(request, response, page)
  }

  function helpCenter(pathname: string, query: URLSearchParams, response: ServerResponse) {
    const [, id] = new RegExp(`^/api/v2/help_center/(?:${LOCALE}/)?articles(?:/(\\d+))?\\.json$`).exec(pathname) ?? []
    const published = emulator.articles.filter(({ draft }) => !draft).map((article) => shownArticle(article, emulator.url))
    if (!/\/articles(?:\/\d+)?\.json$/.test(pathname)) return json(response, 404, { error: 'RecordNotFound', description: 'Not found' })
    if (id) {
      const article = published.find((one) => one.id === Number(id))
      return article ? json(response, 200, { article }) : json(response, 404, { error: 'RecordNotFound', description: 'Not found' })
    }
    const size = Math.min(Number(query.get('page[size]') ?? 30), PAGE_SIZE)
    const from = Number(Buffer.from(query.get('page[after]') ?? '', 'base64').toString() || 0)
    const has_more = emulator.isEndless || published.length > from + size
    const after_cursor = Buffer.from(String(from + size)).toString('base64')
    json(response, 200, { articles: published.slice(from, from + size), meta: { has_more, after_cursor, before_cursor: null }, links: {} })
  }

  const server = await startLocalServer(answer, options)
  const emulator: SiteEmulator = {
    ...server,
    helpCenterUrl: `${server.url}/hc/${LOCALE}`,
    pages: new Map(),
    articles: [],
    isEndless: false,
    requests: [],
    fail: (mode, times = 1) => failures.push(...new Array<number | 'drop'>(times).fill(mode)),
    clear() {
      failures.length = 0
      emulator.pages.clear()
      emulator.articles.length = 0
      emulator.isEndless = false
      emulator.requests.length = 0
    },
  }
  return emulator
}

function sendPage(request: IncomingMessage, response: ServerResponse, page: SitePage) {
  const { type = 'text/html; charset=utf-8', body = '', status = 200, location, hasEtag = true } = page
  if (location !== undefined) return response.writeHead(status === 200 ? 302 : status, { location }).end()
  const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`
  if (hasEtag && request.headers['if-none-match'] === etag) return response.writeHead(304, { etag }).end()
  response.writeHead(status, { 'content-type': type, ...(hasEtag && { etag }) }).end(body)
}

const shownArticle = ({ id, title, body, draft = false, locale = LOCALE }: Article, url: string) => ({
  id,
  title,
  body,
  draft,
  locale,
  html_url: `${url}/hc/${locale}/articles/${id}`,
  outdated: false,
  updated_at: '2026-11-02T08:00:00Z',
})

const json = (response: ServerResponse, status: number, body: unknown) =>
  reply(response, status, body, { 'content-type': 'application/json; charset=utf-8' })
