import { type SQL, sql } from 'drizzle-orm'
import type { Warning } from '../../data/query.ts'

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

export const reasonOptions = {
  lost_options: sql<string[]>`(select s.lost_reasons from crm_settings s)`.as('lost_options'),
  won_options: sql<string[]>`(select s.won_reasons from crm_settings s)`.as('won_options'),
}

const same = (text: string) => text.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase()

type StoredReasons = {
  lost_reasons: string[] | null
  won_reasons: string[] | null
  lost_options: string[] | null
  won_options: string[] | null
}

/** Warnings for reasons that were sent but not saved, with the valid options. */
export function reasonWarnings(sent: SentReasons, stored: StoredReasons): Warning[] {
  return FIELDS.flatMap((field) => {
    const options = stored[`${KINDS[field]}_options`] ?? []
    const saved = new Set((stored[field] ?? []).map(same))
    const dropped = (sent[field] ?? []).filter((reason) => !saved.has(same(reason)))
    if (dropped.length === 0) return []
    const valid = new Set(options.map(same))
    const ofOther = dropped.every((reason) => valid.has(same(reason)))
    return [
      {
        code: ofOther ? 'REASON_OF_OTHER_OUTCOME' : 'UNKNOWN_REASON',
        field,
        message: ofOther
          ? `Not saved, because the opportunity is not ${KINDS[field]}: ${dropped.join(', ')}`
          : `Not on the workspace’s list and not saved: ${dropped.join(', ')}`,
        details: { dropped, options },
      },
    ]
  })
}
