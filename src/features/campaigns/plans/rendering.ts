import { emailOf, plainTextOf } from '../rules/content.ts'

/** What the merge tags of a recipient are made of. */
export type Person = { email: string; first_name: string | null; last_name: string | null; company_name: string | null }
type Template = { subject: string | null; body_html: string | null }

/** The email of one person. */
export const renderFor = (template: Template, person: Person, unsubscribeUrl: string) => renderer(template)(person, unsubscribeUrl)

/** Renders a campaign for many people; what is the same for all of them is done once. */
export function renderer({ subject, body_html }: Template) {
  const content = { subject: subject ?? '', body_html: body_html ?? '', body_text: plainTextOf(body_html ?? '') }
  return ({ email, first_name, last_name, company_name }: Person, unsubscribe_url: string) =>
    emailOf(content, { email, first_name, last_name, company_name, unsubscribe_url })
}
