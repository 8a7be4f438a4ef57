/** Half-open ranges of numbers, `[from, to)`, such as milliseconds since 1970. */
export type Interval = readonly [from: number, to: number]

/** The union, sorted, without gaps of zero and without overlaps. */
export function union(intervals: readonly Interval[]): Interval[] {
  const merged: [number, number][] = []
  for (const [from, to] of intervals.toSorted((a, b) => a[0] - b[0])) {
    if (from >= to) continue
    const last = merged.at(-1)
    if (last && from <= last[1]) last[1] = Math.max(last[1], to)
    else merged.push([from, to])
  }
  return merged
}

/** What `all` has and `removed` has not. Both are unions. */
export function subtract(all: readonly Interval[], removed: readonly Interval[]): Interval[] {
  const left: Interval[] = []
  let first = 0
  for (const [from, to] of all) {
    while (first < removed.length && (removed[first] as Interval)[1] <= from) first++
    let at = from
    for (let i = first; i < removed.length; i++) {
      const [start, end] = removed[i] as Interval
      if (start >= to) break
      if (start > at) left.push([at, start])
      at = Math.max(at, end)
    }
    if (at < to) left.push([at, to])
  }
  return left
}

/** Whether one of the intervals overlaps the range. */
export const overlaps = (all: readonly Interval[], from: number, to: number): boolean => all.some(([a, b]) => a < to && from < b)
