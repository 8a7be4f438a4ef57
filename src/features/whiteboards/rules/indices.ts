import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing'

/** Fractional indices: texts whose order is that of the elements. One between two others exists always. */

const LONGEST = 64
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** Integer parts of at most seven digits, so that the database can count on from any of them. */
const PATTERN = /^[A-Za-g][0-9A-Za-z]*$/

function isIndex(key: string | null | undefined): key is string {
  if (typeof key !== 'string' || key.length > LONGEST || !PATTERN.test(key)) return false
  try {
    generateKeyBetween(key, null)
    return true
  } catch {
    return false
  }
}

/** The index of each element: its own as long as they ascend, and new ones between those. */
export function completeIndices(sent: readonly (string | null | undefined)[]): string[] {
  const indices: string[] = []
  let last: string | null = null
  let missing = 0
  const fill = (next: string | null) => indices.push(...generateNKeysBetween(last, next, missing))
  for (const key of sent) {
    if (!isIndex(key) || (last !== null && key <= last)) {
      missing++
      continue
    }
    fill(key)
    indices.push(key)
    last = key
    missing = 0
  }
  fill(null)
  return indices
}

/** The number that fraction_key of the database makes an index of which comes after this one. */
export function numberAfter(index: string): number {
  const places = index.charCodeAt(0) - 'a'.charCodeAt(0) + 1
  if (places < 1) return 0
  const digits = [...index.slice(1, places + 1)].reduce((sum, digit) => sum * DIGITS.length + DIGITS.indexOf(digit), 0)
  const shorter = Array.from({ length: places - 1 }, (_, at) => DIGITS.length ** (at + 1)).reduce((sum, n) => sum + n, 0)
  return shorter + digits + 1
}
