import { type Description, describeCsv, describeRows } from '../../../domain/csv/describe.ts'
import type { Encoding } from '../../../domain/csv/encoding.ts'
import { type Place, type Scanned, type Source, scan } from '../../../domain/csv/scan.ts'
import { scanRows } from '../../../domain/xlsx/table.ts'
import { invalid } from '../../../errors.ts'
import type { FileType } from './types.ts'
import { CARD_COLUMNS } from './vcard/card.ts'
import { isVcard, scanCards } from './vcard/scan.ts'

const HEAD_BYTES = 200
/** The first bytes of a ZIP archive, which XLSX files are, and of the older format of Office, which also encloses protected files. */
const ZIP = [0x50, 0x4b, 0x03, 0x04]
const OLE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]
const beginsWith = (signature: number[], beginning: Uint8Array) => signature.every((byte, at) => beginning[at] === byte)

/** Whether a file may be a workbook, to be converted. */
export const isArchive = async (source: Source): Promise<boolean> => beginsWith(ZIP, await source.read({ offset: 0, length: ZIP.length }))

/**
 * Determines the type of an import's file that is no archive, and describes it. @throws AppError VALIDATION_ERROR for a file that cannot be
 * imported.
 */
export async function describeFile(source: Source, utf8: boolean): Promise<Description & { type: FileType }> {
  const beginning = await source.read({ offset: 0, length: HEAD_BYTES })
  if (beginsWith(OLE, beginning))
    throw invalid([{ path: 'file', message: 'is an old or a protected workbook: save it as XLSX without a password, and send that' }])
  if (!isVcard(beginning)) return { type: 'csv', ...(await describeCsv(source, utf8)) }
  const first = { byte: 0, line: 1 }
  return {
    type: 'vcard',
    encoding: 'utf-8',
    delimiter: '',
    has_header: false,
    first,
    ...(await describeRows(scanCards(source, first), CARD_COLUMNS)),
  }
}

/** Reads the rows of an import's file from a position on. */
export const scanFile = (
  source: Source,
  from: Place,
  file: { type: FileType; encoding: Encoding; delimiter: string; columns: unknown[] },
): AsyncGenerator<Scanned[]> => {
  if (file.type === 'xlsx') return scanRows(source, from, file.columns.length)
  return file.type === 'vcard' ? scanCards(source, from) : scan(source, from, file)
}
