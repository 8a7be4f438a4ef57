import * as v from 'valibot'
import { categoriesOf, UNDO_DAYS } from '../domain/merges.ts'
import type { RecordEntity } from '../domain/records.ts'
import { named } from './common.ts'
import { CompanyPatch } from './companies.ts'
import { ContactPatch } from './contacts.ts'
import { about, Bool, Id, Ids, InstantOut } from './fields.ts'
import { OpportunityPatch } from './opportunities.ts'

const OVERRIDES: Record<RecordEntity, v.ObjectEntries> = {
  contact: v.omit(ContactPatch, ['archived']).entries,
  company: v.omit(CompanyPatch, ['archived']).entries,
  // Where the card stands, and with it status, reasons and closed_at, is the winner's.
  opportunity: v.omit(OpportunityPatch, ['archived', 'lost_reasons', 'won_reasons', 'closed_at']).entries,
}

/** Each loser once, and the winner not among them. */
const apart = v.rawCheck<Record<string, unknown>>(({ dataset, addIssue }) => {
  if (!dataset.typed) return
  const { winner_id, loser_ids } = dataset.value as MergeBody
  loser_ids.forEach((id, index) => {
    const message =
      id === winner_id
        ? 'The winner cannot be one of the losers'
        : loser_ids.indexOf(id) < index
          ? 'This id stands twice in the request: send each once'
          : ''
    if (!message) return
    const path: [v.ObjectPathItem, v.ArrayPathItem] = [
      { type: 'object', origin: 'value', input: dataset.value, key: 'loser_ids', value: loser_ids },
      { type: 'array', origin: 'value', input: loser_ids, key: index, value: id },
    ]
    addIssue({ message, path })
  })
})

/** The body of a merge. */
export function mergeOf(entity: RecordEntity) {
  const entries: v.ObjectEntries = {
    winner_id: about(Id, 'The record that stays.'),
    loser_ids: about(Ids(100), 'The records that are merged into it and deleted: 1 to 100.', ['01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3e']),
    preview: v.optional(about(Bool, 'Answer what the merge would do, exactly, and do nothing.', false)),
    fill_empty_fields: v.optional(
      about(Bool, 'Fields of the winner that are empty take the first loser’s value; it never loses one. true unless given.', true),
    ),
    transfer: v.optional(
      v.pipe(
        v.strictObject(
          Object.fromEntries(categoriesOf(entity).map((name) => [name, v.optional(about(Bool, `false leaves ${name} behind.`, true))])),
        ),
        v.description('Categories that are not to be carried over, as false. Those in forced_categories are carried all the same.'),
      ),
    ),
    field_overrides: v.optional(
      v.pipe(
        v.strictObject(OVERRIDES[entity]),
        v.description(
          `Values that the winner is to have, by field, as in an update. They come before empty fields are filled.${entity === 'opportunity' ? ' Where its card stands, and with it status, reasons and closed_at, stays the winner’s.' : ''}`,
        ),
      ),
    ),
    append_notes: v.optional(about(Bool, 'Put the losers’ notes below the winner’s.', false)),
    ...(entity === 'opportunity' && {
      union_tags: v.optional(about(Bool, 'Give the winner the losers’ tags too; a tag is the same by its name.', false)),
    }),
  }
  return v.pipe(v.strictObject(entries), apart)
}

export type MergeBody = {
  winner_id: string
  loser_ids: string[]
  preview?: boolean
  fill_empty_fields?: boolean
  transfer?: Record<string, boolean | undefined>
  field_overrides?: Record<string, unknown>
  append_notes?: boolean
  union_tags?: boolean
}

const counts = v.record(v.string(), v.pipe(v.number(), v.integer()))

/** What a merge did, or would do. */
const outcome = {
  losers: v.array(
    v.object({
      id: Id,
      name: v.string(),
      email: v.nullable(v.string()),
      phone: v.nullable(v.string()),
      external_id: v.nullable(v.string()),
    }),
  ),
  moved: v.pipe(counts, v.description('How many rows came to the winner, by category.')),
  dropped: v.pipe(counts, v.description('How many rows were dropped because the winner has the same already, by category.')),
  left_behind: v.pipe(
    v.record(v.string(), v.object({ unlinked: v.number(), deleted: v.number() })),
    v.description('What became of the categories that were opted out: rows that stay without the link, and rows that went with the loser.'),
  ),
  forced_categories: v.pipe(
    v.array(v.string()),
    v.description('Categories that are carried even when opted out, because their rows cannot be without the record.'),
  ),
  field_changes: v.pipe(
    v.record(v.string(), v.object({ before: v.unknown(), after: v.unknown(), from: v.array(Id) })),
    v.description('The winner’s fields that change; `from` are the losers whose values these are. A custom value is metadata.<name>.'),
  ),
}

export const merged = (winner: v.GenericSchema) =>
  v.object({
    merge_id: v.pipe(v.nullable(Id), v.description('null for a preview or a dry run.')),
    winner,
    ...outcome,
  })

export const Merge = named(
  'Merge',
  v.object({
    id: Id,
    winner_id: Id,
    ...outcome,
    request_id: v.nullable(v.string()),
    merged_by: v.nullable(Id),
    created_at: InstantOut,
    undone: v.boolean(),
    undoable: v.pipe(v.boolean(), v.description(`Neither undone nor older than ${UNDO_DAYS} days.`)),
    undone_at: v.nullable(InstantOut),
    undone_by: v.nullable(Id),
    changed_since: v.pipe(
      v.array(
        v.object({ table: v.string(), id: Id, field: v.nullable(v.string()), reason: v.picklist(['changed', 'deleted', 'taken', 'gone']) }),
      ),
      v.description(
        `What the undo left as it was: \`changed\` or \`deleted\` since the merge, a value \`taken\` by another record, or a reference to what is \`gone\`. A merge can be undone for ${UNDO_DAYS} days.`,
      ),
    ),
  }),
)
