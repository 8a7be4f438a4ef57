import { describe, expect, test } from 'vitest'
import type { Scanned } from '../../src/domain/csv/scan.ts'
import { describeFile, scanFile } from '../../src/features/imports/rules/files.ts'
import { CARD_COLUMNS, readCard } from '../../src/features/imports/rules/vcard/card.ts'
import { scanCards } from '../../src/features/imports/rules/vcard/scan.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
/** A file whose reads may be as short as the store's. */
const sourceOf = (bytes: Uint8Array) => ({
  size: bytes.length,
  read: async ({ offset, length }: { offset: number; length: number }) => bytes.slice(offset, offset + length),
})
const binary = (text: string) => String.fromCharCode(...bytesOf(text))
/** The columns of a card that have a value. */
function read(...lines: string[]): Record<string, string> {
  const { cells } = readCard(binary(lines.join('\r\n')))
  return Object.fromEntries(CARD_COLUMNS.map((name, at) => [name, cells[at] ?? '']).filter(([, value]) => value !== ''))
}
async function rowsOf(bytes: Uint8Array, from = { byte: 0, line: 1 }): Promise<Scanned[]> {
  const all: Scanned[] = []
  for await (const records of scanCards(sourceOf(bytes), from)) all.push(...records)
  return all
}

describe('a card', () => {
  test('of version 3.0 has its parts, the mobile number first, and the preferred address', () => {
    expect(
      read(
        'VERSION:3.0',
        'N:Lee;Ana;;Ms.;',
        'FN:Ana Lee',
        'ORG:Acme\\, Inc.;Sales',
        'TITLE:Buyer',
        'TEL;TYPE=WORK,VOICE:02 4900 1000',
        'TEL;type=CELL;type=pref:0412 345 678',
        'TEL;TYPE=FAX:02 4900 1001',
        'item1.EMAIL;type=INTERNET:ana@home.example',
        'item1.X-ABLabel:_$!<Other>!$_',
        'EMAIL;TYPE=INTERNET,PREF:ana@example.com',
        'ADR;TYPE=HOME:;;9 Home Rd;Perth;WA;6000;Australia',
        'ADR;TYPE=WORK,pref:;Suite 4;1 Hunter St;Newcastle;NSW;2300;Australia',
        'BDAY:19800517',
        'NOTE:Likes\\nboats\\; and tea',
        'CATEGORIES:Friends,Sailing',
      ),
    ).toEqual({
      'Formatted name': 'Ana Lee',
      'Given name': 'Ana',
      'Family name': 'Lee',
      Organization: 'Acme, Inc.',
      'Job title': 'Buyer',
      Phone: '0412 345 678',
      'Other phones': '02 4900 1000',
      Email: 'ana@example.com',
      'Other emails': 'ana@home.example',
      Street: '1 Hunter St',
      'Extended address': 'Suite 4',
      City: 'Newcastle',
      Region: 'NSW',
      'Postal code': '2300',
      Country: 'Australia',
      'Other addresses': '9 Home Rd, Perth, WA, 6000, Australia',
      Birthday: '1980-05-17',
      Note: 'Likes\nboats; and tea',
      Categories: 'Friends; Sailing',
    })
  })

  test('has the categories of all its lines, each once, and none that Google gives to everybody', () => {
    const categories = ['CATEGORIES:myContacts,Friends', 'item2.CATEGORIES:Big\\, blue,A\\;B', 'CATEGORIES:Friends,,Say "hi",starred']
    expect(read('FN:Ana', ...categories)).toMatchObject({ Categories: 'Friends; "Big, blue"; "A;B"; "Say ""hi"""' })
    expect(read('FN:Ana', 'CATEGORIES:myContacts')).not.toHaveProperty('Categories')
  })

  test('keeps what is no escape', () => {
    expect(read('FN:Ana Lee', 'NOTE:C:\\\\new\\Nand \\x', 'ORG:A\\;B\\:C;D')).toMatchObject({
      Note: 'C:\\new\nand \\x',
      Organization: 'A;B:C',
    })
  })

  test('of version 2.1 is decoded from quoted-printable text in its character set, over several lines', () => {
    const card = read(
      'VERSION:2.1',
      'N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;Zo=C3=AB',
      'NOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=ISO-8859-1:Caf=E9 in=',
      ' K=F6ln=0D=0A=',
      'again',
      'TEL;CELL;PREF:+61412345678',
      'PHOTO;ENCODING=BASE64;TYPE=JPEG:/9j/4AAQSkZJRgABAQ',
      ' AAAQABAAD/2wBDAAgGBgcGBQg',
      '',
    )
    expect(card).toMatchObject({
      'Given name': 'Zoë',
      'Family name': 'Müller',
      Note: 'Café in Köln\nagain'.replace('\n', '\r\n'),
      Phone: '+61412345678',
    })
    expect(Object.keys(card)).not.toContain('Other phones')
  })

  test('of version 4.0 has URIs, quoted parameters, and birthdays without a year', () => {
    expect(
      read(
        'VERSION:4.0',
        'FN:Bo van Dyk',
        'TEL;VALUE=uri;PREF=1;TYPE="voice,home":tel:+61-2-4900-1000;ext=5',
        'EMAIL;PID="a:b":bo@example.com',
        'BDAY:--0517',
        'ADR;LABEL="1 Hunter St; Newcastle":;;1 Hunter St;Newcastle;;;',
      ),
    ).toMatchObject({
      'Given name': 'Bo van',
      'Family name': 'Dyk',
      Phone: '+61-2-4900-1000 ext. 5',
      Email: 'bo@example.com',
      Birthday: '--05-17',
      City: 'Newcastle',
    })
  })

  test('has folded lines joined, and text of no declared character set as UTF-8 or Windows-1252', () => {
    expect(read('FN:Ana', ' bel', '\tla Z\u00fcrich')).toMatchObject({ 'Formatted name': 'Anabella Zürich' })
    expect(readCard('FN:Andr\xe9 Lee').cells[0]).toBe('André Lee')
  })

  test('of a group of people is no person', () => {
    expect(readCard('KIND:group\nFN:Friends').fault).toContain('group')
  })
})

const CARD = (n: number) => `BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Person ${n}\r\nEND:VCARD\r\n`

describe('a file of cards', () => {
  test('is read card by card, and from any card on', async () => {
    const text = `${CARD(1)}\r\n${CARD(2)}begin:vcard\nfn:Zoë\nend:vcard`
    const bytes = bytesOf(text)
    const rows = await rowsOf(bytes)
    expect(rows.map(({ line, cells, fault }) => [line, cells[0], fault])).toEqual([
      [1, 'Person 1', undefined],
      [6, 'Person 2', undefined],
      [10, 'Zoë', undefined],
    ])
    for (const [at, row] of rows.entries())
      expect((await rowsOf(bytes, row.next)).map(({ line, cells }) => [line, cells[0]])).toEqual(
        rows.slice(at + 1).map(({ line, cells }) => [line, cells[0]]),
      )
    expect(rows.at(-1)?.next.byte).toBe(bytes.length)
    const described = await describeFile(sourceOf(bytes), true)
    expect(described).toMatchObject({ type: 'vcard', total: 3, preview: [{ line: 1 }, { line: 6 }, { line: 10 }] })
    expect(described.columns.map(({ name }) => name)).toEqual([...CARD_COLUMNS])
  })

  test('of more than one window is read whole; a card that was cut off, or is too long, says so', async () => {
    const many = bytesOf(Array.from({ length: 15_000 }, (_, n) => CARD(n)).join(''))
    const rows = await rowsOf(many)
    expect([rows.length, rows.at(-1)?.cells[0], rows.at(-1)?.line]).toEqual([15_000, 'Person 14999', 14_999 * 4 + 1])
    const [cut] = await rowsOf(bytesOf('BEGIN:VCARD\nFN:Ana'))
    expect(cut).toMatchObject({ fault: expect.stringContaining('no end') })
    const photo = `BEGIN:VCARD\nFN:Large\nPHOTO;ENCODING=b:${'A'.repeat(5 * 1024 * 1024)}\nEND:VCARD\n${CARD(2)}`
    const large = await rowsOf(bytesOf(photo))
    expect(large.map(({ cells, fault }) => [cells[0], fault !== undefined])).toEqual([
      ['Large', true],
      ['Person 2', false],
    ])
  })

  test('has as many records as a file can have', async () => {
    const many = bytesOf(Array.from({ length: 250_001 }, () => 'BEGIN:VCARD\nFN:A\nEND:VCARD\n').join(''))
    await expect(describeFile(sourceOf(many), true)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
  })

  test('other files are CSV', async () => {
    const csv = await describeFile(sourceOf(bytesOf('Name,Email\nAna,a@example.com\n')), true)
    expect(csv).toMatchObject({ type: 'csv', total: 1 })
    const rows: Scanned[] = []
    for await (const records of scanFile(
      sourceOf(bytesOf('Name\nAna\n')),
      { byte: 5, line: 2 },
      { type: 'csv', encoding: 'utf-8', delimiter: ',', columns: [] },
    ))
      rows.push(...records)
    expect(rows).toMatchObject([{ cells: ['Ana'] }])
  })
})
