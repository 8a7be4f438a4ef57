import { MAX_COMPANY_LEVELS } from '../../../domain/limits.ts'
import { type Draft, idOf, type MergeChoices, type MergeFacts, type Row, take } from './draft.ts'

const MESSAGE =
  'must be a company of this workspace that is none of those merged nor below one of them, with fewer than ' +
  `${MAX_COMPANY_LEVELS} above it`

/** The companies above `id`, the nearest first. The bound ends a walk through a cycle, which the database does not allow. */
function companiesAbove(id: string, parents: MergeFacts['parents']): string[] {
  const above: string[] = []
  for (let next = parents[id]; next && above.length < 2 * MAX_COMPANY_LEVELS; next = parents[next]) above.push(next)
  return above
}

/** Why the parent that the caller chose cannot be the winner's, or undefined. */
export function parentIssue({ overrides }: MergeChoices, { winner, losers, parents }: MergeFacts): string | undefined {
  const parent = overrides.parent_company_id as string | null | undefined
  if (!parent) return undefined
  const merged = [winner, ...losers].map(idOf)
  const path = [parent, ...companiesAbove(parent, parents)]
  return path.length >= MAX_COMPANY_LEVELS || path.some((id) => merged.includes(id)) ? MESSAGE : undefined
}

/**
 * The winner's parent: that of the topmost loser above it, or else its own, or else the first parent of a loser that is not below one of
 * the merged companies.
 */
export function takeParent(draft: Draft, { fill }: MergeChoices, { winner, losers, parents }: MergeFacts): void {
  const merged = [winner, ...losers].map(idOf)
  const above = companiesAbove(idOf(winner), parents)
  const top = above.findLastIndex((id) => merged.includes(id))
  const replaced = losers.find((loser) => idOf(loser) === above[top])
  const own = above[top + 1]
  const lender = own || !fill ? undefined : losers.find((loser) => canLend(loser, merged, parents))
  const from: Row[] = [lender ?? replaced].filter((loser) => loser !== undefined)
  take(draft, 'parent_company_id', own ?? (lender ? parents[idOf(lender)] : null), from)
}

function canLend(loser: Row, merged: string[], parents: MergeFacts['parents']): boolean {
  const above = companiesAbove(idOf(loser), parents)
  return above.length > 0 && above.every((id) => !merged.includes(id))
}
