import { entriesInZip } from './zip-directory.ts'

/** The accepted file types, recognised by their first bytes. None is executed by a browser or a shell. */

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

export type Source = { size: number; read(range: { offset: number; length: number }): Promise<Uint8Array> }
/** All signatures are within this number of bytes. */
const HEAD = 64

/**
 * Determines the type of a stream of bytes; undefined when it is not accepted. Text formats cannot be distinguished by their bytes, so the
 * extension decides, and no extension means plain text.
 */
export class TypeFinder {
  #head = new Uint8Array(0)
  readonly #texts = [new TextProbe('utf-8'), new TextProbe('windows-1252')]
  readonly #wide = new TextProbe('utf-16le')

  add(chunk: Uint8Array): void {
    if (this.#head.length < HEAD) this.#head = Uint8Array.of(...this.#head, ...chunk.subarray(0, HEAD - this.#head.length))
    for (const probe of [...this.#texts, this.#wide]) probe.add(chunk)
  }

  /** Call after all bytes were added. `source` reads the file again. */
  async find(name: string, source: Source): Promise<FileType | undefined> {
    const type = SIGNATURES.find(([, fits]) => fits(this.#head))?.[0]
    if (type) return type === 'zip' ? officeType(source) : type
    const kind = extensionOf(name) || 'txt'
    return isKindOfText(kind) && this.#isPlainText() ? kind : undefined
  }

  /** Text that no program interprets as anything else. */
  #isPlainText(): boolean {
    const probes = begins('\xff\xfe')(this.#head) ? [this.#wide] : this.#texts
    const beginning = probes.map((probe) => probe.end()).find((text) => text !== undefined)
    return beginning !== undefined && !ACTIVE.test(beginning)
  }
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

/** A zip archive is accepted if it is an Office document without macros. */
async function officeType(source: Source): Promise<FileType | undefined> {
  const names = (await entriesInZip(source)).map(({ name }) => name)
  if (!names.includes('[Content_Types].xml') || names.some((name) => /vbaproject|\.(bin|exe|dll|js|vbs)$/i.test(name))) return undefined
  const kinds = (Object.keys(OFFICE) as (keyof typeof OFFICE)[]).filter((kind) => names.some((name) => OFFICE[kind].test(name)))
  return kinds.length === 1 ? kinds[0] : undefined
}

const CHUNK = 65_536
/** The length of the beginning that is checked for active content. */
const BEGINNING = 65_536
/** Control characters except tab, line feed, form feed and carriage return. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this pattern detects them
const CONTROL = /[\0-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f]/
/** Text that begins like markup or a script. */
const ACTIVE = /^\s*(<[a-z!?/]|#!)/i

/**
 * Checks incrementally whether bytes are text in one encoding, and keeps its beginning. It works in pieces, so that a large file is never
 * copied as a whole.
 */
class TextProbe {
  readonly #decoder: TextDecoder
  #beginning = ''
  #isText = true

  constructor(encoding: string) {
    this.#decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: false })
  }

  add(bytes: Uint8Array): void {
    for (let at = 0; this.#isText && at < bytes.length; at += CHUNK)
      this.#take(() => this.#decoder.decode(bytes.subarray(at, at + CHUNK), { stream: true }))
  }

  #take(decode: () => string): void {
    try {
      const piece = decode()
      if (CONTROL.test(piece)) this.#isText = false
      if (this.#beginning.length < BEGINNING) this.#beginning += piece.slice(0, BEGINNING)
    } catch {
      this.#isText = false
    }
  }

  /** The beginning of the text; undefined when the bytes are not text. */
  end(): string | undefined {
    if (this.#isText) this.#take(() => this.#decoder.decode())
    return this.#isText ? this.#beginning : undefined
  }
}
