import { sql } from 'drizzle-orm'
import { plan, read } from '../../../data/plan.ts'
import { mapResult, plainRows } from '../../../data/query.ts'
import type { EmailSignature } from '../schemas/email-templates.ts'
import { safeHtml } from './content.ts'

const own = () =>
  mapResult(
    plainRows<EmailSignature>(
      sql`select s.body_html, iso(s.updated_at) from (select 1) one left join email_signatures s on s.user_id = current_user_id()`,
      ['html', 'updated_at'],
    ),
    ([row]) => row as EmailSignature,
  )

/** Returns the signature of the caller. */
export const getSignature = () => read(own())

/** Replaces the signature of the caller, or removes it. */
export async function setSignature(html: string | null) {
  if (html === null || html.trim() === '') return plan([sql`delete from email_signatures where user_id = current_user_id()`], own())
  const safe = await safeHtml('html', html)
  return plan(
    [
      sql`insert into email_signatures (user_id, body_html) values (current_user_id(), ${safe})
        on conflict (workspace_id, user_id) do update set body_html = excluded.body_html, updated_at = now()
        where email_signatures.body_html <> excluded.body_html`,
    ],
    own(),
  )
}
