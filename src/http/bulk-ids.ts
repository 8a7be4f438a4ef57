import { type Plan, plan } from '../data/plan.ts'
import { mapResult } from '../data/query.ts'
import { invalid } from '../errors.ts'
import { isId } from '../lib/ids.ts'
import { cutText } from '../lib/text.ts'
import { type Bulk, type Failure, failure } from '../schemas/bulk.ts'

/** Runs a bulk call for the ids that are UUIDs, and reports the others in `errors`. Indices are those of the ids as sent. */
export async function forEachId<Item>(
  sent: unknown[],
  run: (ids: string[]) => Plan<Bulk<Item>> | Promise<Plan<Bulk<Item>>>,
): Promise<Plan<Bulk<Item>>> {
  const valid: { index: number; id: string }[] = []
  const malformed: Failure[] = []
  sent.forEach((id, index) => {
    if (typeof id === 'string' && isId(id)) valid.push({ index, id: id.toLowerCase() })
    else
      malformed.push(failure(index, invalid([{ path: 'id', message: 'must be a UUID' }]), typeof id === 'string' ? cutText(id, 100) : null))
  })
  const { statements, result, wakes } = await run(valid.map(({ id }) => id))
  const asSent = <Entry extends { index: number }>(entries: Entry[]): Entry[] =>
    entries.map((entry) => ({ ...entry, index: valid[entry.index]?.index ?? entry.index }))
  const planned = plan(
    statements,
    mapResult(result, ({ results, skipped, errors }) => ({
      results,
      skipped: asSent(skipped),
      errors: [...asSent(errors), ...malformed].sort((a, b) => a.index - b.index),
    })),
  )
  return { ...planned, ...(wakes && { wakes }) }
}
