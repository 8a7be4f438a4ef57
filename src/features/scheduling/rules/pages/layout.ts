import { escapeHtml } from '../../../../lib/html.ts'
import type { ChallengeWidget } from '../../../pages/rules/challenge.ts'
import { pageDocument } from '../../../pages/rules/document.ts'
import { type Params, paragraphs } from '../../../pages/rules/html.ts'
import type { Language } from '../../../pages/rules/languages.ts'
import { TEXTS, type Texts } from './texts.ts'

/**
 * What every page of a visitor has: its path, the language, the parameters that the next address keeps, and the sites that may show it in a
 * frame.
 * `challenge`: what a form whose visitors show that they are people has for that, if the deployment has it.
 */
export type PageView = {
  path: string
  language: Language
  texts: Texts
  kept: Params
  sites?: string[]
  challenge?: { widget: ChallengeWidget | undefined }
}

export const viewOf = (path: string, language: Language, kept: Params = {}): PageView => ({ path, language, texts: TEXTS[language], kept })

/** The rules for days and times, beside those of every page. */
const STYLE = `
.days,.times{display:grid;gap:.5rem;grid-template-columns:repeat(auto-fill,minmax(8rem,1fr))}\
.times{grid-template-columns:repeat(auto-fill,minmax(6.5rem,1fr))}
.days a,.days span,.times a{display:block;min-height:2.75rem;padding:.5rem .6rem;border:1px solid var(--line);border-radius:.4rem;\
text-decoration:none}.days span{border-style:dashed;color:var(--soft)}.days small{display:block}.times a{text-align:center;font-weight:600}\
.times small{display:block;font-weight:400}
.days a[aria-current]{background:var(--act);color:var(--on);border-color:var(--act)}\
.pages{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.5rem 1rem;margin:1rem 0}.pages a{padding:.5rem 0}
.hosts{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem;margin:0 0 1rem}\
.hosts img{width:2.75rem;height:2.75rem;border-radius:50%;object-fit:cover}
.month{width:100%;table-layout:fixed;border-collapse:separate;border-spacing:.2rem;text-align:center}\
.month caption{font-weight:600;padding:.4rem}.month a,.month span{display:block;line-height:2.75rem}\
.month a{border:1px solid var(--line);border-radius:.4rem;font-weight:600;text-decoration:none}.month span{color:var(--soft)}`

/** A workspace as its pages show it. */
export type Brand = { name: string; color: string | null; logo: string | null }
export const branded = ({ name, color, logo }: Brand) => ({ workspace: name, color, logo })

/** `booked`: what the site that shows the page in a frame learns of a booking that was just made. */
export type Document = {
  title: string
  workspace?: string
  color?: string | null
  logo?: string | null
  body: string
  here?: Params
  booked?: string | undefined
}

/** A whole page. It is complete without the script. */
export function documentOf({ sites = [], texts, ...place }: PageView, { booked, ...page }: Document): string {
  const frame = `${sites.length > 0 ? ` data-sites="${escapeHtml(sites.join(' '))}"` : ''}${booked ? ` data-booked="${booked}"` : ''}`
  return pageDocument({ ...place, languages: texts.language }, { ...page, style: STYLE, script: '/book/page/v1.js', attributes: frame })
}

/** A page of a workspace that says one thing, and leads on. */
export const linkPage = (
  view: PageView,
  { title, workspace, about = '', href, text }: { title: string; workspace: Brand; about?: string; href: string; text: string },
): string =>
  documentOf(view, {
    title,
    ...branded(workspace),
    body: `${paragraphs(about)}<p><a href="${href}">${escapeHtml(text)}</a></p>`,
  })

/** A page that says one thing. */
export const messagePage = (view: PageView, title: string, text: string): string =>
  documentOf(view, { title, body: `<p>${escapeHtml(text)}</p>` })
