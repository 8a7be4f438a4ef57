import { crc32, deflateRawSync } from 'node:zlib'

/** A file of an archive: its content, or how it is stored where that is odd. */
type Packed = { name: string; content: string | Uint8Array; size?: number; flags?: number; method?: number; far?: boolean }
const STORED = 0
const DEFLATED = 8
/** A size that is in the extra field instead. */
const ELSEWHERE = 0xffffffff

/** Writes a ZIP archive. */
export function zip(files: Packed[]): Uint8Array {
  const [locals, centrals]: Buffer[][] = [[], []]
  let offset = 0
  for (const { name, content, size, flags = 0, method = DEFLATED, far = false } of files) {
    const bytes = Buffer.from(content)
    const packed = method === STORED ? bytes : deflateRawSync(bytes)
    const title = Buffer.from(name)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(flags, 2)
    common.writeUInt16LE(method, 4)
    common.writeUInt32LE(crc32(bytes), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(size ?? bytes.length, 18)
    common.writeUInt16LE(title.length, 22)
    const central = Buffer.alloc(46)
    central.writeUInt32LE(0x02014b50, 0)
    common.copy(central, 6)
    central.writeUInt32LE(offset, 42)
    const extra = far ? farSizes(central, [24, 20, 42]) : Buffer.alloc(0)
    locals?.push(Buffer.from([0x50, 0x4b, 3, 4]), common, title, packed)
    centrals?.push(central, title, extra)
    offset += 30 + title.length + packed.length
  }
  const directory = Buffer.concat(centrals as Buffer[])
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...(locals as Buffer[]), directory, end])
}

/** Moves 32-bit numbers of an entry to a ZIP64 extra field, behind another field. */
function farSizes(central: Buffer, places: number[]): Buffer {
  const extra = Buffer.alloc(4 + 3 + 4 + 8 * places.length)
  extra.writeUInt16LE(0x5455, 0)
  extra.writeUInt16LE(3, 2)
  extra.writeUInt16LE(1, 7)
  extra.writeUInt16LE(8 * places.length, 9)
  for (const [n, place] of places.entries()) {
    extra.writeBigUInt64LE(BigInt(central.readUInt32LE(place)), 11 + 8 * n)
    central.writeUInt32LE(ELSEWHERE, place)
  }
  central.writeUInt16LE(extra.length, 30)
  return extra
}

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const relations = (...list: [id: string, kind: string, target: string][]) =>
  `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<Relationships \
xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list
    .map(([id, kind, target]) => `<Relationship Id="${id}" Type="${RELATIONS}/${kind}" Target="${target}"/>`)
    .join('')}</Relationships>`

type Sheet = { name: string; xml: string; state?: string }
type Parts = { sheets: Sheet[]; strings?: string[]; styles?: string; date1904?: boolean }

/** The files of a workbook. `xml` of a sheet is the content of its `worksheet`; `strings` are the contents of `si`. */
export function parts({ sheets, strings = [], styles = '', date1904 = false }: Parts): Packed[] {
  const listed = sheets.map(
    ({ name, state }, n) => `<sheet name="${name}" sheetId="${n + 1}"${state ? ` state="${state}"` : ''} r:id="rId${n + 1}"/>`,
  )
  return [
    { name: '[Content_Types].xml', content: '<Types/>' },
    { name: '_rels/.rels', content: relations(['rId1', 'officeDocument', 'xl/workbook.xml']) },
    {
      name: 'xl/workbook.xml',
      content:
        `<workbook xmlns:r="${RELATIONS}"><workbookPr${date1904 ? ' date1904="1"' : ''}/><sheets>` +
        `${listed.join('')}</sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: relations(
        ...sheets.map((_, n): [string, string, string] => [`rId${n + 1}`, 'worksheet', `worksheets/sheet${n + 1}.xml`]),
        ['s', 'sharedStrings', '/xl/sharedStrings.xml'],
        ['t', 'styles', 'styles.xml'],
      ),
    },
    { name: 'xl/sharedStrings.xml', content: `<sst>${strings.map((text) => `<si>${text}</si>`).join('')}</sst>` },
    { name: 'xl/styles.xml', content: `<styleSheet>${styles}</styleSheet>` },
    ...sheets.map(({ xml }, n) => ({ name: `xl/worksheets/sheet${n + 1}.xml`, content: `<worksheet>${xml}</worksheet>` })),
  ]
}

export const workbook = (given: Parts): Uint8Array => zip(parts(given))

/** A sheet of text, given its rows. */
export function textSheet(rows: string[][]): string {
  const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`
  return `<sheetData>${rows.map((cells) => `<row>${cells.map(cell).join('')}</row>`).join('')}</sheetData>`
}
