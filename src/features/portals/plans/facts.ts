import { eq, type SQL, sql } from 'drizzle-orm'
import { contacts } from '../../../../schema/index.ts'
import { db } from '../../../data/db.ts'
import { mapResult, rows } from '../../../data/query.ts'
import { recipientColumns } from '../../contacts/plans/reachability.ts'
import type { Recipient } from '../../messages/rules/reachability.ts'

type Sender = { from_email: string; from_name: string | null }
/** What decides whether and how a portal is sent. `contact` is null if there is nobody to write to. */
export type PortalFacts = {
  deal_name: string | null
  has_work_orders: boolean
  is_eligible: boolean
  workspace: string
  sender: Sender | null
  balance: number
  contact: (Recipient & { id: string; first_name: string | null }) | null
}

/** Planned with until the facts are read, in a round trip that a repeated request does not take. */
export const ANYBODY: PortalFacts = {
  deal_name: '',
  has_work_orders: true,
  is_eligible: true,
  workspace: '',
  sender: { from_email: 'a@example.com', from_name: null },
  balance: 0,
  contact: {
    id: '00000000-0000-0000-0000-000000000000',
    first_name: null,
    archived: false,
    email: 'nobody@example.com',
    phone: null,
    email_unsubscribed: false,
    sms_unsubscribed: false,
    whatsapp_unsubscribed: false,
    suppressed: [],
    configured: ['email'],
    zone: 'UTC',
    quiet_hours: null,
  },
}

/** The contacts of an opportunity whom one can write to, the primary one first. */
const firstOf = (
  deal: string,
): SQL => sql`(select l.contact_id from opportunity_contacts l join contacts c on c.workspace_id = l.workspace_id and c.id = l.contact_id
  where l.opportunity_id = ${deal} and c.email is not null and not c.archived order by l.is_primary desc, l.id limit 1)`

/** The facts about a contact, or the one of an opportunity, as far as they are about sending a portal. */
export function portalFacts({ deal_id, contact_id }: { deal_id: string | null; contact_id: string | null }) {
  const target = contact_id === null ? firstOf(deal_id as string) : sql`${contact_id}::uuid`
  const { timezone, state, country, workspace_zone, quiet_hours, ...columns } = recipientColumns
  const select = db
    .select({
      ...columns,
      contact_id: contacts.id,
      first_name: contacts.first_name,
      deal_name: sql<string | null>`(select o.name from opportunities o where o.id = ${deal_id}::uuid)`.as('deal_name'),
      has_work_orders: sql<boolean>`exists (select from work_orders w where w.deal_id = ${deal_id}::uuid)`.as('has_work_orders'),
      is_eligible: sql<boolean>`exists (select from stakeholder_members m
          join stakeholder_types t on t.workspace_id = m.workspace_id and t.id = m.type_id
        where m.contact_id = contacts.id and t.portal_eligible)`.as('is_eligible'),
      workspace: sql<string>`(select w.name from workspaces w)`.as('workspace'),
      sender: sql<Sender | null>`(select jsonb_build_object('from_email', g.from_email, 'from_name', g.from_name) from email_configs g
        order by g.created_at, g.id limit 1)`.as('sender'),
      balance: sql<number>`coalesce((select a.balance from credit_accounts a), 0)`.as('balance'),
    })
    .from(sql`(select) one`)
    .leftJoin(contacts, eq(contacts.id, target))
  return mapResult(rows(select), ([row]): PortalFacts => {
    if (!row) return { ...ANYBODY, contact: null }
    const { deal_name, has_work_orders, is_eligible, workspace, sender, balance, contact_id: id, first_name } = row
    const facts = { deal_name, has_work_orders, is_eligible, workspace, sender, balance }
    if (id === null) return { ...facts, contact: null }
    const { archived, email, phone, email_unsubscribed, sms_unsubscribed, whatsapp_unsubscribed, suppressed, configured } = row
    const flags = {
      archived: archived === true,
      email_unsubscribed: email_unsubscribed === true,
      sms_unsubscribed: sms_unsubscribed === true,
      whatsapp_unsubscribed: whatsapp_unsubscribed === true,
    }
    // A person asks for it, and decides about the time.
    return { ...facts, contact: { id, first_name, email, phone, ...flags, suppressed, configured, zone: 'UTC', quiet_hours: null } }
  })
}
