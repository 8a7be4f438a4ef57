import { type SQL, sql } from 'drizzle-orm'
import type { Statement } from '../../../data/db.ts'
import { assertField } from '../../../data/query.ts'
import { countriesOfPhone } from '../../../domain/phone.ts'
import { type AppError, invalid } from '../../../errors.ts'
import type { PhoneNumberToBuy } from '../schemas/phone-numbers.ts'

/** What the country of a number requires of who buys it, with the provider's ids. */
export type Requirements = { address: { id: string; sid: string } | null; bundle: { id: string; sid: string } | null }
type Sent = Pick<PhoneNumberToBuy, 'address_id' | 'bundle_id'>

const KINDS = {
  address: { table: sql`phone_addresses`, usable: sql`('active')`, path: 'address_id', lacks: 'is not active' },
  bundle: { table: sql`phone_bundles`, usable: sql`('approved', 'provisionally_approved')`, path: 'bundle_id', lacks: 'is not approved' },
} as const
type Kind = keyof typeof KINDS

const isUsable = (kind: Kind): SQL => sql`r.status in ${KINDS[kind].usable} and r.provider_id is not null`

/** The columns of what the number is bought with: what the request names, or the latest of the number's country. */
export function requirementsOf(phone: string, sent: Sent): { [kind in Kind]: SQL.Aliased<Requirements[kind]> } {
  const column = (kind: Kind, id: string | null | undefined) => {
    const which = id === undefined ? sql`r.country = any (${`{${countriesOfPhone(phone)}}`}::text[])` : sql`r.id = ${id}::uuid`
    return sql<Requirements[Kind]>`(select jsonb_build_object('id', r.id, 'sid', r.provider_id) from ${KINDS[kind].table} r
      where ${which} and ${isUsable(kind)} order by r.created_at desc, r.id desc limit 1)`.as(kind)
  }
  return { address: column('address', sent.address_id), bundle: column('bundle', sent.bundle_id) }
}

/** Asserts that what the request names can be used. */
export const requirementGuards = (sent: Sent): Statement[] =>
  (Object.keys(KINDS) as Kind[]).flatMap((kind) => {
    const { table, path, lacks } = KINDS[kind]
    const id = sent[path]
    if (!id) return []
    const message = `does not exist in this workspace, or ${lacks} yet`
    return [assertField(sql`exists (select from ${table} r where r.id = ${id}::uuid and ${isUsable(kind)})`, path, message)]
  })

/** Twilio's codes for a number whose country requires an address or a bundle, or another one than was sent. */
const CODES: Record<string, readonly [path: string, message: string]> = {
  21631: ['address_id', 'The country of this number requires an address: create one (POST /phone/addresses) and send its id'],
  21615: ['address_id', 'The country of this number requires an address within it: create one (POST /phone/addresses) and send its id'],
  21649: [
    'bundle_id',
    'The country of this number requires an approved bundle: create and submit one (POST /phone/bundles), ' +
      'and send its id when it is approved',
  ],
}

/**
 * The error for a purchase that was refused because something is missing; undefined for another refusal. `reason` begins with the
 * provider's code.
 */
export function missingRequirement(reason: string): AppError | undefined {
  const [path, message] = CODES[/^\d{5}/.exec(reason)?.[0] ?? ''] ?? []
  return path === undefined || message === undefined ? undefined : invalid([{ path, message }])
}
