import type { RecordEntity } from '../../../domain/records.ts'
import { MERGE_CATEGORIES } from './categories.ts'

/** What a merge does to a row: losers are `merged`; `adjusted` rows changed otherwise; `kept` is the winner when a merge is undone. */
export const MERGE_ACTIONS = ['merged', 'moved', 'dropped', 'unlinked', 'deleted', 'adjusted', 'kept'] as const

/** The most rows that can belong to the losers of one merge, so that it finishes within seconds. */
export const MOST_ROWS = 15_000

/** The number of days during which a merge can be undone. */
export const UNDO_DAYS = 30

export const categoriesOf = (entity: RecordEntity): string[] => [...new Set(Object.values(MERGE_CATEGORIES[entity]))].sort()
