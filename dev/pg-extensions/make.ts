import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Makes `linux-x64` from Debian's package postgresql-18-pgvector 0.8.7-1 for amd64, in the folder into which `dpkg -x` has unpacked it:
 * node dev/pg-extensions/make.ts <folder>
 *
 * The library is Debian's but for one symbol: `__isoc23_strtol`, which glibc has from 2.38 on, becomes `strtol`, so that it loads with
 * older versions too. Both read the decimal numbers that pgvector passes in the same way.
 */
const SHA256 = 'ab9c2d910c43bc6032699832018871bb11c0d193cbf59a2fcde178900d71b2ff'
const PREFIX = '__isoc23_'

export function relinked(library: Buffer): Buffer {
  const elf = Buffer.from(library)
  const section = sectionsOf(elf)
  const [symbols, names, versions, needs] = [section('.dynsym'), section('.dynstr'), section('.gnu.version'), section('.gnu.version_r')]
  const textAt = (offset: number) => elf.toString('latin1', names.at + offset, elf.indexOf(0, names.at + offset))
  const numbers = new Map<string, number>()
  for (let at = needs.at + 16, left = elf.readUInt16LE(needs.at + 2); left > 0; left--, at += 16) {
    const name = textAt(elf.readUInt32LE(at + 8))
    numbers.set(name, elf.readUInt16LE(at + 6))
    // VER_FLG_WEAK: a missing version is no error.
    if (name === 'GLIBC_2.38') elf.writeUInt16LE(2, at + 4)
  }
  const [former, present] = [numbers.get('GLIBC_2.38'), numbers.get('GLIBC_2.2.5')]
  if (former === undefined || present === undefined) throw new Error('The library needs other versions of glibc than this script knows')
  for (let index = 0; index < symbols.size / 24; index++) {
    if (elf.readUInt16LE(versions.at + 2 * index) !== former) continue
    const symbol = symbols.at + 24 * index
    const name = elf.readUInt32LE(symbol)
    if (textAt(name) !== `${PREFIX}strtol`) throw new Error(`The library needs ${textAt(name)} of GLIBC_2.38`)
    elf.writeUInt32LE(name + PREFIX.length, symbol)
    elf.writeUInt16LE(present, versions.at + 2 * index)
  }
  return elf
}

/** Where the sections of a 64-bit ELF file are. */
function sectionsOf(elf: Buffer) {
  const [table, entry, count, namesIndex] = [
    Number(elf.readBigUInt64LE(40)),
    elf.readUInt16LE(58),
    elf.readUInt16LE(60),
    elf.readUInt16LE(62),
  ]
  const header = (index: number) => table + entry * index
  const at = (index: number) => Number(elf.readBigUInt64LE(header(index) + 24))
  const found = new Map<string, { at: number; size: number }>()
  for (let index = 0; index < count; index++) {
    const name = at(namesIndex) + elf.readUInt32LE(header(index))
    found.set(elf.toString('latin1', name, elf.indexOf(0, name)), { at: at(index), size: Number(elf.readBigUInt64LE(header(index) + 32)) })
  }
  return (name: string) => {
    const section = found.get(name)
    if (!section) throw new Error(`The library has no section ${name}`)
    return section
  }
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2)
  if (!folder) throw new Error('Name the folder into which the package is unpacked')
  const library = readFileSync(join(folder, 'usr/lib/postgresql/18/lib/vector.so'))
  const sum = createHash('sha256').update(library).digest('hex')
  if (sum !== SHA256) throw new Error(`The library has the SHA-256 digest ${sum}, not ${SHA256}`)
  const target = join(import.meta.dirname, 'linux-x64')
  for (const part of ['lib', 'extension']) mkdirSync(join(target, part), { recursive: true })
  writeFileSync(join(target, 'lib/vector.so'), relinked(library))
  const shared = join(folder, 'usr/share/postgresql/18/extension')
  for (const name of ['vector.control', 'vector--0.8.7.sql']) copyFileSync(join(shared, name), join(target, 'extension', name))
}
