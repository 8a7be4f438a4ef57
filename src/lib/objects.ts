/** Returns the entries whose value is not null. */
export const withoutNulls = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))

/** The place of the first text, or name of a member, in a parsed JSON value that includes `part`; undefined without one. */
export function pathTo(value: unknown, part: string): string | undefined {
  const queue: [string[], unknown][] = [[[], value]]
  for (const [path, next] of queue) {
    if (typeof next === 'string' ? next.includes(part) : path.at(-1)?.includes(part)) return path.join('.')
    if (typeof next === 'object' && next !== null) for (const [name, member] of Object.entries(next)) queue.push([[...path, name], member])
  }
  return undefined
}

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
