/** Returns the entries whose value is not null. */
export const withoutNulls = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))

/** Whether a parsed JSON value contains more than `max` values, counting itself, lists and objects. */
export function hasMoreValues(value: unknown, max: number): boolean {
  const queue = [value]
  let count = 1
  while (queue.length > 0) {
    const next = queue.pop()
    if (typeof next !== 'object' || next === null) continue
    const members = Array.isArray(next) ? next : Object.values(next)
    count += members.length
    if (count > max) return true
    for (const member of members) if (typeof member === 'object') queue.push(member)
  }
  return false
}
