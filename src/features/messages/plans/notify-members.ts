import { sql } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import { plan, waking } from '../../../data/plan.ts'
import { mapResult, plainRows } from '../../../data/query.ts'
import { AppError, invalid } from '../../../errors.ts'
import type { Notice } from '../schemas/messages.ts'
import { htmlOf } from './request-message.ts'
import { sendMessage } from './send-message.ts'

/** The most members that a notice is sent to. */
export const MAX_NOTIFIED = 100
type Member = { user_id: string; email: string }
/** The members who are meant, and the fields that name nothing in the workspace. */
type Found = { members: Member[]; unknown: string[] }

/** What a notice can name, each with the members who are meant by it. */
const KINDS = {
  contact_id: sql`(select 'contact_id' as kind, c.assigned_to as user_id from contacts c where c.id = r.id)`,
  customer_id: sql`(select 'customer_id', c.assigned_to from companies c where c.id = r.id)`,
  opportunity_id: sql`(select 'opportunity_id', o.assigned_to from opportunities o where o.id = r.id)`,
  'followed contact_id': sql`(select 'followed contact_id', f.user_id from contacts c left join followers f on f.contact_id = c.id
    where c.id = r.id)`,
  'followed customer_id': sql`(select 'followed customer_id', f.user_id from companies c left join followers f on f.customer_id = c.id
    where c.id = r.id)`,
  'followed opportunity_id': sql`(select 'followed opportunity_id', f.user_id from opportunities o
    left join followers f on f.opportunity_id = o.id where o.id = r.id)`,
  member: sql`(select 'member', m.user_id from memberships m where m.user_id = r.id and m.status = 'active')`,
}
const anyKind = sql.join(Object.values(KINDS), sql` union all `)

/** The references of a notice, with their fields. */
const referencesOf = ({ user_ids = [], assignee_of = {}, followers_of = {} }: Notice) => [
  ...user_ids.map((id, index) => ({ path: `user_ids.${index}`, kind: 'member', id })),
  ...Object.entries(assignee_of).map(([kind, id]) => ({ path: `assignee_of.${kind}`, kind, id })),
  ...Object.entries(followers_of).map(([kind, id]) => ({ path: `followers_of.${kind}`, kind: `followed ${kind}`, id })),
]

function meant(notice: Notice) {
  const role = notice.role ?? null
  return plainRows<Found>(
    sql`with named as materialized (
      select r.path, k.kind, k.user_id
        from jsonb_to_recordset(${JSON.stringify(referencesOf(notice))}::jsonb) r(path text, kind text, id uuid)
        left join lateral (${anyKind}) k on k.kind = r.kind
    ) select (select coalesce(json_agg(json_build_object('user_id', m.user_id, 'email', u.email) order by m.user_id), '[]')
        from memberships m join users u on u.id = m.user_id
        where m.status = 'active' and m.user_id = any(array(select user_id from named union
          (select user_id from memberships where role = ${role} and status = 'active' limit ${MAX_NOTIFIED + 1}::int)))) as members,
      (select coalesce(json_agg(path), '[]') from (select path from named where kind is null union all
        select 'role' where ${role}::text is not null and not exists (select from roles where role_key = ${role})) missing) as unknown`,
    ['members', 'unknown'],
  )
}

/** Planned with until the members are read, in a round trip that a repeated request does not take. */
const ANYONE: Found = { members: [{ user_id: '00000000-0000-0000-0000-000000000000', email: 'nobody@example.com' }], unknown: [] }

/**
 * Reserves an email to members of the workspace. @throws RECIPIENT_UNREACHABLE when nobody is meant, as for a record that nobody is
 * assigned to.
 */
export async function notifyMembers(ctx: Ctx, notice: Notice) {
  const { subject, text, html = htmlOf(text) } = notice
  const [{ members, unknown } = ANYONE] = await ctx.assume(meant(notice), [ANYONE], sql`false`)
  if (unknown.length > 0) throw invalid(unknown.map((path) => ({ path, message: 'does not exist in this workspace' })))
  if (members.length > MAX_NOTIFIED) throw invalid([{ path: 'role', message: `More than ${MAX_NOTIFIED} members are meant` }])
  if (members.length === 0) throw new AppError('RECIPIENT_UNREACHABLE', 'No member is meant', { reason: 'no_recipient' })
  const emails = members.map((member) => asEmail(ctx, { ...member, subject, text, html }))
  const statements = emails.map(({ statement }) => statement)
  return waking('messages.send', plan(statements, sent(emails.map(({ key }) => key))))
}

const sent = (keys: string[]) =>
  mapResult(
    plainRows<{ message_id: string; recipient: string }>(
      sql`select id, recipient from messages where dedupe_key = any(array(select jsonb_array_elements_text(${JSON.stringify(keys)}::jsonb)))
        order by id`,
      ['message_id', 'recipient'],
    ),
    (recipients) => ({ recipients }),
  )

function asEmail(ctx: Ctx, { user_id, email, ...content }: Member & { subject: string; text: string; html: string }) {
  const key = `${ctx.effectKey}:${user_id}`
  const message = sendMessage({ ...content, channel: 'email', purpose: 'notice', contact_id: null, recipient: email, dedupe_key: key })
  if ('code' in message) throw new AppError(message.code, message.message)
  return { key, statement: message.statement }
}
