import { crc32, deflateRawSync } from 'node:zlib'

type Packed = { packed: Buffer; size: number }

/** A zip archive. A file may also be given packed, with the size that its directory claims. */
export function zipOf(files: Record<string, string | Packed>): Uint8Array {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, file] of Object.entries(files)) {
    const { packed, size } = typeof file === 'string' ? { packed: deflateRawSync(file), size: Buffer.byteLength(file) } : file
    const crc = typeof file === 'string' ? crc32(file) : 0
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(20, 4)
    local.writeUInt16LE(8, 8)
    const central = Buffer.alloc(46)
    central.writeUInt32LE(0x02014b50, 0)
    central.writeUInt16LE(20, 6)
    central.writeUInt16LE(8, 10)
    central.writeUInt32LE(offset, 42)
    for (const [header, at] of [
      [local, 14],
      [central, 16],
    ] as const) {
      header.writeUInt32LE(crc, at)
      header.writeUInt32LE(packed.length, at + 4)
      header.writeUInt32LE(size, at + 8)
      header.writeUInt16LE(Buffer.byteLength(name), at + 12)
    }
    parts.push(local, Buffer.from(name), packed)
    directory.push(central, Buffer.from(name))
    offset += 30 + Buffer.byteLength(name) + packed.length
  }
  const index = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Object.keys(files).length, 8)
  end.writeUInt16LE(Object.keys(files).length, 10)
  end.writeUInt32LE(index.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, index, end])
}
