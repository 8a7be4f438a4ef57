import { invalid } from '../../errors.ts'
import { type Description, describeCsv, describeRows } from '../csv/describe.ts'
import type { Encoding } from '../csv/encoding.ts'
import { type Place, type Scanned, type Source, scan } from '../csv/scan.ts'
import { CARD_COLUMNS } from '../vcard/card.ts'
import { isVcard, scanCards } from '../vcard/scan.ts'
import type { FileType } from './types.ts'

const HEAD_BYTES = 200
/** The first bytes of a ZIP archive, which XLSX and ODS files are. */
const ZIP = [0x50, 0x4b, 0x03, 0x04]

/** Determines the type of an import's file and describes it. @throws AppError VALIDATION_ERROR for a file that cannot be imported. */
export async function describeFile(source: Source, utf8: boolean): Promise<Description & { type: FileType }> {
  const beginning = await source.read({ offset: 0, length: HEAD_BYTES })
  if (ZIP.every((byte, at) => beginning[at] === byte))
    throw invalid([{ path: 'file', message: 'is a workbook or an archive: save the sheet as CSV, in UTF-8, and send that' }])
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
  file: { type: FileType; encoding: Encoding; delimiter: string },
): AsyncGenerator<Scanned[]> => (file.type === 'vcard' ? scanCards(source, from) : scan(source, from, file))
