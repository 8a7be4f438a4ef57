import { crc32, deflateSync } from 'node:zlib'

/** Version 1 with error correction L: 21 × 21 modules, 19 bytes of data and 7 for their correction (ISO/IEC 18004). */
const SIZE = 21
const DATA = 19
const CORRECTION = 7
const LONGEST = 17
/** The format information for correction L and mask 0, most significant bit first. */
const FORMAT = '111011111000100'
const QUIET = 4
const SCALE = 8

/** A PNG of the QR code for a short text; what exceeds 17 bytes is cut off. */
export function qrPicture(text: string): Buffer {
  const modules = modulesOf(codewordsOf(Buffer.from(text).subarray(0, LONGEST)))
  const width = (SIZE + 2 * QUIET) * SCALE
  const isDark = (x: number, y: number) => modules[Math.floor(y / SCALE) - QUIET]?.[Math.floor(x / SCALE) - QUIET] === true
  const rows = Array.from({ length: width }, (_, y) => [0, ...Array.from({ length: width }, (__, x) => (isDark(x, y) ? 0 : 255))])
  return pngOf(width, Buffer.from(rows.flat()))
}

function codewordsOf(bytes: Buffer): number[] {
  const bits = `0100${binary(bytes.length)}${[...bytes].map(binary).join('')}0000`
  const padded = bits.padEnd(Math.ceil(bits.length / 8) * 8, '0')
  const data = (padded.match(/.{8}/g) ?? []).slice(0, DATA).map((byte) => Number.parseInt(byte, 2))
  for (let n = 0; data.length < DATA; n++) data.push(n % 2 === 0 ? 0xec : 0x11)
  return [...data, ...correctionOf(data)]
}

const binary = (byte: number) => byte.toString(2).padStart(8, '0')

/** The product in the field of 256 elements with the polynomial 0x11d. */
function multiply(a: number, b: number): number {
  let product = 0
  for (let n = 7; n >= 0; n--) product = (product << 1) ^ ((product >> 7) * 0x11d) ^ (((b >> n) & 1) * a)
  return product
}

/** The remainder of a Reed–Solomon division. */
function correctionOf(data: number[]): number[] {
  let divisor = [1]
  for (let n = 0, root = 1; n < CORRECTION; n++, root = multiply(root, 2))
    divisor = [...divisor, 0].map((value, at) => value ^ multiply(divisor[at - 1] ?? 0, root))
  let rest: number[] = Array(CORRECTION).fill(0)
  for (const byte of data) {
    const factor = byte ^ (rest[0] as number)
    rest = [...rest.slice(1), 0].map((value, at) => value ^ multiply(divisor[at + 1] as number, factor))
  }
  return rest
}

function modulesOf(codewords: number[]): boolean[][] {
  const modules: (boolean | undefined)[][] = Array.from({ length: SIZE }, () => Array(SIZE).fill(undefined))
  const set = (y: number, x: number, dark: boolean) => {
    const row = modules[y]
    if (row && x >= 0 && x < SIZE) row[x] = dark
  }
  for (const [top, left] of [
    [0, 0],
    [0, SIZE - 7],
    [SIZE - 7, 0],
  ] as const)
    for (let y = -1; y <= 7; y++)
      for (let x = -1; x <= 7; x++) {
        const ring = Math.max(Math.abs(y - 3), Math.abs(x - 3))
        set(top + y, left + x, ring !== 2 && ring !== 4)
      }
  for (let n = 8; n < SIZE - 8; n++)
    for (const [y, x] of [
      [6, n],
      [n, 6],
    ] as const)
      set(y, x, n % 2 === 0)
  set(SIZE - 8, 8, true)
  for (const [n, bit] of [...FORMAT].entries()) {
    const [y, x] = n < 6 ? [8, n] : n < 8 ? [8, n + 1] : n === 8 ? [7, 8] : [14 - n, 8]
    set(y, x, bit === '1')
    if (n < 7) set(SIZE - 1 - n, 8, bit === '1')
    else set(8, SIZE - 15 + n, bit === '1')
  }
  const bits = codewords.map(binary).join('')
  let next = 0
  for (const [column, right] of [20, 18, 16, 14, 12, 10, 8, 5, 3, 1].entries())
    for (let step = 0; step < SIZE; step++) {
      const y = column % 2 === 0 ? SIZE - 1 - step : step
      for (const x of [right, right - 1]) if (modules[y]?.[x] === undefined) set(y, x, (bits[next++] === '1') !== ((x + y) % 2 === 0))
    }
  return modules as boolean[][]
}

function pngOf(width: number, pixels: Buffer): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(width, 4)
  // Eight bits of grey for each pixel.
  header[8] = 8
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(pixels)), chunk('IEND', Buffer.alloc(0))])
}
