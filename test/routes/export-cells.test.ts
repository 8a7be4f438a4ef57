import { expect, test } from 'vitest'
import { textCell } from '../../src/features/exports/rules/xlsx-cells.ts'
import { TEXTS } from '../contract/odd.ts'
import { useCrm } from './crm.ts'

const crm = useCrm()

/** Parts of texts in which the two languages could differ. */
const PARTS = [
  '_',
  'x',
  '0041',
  '_x0041_',
  '&',
  '<',
  '>',
  '"',
  "'",
  ' ',
  '\u00a0',
  '\t',
  '\n',
  '\r',
  '\u0001',
  '\u001f',
  '\u007f',
  '\u0085',
]
const MORE = ['\u2028', '\ufffe', '\uffff', '\ufeff', '\u3000', '😀', 'é', 'ש', '=', ']]>', '</c>', 'abc', '12', '\\', '$1', '%s']

/** Numbers below a bound that are the same in every run. */
function numbers(seed: number) {
  let state = seed
  return (bound: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

test('PostgreSQL writes 100,000 random texts as the Worker would', async () => {
  const below = numbers(7)
  const parts = [...PARTS, ...MORE]
  const random = Array.from({ length: 100_000 }, () => Array.from({ length: below(7) }, () => parts[below(parts.length)]).join(''))
  const odd = TEXTS.filter((text) => text.length < 32_767 && text.isWellFormed() && !text.includes('\0'))
  const texts = [...random, ...odd]
  const { rows } = await crm.app.owner.query('select xlsx_text(t) as cell from unnest($1::text[]) with ordinality u(t, n) order by n', [
    texts,
  ])
  const wrong = texts.flatMap((text, at) => (rows[at].cell === textCell(text) ? [] : [[text, rows[at].cell, textCell(text)]]))
  expect(wrong.slice(0, 5)).toEqual([])
})

test('a text is cut at 32,767 UTF-16 units, never within a character', async () => {
  const lengthOf = async (text: string) => {
    const { rows } = await crm.app.owner.query('select xlsx_cut($1) as cut', [text])
    expect(text.startsWith(rows[0].cut) && rows[0].cut.isWellFormed()).toBe(true)
    return rows[0].cut.length as number
  }
  expect(await lengthOf('a'.repeat(32_767))).toBe(32_767)
  expect(await lengthOf('a'.repeat(32_768))).toBe(32_767)
  expect(await lengthOf('é'.repeat(40_000))).toBe(32_767)
  expect(await lengthOf('😀'.repeat(10_000))).toBe(20_000)
  expect(await lengthOf('😀'.repeat(40_000))).toBe(32_766)
  expect(await lengthOf(`a${'😀'.repeat(40_000)}`)).toBe(32_767)
})
