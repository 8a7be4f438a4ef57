import * as v from 'valibot'
import type { OutsideHttp } from '../../../providers/http/port.ts'
import { MAX_ENTRY_TEXT } from '../rules/entries.ts'
import { htmlText } from '../rules/html-text.ts'
import { MAX_ARTICLES, type SourceText } from '../rules/syncs.ts'
import { clean, titleOf } from '../rules/texts.ts'
import { follow } from './pages.ts'

/** Why the articles could not be read. */
export class HelpCenterFailure extends Error {}

const text = v.optional(v.nullable(v.string()), null)
const Article = v.object({
  id: v.pipe(v.number(), v.safeInteger()),
  title: text,
  body: text,
  html_url: text,
  draft: v.optional(v.nullable(v.boolean()), false),
})
const Page = v.object({
  articles: v.array(Article),
  meta: v.object({ has_more: v.boolean(), after_cursor: text }),
})
const One = v.object({ article: Article })

const PAGE_SIZE = 100
const MAX_RESPONSE = 8_000_000
const LOCALE = /^\/hc\/([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})?)(?:\/|$)/

/**
 * The published articles of a help centre, by Zendesk's public API
 * (https://developer.zendesk.com/api-reference/help_center/help-center-api/articles/): all, or those of the ids that exist. `url`:
 * https://<company>.zendesk.com/hc/<locale>. @throws HelpCenterFailure
 */
export async function articlesOf(http: OutsideHttp, url: string, ids?: number[]): Promise<SourceText[]> {
  const { origin, pathname } = new URL(url)
  const locale = LOCALE.exec(pathname)?.[1]?.toLowerCase()
  const at = `${origin}/api/v2/help_center${locale ? `/${locale}` : ''}/articles`
  const found = ids ? await chosen(http, at, ids) : await all(http, at)
  // An article that moves while the pages are read can be on two of them.
  const byId = new Map(found.map((article) => [article.id, article]))
  return [...byId.values()].filter(({ draft }) => !draft).map(textOf)
}

async function all(http: OutsideHttp, at: string) {
  const articles: v.InferOutput<typeof Article>[] = []
  let after: string | undefined
  do {
    const query = new URLSearchParams({ 'page[size]': String(PAGE_SIZE), ...(after !== undefined && { 'page[after]': after }) })
    const page = await ask(http, `${at}.json?${query}`, Page)
    if (!page) throw new HelpCenterFailure('There is no help centre at this address')
    articles.push(...page.articles)
    if (articles.length > MAX_ARTICLES)
      throw new HelpCenterFailure(`The help centre has more than ${MAX_ARTICLES} articles: choose some by article_ids`)
    if (page.meta.has_more && page.articles.length === 0) throw new HelpCenterFailure('The help centre answers with pages without an end')
    after = page.meta.has_more && page.meta.after_cursor !== null ? page.meta.after_cursor : undefined
  } while (after !== undefined)
  return articles
}

async function chosen(http: OutsideHttp, at: string, ids: number[]) {
  const articles: v.InferOutput<typeof Article>[] = []
  for (const id of ids) {
    const found = await ask(http, `${at}/${id}.json`, One)
    if (found) articles.push(found.article)
  }
  return articles
}

/** Undefined for what does not exist. */
async function ask<S extends v.GenericSchema>(http: OutsideHttp, url: string, schema: S): Promise<v.InferOutput<S> | undefined> {
  const fetched = await follow(http, url, { headers: { Accept: 'application/json' }, maxRead: MAX_RESPONSE })
  if (fetched.outcome === 'failed') throw new HelpCenterFailure(fetched.reason)
  if (fetched.status === 404) return undefined
  if (fetched.status !== 200) throw new HelpCenterFailure(`The help centre answers with ${fetched.status}`)
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), fetched.body)
  if (!parsed.success) throw new HelpCenterFailure('The help centre answers in an unknown form')
  return parsed.output
}

function textOf({ id, title, body, html_url }: v.InferOutput<typeof Article>): SourceText {
  const text = clean(htmlText(body ?? '').text)
    .slice(0, MAX_ENTRY_TEXT)
    .toWellFormed()
  return { key: String(id), title: titleOf(title ?? ''), text, url: html_url }
}
