import { invalid } from '../errors.ts'
import { fromBase64Url, toBase64Url } from '../lib/base64.ts'
import { crc32 } from '../lib/crc.ts'
import type { About } from './reading.ts'

type Parts = [list: string, key: string, id: string, about?: About]

/** A cursor after a row; it also carries what the first page said about the list. */
export function encode([list, key, id, about = {}]: Parts): string {
  const text = JSON.stringify(Object.keys(about).length > 0 ? [list, key, id, about] : [list, key, id])
  return toBase64Url(`${crc32(text).toString(36)}.${text}`)
}

export function decode(cursor: string): Parts {
  try {
    const text = fromBase64Url(cursor)
    const dot = text.indexOf('.')
    const json = text.slice(dot + 1)
    const parts: unknown = crc32(json).toString(36) === text.slice(0, dot) ? JSON.parse(json) : null
    if (isCursor(parts)) return parts
  } catch {}
  throw invalid([{ path: 'after', message: 'Not a cursor of this API: use page.next of an earlier answer as it is' }])
}

function isCursor(parts: unknown): parts is Parts {
  if (!Array.isArray(parts)) return false
  const [list, key, id, about = {}, ...more] = parts
  const { synced_until = '', count = 0, count_exact = true } = (about ?? {}) as Record<string, unknown>
  const texts = [list, key, id, synced_until].every((part) => typeof part === 'string')
  return texts && typeof about === 'object' && typeof count === 'number' && typeof count_exact === 'boolean' && more.length === 0
}
