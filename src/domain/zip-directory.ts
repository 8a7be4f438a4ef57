import type { Source } from './file-types.ts'

const END_OF_DIRECTORY = 0x06054b50
const ENTRY = 0x02014b50
const LONGEST_COMMENT = 65_535
/** Far larger than any real document's directory; a larger one is treated as damaged. */
const LONGEST_DIRECTORY = 2 * 1024 * 1024

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** A file of a zip archive: its sizes before and after compression, in bytes. */
export type ZipEntry = { name: string; size: number; compressed: number }

/** The central directory of a zip archive, which is at its end; empty when it is damaged. */
export async function entriesInZip(source: Source): Promise<ZipEntry[]> {
  const from = Math.max(0, source.size - 22 - LONGEST_COMMENT)
  const tail = viewOf(await source.read({ offset: from, length: source.size - from }))
  let end = tail.byteLength - 22
  while (end >= 0 && tail.getUint32(end, true) !== END_OF_DIRECTORY) end--
  if (end < 0) return []
  const begin = tail.getUint32(end + 16, true)
  const length = from + end - begin
  if (length < 0 || length > LONGEST_DIRECTORY) return []
  const directory = await source.read({ offset: begin, length })
  const view = viewOf(directory)
  const entries: ZipEntry[] = []
  let at = 0
  for (let left = tail.getUint16(end + 10, true); left > 0; left--) {
    if (at + 46 > directory.length || view.getUint32(at, true) !== ENTRY) return []
    const size = view.getUint16(at + 28, true)
    const name = String.fromCharCode(...directory.subarray(at + 46, at + 46 + size))
    entries.push({ name, size: view.getUint32(at + 24, true), compressed: view.getUint32(at + 20, true) })
    at += 46 + size + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return entries
}
