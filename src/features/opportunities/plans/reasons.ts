import { type SQL, sql } from 'drizzle-orm'
import type { Warning } from '../../../data/query.ts'

type SentReasons = { lost_reasons?: string[] | null | undefined; won_reasons?: string[] | null | undefined }
const KINDS = { lost_reasons: 'lost', won_reasons: 'won' } as const
type Field = keyof typeof KINDS
const FIELDS = Object.keys(KINDS) as Field[]

const textArray = (values: string[]) => sql`array(select jsonb_array_elements_text(${JSON.stringify(values)}::jsonb))`

/** The reasons of a new record that are on the workspace's list. */
export function newReasons(sent: SentReasons): Partial<Record<Field, SQL | null>> {
  return Object.fromEntries(
    FIELDS.filter((field) => sent[field] !== undefined).map((field) => [field, reasonsIn(field, sent[field] ?? null)]),
  )
}

export const reasonsIn = (field: Field, sent: string[] | null): SQL | null =>
  sent === null ? null : sql`match_reasons(${KINDS[field]}, ${textArray(sent)})`

/** The same for patches: a list that is sent replaces the stored one, and null clears it. */
export function mergeReasons(patches: Record<string, unknown>[]): Record<string, SQL> {
  const sent = FIELDS.filter((field) => patches.some((patch) => field in patch))
  return Object.fromEntries(
    sent.map((field) => {
      const column = sql.identifier(field)
      return [
        field,
        sql`case when p.patch ? ${sql.raw(`'${field}'`)} then match_reasons(${KINDS[field]}, r.${column}) else opportunities.${column} end`,
      ]
    }),
  )
}

type Dropped = { dropped: string[]; listed: boolean; options: string[] }
/** The reasons that were sent for an opportunity and not saved, as the database compares them. */
export type DroppedReasons = { lost_dropped: Dropped | null; won_dropped: Dropped | null }

/** The columns of DroppedReasons. `sent` is the patch of the opportunity as JSON. */
export const droppedReasons = (sent: SQL) => ({
  lost_dropped: sql<Dropped | null>`dropped_reasons('lost', ${sent} -> 'lost_reasons', opportunities.lost_reasons)`.as('lost_dropped'),
  won_dropped: sql<Dropped | null>`dropped_reasons('won', ${sent} -> 'won_reasons', opportunities.won_reasons)`.as('won_dropped'),
})

/** Splits a row into the record and the warnings for reasons that were sent but not saved, with the valid options. */
export function splitWarnings<Row extends DroppedReasons>({ lost_dropped, won_dropped, ...row }: Row) {
  const found = { lost_reasons: lost_dropped, won_reasons: won_dropped }
  const warnings = FIELDS.flatMap((field): Warning[] => {
    const of = found[field]
    if (!of) return []
    const { dropped, listed, options } = of
    const message = listed
      ? `Not saved, because the opportunity is not ${KINDS[field]}: ${dropped.join(', ')}`
      : `Not on the workspace’s list and not saved: ${dropped.join(', ')}`
    return [{ code: listed ? 'REASON_OF_OTHER_OUTCOME' : 'UNKNOWN_REASON', field, message, details: { dropped, options } }]
  })
  return { row, warnings }
}
