import { expect, test } from 'vitest'
import { readRows } from '../../src/domain/xlsx/sheet.ts'
import { readStrings, SharedStrings } from '../../src/domain/xlsx/strings.ts'
import { openWorkbook } from '../../src/domain/xlsx/workbook.ts'
import { attribute, parseXml } from '../../src/domain/xlsx/xml.ts'
import { parts, zip } from '../routes/workbooks.ts'

const SHEET = 'xl/worksheets/sheet1.xml'
const encoder = new TextEncoder()

async function* inPieces(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
/** The events of a document that arrives in pieces. */
async function eventsOf(xml: Uint8Array, size: number): Promise<string[]> {
  const events: string[] = []
  await parseXml(inPieces(xml, size), {
    open: (name, attributes) => events.push(`<${name} ${attribute(attributes, 'a') ?? ''}`),
    close: (name) => events.push(`>${name}`),
    text: (text) => events.push(text),
  })
  return events
}

/** The cells of a sheet; the file of the sheet may be stored in another way. */
async function cellsOf(content: string | Uint8Array, strings: string[] = [], how: object = {}): Promise<[number, string[]][]> {
  const files = parts({ sheets: [{ name: 'S', xml: '' }], strings })
  const bytes = zip(files.map((part) => (part.name === SHEET ? { ...part, content, ...how } : part)))
  const source = {
    size: bytes.length,
    read: async ({ offset, length }: { offset: number; length: number }) => bytes.slice(offset, offset + length),
  }
  const rows = await Array.fromAsync(readRows(await openWorkbook(source, undefined)))
  return rows.flat().map(({ line, cells }) => [line, cells])
}
const sheet = (rows: string, more = '') => `<worksheet><sheetData>${rows}</sheetData>${more}</worksheet>`
const row = (cells: string) => sheet(`<row r="1">${cells}</row>`)

const DOCUMENT = `<?xml version="1.0"?><!-- <no> "quoted' --><x:a a='1 > 0'>Zoë &amp; Bo<b/><![CDATA[a < b & c]]>&#65;&#x1F600;</x:a ><c
  a="it's"/>`

test('a document is read the same in pieces of any size', async () => {
  const whole = ['<a 1 > 0', 'Zoë & Bo', '<b ', '>b', 'a < b & cA😀', '>a', "\u003cc it's", '>c']
  for (const size of [1, 2, 3, 5, 8, 13, 1000]) expect(await eventsOf(encoder.encode(DOCUMENT), size), `${size}`).toEqual(whole)
})

test('a document in UTF-16 is read like one in UTF-8', async () => {
  const little = Buffer.from(`\ufeff${DOCUMENT}`, 'utf16le')
  const expected = await eventsOf(encoder.encode(DOCUMENT), 1000)
  expect(await eventsOf(little, 1000)).toEqual(expected)
  expect(await eventsOf(Buffer.from(little).swap16(), 7)).toEqual(expected)
})

test.each([
  ['&#65;&#x42;', 'AB'],
  ['&lt;&gt;&quot;&apos;&amp;', `<>"'&`],
  ['&#x110000;', '\ufffd'],
  ['&amp;lt;', '&lt;'],
  ['<![CDATA[&lt;]]>', '&lt;'],
  ['a_x000D_b', 'a\rb'],
])('the text %s is %j', async (xml, text) => {
  expect(await cellsOf(row(`<c t="inlineStr"><is><t>${xml}</t></is></c>`))).toEqual([[1, [text]]])
})

test.each([
  ['<c t="b"><v>1</v></c>', 'TRUE'],
  ['<c t="b"><v>true</v></c>', 'TRUE'],
  ['<c t="b"><v>0</v></c>', 'FALSE'],
  ['<c t="b"><v>false</v></c>', 'FALSE'],
  ['<c t="b"><v></v></c>', ''],
  ['<c t="s"><v></v></c>', ''],
  ['<c t="s"><v>1</v></c>', ''],
  ['<c t="s"><v>0</v></c>', 'Ana'],
  ['<c t="d"><v>2024-07-01</v></c>', '2024-07-01'],
  ['<c t="e"><v>#N/A</v></c>', '#N/A'],
  ['<c t="inlineStr"><is><t>Zoë</t><rPh><t>zo</t></rPh></is></c>', 'Zoë'],
  ['<c><x>7</x><v>8</v></c>', '8'],
])('the cell %s is %j', async (cell, text) => {
  expect(await cellsOf(row(`${cell}<c t="str"><v>end</v></c>`), ['<t>Ana</t>', '<t></t>'])).toEqual([[1, [text, 'end']]])
})

test('the value of merged cells fills the rows below it in its column, and nothing to the right', async () => {
  const cell = (at: string, value: string) => `<c r="${at}" t="str"><v>${value}</v></c>`
  const merged = (...refs: string[]) => `<mergeCells>${refs.map((ref) => `<mergeCell ref="${ref}"/>`).join('')}</mergeCells>`
  const rows =
    `<row r="1">${cell('A1', 'Acme')}${cell('C1', 'North')}</row><row r="2">${cell('A2', 'Ana')}</row>` +
    `<row r="3">${cell('A3', 'Bo')}${cell('C3', 'own')}</row><row r="5">${cell('A5', 'Cy')}</row>`
  expect(await cellsOf(sheet(rows, merged('$C$1:$D$3', 'A1:B1', 'B4:B5')))).toEqual([
    [1, ['Acme', '', 'North']],
    [2, ['Ana', '', 'North']],
    [3, ['Bo', '', 'own']],
    [5, ['Cy']],
  ])
})

test('rows and cells without a place follow the ones before', async () => {
  const cell = (value: string, at = '') => `<c${at} t="str"><v>${value}</v></c>`
  const rows = `<row>${cell('Ana')}${cell('Bo', ' r="C1"')}${cell('Cy')}</row><row r="4">${cell('Di')}</row><row>${cell('Ed')}</row>`
  expect(await cellsOf(sheet(rows))).toEqual([
    [1, ['Ana', '', 'Bo', 'Cy']],
    [4, ['Di']],
    [5, ['Ed']],
  ])
})

test('a sheet may be stored without being packed, and its sizes may be in the field for large ones', async () => {
  const content = row('<c t="str"><v>Ana</v></c>')
  for (const how of [{ method: 0 }, { far: true }, { method: 0, far: true }])
    expect(await cellsOf(content, [], how), JSON.stringify(how)).toEqual([[1, ['Ana']]])
})

test('shared strings of any length are given back as often as they are read', async () => {
  const texts = ['', 'Ana', 'é'.repeat(700_000), 'Bo', 'x'.repeat(61), '', 'y'.repeat(1024 * 1024), 'Cy']
  const strings = new SharedStrings()
  for (const text of texts) strings.add(text)
  for (const _ of [1, 2]) expect(texts.map((_, n) => strings.get(n))).toEqual(texts)
  for (const none of [-1, 0.5, texts.length, Number.NaN]) expect(strings.get(none)).toBeUndefined()
  const many = await readStrings(inPieces(encoder.encode(`<sst>${'<si><t>a</t></si>'.repeat(5000)}<si><t>b</t></si></sst>`), 4096))
  expect([many.get(4999), many.get(5000), many.get(5001)]).toEqual(['a', 'b', undefined])
})
