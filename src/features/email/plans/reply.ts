import { type SQL, sql } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import { invalid } from '../../../errors.ts'
import { replySubject } from '../rules/emails.ts'
import type { EmailReply } from '../schemas/emails.ts'
import { attachedFacts, filesOf, type StoredFile } from './attached.ts'
import { ANY_CONTENT, type ContentFacts, composed, contentFacts } from './content.ts'
import { dispatch, type Outgoing, senderOf } from './dispatch.ts'
import { assertReachable, assertSender, factsQuery, NOWHERE, textArray, unreachable, type WorkspaceFacts, workspaceFacts } from './facts.ts'
import { assertSameMailbox, personalSender } from './personal.ts'

type Message = { internet_id: string; reference_ids: string[] }
type Thread = {
  subject: string
  /** Null for a contact without an email. */
  recipient: string | null
  contact_id: string | null
  archived: boolean
  deal_id: string | null
  after: Message | null
  private_to: string | null
  outside_thread_id: string | null
}
/** What is stored about a reply to be sent. */
export type ReplyFacts = { workspace: WorkspaceFacts; content: ContentFacts; files: StoredFile[]; thread: Thread | null }
const ANY: ReplyFacts = {
  workspace: NOWHERE,
  content: ANY_CONTENT,
  files: [],
  thread: {
    subject: 'Any',
    recipient: 'nobody@example.com',
    contact_id: null,
    archived: false,
    deal_id: null,
    after: null,
    private_to: null,
    outside_thread_id: null,
  },
}

/**
 * The recipient: the contact of the latest inbound message, at its email; or its sender, where that wants replies; or whom the latest
 * outbound message went to. An automatic message, such as a bounce, is replied to only where there is no other.
 */
export function replyFacts(body: EmailReply): SQL {
  const { thread_id, cc = [], bcc = [] } = body
  const last = (direction: string) => sql`(select e from email_messages e where e.thread_id = ${thread_id} and e.direction = ${direction}
    and (not e.is_automatic or not exists (select from email_messages o where o.thread_id = ${thread_id} and not o.is_automatic))
    order by e.occurred_at desc, e.id desc limit 1)`
  // A condition on contacts may only compare columns: a coalesce or a subselect in it would read every contact (`offset 0` keeps them
  // apart).
  const thread = sql`(select jsonb_build_object('subject', t.subject, 'private_to', t.private_to, 'outside_thread_id', t.outside_thread_id,
      'contact_id', c.id, 'archived', coalesce(c.archived, false),
      'recipient', case when c.id is not null then c.email else coalesce((i).reply_to, (i).from_email, (o).to_emails[1]) end,
      'deal_id', (select l.deal_id from email_thread_links l where l.thread_id = t.id and l.deal_id is not null order by l.id limit 1),
      'after', (select jsonb_build_object('internet_id', e.internet_id, 'reference_ids', e.reference_ids) from email_messages e
        where e.thread_id = t.id
        order by e.is_automatic, e.occurred_at desc, e.id desc limit 1))
    from email_threads t cross join lateral (select ${last('inbound')} as i, ${last('outbound')} as o) m
      cross join lateral (select coalesce((m.i).contact_id, case when m.i is null then t.contact_id end) as contact_id offset 0) w
      left join contacts c on c.id = w.contact_id where t.id = ${thread_id})`
  return sql`(select jsonb_build_object('thread', f.thread, 'files', ${attachedFacts(body)},
    'content', ${contentFacts(body, sql`(select (f.thread ->> 'contact_id')::uuid)`)},
    'workspace', ${workspaceFacts(body, sql`(${textArray([...cc, ...bcc])} || array_remove(array[f.thread ->> 'recipient'], null))`)})
      from (select ${thread} as thread) f)`
}

/** Replies to a thread. @throws as sendEmail. */
export const replyToThread = async (ctx: Ctx, body: EmailReply) => dispatch(ctx, await outgoingReply(ctx, body))

/** What a reply is sent as. @throws as sendEmail. */
export async function outgoingReply(ctx: Ctx, body: EmailReply): Promise<Outgoing> {
  const [{ facts } = { facts: ANY }] = await ctx.assume(factsQuery<ReplyFacts>(replyFacts(body)), [{ facts: ANY }], sql`false`)
  return composeReply(body, facts, ctx.deployment.mailer.from)
}

/** As outgoingReply, of facts that were read. `from`: the address of the deployment. */
export async function composeReply(body: EmailReply, facts: ReplyFacts, from: string): Promise<Outgoing> {
  const { thread, workspace } = facts
  if (!thread) throw invalid([{ path: 'thread_id', message: 'thread_id does not exist in this workspace' }])
  assertSender(body.config_id, workspace)
  const personal = personalSender(body, workspace.mailbox, body.config_id === undefined ? null : (workspace.sender?.alias ?? null))
  assertSameMailbox(thread.private_to, personal?.mailbox)
  if (thread.archived) throw unreachable('archived')
  if (!thread.recipient) throw unreachable('no_address')
  assertReachable(workspace)
  const { content } = await composed(body, facts.content, thread.recipient)
  const { contact_id, deal_id, after, private_to, outside_thread_id } = thread
  return {
    purpose: 'reply',
    recipient: thread.recipient,
    subject: replySubject(thread.subject),
    content,
    files: filesOf(body, facts.files, content),
    cc: body.cc ?? [],
    bcc: body.bcc ?? [],
    ...senderOf(personal, workspace, from),
    place: { thread_id: body.thread_id, is_new: false, contact_id, deal_id, customer_id: null, after, private_to, outside_thread_id },
  }
}
