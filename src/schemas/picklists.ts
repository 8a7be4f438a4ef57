import * as v from 'valibot'
import { PICKLISTS, type PicklistName } from '../domain/picklists.ts'
import { named, timestamps } from './common.ts'
import { about, Id, Name } from './fields.ts'

const whole = v.pipe(v.number(), v.integer())
/** How many records have a word, as far as they are counted. */
const Count = v.object({
  count: v.pipe(whole, v.description('Counted up to 1,000.')),
  more: v.pipe(v.boolean(), v.description('Whether there are more than that.')),
})

export const OptionUse = named('WordUse', v.object({ name: v.string(), ...Count.entries }))
export const LeadSourceUse = named(
  'LeadSourceUse',
  v.object({
    id: Id,
    name: v.string(),
    contacts: v.pipe(Count, v.description('Contacts that came through it.')),
    opportunities: v.pipe(Count, v.description('Opportunities whose lead_source is its name.')),
  }),
)

/** The body of a rename: `to` fits the field that has the word. */
export function renameOf(list: PicklistName) {
  const { example, max } = PICKLISTS[list]
  return v.pipe(
    v.strictObject({
      from: about(Name(120), 'What it is called.', example),
      to: about(Name(max), 'What it is to be called.', `${example} (new)`),
    }),
    v.forward(
      v.check(({ from, to }) => from !== to, 'must be another name than the one it has'),
      ['to'],
    ),
  )
}
export type Rename = { from: string; to: string }

const changed = v.pipe(whole, v.description('How many records were changed: at most 2,000 in one call.'))
const more = v.pipe(v.boolean(), v.description('Whether others have the old name still: send the same again.'))
const version = v.pipe(timestamps.version, v.description('Of the settings; the ETag.'))

export const OptionRenamed = named('WordRenamed', v.object({ name: v.string(), changed, more, version }))
const deleted = v.pipe(v.boolean(), v.description('False as long as more have it.'))
export const OptionDeleted = named('WordDeleted', v.object({ name: v.string(), deleted, changed, more, version }))
export const LeadSourceDeleted = named('LeadSourceDeleted', v.object({ id: Id, deleted, changed, more }))

export const deleteQuery = v.strictObject({
  replace_with: v.optional(about(Name(120), 'What the records that have it get in its place: another one of the list.')),
})
export const deleteSourceQuery = v.strictObject({
  replace_with: v.optional(about(Id, 'The lead source that its contacts get in its place.')),
})
