import { escapeHtml } from '../../lib/html.ts'
import { LANGUAGES, type Language, TEXTS, type Texts } from './texts.ts'

/** What every page of a visitor has: its path, the language, the parameters that the next address keeps, and the sites that may show it in a frame. */
export type PageView = { path: string; language: Language; texts: Texts; kept: Params; sites?: string[] }
export type Params = Record<string, string | undefined>

export const viewOf = (path: string, language: Language, kept: Params = {}): PageView => ({ path, language, texts: TEXTS[language], kept })

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
export function clock({ locale }: Texts, timeZone: string) {
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

/** How the pages look that people open without a key. */
export const STYLE = `:root{color-scheme:light dark;--text:#1a1a1a;--soft:#52565c;--back:#fff;--line:#767b83;--tint:#eef3f9;--act:#0b5394;--on:#fff;--bad:#a1160a}
@media(prefers-color-scheme:dark){:root{--text:#f0f0f0;--soft:#b9bec6;--back:#15181c;--line:#8a9099;--tint:#232a33;--act:#9cc7f5;--on:#10151b;--bad:#ffa69b}}
*{box-sizing:border-box}body{font:1.0625rem/1.55 system-ui,sans-serif;margin:0;color:var(--text);background:var(--back);border-top:.4rem solid var(--brand,var(--act))}
main,header,footer{max-width:40rem;margin:0 auto;padding:0 1rem;overflow-wrap:anywhere}header{padding-top:1rem;color:var(--soft)}header p{margin:0}footer{padding-top:2rem;padding-bottom:2rem;color:var(--soft)}
h1{font-size:1.6rem;line-height:1.25;margin:.6rem 0 1rem}h2{font-size:1.2rem;margin:1.6rem 0 .6rem}a{color:var(--act)}
:focus-visible{outline:3px solid var(--act);outline-offset:2px}
ul.plain{list-style:none;padding:0;margin:0}.card{border:1px solid var(--line);border-radius:.5rem;padding:.8rem 1rem;margin-bottom:.8rem}.card h2{margin:0}.card p{margin:.3rem 0 0}
.days,.times{display:grid;gap:.5rem;grid-template-columns:repeat(auto-fill,minmax(8rem,1fr))}.times{grid-template-columns:repeat(auto-fill,minmax(6.5rem,1fr))}
.days a,.days span,.times a{display:block;min-height:2.75rem;padding:.5rem .6rem;border:1px solid var(--line);border-radius:.4rem;text-decoration:none}.days span{border-style:dashed;color:var(--soft)}.days small{display:block}.times a{text-align:center;font-weight:600}.times small{display:block;font-weight:400}
.days a[aria-current]{background:var(--act);color:var(--on);border-color:var(--act)}.pages{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.5rem 1rem;margin:1rem 0}.pages a{padding:.5rem 0}
label,legend{font-weight:600;display:block;padding:0}.field{margin:0 0 1.1rem;border:0;padding:0;min-width:0}.field small{display:block;color:var(--soft);font-weight:400}.field label small,legend small{display:inline}
input,select,textarea{font:inherit;width:100%;max-width:100%;min-height:2.75rem;padding:.5rem .6rem;color:var(--text);background:var(--back);border:1px solid var(--line);border-radius:.4rem}
.choice{display:flex;align-items:center;gap:.6rem;min-height:2.75rem;font-weight:400}.choice input{width:1.4rem;min-height:1.4rem;flex:none}
[aria-invalid]{border:2px solid var(--bad)}.wrong{display:block;color:var(--bad);font-weight:600}.errors{border:3px solid var(--bad);border-radius:.5rem;padding:.8rem 1rem;margin-bottom:1.5rem}.errors h2{margin:0 0 .4rem}.errors a{color:var(--bad)}.errors ul{margin:0;padding-left:1.2rem}
button,.button{font:inherit;font-weight:600;display:inline-block;min-height:2.75rem;padding:.6rem 1.2rem;border:0;border-radius:.4rem;background:var(--act);color:var(--on);cursor:pointer;text-decoration:none}[aria-disabled]{opacity:.6}.quiet{background:none;color:var(--bad);border:2px solid var(--bad)}
.note{background:var(--tint);border-radius:.5rem;padding:.7rem 1rem;margin:0 0 1rem}dl{margin:0}dt{color:var(--soft)}dd{margin:0 0 .7rem;font-weight:600}.trap{position:absolute;left:-9999px}`

/**
 * `here`: the parameters beside those that every address keeps, with which the page is shown in another language. `booked`: what the site that shows the page
 * in a frame learns of a booking that was just made.
 */
export type Document = {
  title: string
  workspace?: string
  color?: string | null
  body: string
  here?: Params
  booked?: string | undefined
}

/** A whole page. It is complete without the script. */
export function documentOf(
  { path, language, texts, kept, sites = [] }: PageView,
  { title, workspace, color, body, here, booked }: Document,
): string {
  // Only the line at the top has the workspace's colour, because a text in it might not be legible.
  const brand = color && /^#[0-9a-f]{3,8}$/i.test(color) ? `<style>:root{--brand:${color}}</style>` : ''
  const others = (Object.keys(LANGUAGES) as Language[]).filter((other) => other !== language)
  const links = others.map(
    (lang) => `<a href="${href(path, { ...kept, ...here, lang })}" lang="${lang}" hreflang="${lang}" rel="nofollow">${LANGUAGES[lang]}</a>`,
  )
  const frame = `${sites.length > 0 ? ` data-sites="${escapeHtml(sites.join(' '))}"` : ''}${booked ? ` data-booked="${booked}"` : ''}`
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(workspace ? `${title} – ${workspace}` : title)}</title>
<style>${STYLE}</style>${brand}
<script src="/book/page/v1.js" defer></script>
</head>
<body${frame}>
${workspace ? `<header><p>${escapeHtml(workspace)}</p></header>` : ''}
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
<footer><nav aria-label="${texts.language}">${links.join(' ')}</nav></footer>
</body>
</html>
`
}

/** A page of a workspace that says one thing, and leads on. */
export const linkPage = (
  view: PageView,
  {
    title,
    workspace,
    about = '',
    href,
    text,
  }: { title: string; workspace: { name: string; color: string | null }; about?: string; href: string; text: string },
): string =>
  documentOf(view, {
    title,
    workspace: workspace.name,
    color: workspace.color,
    body: `${paragraphs(about)}<p><a href="${href}">${escapeHtml(text)}</a></p>`,
  })

/** A page that says one thing. */
export const messagePage = (view: PageView, title: string, text: string): string =>
  documentOf(view, { title, body: `<p>${escapeHtml(text)}</p>` })
