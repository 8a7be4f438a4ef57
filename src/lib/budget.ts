/** Whether so many milliseconds are over since now. */
export function budgetOf(milliseconds: number): () => boolean {
  const end = Date.now() + milliseconds
  return () => Date.now() > end
}
