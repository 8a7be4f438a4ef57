import { eq, sql } from 'drizzle-orm'
import { emailTemplates } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { plan } from '../../../data/plan.ts'
import { constant, oneOrThrow, plainRows } from '../../../data/query.ts'
import { columnsFor, insertRow, lockForUpdate, updateRows } from '../../../data/store.ts'
import { invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import type { PERSON_TAGS, Person } from '../rules/merge-tags.ts'
import { EmailTemplate, type EmailTemplatePatch, type NewEmailTemplate } from '../schemas/email-templates.ts'
import { personOf, renderTemplate, safeHtml, type Template } from './content.ts'

const WHAT = 'email template'
const columns = columnsFor(emailTemplates, EmailTemplate)
const stored = (id: string) => oneOrThrow(db.select(columns).from(emailTemplates).where(eq(emailTemplates.id, id)), WHAT, id)

export async function createTemplate(_ctx: Ctx, input: NewEmailTemplate) {
  await safeHtml('body_html', input.body_html)
  const id = newId()
  return plan([insertRow(emailTemplates, { ...input, id })], stored(id))
}

export async function updateTemplate(ctx: Ctx, id: string, patch: EmailTemplatePatch) {
  if (patch.body_html !== undefined) await safeHtml('body_html', patch.body_html)
  return plan(
    [lockForUpdate(ctx, emailTemplates, id, WHAT), updateRows(emailTemplates, patch, eq(emailTemplates.id, id), { id })],
    stored(id),
  )
}

const read = (ctx: Ctx, id: string) => ctx.read(stored(id))

/** Adds a template with the same texts. */
export async function duplicateTemplate(ctx: Ctx, id: string, name: string) {
  const { subject, body_html, body_text } = await ctx.readConfirmed(stored(id))
  const copy = newId()
  return plan([insertRow(emailTemplates, { id: copy, name, subject, body_html, body_text })], stored(copy))
}

/** Renders a template for a contact, as it would be sent. */
export async function previewTemplate(ctx: Ctx, id: string, contact?: string) {
  const { subject, content, empty } = await renderTemplate((await read(ctx, id)) as Template, await personFor(ctx, contact))
  return plan(
    [],
    constant({ subject, body_html: content.html, body_text: content.text, empty_tags: empty as (typeof PERSON_TAGS)[number][] }),
  )
}

async function personFor(ctx: Ctx, contact?: string): Promise<Partial<Person>> {
  if (contact === undefined) return {}
  const [found] = await ctx.read(plainRows<{ person: Person | null }>(sql`select ${personOf(sql`${contact}::uuid`)}`, ['person']))
  if (!found?.person) throw invalid([{ path: 'contact_id', message: 'contact_id does not exist in this workspace' }])
  return found.person
}
