import { sql } from 'drizzle-orm'
import { index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { PORTAL_KINDS } from '../src/features/portals/rules/kinds.ts'
import { bytes, identity, instant, reference, tenant, timestamps } from './columns.ts'
import { contacts } from './contacts.ts'
import { opportunities } from './opportunities.ts'

/**
 * Pages for people without a key: the progress of an opportunity for its client, or what is shared with a stakeholder. The address has a
 * token and the page asks for a PIN; both are stored as hashes. Wrong PINs are counted in failed_attempts until locked_until.
 */
export const portals = pgTable(
  'portals',
  {
    ...identity,
    kind: text({ enum: PORTAL_KINDS }).notNull(),
    deal_id: uuid(),
    contact_id: uuid().notNull(),
    token_hash: bytes().notNull(),
    pin_hash: bytes().notNull(),
    /** What the token and the PIN follow from, with the secret of the deployment. A session belongs to one PIN. */
    token_seed: uuid().notNull(),
    pin_seed: uuid().notNull(),
    failed_attempts: integer().notNull().default(0),
    locked_until: instant(),
    expires_at: instant().notNull(),
    revoked_at: instant(),
    last_viewed_at: instant(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('portals_by_created').on(t.workspace_id, t.created_at, t.id),
    index('portals_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('portals_by_deal').on(t.workspace_id, t.deal_id, t.created_at, t.id),
    index('portals_by_contact').on(t.workspace_id, t.contact_id, t.created_at, t.id),
    uniqueIndex('portals_token').on(t.token_hash),
    uniqueIndex('portals_work_status_key').on(t.workspace_id, t.deal_id, t.contact_id).where(sql`kind = 'work_status'`),
    uniqueIndex('portals_stakeholder_key').on(t.workspace_id, t.contact_id).where(sql`kind = 'stakeholder'`),
    reference(t.deal_id, opportunities, 'cascade'),
    reference(t.contact_id, contacts, 'cascade'),
  ],
)

/** Wrong PINs of a network, whatever portal they were for. A row is deleted a day after the last one. */
export const portalAttempts = pgTable(
  'portal_attempts',
  {
    ...tenant,
    network_hash: bytes().notNull(),
    failed_attempts: integer().notNull().default(0),
    locked_until: instant(),
    failed_at: instant().notNull().default(sql`now()`),
  },
  (t) => [primaryKey({ columns: [t.workspace_id, t.network_hash] }), index('portal_attempts_by_age').on(t.failed_at)],
)
