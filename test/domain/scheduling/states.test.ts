import { expect, test } from 'vitest'
import { BOOKING_STATUSES, BOOKING_TRANSITIONS, HOLD_STATES, HOLD_TRANSITIONS } from '../../../src/features/scheduling/rules/states.ts'
import { spokenClock, spokenNumber, spokenOrdinal, spokenTime, spokenZone } from '../../../src/features/scheduling/rules/words.ts'
import { zoneTable } from '../../../src/features/scheduling/rules/zone-table.ts'

test('every status of a booking times every trigger', () => {
  const after = Object.fromEntries(
    BOOKING_STATUSES.map((from) => [
      from,
      Object.entries(BOOKING_TRANSITIONS).flatMap(([step, moves]) =>
        (moves as Record<string, string>)[from] ? [`${step} ${(moves as Record<string, string>)[from]}`] : [],
      ),
    ]),
  )
  const marks = ['mark_attended attended', 'mark_late late', 'mark_no_show no_show']
  expect(after).toEqual({
    pending: ['confirm confirmed', 'decline cancelled', 'cancel cancelled', 'reschedule cancelled', 'reassign pending', ...marks],
    confirmed: ['cancel cancelled', 'reschedule cancelled', 'reassign confirmed', ...marks],
    cancelled: marks,
    attended: marks,
    late: marks,
    no_show: marks,
  })
  const holds = HOLD_STATES.map((from) => Object.values(HOLD_TRANSITIONS).flatMap((moves) => (moves as Record<string, string>)[from] ?? []))
  expect(holds).toEqual([['booked', 'released', 'expired'], [], [], []])
})

test('numbers, ordinals and times are spoken', () => {
  expect([1, 2, 3, 5, 8, 9, 12, 20, 21, 23, 31].map(spokenOrdinal)).toEqual(
    'first second third fifth eighth ninth twelfth twentieth twenty-first twenty-third thirty-first'.split(' '),
  )
  expect([7, 15, 20, 42].map(spokenNumber)).toEqual(['seven', 'fifteen', 'twenty', 'forty-two'])
  expect(
    [
      [0, 0],
      [12, 0],
      [9, 30],
      [9, 5],
      [11, 45],
      [12, 45],
      [14, 15],
      [18, 0],
      [21, 20],
      [23, 59],
    ].map(([h, m]) => spokenClock(h as number, m as number)),
  ).toEqual([
    ...['midnight', 'noon', 'half past nine in the morning', 'nine oh five in the morning', 'a quarter to twelve in the morning'],
    ...[
      'a quarter to one in the afternoon',
      'a quarter past two in the afternoon',
      'six o’clock in the evening',
      'nine twenty in the evening',
      'eleven fifty-nine at night',
    ],
  ])
  const at = Date.UTC(2026, 10, 30, 22, 30)
  expect(spokenTime(zoneTable('Australia/Sydney', at, at), at)).toBe('Tuesday the first of December, half past nine in the morning')
  expect([spokenZone('Australia/Sydney'), spokenZone('America/New_York'), spokenZone('Etc/GMT')]).toEqual([
    'Sydney time',
    'New York time',
    'GMT time',
  ])
})
