import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { figuresOf } from '../../dev/import/figures.ts'
import { readFolder, type Texts } from '../../dev/import/folder.ts'
import { cutLoops, levelsOf } from '../../dev/import/hierarchy.ts'
import { readSales } from '../../dev/import/read.ts'
import type { Note } from '../../dev/import/report.ts'

const fixture = readFolder(join(import.meta.dirname, 'fixture'))
const [texts, folderNotes] = [fixture.texts, [...fixture.notes]]
const notes = [...folderNotes]
const sales = readSales(texts, notes)
const named = <T extends { name: string }>(all: T[], name: string) => all.find((one) => one.name === name)

test('a file from Windows is read, and its encoding is reported', () => {
  expect(folderNotes).toEqual([{ file: 'sales_teams.csv', line: 1, field: '', done: 'mended', why: 'not UTF-8: read as Windows-1252' }])
  expect(sales.members.map(({ full_name }) => full_name)).toContain('René Faz')
})

test('companies have all of their data', () => {
  expect(named(sales.companies, 'Bluth Company')).toEqual({
    place: expect.objectContaining({ file: 'accounts.csv', line: 3 }),
    key: 'crm-sales:company:bluth company',
    parent: 'crm-sales:company:acme corporation',
    name: 'Bluth Company',
    industry: 'technology',
    country: 'United States',
    founded_year: 1993,
    annual_revenue: 1_242_320_000,
    employee_count: 3027,
  })
  expect(named(sales.companies, 'Half-known')).toMatchObject({
    parent: null,
    industry: null,
    country: null,
    founded_year: null,
    annual_revenue: null,
    employee_count: null,
  })
})

test('products are found by another spelling', () => {
  expect(sales.products.map(({ name, category, price }) => [name, category, price])).toEqual([
    ['GTX Basic', 'GTX', 550],
    ['GTX Pro', 'GTX', 4821],
    ['MG Special', 'MG', 55],
    ['MG Advanced', 'MG', 3393],
    ['Unpriced', null, null],
  ])
})

test('sellers and managers are members, with office and manager', () => {
  const short = (email: string | null) => email?.split('@')[0]
  expect(sales.members.map(({ key, parent, job_title, office }) => [short(key), job_title, office, short(parent)])).toEqual([
    ['anna.snelling', 'Sales agent', 'Central', 'dustin.brinkmann'],
    ['mei-mei.johns', 'Sales agent', 'Central', 'dustin.brinkmann'],
    ['rene.faz', 'Sales agent', 'East', 'rocco.neubert'],
    ['carl.lin', 'Sales agent', 'West', 'rocco.neubert'],
    ['rocco.neubert', 'Sales manager', 'East', 'dustin.brinkmann'],
    ['lone.wolf', 'Sales agent', null, undefined],
    ['own.boss', 'Sales agent', 'West', undefined],
    ['eee', 'Sales agent', 'Central', 'dustin.brinkmann'],
    ['dustin.brinkmann', 'Sales manager', null, undefined],
  ])
})

test('opportunities have names, dates and values', () => {
  const rows = sales.opportunities.map(({ key, name, stage, value, opened_at, closed_at, owner }) => [
    key,
    name,
    stage,
    value,
    opened_at?.slice(0, 10),
    closed_at?.slice(0, 10),
    owner?.split('@')[0],
  ])
  expect(rows).toEqual([
    ['WON00001', 'GTX Basic for Acme Corporation', 'Won', 1054, '2016-10-20', '2017-03-01', 'anna.snelling'],
    ['WON00002', 'GTX Pro for Gekko & Co', 'Won', 4514.5, '2016-10-25', '2017-03-11', 'rene.faz'],
    ['WON00003', 'MG Special for Bluth Company', 'Won', 0, '2016-11-03', '2017-03-12', 'carl.lin'],
    ['LOST0001', 'MG Advanced for Bioholding', 'Lost', 0, '2016-02-29', '2016-12-31', 'mei-mei.johns'],
    ['LOST0002', 'GTX Basic for Acme Corporation', 'Lost', 0, '2017-03-09', '2017-03-01', 'anna.snelling'],
    ['LOST0003', 'GTX Basic for Acme Corporation', 'Lost', 0, '2017-03-09', undefined, 'anna.snelling'],
    ['ENG00001', 'GTX Pro (no company)', 'Engaging', 0, '2016-11-03', undefined, 'carl.lin'],
    ['ENG00002', 'MG Special for Bioholding', 'Engaging', 0, undefined, undefined, 'anna.snelling'],
    ['ENG00003', 'Abacus for Nobody Ltd', 'Engaging', 0, undefined, undefined, undefined],
    ['PRO00001', 'GTX Basic (no company)', 'Prospecting', 0, undefined, undefined, 'lone.wolf'],
    ['PRO00002', 'Opportunity for Half-known', 'Prospecting', 0, undefined, undefined, undefined],
  ])
  expect(figuresOf(sales.opportunities)).toEqual([
    { name: 'Prospecting', count: 2, cents: 0 },
    { name: 'Engaging', count: 3, cents: 0 },
    { name: 'Won', count: 3, cents: 556_850 },
    { name: 'Lost', count: 3, cents: 0 },
    { name: 'no company', count: 3 },
  ])
})

test('each value that was not taken as it stands is noted with its line', () => {
  const inShort = ({ file, line, field, done, why }: Note) => `${file.replace('.csv', '')} ${line} ${field} ${done}: ${why}`
  expect(notes.map(inShort).sort()).toMatchInlineSnapshot(`
    [
      "accounts 10 subsidiary_of kept without: companies that belong to each other in a circle",
      "accounts 11 account skipped: empty",
      "accounts 13 account mended: needless spaces or control characters removed",
      "accounts 13 revenue kept without: larger than an amount may be",
      "accounts 15  skipped: 8 values where the header has 7: one with a comma needs quotation marks",
      "accounts 16  kept without: ends after 3 of 7 values",
      "accounts 16 employees kept without: empty",
      "accounts 16 office_location kept without: empty",
      "accounts 16 revenue kept without: empty",
      "accounts 2 sector mended: technolgy → technology",
      "accounts 3 employees mended: currency sign or separators removed",
      "accounts 3 revenue mended: currency sign or separators removed",
      "accounts 3 sector mended: Technolgy → technology",
      "accounts 4 office_location mended: Philipines → Philippines",
      "accounts 4 revenue mended: currency sign or separators removed",
      "accounts 5 account mended: needless spaces or control characters removed",
      "accounts 6 account skipped: already on an earlier line",
      "accounts 7 employees kept without: not a whole number from 0 to 2147483647",
      "accounts 7 office_location kept without: empty",
      "accounts 7 revenue kept without: a negative amount",
      "accounts 7 sector kept without: empty",
      "accounts 7 subsidiary_of kept without: no such account in accounts.csv",
      "accounts 7 year_established kept without: not a whole number from 1000 to 2200",
      "accounts 8 revenue mended: rounded to cents",
      "accounts 8 subsidiary_of kept without: the company itself",
      "products 5 sales_price mended: currency sign or separators removed",
      "products 6 product skipped: already on an earlier line",
      "products 7 sales_price kept without: not an amount",
      "products 7 series kept without: empty",
      "sales_pipeline 10 account kept without: no such account in accounts.csv: its name alone is kept",
      "sales_pipeline 10 close_value kept without: a negative amount",
      "sales_pipeline 10 engage_date kept without: not a date of the form month/day/year",
      "sales_pipeline 10 product kept without: no such product in products.csv: its name alone is kept",
      "sales_pipeline 10 sales_agent kept without: no such seller in sales_teams.csv: nobody is assigned",
      "sales_pipeline 11 account kept without: empty: no company",
      "sales_pipeline 12 product kept without: empty",
      "sales_pipeline 12 sales_agent kept without: empty: nobody is assigned",
      "sales_pipeline 13 deal_stage skipped: none of Prospecting, Engaging, Won, Lost",
      "sales_pipeline 14 opportunity_id skipped: already on an earlier line",
      "sales_pipeline 15 opportunity_id skipped: empty",
      "sales_pipeline 3 close_value mended: currency sign or separators removed",
      "sales_pipeline 3 product mended: GTXPro → GTX Pro",
      "sales_pipeline 4 close_value kept without: empty: counted as 0",
      "sales_pipeline 4 deal_stage mended: won → Won",
      "sales_pipeline 6 close_date kept as it is: before the engage_date",
      "sales_pipeline 7 account mended: ACME corporation → Acme Corporation",
      "sales_pipeline 7 close_date kept without: empty: closed when it is imported",
      "sales_pipeline 8 account kept without: empty: no company",
      "sales_pipeline 8 product mended: GTXPro → GTX Pro",
      "sales_pipeline 9 close_date kept without: an open opportunity has no close date",
      "sales_pipeline 9 engage_date kept without: not a date of the form month/day/year",
      "sales_teams 1  mended: not UTF-8: read as Windows-1252",
      "sales_teams 10 manager kept without: the seller’s own name",
      "sales_teams 12 sales_agent skipped: no address can be made of this name",
      "sales_teams 6 sales_agent skipped: another member has the address made of this name",
      "sales_teams 7 sales_agent skipped: already on an earlier line",
      "sales_teams 9 manager kept without: empty",
      "sales_teams 9 regional_office kept without: empty",
    ]
  `)
})

describe('another data set is refused', () => {
  const without = (file: keyof Texts, text: string) => () => readSales({ ...texts, [file]: text }, [])
  test.each([
    ['a missing column', without('products.csv', 'product,sales_price\nGTX,1\n'), 'products.csv has no column "series"'],
    [
      'several missing columns',
      without('sales_teams.csv', 'sales_agent\nAnna\n'),
      'sales_teams.csv has no column "manager", "regional_office"',
    ],
    ['an empty file', without('accounts.csv', ''), 'accounts.csv has no column "account", '],
    [
      'an open quotation mark',
      without('products.csv', 'product,series,sales_price\nA,B,1\n"GTX,MG,2\nC,D,3\n'),
      'products.csv:3: a quotation mark',
    ],
    ['text behind a quotation', without('products.csv', 'product,series,sales_price\n"A" B,C,1\n'), 'products.csv:2: a quotation mark'],
  ])('%s', (_, read, message) => {
    expect(read).toThrow(message)
  })
})

test.each([
  ['semicolons', 'Product; Series ;Sales Price\nGTX;G;5\n'],
  ['old line ends', 'product,series,sales_price\rGTX,G,5\r'],
  ['mixed line ends', 'product,series,sales_price\r\nGTX,G,5\n\r\n'],
  ['other columns and another order', 'id,sales_price,series,product\n1,5,G,GTX\n'],
])('a file with %s is read', (_, text) => {
  const all = readSales({ ...texts, 'products.csv': text }, [])
  expect(all.products).toMatchObject([{ name: 'GTX', category: 'G', price: 5, place: { line: 2 } }])
})

describe('the folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'crm-sales-test-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  test('must be there', () => {
    expect(() => readFolder(join(folder, 'nowhere'))).toThrow(/There is no folder .*nowhere/)
  })
  test('must be one, with every file', () => {
    writeFileSync(join(folder, 'accounts.csv'), 'account\n')
    expect(() => readFolder(join(folder, 'accounts.csv'))).toThrow('is not a folder')
    expect(() => readFolder(folder)).toThrow('has no products.csv, sales_teams.csv, sales_pipeline.csv')
  })
})

describe('a hierarchy', () => {
  const tree = (parents: Record<string, string | null>) => Object.entries(parents).map(([key, parent]) => ({ key, parent }))

  test('is created from the top', () => {
    const levels = levelsOf(tree({ c: 'b', a: null, b: 'a', d: 'a', e: null }))
    expect(levels.map((level) => level.map(({ key }) => key))).toEqual([['a', 'e'], ['b', 'd'], ['c']])
  })

  test.each([
    ['of two', { a: 'b', b: 'a' }, 1],
    ['of three, with one below it', { d: 'a', a: 'b', b: 'c', c: 'a' }, 1],
    ['twice', { a: 'b', b: 'a', c: 'd', d: 'c' }, 2],
    ['never', { a: 'b', b: 'c', c: null }, 0],
  ])('has its loops cut: %s', (_, parents, cuts) => {
    const all = tree(parents)
    const cut: string[] = []
    cutLoops(all, ({ key }) => cut.push(key))
    expect(cut).toHaveLength(cuts)
    expect(levelsOf(all).flat()).toHaveLength(all.length)
  })
})
