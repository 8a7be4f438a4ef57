import { type Description, describeCsv, describeRows } from '../csv/describe.ts'
import type { Encoding } from '../csv/encoding.ts'
import { type Place, type Scanned, type Source, scan } from '../csv/scan.ts'
import { CARD_COLUMNS } from '../vcard/card.ts'
import { isVcard, scanCards } from '../vcard/scan.ts'
import type { FileType } from './types.ts'

const HEAD_BYTES = 200

/** Determines the type of an import's file and describes it. @throws AppError VALIDATION_ERROR for a file that cannot be imported. */
export async function describeFile(source: Source, utf8: boolean): Promise<Description & { type: FileType }> {
  if (!isVcard(await source.read({ offset: 0, length: HEAD_BYTES }))) return { type: 'csv', ...(await describeCsv(source, utf8)) }
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
