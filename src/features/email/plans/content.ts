import { type SQL, sql } from 'drizzle-orm'
import { textOf } from '../../../domain/templates.ts'
import { invalid } from '../../../errors.ts'
import { escapeHtml } from '../../../lib/html.ts'
import type { SanitiseOptions } from '../../../lib/sanitise-html.ts'
import { htmlOf } from '../../messages/plans/request-message.ts'
import { emptyTags, onOneLine, type Person, renderTags } from '../rules/merge-tags.ts'

/** The text and the HTML of an email. */
export type Content = { text: string; html: string }

/** The parser is loaded with the first HTML. */
export const sanitised = async (html: string, options: SanitiseOptions): Promise<string> =>
  (await import('../../../lib/sanitise-html.ts')).sanitiseHtml(html, options)

/** The HTML that is sent. @throws VALIDATION_ERROR for HTML of which nothing is left. */
export async function safeHtml(path: string, html: string): Promise<string> {
  const safe = await sanitised(html, { remoteImages: 'keep' })
  if (safe === '') throw invalid([{ path, message: 'Nothing is left without what emails cannot have, such as scripts' }])
  return safe
}

/** What is sent of a text and HTML: each is made of the other one, if it is missing. @throws VALIDATION_ERROR as safeHtml. */
export async function contentOf(
  { text = '', html }: { text?: string | undefined; html?: string | undefined },
  path = 'html',
): Promise<Content> {
  if (html === undefined || html.trim() === '') return { text, html: htmlOf(text) }
  const safe = await safeHtml(path, html)
  return { text: text.trim() === '' ? textOf(safe) : text, html: safe }
}

/** What a request says about its content. */
type Sent = {
  text?: string | undefined
  html?: string | undefined
  template_id?: string | undefined
  append_signature?: boolean | undefined
}
export type Template = { subject: string; body_html: string; body_text: string | null }
/** What is stored about the content of an email. */
export type ContentFacts = { template: Template | null; person: Person | null; signature: string | null }

/** Planned with until the facts are read. */
export const ANY_CONTENT: ContentFacts = { template: { subject: 'Any', body_html: 'Any', body_text: null }, person: null, signature: 'Any' }

/** A JSON object with the template, the values of its tags and the signature of the caller. `contact`: an SQL uuid. */
export const contentFacts = (
  { template_id, append_signature }: Sent,
  contact: SQL,
  user: SQL = sql`current_user_id()`,
): SQL => sql`jsonb_build_object(
  'template', ${template_id ? templateOf(template_id) : sql`null`},
  'person', ${template_id ? personOf(contact) : sql`null`},
  'signature', ${append_signature ? sql`(select s.body_html from email_signatures s where s.user_id = ${user})` : sql`null`})`

const templateOf = (id: string): SQL =>
  sql`(select jsonb_build_object('subject', t.subject, 'body_html', t.body_html, 'body_text', t.body_text)
    from email_templates t where t.id = ${id})`

/** The values of the merge tags for a contact, as a JSON object. */
export const personOf = (
  contact: SQL,
): SQL => sql`(select jsonb_build_object('first_name', p.first_name, 'last_name', p.last_name, 'email', p.email,
  'company_name', (select o.name from companies o where o.id = p.customer_id)) from contacts p where p.id = ${contact})`

/** A template with the values of a contact in place of its tags. @throws VALIDATION_ERROR as safeHtml. */
export async function renderTemplate({ subject, body_html, body_text }: Template, person: Partial<Person>) {
  const html = renderTags(body_html, person, escapeHtml)
  const content = await contentOf({ html, ...(body_text && { text: renderTags(body_text, person) }) }, 'template_id')
  const empty = emptyTags([subject, body_html, body_text ?? ''].join('\n'), person)
  return { subject: onOneLine(renderTags(subject, person)), content, empty }
}

/**
 * The content of an email: what was sent or that of the template, with the signature. `to` is the value of `{{email}}` without a contact.
 * @throws VALIDATION_ERROR for a template or a signature that does not exist, and as safeHtml.
 */
export async function composed(sent: Sent, { template, person, signature }: ContentFacts, to: string | undefined) {
  if (sent.template_id !== undefined && !template)
    throw invalid([{ path: 'template_id', message: 'template_id does not exist in this workspace' }])
  const { subject, content } =
    template && sent.template_id !== undefined
      ? await renderTemplate(template, person ?? { email: to ?? null })
      : { subject: undefined, content: await contentOf(sent) }
  return { subject, content: sent.append_signature ? signed(content, signature) : content }
}

function signed({ text, html }: Content, signature: string | null): Content {
  if (!signature) throw invalid([{ path: 'append_signature', message: 'You have no signature yet: set one with PUT /email/signature' }])
  return { text: `${text}\n\n${textOf(signature)}`, html: `${html}<br><br>${signature}` }
}
