/**
 * Processes each item, at most so many at a time. After a failure no further items are started; it is thrown when the running ones have
 * ended.
 */
export async function eachOf<T>(atOnce: number, items: T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const waiting = items.values()
  const failures: unknown[] = []
  const worker = async () => {
    for (const item of waiting) {
      if (failures.length > 0) return
      await work(item).catch((error: unknown) => failures.push(error))
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker))
  if (failures.length > 0) throw failures[0]
}
