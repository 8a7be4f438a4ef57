import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { describe, Id, Name } from '../../../schemas/fields.ts'
import { PICKLISTS, type PicklistName } from '../rules/picklists.ts'

const whole = v.pipe(v.number(), v.integer())
/** The number of records that use an option, up to a limit. */
const Count = v.object({
  count: v.pipe(whole, v.description('The number of records, counted up to 1,000.')),
  more: v.pipe(v.boolean(), v.description('Whether there are more than `count`.')),
})

export const OptionUse = named('PicklistValueUsage', v.object({ name: v.string(), ...Count.entries }))
export const TagUse = named(
  'TagUsage',
  v.object({
    name: v.string(),
    ...Count.entries,
    contacts: v.pipe(Count, v.description('Contacts with this tag.')),
    companies: v.pipe(Count, v.description('Companies with this tag.')),
    opportunities: v.pipe(Count, v.description('Opportunities with this tag.')),
  }),
)
export const LeadSourceUse = named(
  'LeadSourceUse',
  v.object({
    id: Id,
    name: v.string(),
    contacts: v.pipe(Count, v.description('Contacts with this lead source.')),
    opportunities: v.pipe(Count, v.description('Opportunities whose lead_source is the name of this source.')),
  }),
)

/** The body of a rename. `to` has the maximum length of the field that uses the option. */
export const renameOf = (list: PicklistName) => renaming(PICKLISTS[list])

export function renaming({ example, max }: { example: string; max: number }) {
  return v.pipe(
    v.strictObject({
      from: describe(Name(120), 'The current name.', example),
      to: describe(Name(max), 'The new name.', `${example} (new)`),
    }),
    v.forward(
      v.check(({ from, to }) => from !== to, 'must differ from the current name'),
      ['to'],
    ),
  )
}
export type Rename = { from: string; to: string }

const changed = v.pipe(whole, v.description('The number of records changed: at most 2,000 in one call.'))
const more = v.pipe(v.boolean(), v.description('Whether other records still have the old value: repeat the request.'))
const version = v.pipe(timestamps.version, v.description('The version of what has the list, which is also the ETag.'))

/** What the description of a rename says of other places with the old name. */
export const STILL_NAMED = 'Filters, conditions and steps keep the old name: the warning `STILL_NAMED` names those that the key may read.'

export const OptionRenamed = named('PicklistValueRenamed', v.object({ name: v.string(), changed, more, version }))
const deleted = v.pipe(v.boolean(), v.description('Whether it was deleted; false as long as records still use it.'))
export const OptionDeleted = named('PicklistValueDeleted', v.object({ name: v.string(), deleted, changed, more, version }))
export const LeadSourceDeleted = named('LeadSourceDeleted', v.object({ id: Id, deleted, changed, more }))

export const deleteQuery = v.strictObject({
  replace_with: v.optional(describe(Name(120), 'The option that replaces it in records: another one of the list.')),
})
export const deleteSourceQuery = v.strictObject({
  replace_with: v.optional(describe(Id, 'The lead source that replaces it in contacts.')),
})
