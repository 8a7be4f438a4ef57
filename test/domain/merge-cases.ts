import type { MergeChoices, MergeFacts, Row } from '../../src/features/merges/rules/draft.ts'
import { mergeFields } from '../../src/features/merges/rules/fields.ts'

export type Case = [
  title: string,
  winner: Row,
  losers: Row[],
  choices: Partial<MergeChoices>,
  values: Row,
  sources?: Record<string, string[]>,
  facts?: Partial<MergeFacts>,
]

/** Merges the losers `a`, `b` … into the winner `w`. Columns that the case does not name are empty. */
export function decide([, winner, losers, choices, , , facts]: Case) {
  const blank = Object.fromEntries([winner, ...losers].flatMap(Object.keys).map((name) => [name, null]))
  const lists = choices.entity === 'company' ? { domains: [] } : { alternate_emails: [], alternate_phones: [] }
  const record = (id: string, row: Row) => ({ ...blank, ...lists, id, metadata: {}, ...row })
  return mergeFields(
    { entity: 'contact', overrides: {}, fill: true, appendNotes: false, uniteTags: false, ...choices },
    {
      winner: record('w', winner),
      losers: losers.map((loser, index) => record('abcdef'[index] as string, loser)),
      unusable: {},
      parents: {},
      tag_forms: { VIP: 'vip', New: 'new', ＮＥＷ: 'new' },
      ...facts,
    },
  )
}
