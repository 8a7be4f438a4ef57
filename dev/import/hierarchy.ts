/** An item with a key, and optionally the key of its parent. */
export interface Member {
  key: string
  parent: string | null
}

/** Removes the parent of one member of every cycle, so that following parents always ends. */
export function cutLoops<T extends Member>(all: T[], onCut: (member: T) => void): void {
  const byKey = new Map(all.map((member) => [member.key, member]))
  const safe = new Set<T>()
  for (const start of all) {
    const path = new Set<T>()
    for (let at: T | undefined = start; at && !safe.has(at); at = byKey.get(at.parent ?? '')) {
      path.add(at)
      const above = byKey.get(at.parent ?? '')
      if (!above || !path.has(above)) continue
      at.parent = null
      onCut(at)
    }
    for (const member of path) safe.add(member)
  }
}

/** Sorts the items in the order in which they can be created: first those without a parent, then their children, and so on. */
export function levelsOf<T extends Member>(all: T[]): T[][] {
  const levels: T[][] = []
  const done = new Set<string | null>([null])
  for (let left = all; left.length > 0; ) {
    const next = Map.groupBy(left, ({ parent }) => done.has(parent))
    const level = next.get(true) ?? []
    if (level.length === 0) throw new Error(`No order: ${left[0]!.key} is below itself or below nobody known`)
    for (const { key } of level) done.add(key)
    levels.push(level)
    left = next.get(false) ?? []
  }
  return levels
}
