import * as v from 'valibot'
import type { RecordEntity } from '../../../domain/records.ts'
import { named } from '../../../schemas/common.ts'
import { Bool, describe, Id, Ids, InstantOut } from '../../../schemas/fields.ts'
import { CompanyPatch } from '../../companies/schemas/companies.ts'
import { ContactPatch } from '../../contacts/schemas/contacts.ts'
import { OpportunityPatch } from '../../opportunities/schemas/opportunities.ts'
import { categoriesOf, UNDO_DAYS } from '../rules/merges.ts'

const OVERRIDES: Record<RecordEntity, v.ObjectEntries> = {
  contact: v.omit(ContactPatch, ['archived']).entries,
  company: v.omit(CompanyPatch, ['archived']).entries,
  // The winner keeps its stage, and with it status, reasons and closed_at.
  opportunity: v.omit(OpportunityPatch, ['archived', 'value_source', 'lost_reasons', 'won_reasons', 'closed_at']).entries,
}

/** Checks that the losers are distinct and do not include the winner. */
const distinctRecords = v.rawCheck<Record<string, unknown>>(({ dataset, addIssue }) => {
  if (!dataset.typed) return
  const { winner_id, loser_ids } = dataset.value as MergeBody
  loser_ids.forEach((id, index) => {
    const message =
      id === winner_id
        ? 'The winner cannot be one of the losers'
        : loser_ids.indexOf(id) < index
          ? 'Duplicate id in request: send each id once'
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
    winner_id: describe(Id, 'The record that remains.'),
    loser_ids: describe(Ids(100), 'The 1 to 100 records that are merged into the winner and deleted.', [
      '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3e',
    ]),
    preview: v.optional(describe(Bool, 'Return exactly what the merge would do, without doing it.', false)),
    fill_empty_fields: v.optional(
      describe(Bool, 'Fill empty fields of the winner with the value of the first loser that has one. Defaults to true.', true),
    ),
    transfer: v.optional(
      v.pipe(
        v.strictObject(
          Object.fromEntries(categoriesOf(entity).map((name) => [name, v.optional(describe(Bool, `false leaves ${name} behind.`, true))])),
        ),
        v.description(
          'Categories of related records that are not moved to the winner, as false. Categories in forced_categories are moved anyway.',
        ),
      ),
    ),
    field_overrides: v.optional(
      v.pipe(
        v.strictObject(OVERRIDES[entity]),
        v.description(
          'Values for the winner, by field, as in an update. ' +
            'They take precedence over filling empty ' +
            `fields.${entity === 'opportunity' ? ' The winner keeps its stage, and with it status, reasons and closed_at.' : ''}`,
        ),
      ),
    ),
    append_notes: v.optional(describe(Bool, 'Append the losers’ notes to the winner’s.', false)),
    union_tags: v.optional(describe(Bool, 'Add the losers’ tags to the winner’s. Tags with the same name are the same.', false)),
  }
  return v.pipe(v.strictObject(entries), distinctRecords)
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

/** The outcome of a merge or a preview. */
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
  moved: v.pipe(counts, v.description('The number of rows moved to the winner, by category.')),
  dropped: v.pipe(counts, v.description('The number of rows dropped because the winner already has an equal one, by category.')),
  left_behind: v.pipe(
    v.record(v.string(), v.object({ unlinked: v.number(), deleted: v.number() })),
    v.description(
      'Rows of categories that were opted out: unlinked from the loser. None is deleted (always 0): a row that cannot exist ' +
        'without the record is moved.',
    ),
  ),
  forced_categories: v.pipe(
    v.array(v.string()),
    v.description('Categories that are moved even when opted out, because their rows cannot exist without the record.'),
  ),
  field_changes: v.pipe(
    v.record(v.string(), v.object({ before: v.unknown(), after: v.unknown(), from: v.array(Id) })),
    v.description(
      'The fields of the winner that change; `from` lists the losers whose values they take. A custom field is metadata.<key>.',
    ),
  ),
}

export const merged = (winner: v.GenericSchema) =>
  v.object({
    merge_id: v.pipe(v.nullable(Id), v.description('The id of the merge; null for a preview or a dry run.')),
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
    undoable: v.pipe(
      v.boolean(),
      v.description(`Whether the merge can be undone: it is not undone yet and at most ${UNDO_DAYS} days old.`),
    ),
    undone_at: v.nullable(InstantOut),
    undone_by: v.nullable(Id),
    changed_since: v.pipe(
      v.array(
        v.object({ table: v.string(), id: Id, field: v.nullable(v.string()), reason: v.picklist(['changed', 'deleted', 'taken', 'gone']) }),
      ),
      v.description(
        'What the undo could not restore: values that were `changed` or rows that were `deleted` since the merge, a unique value ' +
          `\`taken\` by another record, or a reference to a record that is \`gone\`. A merge can be undone for ${UNDO_DAYS} days.`,
      ),
    ),
  }),
)
