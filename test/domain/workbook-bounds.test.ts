import { expect, test } from 'vitest'
import { readRows } from '../../src/domain/xlsx/sheet.ts'
import { openWorkbook, type Workbook } from '../../src/domain/xlsx/workbook.ts'
import { parts, workbook, zip } from '../routes/workbooks.ts'

const sheetOf = (cells: string, more = '') => `<sheetData><row r="1">${cells}</row></sheetData>${more}`
const text = (value: string, at = '') => `<c${at} t="inlineStr"><is><t>${value}</t></is></c>`
const dayIn = (style: number) => `<c s="${style}"><v>45474</v></c>`
const one = [{ name: 'S', xml: sheetOf(text('Ana')) }]

const opened = (bytes: Uint8Array, sheet?: string): Promise<Workbook> =>
  openWorkbook({ size: bytes.length, read: async ({ offset, length }) => bytes.slice(offset, offset + length) }, sheet)

/** The cells of the first sheet. */
async function cellsOf(bytes: Uint8Array): Promise<string[]> {
  const rows = await Array.fromAsync(readRows(await opened(bytes)))
  return rows.flat().flatMap(({ cells }) => cells)
}

/** Why a workbook is refused; nothing if it is read. */
const refusalOf = (reading: Promise<unknown>): Promise<string> =>
  reading.then(
    () => '',
    ({ details }) => details.issues[0].message,
  )

test('a cell has one of the first 65,536 styles of a workbook, and a style one of as many formats', async () => {
  const styles = `<cellXfs>${'<xf numFmtId="14"/>'.repeat(65_537)}</cellXfs>`
  const xml = sheetOf(dayIn(65_535) + dayIn(65_536))
  expect(await cellsOf(workbook({ sheets: [{ name: 'S', xml }], styles }))).toEqual(['2024-07-01', '45474'])
  const formats = Array.from({ length: 65_537 }, (_, n) => `<numFmt numFmtId="${n + 200}" formatCode="d.m.yyyy"/>`)
  const last = `<numFmts>${formats.join('')}</numFmts><cellXfs><xf numFmtId="65735"/><xf numFmtId="65736"/></cellXfs>`
  expect(await cellsOf(workbook({ sheets: [{ name: 'S', xml: sheetOf(dayIn(0) + dayIn(1)) }], styles: last }))).toEqual([
    '2024-07-01',
    '45474',
  ])
})

test('a thousand sheets are known, and twenty of them are named to who asks for another one', async () => {
  const sheets = (count: number) => Array.from({ length: count }, (_, n) => ({ name: `S${n + 1}`, xml: sheetOf(text('Ana')) }))
  expect((await opened(workbook({ sheets: sheets(1_000) }))).sheets.at(-1)).toBe('S1000')
  expect((await opened(workbook({ sheets: sheets(1_001) }))).sheets.at(-1)).toBe('S1000')
  expect(await refusalOf(opened(workbook({ sheets: sheets(20) }), 'Z'))).toMatch(/"S1", .*"S20"$/)
  expect(await refusalOf(opened(workbook({ sheets: sheets(21) }), 'Z'))).toMatch(/"S20" and others$/)
})

test('20,000 cells may be merged over several rows, and 500 columns may have values', async () => {
  const merged = (count: number) =>
    `<mergeCells>${Array.from({ length: count }, (_, n) => `<mergeCell ref="B${2 * n + 1}:B${2 * n + 2}"/>`).join('')}</mergeCells>`
  const read = (xml: string) => cellsOf(workbook({ sheets: [{ name: 'S', xml }] }))
  expect(await read(sheetOf(text('Ana'), merged(20_000)))).toEqual(['Ana'])
  expect(await refusalOf(read(sheetOf(text('Ana'), merged(20_001))))).toContain('more than 20,000 merged cells')
  expect(await read(sheetOf(text('Ana', ' r="SF1"')))).toHaveLength(500)
  expect(await refusalOf(read(sheetOf(text('Ana', ' r="SG1"'))))).toContain('column SG')
})

test('an archive has at most 10,000 files, and a directory of 1 MB', async () => {
  const own = parts({ sheets: one })
  const files = (count: number) => zip([...own, ...Array.from({ length: count - own.length }, (_, n) => ({ name: `${n}`, content: '' }))])
  expect(await cellsOf(files(10_000))).toEqual(['Ana'])
  expect(await refusalOf(cellsOf(files(10_001)))).toContain('damaged')
  const used = own.reduce((sum, { name }) => sum + 46 + name.length, 0)
  /** With files whose names fill a directory of that many bytes. */
  const directory = (size: number) => {
    const rest = size - used
    const lengths = [...Array(Math.floor(rest / 60_000)).fill(60_000), rest % 60_000]
    return zip([...own, ...lengths.map((length, n) => ({ name: String.fromCharCode(97 + n).repeat(length - 46), content: '' }))])
  }
  expect(await cellsOf(directory(1_048_576))).toEqual(['Ana'])
  expect(await refusalOf(cellsOf(directory(1_048_577)))).toContain('damaged')
})
