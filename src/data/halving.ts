import { AppError } from '../errors.ts'

/**
 * Saves items together. If the database refuses them, they are halved until the refused one is found, which `refused` handles.
 * @throws AppError UNAVAILABLE while the database is away, and whatever `refused` throws
 */
export async function saveHalving<T>(
  items: T[],
  save: (items: T[]) => Promise<unknown>,
  refused: (item: T, error: unknown) => Promise<unknown>,
): Promise<void> {
  if (items.length === 0) return
  try {
    await save(items)
  } catch (error) {
    if (error instanceof AppError && error.code === 'UNAVAILABLE') throw error
    const [only, ...others] = items as [T]
    if (others.length === 0) {
      await refused(only, error)
      return
    }
    const half = Math.ceil(items.length / 2)
    await saveHalving(items.slice(0, half), save, refused)
    await saveHalving(items.slice(half), save, refused)
  }
}
