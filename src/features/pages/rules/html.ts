import { escapeHtml } from '../../../lib/html.ts'

export type Params = Record<string, string | undefined>

/** An address with the parameters that have a value, safe within an attribute. */
export function href(path: string, params: Params): string {
  const set = Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined)
  // Both may stand in a query as they are, and pages have hundreds of them.
  const query = new URLSearchParams(set).toString().replaceAll('%2F', '/').replaceAll('%3A', ':')
  return escapeHtml(query ? `${path}?${query}` : path)
}

export const hidden = (params: Params): string =>
  Object.entries(params)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value as string)}">`)
    .join('')

/** Text of several lines as paragraphs. */
export const paragraphs = (text: string | null): string =>
  (text ?? '')
    .split(/\n+/)
    .filter((line) => line.trim() !== '')
    .map((line) => `<p>${escapeHtml(line)}</p>`)
    .join('')

/** How instants are written in a language and a zone. */
export function clock({ locale }: { locale: string }, timeZone: string) {
  const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, { timeZone, ...options })
  const date = format({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })
  const time = format({ hour: 'numeric', minute: '2-digit' })
  return {
    date: (at: number) => date.format(at),
    time: (at: number) => time.format(at),
    /** `Tuesday, 1 December 2026, 9:30 am – 10:00 am (Australia/Sydney)`. */
    range: (from: number, to: number) => `${date.format(from)}, ${time.format(from)} – ${time.format(to)} (${timeZone})`,
  }
}

/**
 * An image beside a text that says what it shows. Only those that are read over https are shown, and the policy of a page allows them: see
 * imagesOf.
 */
export function imageOf(address: string | null | undefined, style = ''): string {
  const url = address && URL.canParse(address) ? new URL(address) : undefined
  // Other signs in the name of a host could end a rule of the policy.
  if (url?.protocol !== 'https:' || !/^[a-z0-9.-]+(:\d+)?$/.test(url.host)) return ''
  return `<img src="${escapeHtml(url.href)}" alt=""${style && ` class="${style}"`}>`
}

/** The origins of the images of a page, for its policy. */
export const imagesOf = (page: string): string[] => [
  ...new Set([...page.matchAll(/<img src="(https:[^"]{1,4000})"/g)].map(([, address]) => new URL(String(address)).origin)),
]
