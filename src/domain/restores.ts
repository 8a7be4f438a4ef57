import type { Warning } from './warnings.ts'

/** How many warnings one answer has at most. */
const MAX_WARNINGS = 100

/**
 * What a restore could not bring back: `table` and `id` name the row, `by` the record that has its unique value. A row without `field`
 * stays deleted as a whole.
 */
export type Lost = { table: string; id: string; field: string | null; reason: 'gone' | 'taken' | 'changed' | 'unlisted'; by?: string }

const REASONS: Record<Lost['reason'], string> = {
  gone: 'refers to a record that is no longer there',
  taken: 'belongs to another record by now',
  changed: 'has been changed since the deletion, and stays as it is',
  unlisted: 'is not among the options of the settings, and stays as it was',
}

type Loss = Warning & { details: Record<string, unknown> }

/** One warning for each value, reference or row that did not come back as it was; the last one counts the rest of all. */
export function restoreWarnings(losses: Lost[], all = losses.length): Loss[] {
  const warnings = losses.slice(0, MAX_WARNINGS).map(({ table, id, field, reason, by }) => ({
    code: reason === 'unlisted' ? 'VALUE_NOT_LISTED' : 'NOT_RESTORED',
    field: field ?? '',
    message: `${field ?? 'The row'} of ${id} in ${table} ${REASONS[reason]}`,
    details: { table, id, field, reason, ...(by && { by }) },
  }))
  const more = all - warnings.length
  if (more <= 0) return warnings
  return [...warnings, { code: 'NOT_RESTORED', field: '', message: `${more} more did not come back`, details: { more } }]
}
