const POLYNOMIAL = 0xedb88320

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1
  return value
})

/** CRC-32 (ISO-HDLC, as used by zip and PNG) of bytes, or of a text's UTF-8 bytes, as an unsigned 32-bit number. */
export function crc32(data: string | Uint8Array): number {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data
  let crc = 0xffffffff
  for (let i = 0; i < bytes.length; i++) crc = (crc >>> 8) ^ (table[(crc ^ (bytes[i] as number)) & 0xff] as number)
  return (crc ^ 0xffffffff) >>> 0
}
