import type { Source } from '../csv/scan.ts'
import { type DateSystem, formOf, type NumberForm } from './numbers.ts'
import { readStrings, type SharedStrings } from './strings.ts'
import { attribute, parseXml, type XmlHandler } from './xml.ts'
import { damaged, type Entry, readDirectory, refused, unpack } from './zip.ts'

/** The most bytes of the files of a workbook, unpacked. */
const MAX_PART = 16 * 1024 * 1024
const MAX_STRINGS = 128 * 1024 * 1024
const MAX_SHEET = 512 * 1024 * 1024
const MAX_SHEETS = 1000
const MAX_STYLES = 65_536
const MAX_NAMED = 20

type Sheet = { name: string; part: string; hidden: boolean }
/** A workbook with what its cells refer to. `sheet` is the one to read. */
export type Workbook = {
  sheets: string[]
  sheet: string
  dates: DateSystem
  forms: NumberForm[]
  strings: SharedStrings | undefined
  /** Unpacks the sheet from its beginning. */
  read(): AsyncGenerator<Uint8Array>
}

const OTHER = 'is an archive or another kind of document: send a workbook (XLSX), a CSV file or a vCard file'

/** Opens a workbook and chooses a sheet: by name, or the first one that is visible. @throws AppError VALIDATION_ERROR */
export async function openWorkbook(source: Source, chosen: string | undefined): Promise<Workbook> {
  const entries = await readDirectory(source)
  const read = async (part: string, handler: XmlHandler, most = MAX_PART) => {
    const entry = entries.get(part)
    if (entry) await parseXml(unpack(source, entry, most), handler)
  }
  if (!entries.has('_rels/.rels')) throw refused(OTHER)
  const main = (await relationsOf('', '.rels', read)).find(({ type }) => type.endsWith('/officeDocument'))?.part
  if (main?.endsWith('.bin')) throw refused('is a binary workbook: save it as XLSX, and send that')
  if (!main?.endsWith('workbook.xml') || !entries.has(main)) throw refused(OTHER)
  const { sheets, dates } = await sheetsOf(main, read)
  const sheet = choose(sheets, chosen)
  const relations = await relationsOf(folderOf(main), `${main.slice(folderOf(main).length)}.rels`, read)
  const partOf = (kind: string) => relations.find(({ type }) => type.endsWith(`/${kind}`))?.part
  const entry = entries.get(sheet.part)
  if (!entry) throw damaged()
  const strings = entries.get(partOf('sharedStrings') ?? '')
  return {
    sheets: sheets.map(({ name }) => name),
    sheet: sheet.name,
    dates,
    forms: await formsOf(partOf('styles'), read),
    strings: strings && (await readStrings(unpack(source, strings, MAX_STRINGS))),
    read: () => unpack(source, entry as Entry, MAX_SHEET),
  }
}

function choose(sheets: Sheet[], name: string | undefined): Sheet {
  if (name === undefined) {
    const first = sheets.find(({ hidden }) => !hidden) ?? sheets[0]
    if (!first) throw refused('has no sheet with cells')
    return first
  }
  const isSame = (sheet: Sheet) => sheet.name.trim().toLowerCase() === name.trim().toLowerCase()
  const found = sheets.find((sheet) => sheet.name === name) ?? sheets.find(isSame)
  if (found) return found
  const names = sheets.slice(0, MAX_NAMED).map((sheet) => JSON.stringify(sheet.name))
  throw refused(`The workbook has no such sheet, only ${names.join(', ')}${sheets.length > MAX_NAMED ? ' and others' : ''}`, 'sheet')
}

type Read = (part: string, handler: XmlHandler) => Promise<void>
type Relation = { id: string; type: string; part: string }

const folderOf = (part: string) => part.slice(0, part.lastIndexOf('/') + 1)

/** The parts that a part refers to. */
async function relationsOf(folder: string, file: string, read: Read): Promise<Relation[]> {
  const relations: Relation[] = []
  await read(`${folder}_rels/${file}`, {
    open(name, attributes) {
      if (name !== 'Relationship' || attribute(attributes, 'TargetMode') === 'External' || relations.length > MAX_SHEETS * 2) return
      const [id = '', type = '', target = ''] = ['Id', 'Type', 'Target'].map((key) => attribute(attributes, key))
      relations.push({ id, type, part: resolved(folder, target) })
    },
    close: () => {},
  })
  return relations
}

/** The name of a part in the archive, from its address relative to a folder. */
const resolved = (folder: string, target: string): string => {
  try {
    return decodeURIComponent(new URL(target, `https://workbook/${folder}`).pathname.slice(1))
  } catch {
    return ''
  }
}

async function sheetsOf(main: string, read: Read): Promise<{ sheets: Sheet[]; dates: DateSystem }> {
  const relations = await relationsOf(folderOf(main), `${main.slice(folderOf(main).length)}.rels`, read)
  const worksheets = new Map(relations.filter(({ type }) => type.endsWith('/worksheet')).map(({ id, part }) => [id, part]))
  const sheets: Sheet[] = []
  let dates: DateSystem = 1900
  await read(main, {
    open(name, attributes) {
      if (name === 'workbookPr' && /^(?:1|true|on)$/.test(attribute(attributes, 'date1904') ?? '')) dates = 1904
      const part = name === 'sheet' ? worksheets.get(attribute(attributes, '*:id') ?? '') : undefined
      if (part !== undefined && sheets.length < MAX_SHEETS)
        sheets.push({ name: attribute(attributes, 'name') ?? '', part, hidden: /hidden/i.test(attribute(attributes, 'state') ?? '') })
    },
    close: () => {},
  })
  return { sheets, dates }
}

/** What each cell style makes of a number. */
async function formsOf(part: string | undefined, read: Read): Promise<NumberForm[]> {
  const codes = new Map<number, string>()
  const ids: number[] = []
  let list = ''
  if (part !== undefined)
    await read(part, {
      open(name, attributes) {
        if (name === 'cellXfs' || name === 'numFmts') list = name
        if (name === 'numFmt' && list === 'numFmts' && codes.size < MAX_STYLES)
          codes.set(Number(attribute(attributes, 'numFmtId')), attribute(attributes, 'formatCode') ?? '')
        if (name === 'xf' && list === 'cellXfs' && ids.length < MAX_STYLES) ids.push(Number(attribute(attributes, 'numFmtId') ?? 0))
      },
      close(name) {
        if (name === list) list = ''
      },
    })
  return ids.map((id) => formOf(id, codes.get(id)))
}
