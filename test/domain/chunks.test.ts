import { expect, test } from 'vitest'
import { type Chunk, chunksOf, MAX_CHUNK } from '../../src/features/knowledge/rules/chunks.ts'

const words = (letter: string, length: number) => letter.repeat(length)
const chunk = (text: string, ...heading_path: string[]): Chunk => ({ heading_path, text })
/** A table with so many rows of 100 characters below its header of 20. */
const HEADER = '| Part   | Price   |\n| ------ | ------- |'
const rowOf = (n: number) => `| ${String(n).padStart(3, '0')} ${words('x', 94)}`
const tableOf = (count: number) => [HEADER, ...Array.from({ length: count }, (_, n) => rowOf(n))].join('\n')

test.each<[string, text: string, Chunk[]]>([
  ['nothing', ' \n\n\t\n', []],
  ['text without a heading', 'One\ntwo', [chunk('One\ntwo')]],
  ['text before and below a heading', 'Intro\n# A\nText', [chunk('Intro'), chunk('Text', 'A')]],
  [
    'headings of different levels',
    '# A\na\n### B\nb\n## C\nc\n# D\nd',
    [chunk('a', 'A'), chunk('b', 'A', 'B'), chunk('c', 'A', 'C'), chunk('d', 'D')],
  ],
  ['a heading of the same level', '## A\na\n## B\nb', [chunk('a', 'A'), chunk('b', 'B')]],
  ['a heading without text', '# A\n## B\nb', [chunk('b', 'A', 'B')]],
  ['a heading that is closed', '# A # 1 ##  \na', [chunk('a', 'A # 1')]],
  ['six levels at most', '###### A\na\n####### b', [chunk('a\n####### b', 'A')]],
  ['what is no heading', '#hashtag\n#\tTab\na', [chunk('#hashtag'), chunk('a', 'Tab')]],
  ['other ends of lines', '# A\r\na\r# B\rb', [chunk('a', 'A'), chunk('b', 'B')]],
  ['a long heading', `# ${words('h', 201)}\na`, [chunk('a', words('h', 200))]],
  [
    'code, in which nothing is a heading',
    '# A\n```\n# no\n~~~\n# no\n```\n# B\nb',
    [chunk('```\n# no\n~~~\n# no\n```', 'A'), chunk('b', 'B')],
  ],
  ['code with the other mark', '~~~ sh\n# no\n```\n~~~\n# B\nb', [chunk('~~~ sh\n# no\n```\n~~~'), chunk('b', 'B')]],
  ['small paragraphs together', 'a\n\n  b\n \t\n\n\nc  ', [chunk('a\n\n  b\n\nc')]],
  [
    'paragraphs that fit exactly',
    `${words('a', 600)}\n\n${words('b', MAX_CHUNK - 602)}`,
    [chunk(`${words('a', 600)}\n\n${words('b', MAX_CHUNK - 602)}`)],
  ],
  [
    'paragraphs that do not',
    `${words('a', 600)}\n\n${words('b', MAX_CHUNK - 601)}`,
    [chunk(words('a', 600)), chunk(words('b', MAX_CHUNK - 601))],
  ],
  ['a line that fits exactly', words('a', MAX_CHUNK), [chunk(words('a', MAX_CHUNK))]],
  ['a longer line', words('a', MAX_CHUNK + 1), [chunk(words('a', MAX_CHUNK - 1)), chunk('aa')]],
  [
    'a line that is broken at a sentence',
    `${words('a', 700)}. ${words('b', 300)} ${words('c', 300)}`,
    [chunk(`${words('a', 700)}.`), chunk(`${words('b', 300)} ${words('c', 300)}`)],
  ],
  [
    'a line whose sentence ends too early',
    `${words('a', 500)}. ${words('b', 500)} ${words('c', 300)}`,
    [chunk(`${words('a', 500)}. ${words('b', 500)}`), chunk(words('c', 300))],
  ],
  ...['!', '?'].map((mark): [string, string, Chunk[]] => [
    `a line that is broken after ${mark}`,
    `${words('a', 700)}${mark} ${words('b', 400)} ${words('c', 300)}`,
    [chunk(`${words('a', 700)}${mark}`), chunk(`${words('b', 400)} ${words('c', 300)}`)],
  ]),
  ['a line of Chinese', `${words('好', 700)}。${words('好', 600)}`, [chunk(`${words('好', 700)}。`), chunk(words('好', 600))]],
  ['half a character', `a${words('😀', 600)}b`, [chunk(`a${words('😀', 599)}`), chunk('😀b')]],
  [
    'several lines, which are kept together',
    [words('a', 500), words('b', 500), words('c', 500)].join('\n'),
    [chunk(`${words('a', 500)}\n${words('b', 500)}`), chunk(words('c', 500))],
  ],
  ['a small table', tableOf(2), [chunk(tableOf(2))]],
])('a text is divided into chunks: %s', (_, text, chunks) => {
  expect(chunksOf(text)).toEqual(chunks)
})

test('each piece of a long table begins with its header row, and has whole rows', () => {
  const chunks = chunksOf(`# Prices\n\n${tableOf(30)}`)
  expect(chunks.length).toBeGreaterThan(2)
  for (const { text, heading_path } of chunks) {
    expect(text.length).toBeLessThanOrEqual(MAX_CHUNK)
    expect(text.startsWith(`${HEADER}\n`)).toBe(true)
    expect(heading_path).toEqual(['Prices'])
  }
  expect(chunks.flatMap(({ text }) => text.split('\n').slice(2))).toEqual(Array.from({ length: 30 }, (_, n) => rowOf(n)))
})

test('rows without a header, and with one that is half as long as a chunk, are divided without repeating anything', () => {
  const rows = Array.from({ length: 30 }, (_, n) => rowOf(n))
  const long = [`| ${words('h', 600)} |`, '| --- |', ...rows]
  for (const lines of [rows, long, ['| a |', 'no rule', ...rows], ['a', '---', ...rows]]) {
    const chunks = chunksOf(lines.join('\n'))
    expect(chunks.flatMap(({ text }) => text.split('\n')).filter((line) => !/^\| h|^\| ---/.test(line))).toEqual(
      lines.filter((line) => !/^\| h|^\| ---/.test(line)),
    )
    expect(chunks.every(({ text }) => text.length <= MAX_CHUNK)).toBe(true)
  }
})
