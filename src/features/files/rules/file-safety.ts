import type { FileType, Source } from '../../../domain/file-types.ts'
import { entriesInZip } from '../../../domain/zip-directory.ts'

/** The part of a file that is read to see how it ends. */
const TAIL = 65_536
/** The most bytes that an Office document may unpack to, and how many times its own size from SMALL bytes on. */
const MOST_UNPACKED = 512 * 1024 ** 2
const MOST_RATIO = 200
const SMALL = 10 * 1024 ** 2

/** Markup that a browser would run, and the ends of archives. Compressed data does not contain these by chance. */
const MARKUP = /<(?:!doctype|html|head|body|script|svg|iframe|object|embed|meta|\?php)\b/i
const ARCHIVES = ['PK\x05\x06', '%PDF-']
const END_OF_PDF = '%%EOF'

const textOf = (bytes: Uint8Array) => new TextDecoder('latin1').decode(bytes)
const tailOf = async ({ size, read }: Source) => {
  const offset = Math.max(0, size - TAIL)
  return textOf(await read({ offset, length: size - offset }))
}

/**
 * Why a file of a known type is refused although its first bytes are right: another file is attached to its end, it unpacks to far more
 * than it is, or it is not whole. Undefined for a file that is accepted. `isWhole`: a PDF must have its end mark.
 */
export async function refusalOf(type: FileType, source: Source, isWhole: boolean): Promise<string | undefined> {
  if (type === 'pdf') return refusalOfPdf(await tailOf(source), isWhole)
  if (type === 'docx' || type === 'xlsx' || type === 'pptx') return refusalOfArchive(source)
  if (type === 'png' || type === 'gif' || type === 'jpg' || type === 'webp') return refusalOfPicture(await tailOf(source))
  return undefined
}

const ATTACHED = 'has something else attached to its end: export it again from the program that made it'

function refusalOfPdf(tail: string, isWhole: boolean): string | undefined {
  const end = tail.lastIndexOf(END_OF_PDF)
  if (end === -1 && isWhole) return 'is not a whole PDF, as its end is missing: export or upload it again'
  const rest = end === -1 ? tail : tail.slice(end + END_OF_PDF.length)
  const isClean = end === -1 ? !MARKUP.test(rest) : /^[\s\0]*$/.test(rest)
  return isClean ? undefined : ATTACHED
}

/** Cameras add data of their own after a picture, which is accepted unless it is markup or another document. */
const refusalOfPicture = (tail: string) => (MARKUP.test(tail) || ARCHIVES.some((mark) => tail.includes(mark)) ? ATTACHED : undefined)

async function refusalOfArchive(source: Source): Promise<string | undefined> {
  const entries = await entriesInZip(source)
  const unpacked = entries.reduce((sum, { size }) => sum + size, 0)
  const isBomb = unpacked > MOST_UNPACKED || (unpacked > SMALL && unpacked > source.size * MOST_RATIO)
  return isBomb
    ? `unpacks to ${Math.round(unpacked / 1024 ** 2)} MB, which is too much for its size: save it again without empty cells`
    : undefined
}
