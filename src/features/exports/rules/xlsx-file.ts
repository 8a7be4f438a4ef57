import { constants, crc32, deflateRawSync } from 'node:zlib'
import { textCell, xmlText } from './xlsx-cells.ts'

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
const relationship = (id: string, type: string, target: string) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`
const relationships = (...all: string[]) => `${XML}<Relationships xmlns="${PACKAGE}/relationships">${all.join('')}</Relationships>`
const override = (part: string, type: string) => `<Override PartName="/${part}" ContentType="${TYPE}.${type}+xml"/>`

const SHEET = 'xl/worksheets/sheet1.xml'
const ABOUT = 'xl/worksheets/sheet2.xml'
const SHEET_END = '</sheetData></worksheet>'
const sheetStart = (view: string) => `${XML}<worksheet xmlns="${MAIN}">${view}<sheetData>`
const FROZEN =
  '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" ' +
  'state="frozen"/></sheetView></sheetViews>'

/** The styles of cells by number: usual, day, time, header, and a text that was cut. */
const HEADER = 3
const STYLES = `${XML}<styleSheet xmlns="${MAIN}">
<numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>\
<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>
<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>
<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill>\
<patternFill patternType="solid"><fgColor rgb="FFFFFF00"/></patternFill></fill></fills>
<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>
<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>
<cellXfs count="5"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>
<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>
<xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>
<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>
<xf numFmtId="0" fontId="0" fillId="2" borderId="0" xfId="0" applyFill="1"/></cellXfs>
<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`
/** How PostgreSQL begins a cell that it has cut, and ends a row; no text has these, because it has no `<`. */
const CUT = '<c s="4"'
const ROW_END = '</row>'

const ABOUT_NAME = 'About this file'
/** Names that the first sheet cannot have: that of the second, and one that Excel keeps for itself. */
const TAKEN = [ABOUT_NAME.toLowerCase(), 'history']

/** The name of the first sheet: at most 31 characters, and none that a workbook refuses. */
function sheetName(name: string): string {
  const short = name
    .replace(/[\p{Cc}[\]:*?/\\]/gu, ' ')
    .trim()
    .slice(0, 31)
  const clean = short.replace(/[\ud800-\udbff]$|^'+|(?<!')'+$/g, '')
  return clean === '' || TAKEN.includes(clean.toLowerCase()) ? 'Export' : clean
}
const attribute = (text: string) => xmlText(text).replaceAll('"', '&quot;')

const workbook = (name: string) => `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>
<sheet name="${attribute(sheetName(name))}" sheetId="1" r:id="rId1"/>\
<sheet name="${ABOUT_NAME}" sheetId="2" r:id="rId2"/></sheets></workbook>`
const CONTENT_TYPES =
  `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ` +
  'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>' +
  `${override('xl/workbook.xml', 'sheet.main')}${override(SHEET, 'worksheet')}${override(ABOUT, 'worksheet')}` +
  `${override('xl/styles.xml', 'styles')}</Types>`

type Entry = { name: Uint8Array; crc: number; compressed: number; size: number; at: number }

const MAX_SIZE = 0xffff_ffff
const encoder = new TextEncoder()
/** 1 January 1980, because a file has the same bytes for the same content. */
const DATE = 0x21
const LATER = 0x08
const UTF8 = 0x800

/** The bytes of a zip archive. Each part is compressed piece by piece, with nothing kept from one to the next. */
class ZipWriter {
  readonly #entries: Entry[] = []
  #at = 0

  #counted(bytes: Uint8Array): Uint8Array {
    this.#at += bytes.length
    if (this.#at > MAX_SIZE) throw new Error('The file is larger than a workbook can be')
    return bytes
  }

  begin(path: string): Uint8Array {
    const name = encoder.encode(path)
    this.#entries.push({ name, crc: 0, compressed: 0, size: 0, at: this.#at })
    return this.#counted(
      Buffer.concat([
        numbers([4, 0x04034b50], [2, 20], [2, LATER | UTF8], [2, 8], [2, 0], [2, DATE], [4, 0], [4, 0], [4, 0], [2, name.length], [2, 0]),
        name,
      ]),
    )
  }

  piece(text: string): Uint8Array {
    const entry = this.#entries.at(-1) as Entry
    const bytes = encoder.encode(text)
    const compressed = deflateRawSync(bytes, { level: 1, finishFlush: constants.Z_SYNC_FLUSH })
    entry.crc = crc32(bytes, entry.crc)
    entry.size += bytes.length
    entry.compressed += compressed.length
    if (entry.size > MAX_SIZE) throw new Error('The sheet is larger than a workbook can have')
    return this.#counted(compressed)
  }

  /** The end of the compressed data, an empty block, and the sizes. */
  end(): Uint8Array {
    const entry = this.#entries.at(-1) as Entry
    entry.compressed += 2
    return this.#counted(numbers([2, 0x0003], [4, 0x08074b50], [4, entry.crc], [4, entry.compressed], [4, entry.size]))
  }

  finish(): Uint8Array {
    const entries = this.#entries.map(({ name, crc, compressed, size, at }) =>
      Buffer.concat([
        numbers([4, 0x02014b50], [2, 20], [2, 20], [2, LATER | UTF8], [2, 8], [2, 0], [2, DATE], [4, crc], [4, compressed], [4, size]),
        numbers([2, name.length], [2, 0], [2, 0], [2, 0], [2, 0], [4, 0], [4, at]),
        name,
      ]),
    )
    const directory = Buffer.concat(entries)
    const count = entries.length
    return Buffer.concat([
      directory,
      numbers([4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, directory.length], [4, this.#at], [2, 0]),
    ])
  }
}

/** Little-endian numbers of so many bytes each. */
function numbers(...values: [size: 2 | 4, value: number][]): Buffer {
  const bytes = Buffer.alloc(values.reduce((sum, [size]) => sum + size, 0))
  let at = 0
  for (const [size, value] of values) at = size === 2 ? bytes.writeUInt16LE(value, at) : bytes.writeUInt32LE(value >>> 0, at)
  return bytes
}

const row = (...cells: string[]) => `<row>${cells.join('')}${ROW_END}`

/** The number of times that a text contains another. */
function occurrences(text: string, sought: string): number {
  let count = 0
  for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + sought.length)) count++
  return count
}

/** The names of what the second sheet says about the first, with their values. */
export type AboutLines = (found: { rows: number; cut: number }) => [name: string, value: string | number][]

/** A workbook of one table, in pieces: `pages` are rows as XML, written by PostgreSQL. A second sheet says what the first one is. */
export async function* xlsxFile(
  name: string,
  headers: string[],
  pages: AsyncIterable<string>,
  about: AboutLines,
): AsyncGenerator<Uint8Array> {
  const zip = new ZipWriter()
  const whole = (path: string, text: string) => Buffer.concat([zip.begin(path), zip.piece(text), zip.end()])
  yield Buffer.concat([
    whole('[Content_Types].xml', CONTENT_TYPES),
    whole('_rels/.rels', relationships(relationship('rId1', 'officeDocument', 'xl/workbook.xml'))),
    whole('xl/workbook.xml', workbook(name)),
    whole(
      'xl/_rels/workbook.xml.rels',
      relationships(
        relationship('rId1', 'worksheet', 'worksheets/sheet1.xml'),
        relationship('rId2', 'worksheet', 'worksheets/sheet2.xml'),
        relationship('rId3', 'styles', 'styles.xml'),
      ),
    ),
    whole('xl/styles.xml', STYLES),
    zip.begin(SHEET),
    zip.piece(sheetStart(FROZEN) + row(...headers.map((header) => textCell(header, HEADER)))),
  ])
  const found = { rows: 0, cut: 0 }
  for await (const page of pages) {
    found.rows += occurrences(page, ROW_END)
    found.cut += occurrences(page, CUT)
    yield zip.piece(page)
  }
  const lines = about(found).map(([name, value]) =>
    row(textCell(name, HEADER), typeof value === 'number' ? `<c><v>${value}</v></c>` : textCell(value)),
  )
  yield Buffer.concat([zip.piece(SHEET_END), zip.end(), whole(ABOUT, sheetStart('') + lines.join('') + SHEET_END), zip.finish()])
}
