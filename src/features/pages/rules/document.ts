import { readableOn, toHexColour } from '../../../domain/colours.ts'
import { escapeHtml } from '../../../lib/html.ts'
import { href, imageOf, type Params } from './html.ts'
import { LANGUAGES, type Language } from './languages.ts'
import { STYLE } from './style.ts'

/** Where a page is: its path, its language, the parameters that every further address keeps, and what its language links are called. */
export type Place = { path: string; language: Language; kept: Params; languages: string }

/**
 * `here`: the parameters beside those that every address keeps, with which the page is shown in another language. `style`: rules beside
 * those of every page. `script`: the address of a script, without which the page is complete too. `attributes`: those of the body, escaped.
 * `listed`: for a page that search engines may list, its one address, a summary, and its content as JSON-LD.
 */
export type PageDocument = {
  title: string
  workspace?: string | undefined
  color?: string | null | undefined
  logo?: string | null | undefined
  body: string
  here?: Params | undefined
  style?: string
  script?: string
  attributes?: string
  listed?: { address: string; summary: string; data: object }
}

/**
 * The line at the top and the buttons have the workspace's colour. A text on it is black or white, whichever is easier to read; no other
 * text has the colour.
 */
function brandOf(color: string): string {
  const hex = toHexColour(color)
  if (!hex) return ''
  return (
    `<style>:root{--brand:${hex}}button:not(.quiet),.button{background:${hex};color:${readableOn(hex)};border:1px ` +
    'solid var(--line)}</style>'
  )
}

/** JSON within HTML: no sign of it ends the element. */
const jsonInHtml = (data: object) =>
  JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)

const robotsOf = (listed: PageDocument['listed']) =>
  listed
    ? `<link rel="canonical" href="${escapeHtml(listed.address)}">
<meta name="description" content="${escapeHtml(listed.summary)}">
<script type="application/ld+json">${jsonInHtml(listed.data)}</script>`
    : '<meta name="robots" content="noindex">'

/** A whole page for people without a key. Search engines leave it out unless it is `listed`, and links on it do not tell its address. */
export function pageDocument({ path, language, kept, languages }: Place, page: PageDocument): string {
  const { title, workspace, color, logo, body, here, style = '', script, attributes = '', listed } = page
  const brand = color ? brandOf(color) : ''
  const others = (Object.keys(LANGUAGES) as Language[]).filter((other) => other !== language)
  const links = others.map(
    (lang) => `<a href="${href(path, { ...kept, ...here, lang })}" lang="${lang}" hreflang="${lang}" rel="nofollow">${LANGUAGES[lang]}</a>`,
  )
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${robotsOf(listed)}
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(workspace ? `${title} – ${workspace}` : title)}</title>
<style>${STYLE}${style}</style>${brand}
${script ? `<script src="${script}" defer></script>` : ''}
</head>
<body${attributes}>
${workspace ? `<header>${imageOf(logo, 'logo')}<p>${escapeHtml(workspace)}</p></header>` : ''}
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
<footer><nav aria-label="${escapeHtml(languages)}">${links.join(' ')}</nav></footer>
</body>
</html>
`
}
