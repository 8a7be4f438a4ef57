import type { Place, Scanned, Source } from '../../../../domain/csv/scan.ts'
import { readCard } from './card.ts'

const WINDOW = 512 * 1024
/** The longest card in bytes, its photograph included; a longer one is cut here. */
const LONGEST = 4 * 1024 * 1024
const END = /^END:VCARD[ \t]*(?:\r\n|\n|\r(?!$)|$)/gim
const BEGIN = /^BEGIN:VCARD[ \t]*(?:\r\n|\n|\r)/im
const TOO_LONG = 'The card is longer than 4 MB: remove its photograph'
const UNCLOSED = 'The card has no end: the file was cut off here'

/** Whether a file begins with a card. */
export const isVcard = (beginning: Uint8Array): boolean =>
  /^(?:\u00ef\u00bb\u00bf)?\s*BEGIN:VCARD/i.test(binary(beginning.subarray(0, 200)))

/** Reads the cards of a file from a position on, as rows of a table; see CARD_COLUMNS. Only one window of the file is in memory. */
export async function* scanCards(source: Source, from: Place): AsyncGenerator<Scanned[]> {
  let { byte, line } = from
  let length = WINDOW
  while (byte < source.size) {
    const bytes = await source.read({ offset: byte, length })
    const atEnd = byte + bytes.length >= source.size
    const text = binary(bytes)
    const scanned: Scanned[] = []
    let at = 0
    END.lastIndex = 0
    for (let match = END.exec(text); match; match = END.exec(text)) {
      const end = match.index + match[0].length
      // The line break may be cut in half.
      if (end === text.length && !atEnd && !match[0].endsWith('\n')) break
      const card = text.slice(at, end)
      line += push(scanned, card, { byte: byte + end, line })
      at = end
    }
    const isCut = at === 0 && length >= LONGEST
    if (atEnd || isCut) line += push(scanned, text.slice(at), { byte: byte + text.length, line }, atEnd ? UNCLOSED : TOO_LONG)
    if (scanned.length > 0) yield scanned
    if (atEnd) return
    byte += isCut ? text.length : at
    length = at === 0 && !isCut ? length * 2 : WINDOW
  }
}

/** Adds the card in a text to the rows, unless there is none. Returns the number of lines of the text. */
function push(rows: Scanned[], text: string, { byte, line }: Place, fault?: string): number {
  const lines = text.match(/\r\n|\r|\n/g)?.length ?? 0
  const begin = BEGIN.exec(text)
  if (begin || (fault === TOO_LONG && text.trim() !== '')) {
    const before = text.slice(0, begin?.index ?? 0).match(/\r\n|\r|\n/g)?.length ?? 0
    const card = readCard(text.slice((begin?.index ?? 0) + (begin?.[0].length ?? 0)).replace(/END:VCARD\s*$/i, ''))
    const problem = fault ?? card.fault
    rows.push({
      line: line + before,
      cells: card.cells,
      next: { byte, line: line + lines },
      ...(problem !== undefined && { fault: problem }),
    })
  }
  return lines
}

/** Bytes as a string with one character for each. */
function binary(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return text
}
