import { fileTypeFromBuffer } from 'file-type'
import { FILE_TYPES, TypeFinder } from '../../../domain/file-types.ts'
import { HEAD } from './judge.ts'

const OWN: readonly string[] = Object.values(FILE_TYPES)
/** What programs keep documents of many types in. */
const CONTAINERS = ['application/zip', 'application/x-cfb', 'application/xml', 'application/gzip']
const subtypeOf = (type: string) => type.split('/')[1]

/**
 * The media type of a file that came with a message: what its bytes show, or else what the sender says. Nothing that was received is
 * refused, whatever it is and however much is stored: it is downloaded as a file, and never shown.
 */
export async function receivedType(declared: string, bytes: Uint8Array): Promise<string> {
  const found = await shownBy(bytes).catch(() => undefined)
  if (found === undefined) return declared
  const isMoreExact = subtypeOf(found) === subtypeOf(declared) || (CONTAINERS.includes(found) && !OWN.includes(declared))
  return isMoreExact ? declared : found
}

/** The type that a signature shows; undefined for text and for what has none. */
async function shownBy(bytes: Uint8Array): Promise<string | undefined> {
  const finder = new TypeFinder()
  finder.add(bytes.subarray(0, HEAD))
  const read = async ({ offset, length }: { offset: number; length: number }) => bytes.subarray(offset, offset + length)
  // Without a name, text is plain text, and the sender knows better.
  const type = await finder.find('', { size: bytes.length, read })
  if (type && type !== 'txt') return FILE_TYPES[type]
  const found = await fileTypeFromBuffer(bytes.subarray(0, HEAD))
  return found?.mime.split(';')[0]
}
