import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  clockArguments,
  daysArgument,
  readArguments,
  startArgument,
  UnreadableArgument,
} from '../../../src/features/scheduling/rules/voice/arguments.ts'
import { dayReader } from '../../../src/features/scheduling/rules/voice/days.ts'
import { spread } from '../../../src/features/scheduling/rules/voice/offers.ts'
import { choiceLines } from '../../../src/features/scheduling/rules/voice/texts.ts'
import { zoneTable } from '../../../src/features/scheduling/rules/zone-table.ts'

/** A Tuesday. */
const TODAY = '2026-11-24'
const read = await dayReader()

describe.each([
  [
    '2026-12-01',
    'December 1st',
    '1 December',
    'the first of December',
    '1. Dezember',
    'le 1er décembre',
    '1 de diciembre',
    '1 december',
    'Tuesday 1 December',
  ],
  ['2026-11-24', 'today', 'heute', "aujourd'hui", 'hoy', 'vandaag', '2026-11-24', '2026-11-24T09:00:00Z'],
  ['2026-11-25', 'Tomorrow', 'morgen', 'demain', 'mañana', 'on Wednesday', 'Mittwoch', 'mercredi', 'miércoles', 'woensdag'],
  ['2026-11-26', 'day after tomorrow', 'the day after tomorrow', 'übermorgen', 'après-demain', 'pasado mañana', 'overmorgen'],
  ['2026-11-30', 'monday', 'next Monday', 'Montag', 'kommenden Montag', 'lundi prochain', 'el próximo lunes', 'volgende maandag'],
])('%s', (day, ...texts) => {
  test.each(texts)('is %s', (text) => expect(read(text, TODAY)).toEqual({ from: day, to: day }))
})

test.each([
  ['this week', '2026-11-24', '2026-11-29'],
  ['next week', '2026-11-30', '2026-12-06'],
  ['nächste Woche', '2026-11-30', '2026-12-06'],
  ['la semaine prochaine', '2026-11-30', '2026-12-06'],
  ['la próxima semana', '2026-11-30', '2026-12-06'],
  ['volgende week', '2026-11-30', '2026-12-06'],
  ['this weekend', '2026-11-28', '2026-11-29'],
  ['next month', '2026-12-01', '2026-12-31'],
])('%s is from %s to %s', (text, from, to) => expect(read(text, TODAY)).toEqual({ from, to }))

test.each([
  ...['2026-02-30', '30 February', '01/12/2026', 'monday 1 December', 'friday or saturday', 'soon', 'any day', 'May', '5', ''],
  ...['tomorrow at 3 pm', 'tomorrow afternoon', 'two days before christmas eve', 'not tomorrow', 'x'.repeat(5_000)],
])('%s is not understood', (text) => expect(read(text, TODAY)).toBeUndefined())

test('no text is read as a day unless it is one as a whole: words before or after it make it a question', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('tomorrow', 'Friday', '1 December', 'next week', 'heute'),
      fc.stringMatching(/^[b-z]{4,8}$/),
      (day, word) => {
        if (['coming', 'kommende'].includes(word)) return
        expect([read(`${word} qq ${day}`, TODAY), read(`${day} qq ${word}`, TODAY)]).toEqual([undefined, undefined])
      },
    ),
  )
})

const question = (run: () => unknown) => {
  try {
    return run()
  } catch (error) {
    if (error instanceof UnreadableArgument) return `${error.argument}: ${error.message}`
    throw error
  }
}

test('days and times of day: their defaults, and questions about what contradicts itself or is over', () => {
  const days = (args: object) => question(() => daysArgument(readArguments('slots', { ...args }), TODAY, read))
  expect(days({})).toEqual({ from: TODAY, to: '2026-11-30' })
  expect(days({ date: '2026-12-01' })).toEqual({ from: '2026-12-01', to: '2026-12-01' })
  expect(days({ from: 'tomorrow' })).toEqual({ from: '2026-11-25', to: '2026-12-01' })
  expect(days({ from: 'next week' })).toEqual({ from: '2026-11-30', to: '2026-12-06' })
  expect(days({ start_date: 'monday', end_date: 'next month' })).toEqual({ from: '2026-11-30', to: '2026-12-30' })
  expect(days({ date: 'tomorrow', days: '3' })).toEqual({ from: '2026-11-25', to: '2026-11-27' })
  for (const [args, field] of [
    [{ date: 'yesterday' }, 'date: it is 2026-11-23, which is over'],
    [{ date: '2026-11-01' }, 'date: '],
    [{ from: '2026-12-05', to: '2026-12-01' }, 'to: '],
    [{ days: 0 }, 'days: '],
    [{ days: 'many' }, 'days: '],
    [{ date: 20261201 }, 'date: '],
  ] as const)
    expect(days(args)).toContain(field)
  const clock = (args: object) => question(() => clockArguments(readArguments('slots', { ...args })))
  expect(clock({})).toEqual([0, 1_440])
  expect(clock({ after: '2 pm', before: '17:30' })).toEqual([840, 1_050])
  expect(clock({ after: '14 Uhr', before: '17h30' })).toEqual([840, 1_050])
  expect(clock({ part_of_day: 'Afternoon', after: 'noon' })).toEqual([720, 1_080])
  expect(clock({ before: '12 a.m.', after: '11 pm' })).toContain('before: ')
  expect(clock({ part_of_day: 'evening', before: '9 am' })).toContain('before: it leaves no time')
  for (const after of ['2', '25:00', '13 pm', 'later', '9:75']) expect(clock({ after })).toContain('after: ')
  expect(startArgument({ date: '2026-12-01', time: '2:30 pm' })).toBe('2026-12-01 14:30')
})

test('six times are spread over the days and the parts of a day, and none is offered that is not free', () => {
  const time = fc.record({ day: fc.nat(6), minute: fc.nat(1_439) })
  fc.assert(
    fc.property(fc.uniqueArray(time, { maxLength: 60, selector: ({ day, minute }) => `${day} ${minute}` }), (found) => {
      const times = found.toSorted((a, b) => a.day - b.day || a.minute - b.minute)
      const offered = spread(times, 6)
      expect(offered).toHaveLength(Math.min(6, times.length))
      expect(times.filter((each) => offered.includes(each))).toEqual(offered)
      const countOf = (list: { day: number }[]) => new Set(list.map(({ day }) => day)).size
      expect(countOf(offered)).toBe(Math.min(6, countOf(times)))
      const partsOf = (list: { minute: number }[]) => new Set(list.map(({ minute }) => (minute < 720 ? 0 : minute < 1_080 ? 1 : 2))).size
      if (countOf(times) === 1) expect(partsOf(offered)).toBe(partsOf(times))
    }),
  )
})

test('bookings that differ as records differ in the list to choose from', () => {
  const table = zoneTable('Australia/Sydney', 0, 0)
  const booking = fc.record({
    name: fc.constantFrom('First meeting', 'Second meeting', `${'A'.repeat(90)}1`, `${'A'.repeat(90)}2`),
    booker: fc.constantFrom('Ana Lee', 'Ben Ito', 'Ana "Lee"'),
    start: fc.constantFrom(0, 1_800_000),
    duration_minutes: fc.constantFrom(30, 60),
    hosts: fc.constantFrom<(string | null)[]>(['Cy Ng'], ['Di Ho'], [null]),
    status: fc.constantFrom('pending', 'confirmed'),
  })
  fc.assert(
    fc.property(fc.array(booking, { minLength: 2, maxLength: 10 }), (records) => {
      const lines = choiceLines(records.map((record, id) => ({ ...record, id: `b-${id}`, table })))
      expect(new Set(lines).size).toBe(records.length)
      for (const [index, line] of lines.entries()) expect(line).toContain((records[index]?.booker ?? '').slice(0, 3))
    }),
  )
})
