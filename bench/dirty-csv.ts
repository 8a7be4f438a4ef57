/** The parts of a dirty file, and the expected outcome of each. */
export type DirtyCsv = {
  text: string
  lines: { total: number; failed: number; good: number } /** The kinds of lines that fail, in order. */
  failing: number[]
}

const HEADER = 'External ID;First Name;Surname;E-mail;Mobile;Company;Birthday;Contact Type;Notes;Score'

/**
 * A file of people like an export of another program: semicolons, CRLF, quoted line breaks, phone numbers and dates rewritten by a
 * spreadsheet, and invalid lines: an unclosed quote, too many or too few cells, invalid addresses and dates, a missing name.
 */
export function dirtyCsv(rows: number): DirtyCsv {
  let text = `${HEADER}\r\n`
  let line = 2
  const failing: number[] = []
  let total = 0
  for (let n = 1; n <= rows; n++) {
    if (n % 127 === 0) {
      text += n % 2 ? '\r\n' : ';;;;;;;;;\r\n'
      line += 1
    }
    const [record, isBad, lines] = recordOf(n)
    text += `${record}\r\n`
    if (isBad) failing.push(line)
    total += 1
    line += lines
  }
  return { text, lines: { total, failed: failing.length, good: total - failing.length }, failing }
}

const FIRST = ['Ana', 'Bo', 'Çelik', 'Dóra', 'Eve', 'François', 'Göran', 'Hana']
const LAST = ['Lee', "O'Brien", 'Müller', 'Nguyễn', 'Smith', 'de la Cruz', 'Żak']

/** A record, whether it must fail, and the number of its lines. */
function recordOf(n: number): [string, boolean, number] {
  const first = FIRST[n % FIRST.length] as string
  const last = LAST[n % LAST.length] as string
  const cells = [
    `d-${n}`,
    first,
    last,
    `person${n}@example.com`,
    phoneOf(n),
    n % 3 ? '' : 'Acme',
    dateOf(n),
    n % 2 ? 'Customer' : 'Press',
    '',
    String(n % 100),
  ]
  const plain = () => cells.join(';')
  if (n % 50 === 0) return [cells.with(3, `person${n}@@example.com`).join(';'), true, 1]
  if (n % 61 === 0) return [cells.slice(0, 5).join(';'), true, 1]
  if (n % 67 === 0) return [`${plain()};more;and more`, true, 1]
  if (n % 73 === 0) return [cells.with(1, `"${first}`).join(';'), true, 1]
  if (n % 89 === 0) return [cells.with(4, '6.14E+10').join(';'), true, 1]
  if (n % 97 === 0) return [cells.with(6, '31/02/1980').join(';'), true, 1]
  // Another name stands for the first one, and a character that cannot be stored is left out, each with a warning.
  if (n % 101 === 0) return [cells.with(1, '').join(';'), false, 1]
  if (n % 103 === 0) return [cells.with(1, `${first}\0`).join(';'), false, 1]
  if (n % 7 === 0) return [cells.with(8, '"Said: ""call\r\nbefore noon""; thanks"').join(';'), false, 2]
  return [plain(), false, 1]
}

const phoneOf = (n: number) =>
  [`0412 ${345000 + (n % 1000)}`, `'+61412${100000 + (n % 900_000)}`, `61412${100000 + (n % 900_000)}`][n % 3] as string
const dateOf = (n: number) => ['44927', '31/12/1980', '1980-12-31', ''][n % 4] as string
