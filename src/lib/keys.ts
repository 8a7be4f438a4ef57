import { crc32 } from './crc.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const FORM = /^wck_([0-9A-Za-z]{8})_[0-9A-Za-z]{43}[0-9A-Za-z]{6}$/
const CHECKSUM_LENGTH = 6
/** The largest multiple of 62 that a byte can hold. Bytes from here on are drawn again, so that every letter is equally likely. */
const FAIR_LIMIT = 248

/** Generates an API key, `wck_<8 char public id>_<43 char secret><6 char CRC-32>`, all base62. The secret has 256 bits. */
export function newKey(): { key: string; public_id: string } {
  const public_id = randomText(8)
  const body = `wck_${public_id}_${randomText(43)}`
  return { key: body + checksum(body), public_id }
}

/** The public id of a well-formed key; undefined when the format or the checksum is wrong. Whether the key exists is not checked. */
export function parseKey(text: string): { public_id: string } | undefined {
  const public_id = FORM.exec(text)?.[1]
  if (public_id === undefined) return undefined
  return checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH) ? { public_id } : undefined
}

/** SHA-256 of the whole key, 32 bytes, which is stored instead of the key. */
export async function hashKey(key: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key)))
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Lower-case hexadecimal of bytes. */
export function toHex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += HEX[byte]
  return text
}

function checksum(body: string): string {
  let [rest, text] = [crc32(body), '']
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    text = ALPHABET.charAt(rest % 62) + text
    rest = Math.floor(rest / 62)
  }
  return text
}

function randomText(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      if (byte < FAIR_LIMIT && text.length < length) text += ALPHABET.charAt(byte % 62)
    }
  }
  return text
}
