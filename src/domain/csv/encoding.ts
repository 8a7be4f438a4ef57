export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const
export type Encoding = (typeof ENCODINGS)[number]

const SAMPLE = 4096
/** Decoded at a time, so that a large file costs no copy of itself. */
const PIECE = 65_536
/** Of a file in UTF-16, this share of its high bytes is zero where the text is mostly Latin. */
const ZEROS = 0.4

/** How the bytes of a text file are to be read, by its first ones, and after how many (a byte order mark) its text begins. `isUtf8` is said of the whole file. */
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

/** Which share of the bytes at even and at odd places is zero. */
function zerosOf(bytes: Uint8Array): [number, number] {
  const zeros: [number, number] = [0, 0]
  bytes.forEach((byte, at) => {
    if (byte === 0) zeros[(at & 1) as 0 | 1] += 1
  })
  const half = Math.max(bytes.length / 2, 1)
  return [zeros[0] / half, zeros[1] / half]
}

/** Whether the bytes that come by, a piece at a time, are UTF-8. */
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

/** Text out of bytes that begin with a whole character; a character that is cut off at the end is left out unless they are the file's last. */
export const decode = (encoding: Encoding, bytes: Uint8Array, atEnd: boolean): string =>
  new TextDecoder(encoding, { fatal: false, ignoreBOM: true }).decode(bytes, { stream: !atEnd })

const encoder = new TextEncoder()

/** How many bytes of the file the text was. It was valid in UTF-8; in the other encodings every unit has its fixed size. */
export function bytesOf(encoding: Encoding, text: string): number {
  if (encoding.startsWith('utf-16')) return text.length * 2
  return encoding === 'utf-8' && /\P{ASCII}/u.test(text) ? encoder.encode(text).length : text.length
}
