import fc from 'fast-check'
import Papa from 'papaparse'
import { describe, expect, test } from 'vitest'
import { describeCsv } from '../../src/domain/csv/describe.ts'
import { columnNames, detectDelimiter, isHeader } from '../../src/domain/csv/dialect.ts'
import { detectEncoding, type Encoding, isUtf8 } from '../../src/domain/csv/encoding.ts'
import { readRecords } from '../../src/domain/csv/read.ts'
import { type Scanned, scan } from '../../src/domain/csv/scan.ts'
import { csvRecord, defused, joined, marked, unmarked } from '../../src/domain/csv/write.ts'

const read = (text: string, delimiter = ',') => readRecords(text, { delimiter, line: 1, atEnd: true }).records
const cellsOf = (text: string, delimiter = ',') => read(text, delimiter).map(({ cells }) => cells)
const utf8 = (text: string) => new TextEncoder().encode(text)
const utf16 = (text: string, big = false) =>
  Uint8Array.from(
    [...text].flatMap((char) =>
      big ? [char.charCodeAt(0) >> 8, char.charCodeAt(0) & 255] : [char.charCodeAt(0) & 255, char.charCodeAt(0) >> 8],
    ),
  )

describe('records', () => {
  test.each([
    [
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\r\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\r1,2\r',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['"a,1","b ""x"""\n', [['a,1', 'b "x"']]],
    ['"two\r\nlines",b\n', [['two\r\nlines', 'b']]],
    ['"a" ,b\n', [['a', 'b']]],
    ['a "quoted" word,b\n', [['a "quoted" word', 'b']]],
    ['"Acme "Big" Ltd",b\n', [['Acme "Big" Ltd', 'b']]],
    [
      'a,\n\n , \nb,\n',
      [
        ['a', ''],
        ['b', ''],
      ],
    ],
    ['"",""\na,""', [['a', '']]],
  ])('%j is read', (text, cells) => {
    expect(cellsOf(text)).toEqual(cells)
  })

  test('know the line of the file that they begin on', () => {
    expect(read('a\n\n"b\nc"\r\nd').map(({ line }) => line)).toEqual([1, 3, 5])
  })

  test.each([
    [
      'in front of a line with quotes',
      'a,"b,c\n1,"x, y",3\n2,z\n',
      [
        [1, true],
        [2, false],
        [3, false],
      ],
    ],
    [
      'at the end of the file',
      'a,b\n1,"2\n3,4\n',
      [
        [1, false],
        [2, true],
        [3, false],
      ],
    ],
    ['in front of more text than a cell may have', `a,"b\n${'line,of,cells\n'.repeat(10_000)}`, undefined],
  ])('a quote that is never closed spoils its own line only, %s', (_, text, expected) => {
    const found = read(text).map(({ line, fault }) => [line, fault !== undefined])
    if (expected) expect(found).toEqual(expected)
    else expect([found.length, found.filter(([, bad]) => bad)]).toEqual([10_001, [[1, true]]])
  })

  test('of nothing but quotes are read in no more time than others', () => {
    const begun = performance.now()
    expect(read('""x""\n'.repeat(100_000)).length).toBeGreaterThan(1)
    const quotes = performance.now() - begun
    expect(quotes, 'milliseconds for 600 KB').toBeLessThan(5_000)
  })

  test('are what papaparse reads, of well-formed files', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'ä', '"', ',', ';', '\n', '\r\n', ' ', '1', '😀'), maxLength: 6 })
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 6 }), (rows) => {
        const text = Papa.unparse(rows, { quotes: true })
        expect(cellsOf(text)).toEqual(rows.filter((row) => row.some((value) => value.trim() !== '')))
      }),
    )
  })

  test('are the same wherever the text is cut', () => {
    const text = 'a,b\r\n"x\r\ny",""""\r\n\r\n"q" ,z\r\nlast,"l"'
    const whole = read(text).map(({ line, cells }) => ({ line, cells }))
    for (let cut = 0; cut <= text.length; cut++) {
      const first = readRecords(text.slice(0, cut), { delimiter: ',', line: 1, atEnd: false })
      const rest = readRecords(text.slice(first.end), { delimiter: ',', line: first.line, atEnd: true })
      expect(
        [...first.records, ...rest.records].map(({ line, cells }) => ({ line, cells })),
        `cut at ${cut}`,
      ).toEqual(whole)
    }
  })
})

const sourceOf = (bytes: Uint8Array) => ({
  size: bytes.length,
  read: async ({ offset, length }: { offset: number; length: number }) => bytes.slice(offset, offset + length),
})

describe('a file', () => {
  const text = 'Name;Ort\r\nAndré;Zürich\r\n"Zoë\r\nx";Köln\r\n'
  const latin = Uint8Array.from([...text].map((char) => char.charCodeAt(0)))
  const files: [string, Uint8Array, Encoding][] = [
    ['UTF-8', utf8(text), 'utf-8'],
    ['UTF-8 with a mark', utf8(`\uFEFF${text}`), 'utf-8'],
    ['Windows-1252', latin, 'windows-1252'],
    ['UTF-16 with a mark', utf16(`\uFEFF${text}`), 'utf-16le'],
    ['UTF-16 without', utf16(text), 'utf-16le'],
    ['UTF-16, the other way round', utf16(`\uFEFF${text}`, true), 'utf-16be'],
  ]
  test.each(files)('in %s is detected, and can be read from any record', async (_, bytes, encoding) => {
    const described = await describeCsv(sourceOf(bytes), isUtf8(bytes))
    expect(described).toMatchObject({
      encoding,
      delimiter: ';',
      has_header: true,
      total: 2,
      preview: [
        { line: 2, cells: ['André', 'Zürich'] },
        { line: 3, cells: ['Zoë\r\nx', 'Köln'] },
      ],
    })
    expect(described.columns.map(({ name }) => name)).toEqual(['Name', 'Ort'])
    const source = sourceOf(bytes)
    const all: Scanned[] = []
    for await (const records of scan(source, described.first, described)) all.push(...records)
    expect(all.map(({ line, cells }) => [line, ...cells])).toEqual([
      [2, 'André', 'Zürich'],
      [3, 'Zoë\r\nx', 'Köln'],
    ])
    for await (const [second] of scan(source, all[0]!.next, described)) expect(second).toEqual(all[1])
    expect(all[1]!.next).toEqual({ byte: bytes.length, line: 5 })
  })

  test('of many windows loses no record and repeats none, in any encoding', async () => {
    const rows = Array.from({ length: 30_000 }, (_, n) => `${n};"Zoë, ""${n}""\nx";${'ü'.repeat(n % 40)}`)
    const big = `n;name;more\n${rows.join('\n')}\n`
    for (const bytes of [utf8(big), utf16(`\uFEFF${big}`), Uint8Array.from([...big].map((char) => char.charCodeAt(0)))]) {
      const { total, first, encoding, delimiter } = await describeCsv(sourceOf(bytes), isUtf8(bytes))
      const seen: string[] = []
      const source = sourceOf(bytes)
      for await (const records of scan(source, first, { encoding, delimiter }))
        for (const { cells } of records) seen.push(cells[0] as string)
      expect([total, seen.length, seen.every((value, n) => value === String(n))], encoding).toEqual([30_000, 30_000, true])
    }
  })

  test.each([
    ['a,b,c\n1,2,3\n', ','],
    ['a;b;c\n"1,5";2,0;3\n', ';'],
    ['a\tb\n1,2\t3\n', '\t'],
    ['a|b\n1|2\n', '|'],
    ['sep=;\na;b\n', ';'],
    ['only one column\nx\n', ','],
  ])('%j is cut by %j', (text, delimiter) => {
    expect(detectDelimiter(text).delimiter).toBe(delimiter)
  })

  test('has a header unless the first line looks like values', () => {
    expect(isHeader(['First name', 'Email', 'Date of birth'])).toBe(true)
    for (const cells of [['Ana', 'ana@example.com'], ['Ana', '0412 345 678'], ['x', '2026-01-31'], ['']])
      expect(isHeader(cells), cells.join()).toBe(false)
  })

  test('names each column once, also where two are called the same or one is not called at all', () => {
    expect(columnNames([' Email', 'Email', '', 'A\tb'], 5)).toEqual(['Email', 'Email (2)', 'Column 3', 'A b', 'Column 5'])
  })

  test('of bytes that are no text at all is still some text', () => {
    expect(detectEncoding(Uint8Array.from([0x41, 0xff, 0x81]), false).encoding).toBe('windows-1252')
  })
})

describe('what is written', () => {
  test('is read back unchanged, whatever it begins with', () => {
    const odd = fc.string({ unit: fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', '\n', '"', ',', '1', 'a', ' '), maxLength: 6 })
    fc.assert(
      fc.property(fc.array(odd, { minLength: 1, maxLength: 4 }), (cells) => {
        const [record] = read(csvRecord(['x', ...cells]))
        expect(record?.cells.map(unmarked)).toEqual(['x', ...cells])
      }),
    )
  })

  test.each([
    ['=1+1', "'=1+1"],
    ['@x', "'@x"],
    ['+1+1', "'+1+1"],
    ['-x', "'-x"],
    ['\tx', "'\tx"],
    ['+61412345678', '+61412345678'],
    ['-5.25', '-5.25'],
    ["'=x", "''=x"],
    ["O'Brien", "O'Brien"],
  ])('%j becomes %j', (text, cell) => {
    expect(marked(text)).toBe(cell)
  })

  test('of a file is defused once', () => {
    expect([defused('=x'), defused("'=x")]).toEqual(["'=x", "'=x"])
  })

  test.each([
    [['a', 'b'], 'a; b'],
    [['a;b', 'c'], '["a;b","c"]'],
    [['[a'], '["[a"]'],
  ])('a list %j is %j', (values, cell) => {
    expect(joined(values)).toBe(cell)
  })
})

test.each(['a;b', 'a\tb', 'a,b', 'a"b', 'a\nb', ' a'])('a cell with %j is quoted, so that no reader takes it for several cells', (cell) => {
  expect(csvRecord(['x', cell, 'y'])).toBe(`x,"${cell.replaceAll('"', '""')}",y\r\n`)
})
