export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const
export type Encoding = (typeof ENCODINGS)[number]

const SAMPLE = 4096
/** The bytes decoded at a time, so that a large file is never copied as a whole. */
const PIECE = 65_536
/** In UTF-16, at least this share of the high bytes is zero when the text is mostly Latin. */
const ZEROS = 0.4

/** Detects the encoding from the first bytes, and the length of the byte order mark. `isUtf8` is the result for the whole file. */
export function detectEncoding(bytes: Uint8Array, isUtf8: boolean): { encoding: Encoding; begin: number } {
  const [a, b, c] = bytes
  const encoding = isUtf8 ? 'utf-8' : 'windows-1252'
  if (a === 0xef && b === 0xbb && c === 0xbf) return { encoding, begin: 3 }
  if (a === 0xff && b === 0xfe) return { encoding: 'utf-16le', begin: 2 }
  if (a === 0xfe && b === 0xff) return { encoding: 'utf-16be', begin: 2 }
  const [even, odd] = zerosOf(bytes.subarray(0, SAMPLE))
  if (odd > ZEROS && even < ZEROS / 4) return { encoding: 'utf-16le', begin: 0 }
  if (even > ZEROS && odd < ZEROS / 4) return { encoding: 'utf-16be', begin: 0 }
  return { encoding, begin: 0 }
}

/** The share of zero bytes at even and at odd positions. */
function zerosOf(bytes: Uint8Array): [number, number] {
  const zeros: [number, number] = [0, 0]
  bytes.forEach((byte, at) => {
    if (byte === 0) zeros[(at & 1) as 0 | 1] += 1
  })
  const half = Math.max(bytes.length / 2, 1)
  return [zeros[0] / half, zeros[1] / half]
}

/** Checks incrementally whether a stream of bytes is valid UTF-8. */
export class Utf8Probe {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  #isUtf8 = true

  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += PIECE)
      this.#take(() => this.#decoder.decode(bytes.subarray(at, at + PIECE), { stream: true }))
  }

  end(): boolean {
    this.#take(() => this.#decoder.decode())
    return this.#isUtf8
  }

  #take(decode: () => string): void {
    try {
      if (this.#isUtf8) decode()
    } catch {
      this.#isUtf8 = false
    }
  }
}

export function isUtf8(bytes: Uint8Array): boolean {
  const probe = new Utf8Probe()
  probe.add(bytes)
  return probe.end()
}

/** Decodes bytes that begin with a whole character. A character cut off at the end is left out, unless the file ends there. */
export const decode = (encoding: Encoding, bytes: Uint8Array, atEnd: boolean): string =>
  new TextDecoder(encoding, { fatal: false, ignoreBOM: true }).decode(bytes, { stream: !atEnd })

const encoder = new TextEncoder()

/** The number of bytes that the text took in the file. In UTF-8 the text was valid; in the other encodings every unit has a fixed size. */
export function bytesOf(encoding: Encoding, text: string): number {
  if (encoding.startsWith('utf-16')) return text.length * 2
  return encoding === 'utf-8' && /\P{ASCII}/u.test(text) ? encoder.encode(text).length : text.length
}
