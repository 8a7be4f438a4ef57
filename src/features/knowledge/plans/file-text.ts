import { detectDelimiter } from '../../../domain/csv/dialect.ts'
import { decode, detectEncoding, isUtf8 } from '../../../domain/csv/encoding.ts'
import { readRecords } from '../../../domain/csv/read.ts'
import { extensionOf } from '../../../domain/file-types.ts'
import { readDirectory, unpack } from '../../../domain/xlsx/zip.ts'
import { AppError, invalid } from '../../../errors.ts'
import { MAX_ENTRY_TEXT, MAX_PDF_PAGES } from '../rules/entries.ts'
import { htmlText } from '../rules/html-text.ts'
import { clean, titleOf } from '../rules/texts.ts'

type FileText = { title: string; text: string }
type Read = { title: string | null; text: string }

const ACCEPTED = ['pdf', 'docx', 'html', 'htm', 'md', 'txt', 'csv']
/** The most bytes that the texts of a document may unpack to. */
const MAX_UNPACKED = 30_000_000

const refused = (message: string) => invalid([{ path: 'file', message }])
const beginsWith = (bytes: Uint8Array, mark: string) => [...mark].every((character, at) => bytes[at] === character.charCodeAt(0))

/**
 * The text of a file as markdown. The first bytes tell PDF and DOCX, the extension tells texts. @throws UNSUPPORTED_MEDIA_TYPE,
 * VALIDATION_ERROR
 */
export async function fileText(name: string, bytes: Uint8Array): Promise<FileText> {
  const { title, text } = await readerOf(name, bytes)(bytes)
  const stored = clean(text).trim()
  if (stored === '') throw refused('has no text: a scan must be recognised first')
  if (stored.length > MAX_ENTRY_TEXT) throw refused(`has more than ${MAX_ENTRY_TEXT} characters of text: send it in parts`)
  return { title: titleOf(title ?? name), text: stored }
}

function readerOf(name: string, bytes: Uint8Array): (bytes: Uint8Array) => Promise<Read> | Read {
  if (beginsWith(bytes, '%PDF-')) return readPdf
  if (beginsWith(bytes, 'PK\x03\x04')) return readDocx
  const extension = extensionOf(name)
  const reader = { html: readHtml, htm: readHtml, csv: readCsv, md: readText, txt: readText, '': readText }[extension]
  if (!reader || textIn(bytes.subarray(0, 8_192)).includes('\0')) {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', `Accepted file types: ${ACCEPTED.join(', ')}`, { allowed: ACCEPTED })
  }
  return reader
}

async function readPdf(bytes: Uint8Array): Promise<Read> {
  const { extractText, getDocumentProxy, getMeta } = await import('unpdf')
  const unreadable = () => refused('cannot be read as a PDF: it may need a password, or be damaged')
  const pdf = await getDocumentProxy(bytes.slice()).catch(() => {
    throw unreadable()
  })
  try {
    if (pdf.numPages > MAX_PDF_PAGES) throw refused(`has more than ${MAX_PDF_PAGES} pages: send it in parts`)
    const [{ text }, { info }] = await Promise.all([extractText(pdf, { mergePages: false }), getMeta(pdf)]).catch(() => {
      throw unreadable()
    })
    const pages = text.map((page, at) => ({ page: page.trim(), at })).filter(({ page }) => page !== '')
    const title = typeof info.Title === 'string' && info.Title.trim() !== '' ? info.Title : null
    return { title, text: pages.map(({ page, at }) => `## Page ${at + 1}\n\n${page}`).join('\n\n') }
  } finally {
    await pdf.destroy()
  }
}

async function readDocx(bytes: Uint8Array): Promise<Read> {
  await assertDocument(bytes)
  const { default: mammoth } = await import('mammoth/mammoth.browser.min.js')
  const options = { convertImage: mammoth.images.imgElement(async () => ({ src: '' })), externalFileAccess: false }
  const { value } = await mammoth.convertToHtml({ arrayBuffer: bytes.slice().buffer }, options).catch(() => {
    throw refused('cannot be read as a document: save it again as DOCX')
  })
  return htmlText(value)
}

/** Unpacks the texts of a document piece by piece, so that nothing is read whole that is larger than it may be. */
async function assertDocument(bytes: Uint8Array): Promise<void> {
  const source = {
    size: bytes.length,
    read: async ({ offset, length }: { offset: number; length: number }) => bytes.slice(offset, offset + length),
  }
  const unreadable = () => refused('is no document that can be read, or unpacks to too much: save it again as DOCX')
  const directory = await readDirectory(source).catch(() => {
    throw unreadable()
  })
  if (!directory.has('word/document.xml')) throw new AppError('UNSUPPORTED_MEDIA_TYPE', `Accepted file types: ${ACCEPTED.join(', ')}`)
  let size = 0
  for (const entry of directory.values()) {
    try {
      for await (const piece of unpack(source, entry, MAX_UNPACKED)) size += piece.length
    } catch {
      throw unreadable()
    }
    if (size > MAX_UNPACKED) throw unreadable()
  }
}

function textIn(bytes: Uint8Array): string {
  const { encoding, begin } = detectEncoding(bytes, isUtf8(bytes))
  return decode(encoding, bytes.subarray(begin), true)
}

const readHtml = (bytes: Uint8Array): Read => htmlText(textIn(bytes))

function readText(bytes: Uint8Array): Read {
  const text = textIn(bytes)
  return { title: /^# +(\S.{0,299})/m.exec(text)?.[1] ?? null, text }
}

/** A table whose first row is repeated in each of its parts. */
function readCsv(bytes: Uint8Array): Read {
  const text = textIn(bytes)
  const { delimiter, begin } = detectDelimiter(text)
  const { records } = readRecords(text.slice(begin), { delimiter, line: 1, atEnd: true, maxRecords: MAX_ENTRY_TEXT })
  const row = (cells: string[]) => `| ${cells.map((cell) => cell.replace(/[\s|]+/g, ' ').trim()).join(' | ')} |`
  const [head, ...rest] = records.map(({ cells }) => cells)
  if (!head) return { title: null, text: '' }
  return { title: null, text: [row(head), row(head.map(() => '---')), ...rest.map(row)].join('\n') }
}
