/** The number of letters to insert, delete or replace to turn one text into the other. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min((next[j - 1] as number) + 1, (row[j] as number) + 1, (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1))
    row = next
  }
  return row[b.length] as number
}

/** The choice that a misspelt word most probably means: at most a third of its letters differ. Undefined when there is none. */
export function nearest(word: string, choices: readonly string[]): string | undefined {
  const given = word.slice(0, 100).toLowerCase()
  const [best] = choices
    .map((choice) => ({ choice, distance: editDistance(given, choice.toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.ceil(given.length / 3))
    .sort((a, b) => a.distance - b.distance)
  return best?.choice
}
