import { sql } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { constant, mapResult, plainRows } from '../../../data/query.ts'
import { AppError, STATUS_OF } from '../../../errors.ts'
import { hashPin, readSession, sessionCookie } from '../../../lib/portal-secrets.ts'
import { redirectTo, WebPage } from '../../../lib/web-page.ts'
import { addressOf, networkHash, partsOf } from '../../pages/plans/visits.ts'
import type { Typed } from '../../pages/rules/form-fields.ts'
import { LANGUAGES, languageOf } from '../../pages/rules/languages.ts'
import { policyFor } from '../../pages/rules/policy.ts'
import { tokenHash } from '../../webhooks/plans/incoming.ts'
import { LOCK_MINUTES, MOST_SHOWN, MOST_WRONG_PINS, SESSION_SECONDS } from '../rules/limits.ts'
import { type PortalPage, type PortalView, type PortalWorkspace, pinPage, portalMessage, portalPage } from '../rules/pages.ts'
import { readPin } from '../rules/pin.ts'
import { PORTAL_TEXTS } from '../rules/texts.ts'

const COOKIE = 'portal_session'
const NOT_KEPT = { 'Cache-Control': 'no-store', 'X-Robots-Tag': 'noindex', ...policyFor([]) }

/** Whoever opens the address of a portal. An unknown token, an expired and a revoked one are refused alike. */
export async function portalVisitor({ url, headers, method }: { url: string; headers: Headers; method: string }) {
  const hash = await tokenHash(partsOf(url)[2] ?? '')
  const address = addressOf(headers)
  const rates =
    method === 'POST'
      ? [
          { rate: 'sends' as const, id: `portal ${address}` },
          { rate: 'sends' as const, id: `portal ${hash}` },
        ]
      : [{ rate: 'default' as const, id: `pages ${address}` }]
  return { kind: 'public_token' as const, id: 'portal', grant: call('portal_grant', hash), rates }
}

function viewOf(ctx: Ctx, token: string, lang: string | undefined): PortalView {
  const language = languageOf(lang, ctx.received?.headers.get('accept-language') ?? null)
  const kept = { lang: lang !== undefined && Object.hasOwn(LANGUAGES, lang) ? lang : undefined }
  return { path: `/portal/${encodeURIComponent(token)}`, language, kept }
}

const page = (status: number, html: string, headers: Record<string, string> = {}) => new WebPage(status, html, { ...NOT_KEPT, ...headers })

type Door = { id: string; pin_seed: string; workspace: PortalWorkspace }

/** Shows what a portal is about to whoever has entered its PIN, and to others the form for the PIN. */
export async function showPortal(ctx: Ctx, token: string, lang: string | undefined): Promise<Plan<WebPage>> {
  const view = viewOf(ctx, token, lang)
  const hash = await tokenHash(token)
  const session = readSession(ctx.deployment.linkSecret, token, cookieOf(ctx), ctx.now)
  const shown = session ? sql`portal_page(${hash}, ${session.pin_seed}::uuid, ${MOST_SHOWN}::int)` : sql`null::jsonb`
  const found = plainRows<{ shown: PortalPage | null; door: Door }>(sql`select ${shown}, portal_door(${hash})`, ['shown', 'door'])
  return read(
    mapResult(found, ([row]) => {
      if (!row) throw new AppError('NOT_FOUND', 'No such page')
      return page(200, row.shown ? portalPage(view, row.shown) : pinPage(view, row.door.workspace, []))
    }),
  )
}

/** Compares a PIN. The first round trip reads what it is hashed with, the second one counts a wrong one. */
export async function enterPortal(ctx: Ctx, token: string, { pin = '', lang }: Typed): Promise<Plan<WebPage>> {
  const view = viewOf(ctx, token, lang)
  const texts = PORTAL_TEXTS[view.language]
  const hash = await tokenHash(token)
  const door = await ctx.read(mapResult(plainRows<{ door: Door }>(call('portal_door', hash), ['door']), ([row]) => row?.door))
  if (!door) throw new AppError('NOT_FOUND', 'No such page')
  const refused = (status: number, message: string) => page(status, pinPage(view, door.workspace, [{ field: 'pin', message }]))
  const typed = readPin(pin)
  // What cannot be a PIN opens nothing, so it is not counted.
  if (typed === undefined) return plan([], constant(refused(422, texts.wrong)))
  const entered = call(
    'enter_portal',
    door.id,
    await hashPin(typed, door.pin_seed),
    networkHash(ctx.received?.headers, 'portal'),
    MOST_WRONG_PINS,
    LOCK_MINUTES,
  )
  const outcome = plainRows<{ outcome: { open?: boolean; locked?: number } }>(entered, ['outcome'])
  return plan(
    [],
    mapResult(outcome, ([row]) => {
      if (row?.outcome.locked) return refused(429, texts.locked(row.outcome.locked))
      if (!row?.outcome.open) return refused(422, texts.wrong)
      const expires = Math.floor(ctx.now.getTime() / 1000) + SESSION_SECONDS
      const value = sessionCookie(ctx.deployment.linkSecret, token, { pin_seed: door.pin_seed, expires })
      return withCookie(ctx, view, value, SESSION_SECONDS)
    }),
  )
}

/** Ends the session of the page. */
export const leavePortal = (ctx: Ctx, token: string, { lang }: Typed): Plan<WebPage> =>
  plan([], constant(withCookie(ctx, viewOf(ctx, token, lang), '', 0)))

/** Leads to the page, and has the browser keep a cookie for it, or forget it. */
function withCookie(ctx: Ctx, { path, kept }: PortalView, value: string, seconds: number): WebPage {
  const secure = ctx.appUrl.startsWith('https:') ? '; Secure' : ''
  const { status, text, headers } = redirectTo(kept.lang ? `${path}?lang=${kept.lang}` : path)
  const cookie = `${COOKIE}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
  return new WebPage(status, text, { ...NOT_KEPT, ...headers, 'Set-Cookie': cookie })
}

const cookieOf = ({ received }: Ctx): string | undefined =>
  new RegExp(`(?:^|;\\s*)${COOKIE}=([^;]*)`).exec(received?.headers.get('cookie') ?? '')?.[1]

/** The page for an error. */
export function portalFailure(error: AppError, { url, headers }: Pick<Request, 'url' | 'headers'>): WebPage {
  const { pathname, searchParams } = new URL(url)
  const language = languageOf(searchParams.get('lang') ?? undefined, headers.get('accept-language'))
  const texts = PORTAL_TEXTS[language]
  const message = (status: number, title: string, text: string) =>
    page(status, portalMessage({ path: pathname, language, kept: {} }, title, text))
  if (['UNAUTHENTICATED', 'NOT_FOUND', 'VALIDATION_ERROR', 'METHOD_NOT_ALLOWED'].includes(error.code))
    return message(404, texts.not_found, texts.not_found_text)
  if (error.code === 'RATE_LIMITED') return message(429, texts.many, texts.many_text)
  return message(STATUS_OF[error.code], texts.failed, texts.failed_text)
}
