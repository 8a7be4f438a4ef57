import { statSync } from 'node:fs'
import { expect } from 'vitest'
import type { Harness } from '../../harness.ts'
import type { TestWorkspace } from '../../workspace.ts'
import { type Crm, found, type Row } from '../crm.ts'
import { monday, sydney } from './scheduling.ts'

/** The largest page with its script, in bytes. */
const LARGEST = 60_000
const SCRIPT = statSync('public/book/page/v1.js').size
/**
 * The policy of every page: one script of this host, nothing from elsewhere but a challenge, forms for this host only, and no site that
 * shows it in a frame.
 */
const policyWith = (script: string, frame = '') =>
  `default-src 'none'; script-src 'self'${script};${frame} connect-src 'self'; style-src 'unsafe-inline'; form-action 'self'; ` +
  "base-uri 'none'; frame-ancestors 'none'"
const SCRIPTS = ['<script src="/book/page/v1.js" defer></script>']

export type Page = { status: number; text: string; location: string | null; headers: Headers }
type Options = { address?: string; language?: string }

const decoded = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[name as 'amp'])

let visitors = 0
/** Each visitor has an address of their own, unless it is given. */
const nextAddress = () => `198.51.${100 + (Math.floor(++visitors / 250) % 100)}.${visitors % 250}`

/** What a browser without a script does: it follows links and sends forms. Each page is checked on arrival. */
export function visitor(app: Harness, { address = nextAddress(), language = 'en' }: Options = {}) {
  const headers = { 'cf-connecting-ip': address, 'accept-language': language }
  const send = async (path: string, method: string, body?: string): Promise<Page> => {
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
    const {
      status,
      text,
      headers: sent,
    } = await app.client(path, { method, headers: { ...headers, ...type }, ...(body !== undefined && { body }) })
    const page = { status, text, location: sent.get('location'), headers: sent }
    if (status !== 303 && !sent.get('content-type')?.startsWith('text/calendar')) checkPage(page, app.turnstile.url)
    return page
  }
  return {
    get: (path: string) => send(path, 'GET'),
    post: (path: string, fields: Row) => send(path, 'POST', new URLSearchParams(fields).toString()),
  }
}

/**
 * What holds for every page: small, no script but that of a challenge that it shows, nothing else from elsewhere, a language, one heading,
 * and a label for every field.
 */
function checkPage({ text, headers }: Page, challenges: string): void {
  const hasChallenge = text.includes('class="cf-turnstile"')
  expect(headers.get('content-security-policy')).toBe(
    hasChallenge ? policyWith(` ${challenges}`, ` frame-src ${challenges};`) : policyWith(''),
  )
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(new TextEncoder().encode(text).length + SCRIPT).toBeLessThan(LARGEST)
  expect(text).toMatch(/^<!doctype html>\n<html lang="(en|de)">/)
  const challenge = hasChallenge ? [`<script src="${challenges}/turnstile/v0/api.js" async defer></script>`] : []
  expect(text.match(/<script[\s\S]*?<\/script>/g)).toEqual([...SCRIPTS, ...challenge])
  expect(text).not.toMatch(/<img|<link|<iframe|\son\w+=|javascript:|url\(/i)
  expect(text.match(/<h1>/g)).toHaveLength(1)
  for (const [, id] of text.matchAll(/<(?:input|select|textarea) id="([^"]+)"/g))
    expect(text, `label of ${id}`).toContain(`<label for="${id}"`)
  for (const [, ids] of text.matchAll(/aria-describedby="([^"]+)"/g))
    for (const id of (ids as string).split(' ')) expect(text, id).toContain(`id="${id}"`)
  for (const [, id] of text.matchAll(/href="#([^"]+)"/g)) expect(text, `target of #${id}`).toContain(`id="${id}"`)
}

/** The addresses that a page links to. */
export const links = ({ text }: Pick<Page, 'text'>): string[] =>
  [...text.matchAll(/<a [^>]*?href="([^"]*)"/g)].map(([, href]) => decoded(href as string))
/** The hidden fields of a page's form. */
export const hiddenFields = ({ text }: Page): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(([, name, value]) => [name, decoded(value as string)]),
  )

/** Enables the workspace's page, and returns its address. */
export async function openPage(ws: TestWorkspace): Promise<string> {
  found(await ws.patch('/company/crm-settings', { booking_page_enabled: true }))
  return `/book/${found(await ws.get('/company')).slug}`
}

export const day = monday(2)
export const ANA = { name: 'Ana Lee', email: 'ana@example.com', phone: '', notes: '' }

/** The address of the form for a time in Sydney. */
export const formAt = (page: string, time: string) =>
  `${page}/first-meeting?${new URLSearchParams({ tz: 'Australia/Sydney', at: sydney(day, time) })}`

/** What the tests of the pages share. */
export function visits(crm: Crm) {
  /** Opens the form for a time, and fills it in. */
  const filled = async (page: string, time: string, fields: Row = {}) => {
    const form = await visitor(crm.app).get(formAt(page, time))
    expect(form.status, form.location ?? '').toBe(200)
    return { ...hiddenFields(form), ...ANA, ...fields } as Row
  }
  return {
    filled,
    bookings: async (): Promise<Row[]> => found(await crm.ws.get('/scheduling-bookings?sort=created_at')),
    /** Books a time, and returns the address of the booking's page. */
    booked: async (page: string, time: string, fields: Row = {}): Promise<string> => {
      const { status, location } = await visitor(crm.app).post(`${page}/first-meeting`, await filled(page, time, fields))
      expect(status).toBe(303)
      return (location as string).split('?')[0] as string
    },
  }
}
