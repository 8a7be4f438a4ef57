/** The files that are taken, told by their first bytes. What a browser or a shell would run is none of them. */

export const FILE_TYPES = {
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  txt: 'text/plain',
  csv: 'text/csv',
  json: 'application/json',
  eml: 'message/rfc822',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
} as const
export type FileType = keyof typeof FILE_TYPES

/** The name's last part after a dot, in lower case. */
export const extensionOf = (name: string): string => /\.([^.\s]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''

/**
 * What kind of file the bytes are, undefined when none that is taken. Kinds of text are alike in their bytes: there the
 * name's extension tells, and no extension means plain text.
 */
export function typeOf(bytes: Uint8Array, name: string): FileType | undefined {
  const found = SIGNATURES.find(([, fits]) => fits(bytes))?.[0]
  if (found) return found === 'zip' ? officeType(bytes) : found
  const kind = extensionOf(name) || 'txt'
  return isKindOfText(kind) && isPlainText(bytes) ? kind : undefined
}

const isKindOfText = (kind: string): kind is 'txt' | 'csv' | 'json' | 'eml' => ['txt', 'csv', 'json', 'eml'].includes(kind)

const ascii = (bytes: Uint8Array, from: number, to: number) => String.fromCharCode(...bytes.subarray(from, to))
const begins =
  (text: string, at = 0) =>
  (bytes: Uint8Array) =>
    ascii(bytes, at, at + text.length) === text

const SIGNATURES: [Exclude<FileType, 'docx' | 'xlsx' | 'pptx' | 'txt' | 'csv' | 'json' | 'eml'> | 'zip', (bytes: Uint8Array) => boolean][] =
  [
    ['pdf', begins('%PDF-')],
    ['png', begins('\x89PNG\r\n\x1a\n')],
    ['jpg', begins('\xff\xd8\xff')],
    ['gif', (bytes) => begins('GIF87a')(bytes) || begins('GIF89a')(bytes)],
    ['webp', (bytes) => begins('RIFF')(bytes) && begins('WEBP', 8)(bytes)],
    ['zip', begins('PK\x03\x04')],
    ['mp4', (bytes) => begins('ftyp', 4)(bytes) && /^(iso[m2-9]|mp4[12]|avc1|M4V |MSNV|dash)$/.test(ascii(bytes, 8, 12))],
    ['mp3', (bytes) => (begins('ID3')(bytes) && bytes[3]! <= 4) || isMp3Frame(bytes)],
  ]

/** The header of an MPEG audio frame of layer III, with a version, bit rate and sample rate that exist. */
const isMp3Frame = ([sync = 0, kind = 0, rates = 0]: Uint8Array) =>
  sync === 0xff && (kind & 0xe6) === 0xe2 && (kind & 0x18) !== 0x08 && rates >> 4 !== 0x0f && (rates & 0x0c) !== 0x0c

const OFFICE = { docx: /^word\//, xlsx: /^xl\//, pptx: /^ppt\// } as const

/** A zip archive is taken when it is an Office document without macros. */
function officeType(bytes: Uint8Array): FileType | undefined {
  const names = namesInZip(bytes)
  if (!names.includes('[Content_Types].xml') || names.some((name) => /vbaproject|\.(bin|exe|dll|js|vbs)$/i.test(name))) return undefined
  const kinds = (Object.keys(OFFICE) as (keyof typeof OFFICE)[]).filter((kind) => names.some((name) => OFFICE[kind].test(name)))
  return kinds.length === 1 ? kinds[0] : undefined
}

const END_OF_DIRECTORY = 0x06054b50
const ENTRY = 0x02014b50
const LONGEST_COMMENT = 65_535

/** The names in a zip archive's directory, which stands at its end; none when that is damaged. */
function namesInZip(bytes: Uint8Array): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let end = bytes.length - 22
  while (end >= 0 && view.getUint32(end, true) !== END_OF_DIRECTORY) {
    if (--end < bytes.length - 22 - LONGEST_COMMENT) return []
  }
  if (end < 0) return []
  const names: string[] = []
  let at = view.getUint32(end + 16, true)
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    if (at + 46 > end || view.getUint32(at, true) !== ENTRY) return []
    const length = view.getUint16(at + 28, true)
    names.push(ascii(bytes, at + 46, at + 46 + length))
    at += 46 + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return names
}

const CHUNK = 65_536
/** Control characters but for tab, line feed, form feed and carriage return. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\0-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f]/
/** Begins as markup or as a script does. */
const ACTIVE = /^\s*(<[a-z!?/]|#!)/i

/** Text that no program would take for anything else. */
function isPlainText(bytes: Uint8Array): boolean {
  for (const encoding of begins('\xff\xfe')(bytes) ? ['utf-16le'] : ['utf-8', 'windows-1252']) {
    const beginning = beginningIn(encoding, bytes)
    if (beginning !== undefined) return !ACTIVE.test(beginning)
  }
  return false
}

/** The first of the text, when all bytes are text in this encoding. A piece at a time, so that a large file costs no copy of itself. */
function beginningIn(encoding: string, bytes: Uint8Array): string | undefined {
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: false })
  let beginning: string | undefined
  try {
    for (let at = 0; at < bytes.length; at += CHUNK) {
      const piece = decoder.decode(bytes.subarray(at, at + CHUNK), { stream: at + CHUNK < bytes.length })
      if (CONTROL.test(piece)) return undefined
      beginning ??= piece
    }
  } catch {
    return undefined
  }
  return beginning
}
