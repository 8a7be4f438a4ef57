import type { sql } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { type Plan, read } from '../../../data/plan.ts'
import { mapResult, plainRows } from '../../../data/query.ts'
import { AppError, STATUS_OF } from '../../../errors.ts'
import { WebPage } from '../../../lib/web-page.ts'
import { addressOf, partsOf } from '../../pages/plans/visits.ts'
import { languageOf } from '../../pages/rules/languages.ts'
import { pagePolicy } from '../../pages/rules/policy.ts'
import { caseStudyPage, messagePage, profilePage, reputationView, type ShownPage } from '../rules/pages/page.ts'

/** How often a visitor may send a form, and all visitors of one address together. */
export const formRates = (headers: Headers, what: string) => [
  { rate: 'sends' as const, id: `review ${addressOf(headers)}` },
  { rate: 'default' as const, id: `review ${what}` },
]

type Query = Partial<Record<'lang' | 'from', string>>
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** The most reviews of one page. */
const SHOWN = 10
export const POLICY = pagePolicy("'none'", "'self'", 'https:')

/** Whoever opens the page of a workspace: reaches this workspace, and has no scopes. */
export function reputationVisitor({ url, headers, method }: { url: string; headers: Headers; method: string }) {
  const slug = partsOf(url)[2] ?? ''
  const rates = method === 'POST' ? formRates(headers, slug) : [{ rate: 'default' as const, id: `pages ${addressOf(headers)}` }]
  return { kind: 'public_token' as const, id: `reputation ${slug}`, grant: call('reputation_grant', slug), rates }
}

/** The page for an error. An unknown page and one that is not published look the same. */
export function reputationFailure(error: AppError, { url, headers }: Pick<Request, 'url' | 'headers'>): WebPage {
  const { pathname, searchParams, origin } = new URL(url)
  const view = reputationView(pathname, languageOf(searchParams.get('lang') ?? undefined, headers.get('accept-language')), origin)
  const { texts } = view
  const page = (status: number, title: string, text: string) => new WebPage(status, messagePage(view, title, text), POLICY)
  if (['UNAUTHENTICATED', 'NOT_FOUND', 'VALIDATION_ERROR'].includes(error.code)) return page(404, texts.not_found, texts.not_found_text)
  if (error.code === 'RATE_LIMITED') return page(429, texts.many, texts.many_text)
  return page(STATUS_OF[error.code], texts.failed, texts.failed_text)
}

export const viewFor = (ctx: Ctx, path: string, lang: string | undefined) =>
  reputationView(path, languageOf(lang, ctx.received?.headers.get('accept-language') ?? null), ctx.deployment.apiUrl, lang)

export const movedTo = (path: string, lang: string | undefined) => new WebPage(301, '', { Location: lang ? `${path}?lang=${lang}` : path })

/** A page, or the redirect from a former slug to the present one. */
function shown(slug: string, rest: string, lang: string | undefined, facts: ReturnType<typeof sql>, pageOf: (page: ShownPage) => string) {
  const found = plainRows<{ page: ShownPage | null }>(facts, ['page'])
  return read(
    mapResult(found, ([row]): WebPage => {
      if (!row?.page) throw new AppError('NOT_FOUND', 'No such page')
      const { profile } = row.page
      if (profile.slug !== slug) return movedTo(`/reputation/${profile.slug}${rest}`, lang)
      return new WebPage(200, pageOf(row.page), POLICY)
    }),
  )
}

/** The page of a workspace, with its published reviews and case studies. It changes nothing. */
export function showReputation(ctx: Ctx, slug: string, { lang, from }: Query): Plan<WebPage> {
  const view = viewFor(ctx, `/reputation/${slug}`, lang)
  const anchor = UUID.test(from ?? '') ? (from as string) : undefined
  const facts = call('reputation_page', slug, anchor ?? null, null, SHOWN + 1)
  return shown(slug, '', view.chosen, facts, (page) => profilePage(view, page, SHOWN, anchor))
}

export function showCaseStudy(ctx: Ctx, slug: string, id: string, { lang }: Query): Plan<WebPage> {
  const rest = `/case-studies/${id}`
  const view = viewFor(ctx, `/reputation/${slug}${rest}`, lang)
  const facts = call('reputation_page', slug, null, id, 0)
  return shown(slug, rest, view.chosen, facts, (page) => {
    if (!page.case_study) throw new AppError('NOT_FOUND', 'No such page')
    return caseStudyPage(view, page, page.case_study)
  })
}
