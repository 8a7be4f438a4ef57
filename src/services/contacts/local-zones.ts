import { sql } from 'drizzle-orm'
import { contacts } from '../../../schema/index.ts'
import type { Ctx } from '../../context.ts'
import { db } from '../../data/db.ts'
import { rows } from '../../data/query.ts'
import { decidedZone, ownZone, type Whereabouts, ZONE_FIELDS } from '../../domain/contacts/local-zone.ts'
import { DEFAULT_COUNTRY, DEFAULT_COUNTRY_NAMES } from '../../domain/default-country.ts'
import type { Validated } from '../../schemas/bulk.ts'
import type { ContactPatch } from '../../schemas/contacts.ts'

type Fields = Record<string, unknown>
type Patch = ContactPatch & { id: string }
export type Stored = Map<string, Whereabouts>

/** What a contact is assumed to be stored with. */
const LIKELY = { timezone: null, state: null, country: DEFAULT_COUNTRY.name, phone: null }

const affectsZone = (fields: object): boolean => ZONE_FIELDS.some((name) => name in fields)

const zonesOf = async (ctx: Ctx, all: Whereabouts[]) => {
  const zone = all.some((contact) => ownZone(contact).timezone === undefined) ? await ctx.zone() : ''
  return all.map((contact) => decidedZone(contact, zone))
}

/**
 * The columns of contacts, with those of the zone of its local time where a column affects it. `storedOf` has the other fields that the zone
 * depends on; where they are not the row's, the database lets the zone be decided in the background.
 */
export async function withZones<Columns extends Fields>(
  ctx: Ctx,
  all: Columns[],
  storedOf: (columns: Columns) => Whereabouts = () => ({}),
): Promise<Columns[]> {
  const affected = all.filter(affectsZone)
  const zones = await zonesOf(
    ctx,
    affected.map((columns) => ({ ...storedOf(columns), ...columns })),
  )
  const zoneOf = new Map(affected.map((columns, at) => [columns, zones[at]]))
  return all.map((columns) => ({ ...columns, ...zoneOf.get(columns) }))
}

/** As withZones, for the valid records of a bulk call. */
export async function validWithZones<Columns extends Fields>(
  ctx: Ctx,
  { valid, errors }: Validated<Columns>,
  storedOf?: (columns: Columns) => Whereabouts,
): Promise<Validated<Columns>> {
  const zoned = await withZones(
    ctx,
    valid.map(({ value }) => value),
    storedOf,
  )
  return { valid: valid.map((record, at) => ({ ...record, value: zoned[at] as Columns })), errors }
}

/** What the zone of an upserted contact is decided with, before it is known which one it is. */
export const likelyStored = (): Whereabouts => LIKELY

const isNational = (number: string | null | undefined) => typeof number === 'string' && !/^\s*(\+|00)/.test(number)

/** Whether the stored country decides what a phone number or a state in the patch means. */
const readsCountry = ({ country, phone, landline, timezone }: ContactPatch): boolean =>
  country === undefined && (isNational(phone) || isNational(landline) || Boolean(timezone && !timezone.includes('/')))

/** The stored fields that decide the contact's zone together with those of the patch. */
function zoneFieldsRead({ timezone, state, country, phone }: ContactPatch) {
  const sent = Object.fromEntries(Object.entries({ timezone, state, country, phone }).filter(([, value]) => value !== undefined))
  if (!affectsZone(sent)) return []
  const { basis } = ownZone({ ...LIKELY, ...sent })
  return ZONE_FIELDS.filter((name) => name in basis && !(name in sent))
}

/**
 * The stored whereabouts of contacts whose patch depends on them, by id: on the country for the meaning of a phone number or a state, and on all
 * fields that decide the zone of their local time. `assume` guesses that a contact is Australian and has nothing else, which saves most updates
 * the round trip. A contact that is as assumed is missing.
 */
export async function storedFor(ctx: Ctx, patches: Patch[]): Promise<Stored> {
  const idsOf = (of: Patch[]) => sql`${contacts.id} = any(${`{${of.map(({ id }) => id).join(',')}}`}::uuid[])`
  const national = patches.filter(readsCountry)
  const differs = ZONE_FIELDS.flatMap((name) => {
    const reading = patches.filter((patch) => zoneFieldsRead(patch).includes(name))
    return reading.length > 0 ? [sql`${idsOf(reading)} and ${contacts[name]} is distinct from ${LIKELY[name]}::text`] : []
  })
  if (national.length > 0) differs.push(sql`${idsOf(national)} and lower(${contacts.country}) not in ${DEFAULT_COUNTRY_NAMES}`)
  if (differs.length === 0) return new Map()
  const these = idsOf(patches.filter((patch) => readsCountry(patch) || zoneFieldsRead(patch).length > 0))
  const { id, timezone, state, country, phone } = contacts
  const stored = rows(db.select({ id, timezone, state, country, phone }).from(contacts).where(these))
  const elsewhere = sql`exists (select from ${contacts} where ${these} and (${sql.join(differs, sql` or `)}))`
  const found = await ctx.assume(stored, [], sql`not ${elsewhere}`)
  return new Map(found.map(({ id, ...whereabouts }) => [id, whereabouts]))
}

/** The stored whereabouts of a contact, or what they are assumed to be. */
export const storedIn = (stored: Stored, id: string): Whereabouts => stored.get(id) ?? LIKELY
