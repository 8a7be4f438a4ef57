/** Runs an asynchronous function for each item, at most so many at a time. */
export async function eachOf<T>(atOnce: number, items: T[], run: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of waiting) await run(item)
    }),
  )
}
