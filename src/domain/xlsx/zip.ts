import { AppError, invalid } from '../../errors.ts'
import type { Source } from '../csv/scan.ts'

/** A file in a ZIP archive. Sizes and the offset of its header are in bytes. */
export type Entry = { name: string; method: number; encrypted: boolean; compressed: number; size: number; offset: number }

const LOCAL = 0x04034b50
const CENTRAL = 0x02014b50
const END = 0x06054b50
const LOCAL_BYTES = 30
const CENTRAL_BYTES = 46
/** The end record with the longest comment. */
const END_BYTES = 22 + 65_535
const MAX_DIRECTORY = 1024 * 1024
const MAX_ENTRIES = 10_000
/** Sizes that are in the extra field instead, with its number. */
const ELSEWHERE = 0xffffffff
const ZIP64 = 0x0001
const STORED = 0
const DEFLATED = 8
const ENCRYPTED = 1

const WINDOW = 256 * 1024
/** Bytes given to the inflater at a time, so that a bomb grows by no more than some megabytes before its size is compared. */
const PIECE = 8 * 1024
/** Rows without values shrink to a hundredth; a bomb to a thousandth. */
const MAX_RATIO = 400
/** Below this size the ratio says nothing. */
const MIN_RATIO_BYTES = 4 * 1024 * 1024

export const refused = (message: string, path = 'file') => invalid([{ path, message }])
export const damaged = () => refused('is damaged or incomplete: open the workbook, save it again as XLSX, and send that')
const tooLarge = (most: number) =>
  refused(`unpacks to more than ${Math.round(most / 1024 / 1024)} MB: split the sheet, or save it as CSV and send that`)

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Reads the archive's directory. @throws AppError VALIDATION_ERROR for a damaged archive. */
export async function readDirectory(source: Source): Promise<Map<string, Entry>> {
  const length = Math.min(END_BYTES, source.size)
  const tail = await source.read({ offset: source.size - length, length })
  const end = viewOf(tail)
  let at = tail.length - 22
  while (at >= 0 && end.getUint32(at, true) !== END) at--
  if (at < 0) throw damaged()
  const [count, size, offset] = [end.getUint16(at + 10, true), end.getUint32(at + 12, true), end.getUint32(at + 16, true)]
  if (count > MAX_ENTRIES || size > MAX_DIRECTORY || offset + size > source.size) throw damaged()
  return entriesIn(await source.read({ offset, length: size }), count)
}

function entriesIn(directory: Uint8Array, count: number): Map<string, Entry> {
  const view = viewOf(directory)
  const entries = new Map<string, Entry>()
  for (let [at, n] = [0, 0]; n < count; n++) {
    if (at + CENTRAL_BYTES > directory.length || view.getUint32(at, true) !== CENTRAL) throw damaged()
    const [nameLength, extraLength, commentLength] = [
      view.getUint16(at + 28, true),
      view.getUint16(at + 30, true),
      view.getUint16(at + 32, true),
    ]
    const from = at + CENTRAL_BYTES
    const next = from + nameLength + extraLength + commentLength
    if (next > directory.length) throw damaged()
    const name = new TextDecoder().decode(directory.subarray(from, from + nameLength))
    const sizes = [view.getUint32(at + 24, true), view.getUint32(at + 20, true), view.getUint32(at + 42, true)]
    const [size, compressed, offset] = sizes64(view, { at: from + nameLength, end: from + nameLength + extraLength }, sizes)
    if (size === undefined || compressed === undefined || offset === undefined) throw damaged()
    const encrypted = (view.getUint16(at + 8, true) & ENCRYPTED) !== 0
    entries.set(name, { name, method: view.getUint16(at + 10, true), encrypted, compressed, size, offset })
    at = next
  }
  return entries
}

/** The sizes of an entry, those of the ZIP64 extra field included. */
function sizes64(view: DataView, { at, end }: { at: number; end: number }, sizes: number[]): number[] {
  if (!sizes.includes(ELSEWHERE)) return sizes
  for (let from = at; from + 4 <= end; from += 4 + view.getUint16(from + 2, true)) {
    if (view.getUint16(from, true) !== ZIP64) continue
    let value = from + 4
    return sizes.map((size) => {
      if (size !== ELSEWHERE) return size
      if (value + 8 > end) throw damaged()
      value += 8
      return Number(view.getBigUint64(value - 8, true))
    })
  }
  return sizes
}

/**
 * Unpacks a file of the archive, some kilobytes to some megabytes at a time. @throws AppError VALIDATION_ERROR as soon as it is larger than
 * `most` bytes, or grows as only a bomb does.
 */
export async function* unpack(source: Source, entry: Entry, most: number): AsyncGenerator<Uint8Array> {
  if (entry.encrypted) throw refused('is protected by a password: save the workbook without one, and send that')
  if (entry.size > most) throw tooLarge(most)
  if (isBomb(entry.size, entry.compressed) || (entry.method !== STORED && entry.method !== DEFLATED)) throw damaged()
  const header = await source.read({ offset: entry.offset, length: LOCAL_BYTES })
  if (header.length < LOCAL_BYTES || viewOf(header).getUint32(0, true) !== LOCAL) throw damaged()
  const begin = entry.offset + LOCAL_BYTES + viewOf(header).getUint16(26, true) + viewOf(header).getUint16(28, true)
  if (begin + entry.compressed > source.size) throw damaged()
  const packed = pieces(source, begin, entry.compressed)
  let size = 0
  for await (const chunk of entry.method === STORED ? packed : inflate(packed)) {
    size += chunk.length
    if (size > most) throw tooLarge(most)
    if (isBomb(size, entry.compressed)) throw damaged()
    yield chunk
  }
  if (size !== entry.size) throw damaged()
}

const isBomb = (size: number, compressed: number) => size > MIN_RATIO_BYTES && size > compressed * MAX_RATIO

async function* pieces(source: Source, begin: number, length: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let done = 0; done < length; ) {
    const window = await source.read({ offset: begin + done, length: Math.min(WINDOW, length - done) })
    if (window.length === 0) throw damaged()
    for (let at = 0; at < window.length; at += PIECE) yield window.slice(at, at + PIECE)
    done += window.length
  }
}

async function* inflate(packed: AsyncIterable<Uint8Array<ArrayBuffer>>): AsyncGenerator<Uint8Array> {
  const stream = new DecompressionStream('deflate-raw')
  const writer = stream.writable.getWriter()
  const reader = stream.readable.getReader()
  let failure: unknown
  const feed = async () => {
    for await (const piece of packed) await writer.write(piece)
    await writer.close()
  }
  const feeding = feed().catch((error: unknown) => {
    failure = error
    return writer.abort(error).catch(() => {})
  })
  let isDone = false
  try {
    while (!isDone) {
      const read = await reader.read()
      isDone = read.done
      if (read.value) yield read.value
    }
  } catch (error) {
    await feeding
    // The store failed, not the archive.
    throw failure instanceof AppError ? failure : error instanceof AppError ? error : damaged()
  } finally {
    if (!isDone) await reader.cancel().catch(() => {})
    await feeding
  }
}
