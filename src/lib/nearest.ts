/** The number of insertions, deletions, substitutions and swaps of neighbours that turn one text into the other. */
export function editDistance(from: string, to: string): number {
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_, column) => column)]
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current[column] = Math.min(
        (last[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (last[column - 1] as number) + (same ? 0 : 1),
        swapped ? (beforeLast[column - 2] as number) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    ;[beforeLast, last] = [last, current]
  }
  return last[to.length] as number
}

/** The longest name for which a nearest one is sought. */
const MAX_NAME = 60

/** `firstName`, `First name` and `first-name` as `first_name`. */
export const snakeCase = (name: string) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[\s-]+/g, '_')
    .toLowerCase()

/**
 * The known name that was probably meant: the nearest one, if it differs in at most a third of its letters. `firstName` counts as
 * `first_name`.
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_NAME) return undefined
  const written = snakeCase(name)
  let best: { name: string; distance: number } | undefined
  for (const candidate of known) {
    const distance = editDistance(written, snakeCase(candidate))
    if (distance <= Math.floor(candidate.length / 3) && distance < (best?.distance ?? Number.POSITIVE_INFINITY))
      best = { name: candidate, distance }
  }
  return best?.name
}
