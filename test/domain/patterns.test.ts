import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { textOf } from '../../src/domain/templates.ts'
import { sidesOf } from '../../src/features/mailboxes/rules/mailbox-email.ts'
import { proving } from '../proof.ts'
import { samplesOf } from './pattern-samples.ts'

/** Every pattern reads a text of many of its own openings, which never end, in time that grows with the text and not with its square. */
const root = join(import.meta.dirname, '../../src')
const folders = ['domain', 'lib', 'http', 'features']
const SHORT = proving ? 8_192 : 3_072
/** Below this a text is read in proportional time, whatever the machine has to do besides. */
const FEW_MS = 4

const sources = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))
    .filter((name) => folder !== 'features' || /\/(rules|callbacks)\//.test(name)),
)
/** The literals of a file: each begins where a value can, and ends on its line. */
const LITERAL = /(?<=[(,=:[!&|?{;\s]|^)\/(?![*/\s])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+)\/([dgimsuy]*)(?=[\s).,;\]:}]|$)/gm
function patternsOf(file: string): RegExp[] {
  const text = readFileSync(join(root, file), 'utf8').replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '')
  return [...text.matchAll(LITERAL)].flatMap(([, source = '', flags = '']) => {
    try {
      return [new RegExp(source, flags)]
    } catch {
      return []
    }
  })
}

function millisecondsOf(read: () => unknown): number {
  const begun = process.cpuUsage()
  read()
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / 1000
}
const fastest = (read: () => unknown): number => Math.min(...[1, 2, 3].map(() => millisecondsOf(read)))

/** The text that a pattern takes too long for, if there is one. */
function slowText(pattern: RegExp, short = SHORT): string | undefined {
  const reads = (text: string) => () => {
    pattern.lastIndex = 0
    return pattern.global ? text.replace(pattern, '') : pattern.exec(text)
  }
  for (const opening of samplesOf(pattern.source))
    for (const [before, after] of [
      ['', ''],
      ['', '\0'],
      ['x', '\n\0'],
    ]) {
      const of = (size: number) => reads(before + opening.repeat(Math.ceil(size / opening.length)) + after)
      if (millisecondsOf(of(2 * short)) < FEW_MS) continue
      const [once, twice, fourTimes] = [fastest(of(short)), fastest(of(2 * short)), fastest(of(4 * short))]
      if (fourTimes > 2 * FEW_MS && fourTimes > 2.8 * twice && twice > 2.8 * once) return opening
    }
  return undefined
}

test('no pattern takes four times as long for twice as many of its own openings', { timeout: 240_000 }, () => {
  const slow: string[] = []
  let count = 0
  for (const file of sources)
    for (const pattern of patternsOf(file)) {
      count += 1
      const opening = slowText(pattern)
      if (opening !== undefined) slow.push(`${file} ${pattern}: ${JSON.stringify(opening)}`)
    }
  expect(slow).toEqual([])
  expect(count).toBeGreaterThan(350)
})

test('a pattern that takes four times as long is found', () => {
  // On a fast machine only a longer text takes long enough. Beside other work one measurement may be too uneven.
  const found = (pattern: RegExp) => [1, 2, 4, 4].some((times) => slowText(pattern, times * SHORT) !== undefined)
  for (const pattern of [/\{\{(.*?)\}\}/gs, /\s+$/, /<(style|script)\b[^>]*>[\s\S]*?<\/\1>/gi])
    expect(found(pattern), String(pattern)).toBe(true)
  for (const pattern of [/^\s+|(?<!\s)\s+$/g, /[a-z]+/g, /,/]) expect(slowText(pattern), String(pattern)).toBeUndefined()
})

const head = (from: string) => ({ id: '1', thread_id: '1', labels: ['INBOX'], headers: [{ name: 'From', value: from }] })
const READERS: Record<string, [opening: string, read: (text: string) => unknown]> = {
  'the text of styles without an end': ['<style>', textOf],
  'the sender of quotation marks': ['"\\', (text) => sidesOf(head(text) as never)],
  'the sender of blanks': [' ', (text) => sidesOf(head(`${text}<`) as never)],
  'the sender of brackets': ['<a', (text) => sidesOf(head(text) as never)],
}
test.each(Object.entries(READERS))('%s are read in proportional time', (_, [opening, read]) => {
  expect(fastest(() => read(opening.repeat(200_000)))).toBeLessThan(1_500)
})
