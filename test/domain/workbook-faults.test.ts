import { expect, test } from 'vitest'
import { readRows } from '../../src/domain/xlsx/sheet.ts'
import { openWorkbook } from '../../src/domain/xlsx/workbook.ts'
import { AppError } from '../../src/errors.ts'
import { parts, workbook, zip } from '../routes/workbooks.ts'

const SHEET = 'xl/worksheets/sheet1.xml'
const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`
const sheetOf = (rows: string) => `<worksheet><sheetData>${rows}</sheetData></worksheet>`
const ana = [{ name: 'S', xml: `<sheetData><row r="1">${text('Ana')}</row></sheetData>` }]
const own = parts({ sheets: ana })
type Part = (typeof own)[number]

const sourceOf = (bytes: Uint8Array, most = bytes.length) => ({
  size: bytes.length,
  read: async ({ offset, length }: { offset: number; length: number }) => bytes.slice(offset, Math.min(most, offset + length)),
})
async function rowsOf(bytes: Uint8Array, most?: number): Promise<string[][]> {
  const rows = await Array.fromAsync(readRows(await openWorkbook(sourceOf(bytes, most), undefined)))
  return rows.flat().map(({ cells }) => cells)
}
const refusalOf = (reading: Promise<unknown>): Promise<string> =>
  reading.then(
    (read) => `read ${JSON.stringify(read)}`,
    (error) => (error instanceof AppError ? (error.details as { issues: { message: string }[] }).issues[0]?.message : `${error}`) ?? '',
  )
const altered = (name: string, change: Partial<Part>) => zip(own.map((part) => (part.name === name ? { ...part, ...change } : part)))
const without = (name: string) => zip(own.filter((part) => part.name !== name))
const sheet = (rows: string) => altered(SHEET, { content: sheetOf(rows) })
const edited = (name: string, from: string, to: string) =>
  zip(own.map((part) => (part.name === name ? { ...part, content: String(part.content).replace(from, to) } : part)))
/** The archive with a number in the place of another: of the header of the sheet, of its entry in the directory, or of the end. */
function patched(where: 'header' | 'entry' | 'end', at: number, value: number, width: 2 | 4 = 4): Uint8Array {
  const bytes = Buffer.from(zip(own))
  const [header, entry] = [bytes.indexOf(SHEET) - 30, bytes.lastIndexOf(SHEET) - 46]
  const place = { header, entry, end: bytes.length - 22 }[where] + at
  if (width === 2) bytes.writeUInt16LE(value, place)
  else bytes.writeUInt32LE(value, place)
  return bytes
}
const DAMAGED = /^is damaged/
const OTHER = /another kind of document/

test.each<[string, Uint8Array, RegExp]>([
  ['no end record', new Uint8Array(200), DAMAGED],
  ['a directory that begins elsewhere', patched('end', 16, 0), DAMAGED],
  ['a directory behind the end of the file', patched('end', 16, 0xfffff), DAMAGED],
  ['a directory that is cut', patched('end', 12, 100), DAMAGED],
  ['more entries than the directory has', patched('end', 10, 99, 2), DAMAGED],
  ['a name that is longer than the directory', patched('entry', 28, 60_000, 2), DAMAGED],
  ['no header where the entry says', patched('entry', 42, 4), DAMAGED],
  ['a header behind the end of the file', patched('entry', 42, 0xfffff), DAMAGED],
  ['contents behind the end of the file', patched('entry', 20, 0xfffff), DAMAGED],
  ['contents that are cut', patched('entry', 20, 20), DAMAGED],
  ['a size that is larger than the contents', patched('entry', 24, 5000), DAMAGED],
  ['a size that is smaller than the contents', patched('entry', 24, 10), DAMAGED],
  ['contents that do not unpack', patched('header', 26, 3, 2), DAMAGED],
  ['sizes elsewhere that are nowhere', patched('entry', 24, 0xffffffff), /more than 512 MB/],
  ['another method of packing', patched('entry', 10, 12, 2), DAMAGED],
  ['a sheet that is not there', without(SHEET), DAMAGED],
  ['no relations', without('_rels/.rels'), OTHER],
  ['no workbook', without('xl/workbook.xml'), OTHER],
  ['another document in its place', edited('_rels/.rels', 'xl/workbook.xml', 'word/document.xml'), OTHER],
  ['relations that lead nowhere', edited('_rels/.rels', 'Target="xl/workbook.xml"', 'Target="https://["'), OTHER],
  ['relations that lead outside', edited('_rels/.rels', 'Target="xl', 'TargetMode="External" Target="xl'), OTHER],
  ['a binary workbook', edited('_rels/.rels', 'xl/workbook.xml', 'xl/workbook.bin'), /binary workbook/],
  ['no sheets', workbook({ sheets: [] }), /no sheet with cells/],
  ['rows in the wrong order', sheet(`<row r="2">${text('Ana')}</row><row r="1">${text('Bo')}</row>`), DAMAGED],
  ['a row twice', sheet(`<row r="2">${text('Ana')}</row><row r="2">${text('Bo')}</row>`), DAMAGED],
  ['a row that has no number', sheet(`<row r="x">${text('Ana')}</row>`), DAMAGED],
  ['a row between two others', sheet(`<row r="1.5">${text('Ana')}</row>`), DAMAGED],
  ['a text that is no number of a string', sheet('<row><c t="s"><v>x</v></c></row>'), DAMAGED],
  ['a text before the first one', sheet('<row><c t="s"><v>-1</v></c></row>'), DAMAGED],
  ['an end within a tag', altered(SHEET, { content: `${sheetOf('')}<row` }), DAMAGED],
  ['an end within quotation marks', altered(SHEET, { content: `${sheetOf('')}<row r="1>` }), DAMAGED],
  ['an end within a comment', altered(SHEET, { content: `${sheetOf('')}<!-- never` }), DAMAGED],
  ['a tag without an end', sheet(`<row r="${'1'.repeat(70_000)}`), DAMAGED],
  ['a text of a million characters', sheet(`<row>${text('x'.repeat(1_000_001))}</row>`), DAMAGED],
  ['a comment of a million characters', sheet(`<!--${'x'.repeat(1_000_001)}`), DAMAGED],
])('a workbook with %s is refused', async (_, bytes, message) => {
  expect(await refusalOf(rowsOf(bytes))).toMatch(message)
})

test('a file that ends before its size is refused', async () => {
  const big = altered(SHEET, { content: sheetOf(`<row>${text('Ana')}</row>`), method: 0 })
  const begin = Buffer.from(big).indexOf('<worksheet>')
  const { read } = sourceOf(big)
  const source = {
    size: big.length,
    read: async (range: { offset: number; length: number }) => (range.offset === begin ? new Uint8Array() : read(range)),
  }
  expect(await refusalOf(openWorkbook(source, undefined).then((opened) => Array.fromAsync(readRows(opened))))).toMatch(DAMAGED)
})

test('a store that fails while a sheet is unpacked is a failure of the store, not a damaged workbook', async () => {
  const bytes = zip(own)
  const begin = Buffer.from(bytes).indexOf(SHEET) + SHEET.length
  const { read } = sourceOf(bytes)
  const source = {
    size: bytes.length,
    read: async (range: { offset: number; length: number }) => {
      if (range.offset === begin) throw new AppError('UNAVAILABLE', 'The store does not answer')
      return read(range)
    },
  }
  const opened = await openWorkbook(source, undefined)
  await expect(Array.fromAsync(readRows(opened))).rejects.toMatchObject({ code: 'UNAVAILABLE' })
})

test('whatever byte of the structure is wrong, a workbook is read or refused, and fails in no other way', async () => {
  const bytes = zip(own)
  const isText = (at: number) => own.some(({ name }) => Buffer.from(bytes.subarray(at - name.length, at + name.length)).includes(name))
  const directory = Buffer.from(bytes).readUInt32LE(bytes.length - 6)
  for (let at = directory; at < bytes.length; at++) {
    if (isText(at)) continue
    for (const value of [0, 1, 0x7f, 0xff]) {
      const wrong = Uint8Array.from(bytes)
      wrong[at] = value
      expect(await refusalOf(rowsOf(wrong)), `${value} at ${at}`).toMatch(/^(read \[\["Ana"\]\]|read \[\]|is |has |unpacks )/)
    }
  }
})
