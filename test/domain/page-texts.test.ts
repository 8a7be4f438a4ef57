import { expect, test } from 'vitest'
import { ORDER_TEXTS } from '../../src/features/orders/rules/pages/texts.ts'
import { PORTAL_TEXTS } from '../../src/features/portals/rules/texts.ts'
import { REPUTATION_TEXTS } from '../../src/features/reputation/rules/pages/texts.ts'
import { TEXTS } from '../../src/features/scheduling/rules/pages/texts.ts'

type Phrase = (...given: string[]) => string
type Texts = { [name: string]: string | Phrase | Texts }

/** Each text of a language, by its path. */
function textsIn(texts: Texts, path = ''): [path: string, text: string | Phrase][] {
  return Object.entries(texts).flatMap(([name, text]): [string, string | Phrase][] =>
    typeof text === 'object' ? textsIn(text, `${path}${name}.`) : [[`${path}${name}`, text]],
  )
}

/** The values that a text is given. The last one of a rating only chooses a word. */
const VALUES = ['FIRST', 'SECOND', 'THIRD']
const namesOf = (path: string, { length }: Phrase) => VALUES.slice(0, path === 'rating' ? 2 : length)

const PAGES = { booking: TEXTS, order: ORDER_TEXTS, portal: PORTAL_TEXTS, reputation: REPUTATION_TEXTS } as unknown as Record<
  string,
  Record<string, Texts>
>
test.each(Object.entries(PAGES))(
  'every text of the %s pages says what it is given, once, in each language and differently',
  (_, languages) => {
    const [first, ...others] = Object.values(languages).map((texts) => new Map(textsIn(texts)))
    for (const other of others) expect([...other.keys()]).toEqual([...(first as Map<string, string>).keys()])
    for (const texts of [first, ...others] as Map<string, string | Phrase>[])
      for (const [path, text] of texts) {
        if (typeof text === 'string') continue
        const phrase = text(...VALUES)
        for (const value of namesOf(path, text)) expect(phrase.split(value), `${path}: ${phrase}`).toHaveLength(2)
      }
    const shownAs = (text: string | Phrase | undefined) => (typeof text === 'function' ? text(...VALUES) : text)
    const same = [...(first as Map<string, string | Phrase>)].filter(([path, text]) =>
      others.some((other) => shownAs(other.get(path)) === shownAs(text)),
    )
    expect(same.map(([path]) => path).filter((path) => !SAME.includes(path))).toEqual([])
  },
)

/** What is the same word in both languages. */
const SAME = ['who', 'pin', 'website']

test.each([
  ['seats', { en: ['1 seat left', '2 seats left'], de: ['1 freier Platz', '2 freie Plätze'] }],
  ['free', { en: ['1 free time', '2 free times'], de: ['1 freie Zeit', '2 freie Zeiten'] }],
] as const)('one and several %s have words of their own', (name, words) => {
  for (const language of ['en', 'de'] as const) expect([1, 2].map((count) => TEXTS[language][name](count))).toEqual(words[language])
})

test('one and several reviews have words of their own', () => {
  const words = Object.values(REPUTATION_TEXTS).map(({ rating }) => [rating('5', '1', true), rating('4,5', '2', false)])
  expect(words).toEqual([
    ['5 out of 5, from 1 review', '4,5 out of 5, from 2 reviews'],
    ['5 von 5, aus 1 Bewertung', '4,5 von 5, aus 2 Bewertungen'],
  ])
})
