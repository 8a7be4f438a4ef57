import { describe, expect, test } from 'vitest'
import { readCommand } from '../../dev/import/crm-sales.ts'
import { compareFigures } from '../../dev/import/figures.ts'
import { inWords, progressOn } from '../../dev/import/progress.ts'
import { countNotes, listNotes, type Note } from '../../dev/import/report.ts'

const note = (line: number, more: Partial<Note> = {}): Note => ({
  file: 'accounts.csv',
  line,
  field: 'sector',
  done: 'mended',
  why: 'a → b',
  ...more,
})

describe('notes', () => {
  test('of one kind are listed up to a number, then counted', () => {
    const notes = [
      ...[2, 3, 4, 5, 6].map((line) => note(line)),
      note(3, { field: 'revenue', done: 'kept without', why: 'not an amount', value: '\u001b[2J' }),
    ]
    expect(listNotes(notes, 2)).toEqual([
      '  accounts.csv:2  sector  mended: a → b',
      '  accounts.csv:3  sector  mended: a → b',
      '  … and 3 more of this kind, 5 in all',
      '  accounts.csv:3  revenue  kept without: not an amount ("\\u001b[2J")',
    ])
    expect(countNotes(notes)).toBe('5 mended, 1 kept without')
  })

  test('come file by file and line by line', () => {
    const notes = [note(9, { why: 'x' }), note(1, { file: 'sales_pipeline.csv' }), note(3, { why: 'y' }), note(4, { why: 'x' })]
    expect(listNotes(notes).map((line) => line.trim().split(' ')[0])).toEqual([
      'accounts.csv:3',
      'accounts.csv:4',
      'accounts.csv:9',
      'sales_pipeline.csv:1',
    ])
  })

  test('without limit are all listed', () => {
    expect(
      listNotes(
        Array.from({ length: 50 }, (_, line) => note(line)),
        Number.POSITIVE_INFINITY,
      ),
    ).toHaveLength(50)
  })

  test('that are none need no count', () => {
    expect([listNotes([]), countNotes([])]).toEqual([[], 'nothing to mend'])
  })
})

test.each([
  [{ created: 8800, moved: 0, changed: 0, refused: 0 }, 8800, '8,800 created'],
  [{ created: 1, moved: 2, changed: 3, refused: 4 }, 15, '1 created, 2 moved, 3 changed, 4 refused, 5 as they were'],
  [{ created: 0, moved: 0, changed: 0, refused: 0 }, 1, '1 as it was'],
  [{ created: 0, moved: 0, changed: 0, refused: 0 }, 0, 'nothing to do'],
])('%j of %j: %s', (tally, total, words) => {
  expect(inWords(tally, total)).toBe(words)
})

describe('figures side by side', () => {
  const files = [
    { name: 'Won', count: 4238, cents: 1_000_553_400 },
    { name: 'no company', count: 1425 },
  ]
  test('that agree', () => {
    const { lines, same } = compareFigures(files, [
      { name: 'won', count: 4238, cents: 1_000_553_400 },
      { name: 'Empty', count: 0, cents: 0 },
      files[1]!,
    ])
    expect(same).toBe(true)
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
      ['', 'files', 'pipeline'],
      ['Won', '4,238', '10,005,534.00', '4,238', '10,005,534.00'],
      ['no company', '1,425', '1,425'],
      ['Empty', '–', '0', '0.00'],
    ])
  })
  test.each([
    ['in number', { name: 'Won', count: 4237, cents: 1_000_553_400 }],
    ['by a cent', { name: 'Won', count: 4238, cents: 1_000_553_401 }],
  ])('that differ %s', (_, won) => {
    const { lines, same } = compareFigures(files, [won, files[1]!])
    expect([same, lines[1]!.endsWith('differs')]).toEqual([false, true])
  })
})

describe('progress', () => {
  const shown = (isTTY: boolean, columns = 80) => {
    let text = ''
    const progress = progressOn({ isTTY, columns, write: (more: string) => (text += more) })
    progress.begin('Opportunities', 4000)
    progress.expect(4000)
    for (let sent = 0; sent < 4000; sent += 100) progress.step(100)
    for (let twice = 0; twice < 2; twice++) progress.wait(10, 'as many requests as the key may send')
    progress.line('a line')
    progress.end({ created: 4000, moved: 0, changed: 0, refused: 0 })
    return text
  }

  test('is plain lines where nobody watches', () => {
    expect(shown(false).split('\n')).toEqual([
      'Opportunities  1,000 of 4,000',
      'Opportunities  2,000 of 4,000',
      'Opportunities  3,000 of 4,000',
      'Opportunities  waits 10 s: as many requests as the key may send',
      'a line',
      'Opportunities  4,000 created',
      '',
    ])
  })

  test('is one bar on a terminal, drawn over and never wider than it', () => {
    const lines = shown(true, 60).split('\n')
    expect(lines).toHaveLength(3)
    const drawn = lines[0]!.split('\r\x1b[K')
    expect(Math.max(...drawn.map((line) => line.length))).toBeLessThan(60)
    expect(drawn).toContain(`Opportunities  ${'█'.repeat(12)}${'░'.repeat(12)} 2,000 of 4,000`)
    expect(lines[1]).toMatch(/KOpportunities {2}4,000 created$/)
  })
})

describe('the command line', () => {
  const base = 'http://crm.example'
  test.each([
    ['a folder as it was typed', ['data', '--base', base, '--key', 'k'], { folder: '/here/data', base, key: 'k', verbose: false }],
    ['one from the root', ['/data', '--base', base, '--key=k', '--verbose'], { folder: '/data', key: 'k', verbose: true }],
  ])('takes %s', (_, args, command) => {
    expect(readCommand(args, '/here')).toMatchObject(command)
  })

  test.each([
    ['no folder', [], /^Usage: /],
    ['two folders', ['a', 'b'], /^One folder, please: unexpected "b"/],
    ['an unknown flag', ['a', '--dry'], /--dry/],
    ['no address', ['a', '--base', 'crm', '--key', 'k'], /--base must be a web address/],
    ['another protocol', ['a', '--base', 'ftp://crm', '--key', 'k'], /--base must be a web address/],
    ['the demo key for elsewhere', ['a', '--base', base], /Name the key for http:\/\/crm\.example with --key/],
  ])('refuses %s', (_, args, message) => {
    expect(() => readCommand(args, '/here')).toThrow(message)
  })
})
