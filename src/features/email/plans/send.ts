import { type SQL, sql } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import { AppError, invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import type { EmailToSend } from '../schemas/emails.ts'
import { attachedFacts, filesOf, type StoredFile } from './attached.ts'
import { ANY_CONTENT, type ContentFacts, composed, contentFacts } from './content.ts'
import { dispatch, type Outgoing, senderOf } from './dispatch.ts'
import { assertReachable, assertSender, factsQuery, NOWHERE, textArray, unreachable, type WorkspaceFacts, workspaceFacts } from './facts.ts'
import { personalSender } from './personal.ts'

const RECORDS = { contact_id: 'contacts', deal_id: 'opportunities', customer_id: 'companies' } as const
type Field = keyof typeof RECORDS
const FIELDS = Object.keys(RECORDS) as Field[]

type Contact = { email: string | null; alternate_emails: string[]; archived: boolean }
/** What is stored about an email to be sent. */
export type EmailFacts = {
  workspace: WorkspaceFacts
  content: ContentFacts
  files: StoredFile[]
  missing: Field[]
  contact: Contact | null
}
const ANYONE: EmailFacts = {
  workspace: NOWHERE,
  content: ANY_CONTENT,
  files: [],
  missing: [],
  contact: { email: 'nobody@example.com', alternate_emails: [], archived: false },
}

export function emailFacts(body: EmailToSend): SQL {
  const { to, contact_id, cc = [], bcc = [] } = body
  const missing = FIELDS.flatMap((field) =>
    body[field] === undefined
      ? []
      : [sql`case when not exists (select from ${sql.identifier(RECORDS[field])} where id = ${body[field]}) then ${field}::text end`],
  )
  const contact = sql`(select c.email from contacts c where c.id = ${contact_id ?? null}::uuid)`
  const addresses = sql`(${textArray([...(to ? [to] : []), ...cc, ...bcc])}
    || array_remove(array[${to === undefined ? contact : sql`null::text`}], null))`
  return sql`jsonb_build_object('workspace', ${workspaceFacts(body, addresses)},
    'files', ${attachedFacts(body)}, 'content', ${contentFacts(body, sql`${contact_id ?? null}::uuid`)},
    'missing', to_jsonb(array_remove(array[${sql.join([sql`null::text`, ...missing], sql`, `)}], null)),
    'contact', (select jsonb_build_object('email', c.email, 'alternate_emails', c.alternate_emails, 'archived', c.archived) from contacts c
      where c.id = ${contact_id ?? null}::uuid))`
}

/**
 * Sends an email and begins a conversation. What it names is checked before anything is sent. @throws VALIDATION_ERROR with
 * `missing_entities`, RECIPIENT_UNREACHABLE, MAILBOX_USER_REQUIRED, MAILBOX_NOT_CONNECTED, ALIAS_NOT_CONNECTED, FORBIDDEN,
 * ATTACHMENTS_TOO_LARGE, PROVIDER_ERROR, EMAIL_LOG_FAILED.
 */
export const sendEmail = async (ctx: Ctx, body: EmailToSend) => dispatch(ctx, await outgoingEmail(ctx, body))

/** What an email is sent as. @throws as sendEmail. */
export async function outgoingEmail(ctx: Ctx, body: EmailToSend): Promise<Outgoing> {
  const [{ facts } = { facts: ANYONE }] = await ctx.assume(factsQuery<EmailFacts>(emailFacts(body)), [{ facts: ANYONE }], sql`false`)
  return composeEmail(body, facts, ctx.deployment.mailer.from)
}

/** As outgoingEmail, of facts that were read. `from`: the address of the deployment. */
export async function composeEmail(body: EmailToSend, facts: EmailFacts, from: string): Promise<Outgoing> {
  assertExisting(body, facts.missing)
  const { workspace, contact } = facts
  assertSender(body.config_id, workspace)
  const personal = personalSender(body, workspace.mailbox, body.config_id === undefined ? null : (workspace.sender?.alias ?? null))
  assertReachable(workspace)
  const { contact_id = null, deal_id = null, customer_id = null, cc = [], bcc = [] } = body
  const recipient = recipientOf(body, contact)
  const { subject = '', content } = await composed(body, facts.content, recipient)
  return {
    purpose: 'email',
    recipient,
    subject: body.subject ?? subject,
    content,
    files: filesOf(body, facts.files, content),
    cc,
    bcc,
    ...senderOf(personal, workspace, from),
    place: {
      thread_id: newId(),
      is_new: true,
      contact_id,
      deal_id,
      customer_id,
      after: null,
      private_to: personal?.mailbox.user_id ?? null,
      outside_thread_id: null,
    },
  }
}

function assertExisting(body: EmailToSend, missing: Field[]): void {
  if (missing.length === 0) return
  throw new AppError('VALIDATION_ERROR', 'Some fields are not valid', {
    issues: missing.map((field) => ({ path: field, message: `${field} does not exist in this workspace` })),
    missing_entities: missing.map((field) => ({ field, id: body[field] })),
  })
}

/** A contact is written to at its email, and never at one of its other addresses. */
function recipientOf({ to, contact_id }: EmailToSend, contact: Contact | null): string {
  if (contact_id === undefined || !contact) return to as string
  if (contact.archived) throw unreachable('archived')
  if (to !== undefined && contact.alternate_emails.includes(to))
    throw invalid([{ path: 'to', message: 'This is another address of the contact, who is written to at its email: leave out to' }])
  const address = to ?? contact.email
  if (!address) throw unreachable('no_address')
  return address
}
