import { sql } from 'drizzle-orm'
import { contacts } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { rows } from '../../../data/query.ts'
import { DEFAULT_COUNTRY } from '../../../domain/default-country.ts'
import { decidedZone, ownZone, type Whereabouts, ZONE_FIELDS } from '../rules/local-zone.ts'

type Columns = Record<string, unknown>
type Changed = Columns & { id: string }

/** What a stored contact is assumed to have, other than what an update sends. */
const LIKELY: Whereabouts = { timezone: null, state: null, country: DEFAULT_COUNTRY.name, phone: null }

const factsIn = (columns: Columns): Whereabouts =>
  Object.fromEntries(ZONE_FIELDS.filter((name) => name in columns).map((name) => [name, columns[name]]))
const affectsZone = (columns: Columns) => ZONE_FIELDS.some((name) => name in columns)

/**
 * Adds to the columns of contacts those of the zone of its local time, if they affect it. `others` has the fields that are not among the
 * columns.
 */
async function withZones<Row extends Columns>(ctx: Ctx, all: Row[], others: (columns: Row) => Whereabouts): Promise<Row[]> {
  const contactOf = (columns: Row) => ({ ...others(columns), ...factsIn(columns) })
  const isOpen = (columns: Row) => affectsZone(columns) && ownZone(contactOf(columns)).timezone === undefined
  const zone = all.some(isOpen) ? await ctx.zone() : ''
  return all.map((columns) => (affectsZone(columns) ? { ...columns, ...decidedZone(contactOf(columns), zone) } : columns))
}

/** The columns of new contacts, with those of the zone of its local time. */
export const createdWithZones = <Row extends Columns>(ctx: Ctx, all: Row[]): Promise<Row[]> => withZones(ctx, all, () => ({}))

/**
 * As changedWithZones, before it is known which contacts they change: the zones of those that are unlike most are left to the background.
 */
export const upsertedWithZones = <Row extends Columns>(ctx: Ctx, all: Row[]): Promise<Row[]> => withZones(ctx, all, () => LIKELY)

/**
 * The columns that updates change, with those of the zone of its local time. That depends on stored fields too. `assume` guesses that a
 * contact has none of them, or that its zone does not change, which saves most updates the round trip.
 */
export async function changedWithZones<Row extends Changed>(ctx: Ctx, all: Row[]): Promise<Row[]> {
  const likely = await upsertedWithZones(ctx, all)
  const updates = likely
    .filter((columns) => affectsZone(columns) && !columns.timezone)
    .map((columns) => ({ id: columns.id, facts: factsIn(columns), basis: columns.zone_basis }))
  if (updates.length === 0) return likely
  const { id, timezone, state, country, phone } = contacts
  const these = sql`${id} = any(${`{${updates.map((update) => update.id).join(',')}}`}::uuid[])`
  const stored = rows(db.select({ id, timezone, state, country, phone }).from(contacts).where(these))
  const found = await ctx.assume(stored, [], sql`zones_stay_known(${JSON.stringify(updates)}::jsonb)`)
  if (found.length === 0) return likely
  const byId = new Map<string, Whereabouts>(found.map((contact) => [contact.id, contact]))
  return withZones(ctx, all, (columns) => byId.get(columns.id) ?? LIKELY)
}
