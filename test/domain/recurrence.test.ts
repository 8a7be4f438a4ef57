import { expect, test } from 'vitest'
import { nextTimes, type Recurrence, recurrenceFaults, type Times } from '../../src/features/tasks/rules/recurrence.ts'

const rule = (fields: Partial<Recurrence>): Recurrence => ({
  frequency: 'daily',
  interval: 1,
  weekdays: [],
  month: null,
  day_of_month: null,
  until: null,
  count: null,
  ...fields,
})
const sydney = { zone: 'Australia/Sydney', now: new Date('2026-01-01T00:00:00Z') }
const next = (fields: Partial<Recurrence>, due_at: string, place = sydney, more: { occurrence?: number; reminder_at?: string } = {}) =>
  nextTimes({ recurrence: rule(fields), occurrence: 1, due_at, reminder_at: null, ...more }, place)
const dayOf = (fields: Partial<Recurrence>, due: string, now = '2026-01-01T00:00:00Z') =>
  next(fields, `${due}T12:00:00Z`, { zone: 'UTC', now: new Date(now) })?.due_at.slice(0, 10)

test.each<[Partial<Recurrence>, string, string]>([
  [{}, '2026-03-31', '2026-04-01'],
  [{ interval: 10 }, '2026-03-31', '2026-04-10'],
  [{ frequency: 'weekly', weekdays: ['thursday', 'monday'] }, '2026-03-02', '2026-03-05'],
  [{ frequency: 'weekly', weekdays: ['thursday', 'monday'] }, '2026-03-05', '2026-03-09'],
  [{ frequency: 'weekly', weekdays: ['monday'], interval: 2 }, '2026-03-02', '2026-03-16'],
  [{ frequency: 'weekly', weekdays: ['monday'] }, '2026-03-04', '2026-03-09'],
  [{ frequency: 'monthly', day_of_month: 31 }, '2026-01-31', '2026-02-28'],
  [{ frequency: 'monthly', day_of_month: 31 }, '2026-02-28', '2026-03-31'],
  [{ frequency: 'monthly', day_of_month: 31 }, '2028-01-31', '2028-02-29'],
  [{ frequency: 'monthly', day_of_month: 15, interval: 3 }, '2026-11-15', '2027-02-15'],
  [{ frequency: 'monthly', day_of_month: 15 }, '2026-03-10', '2026-03-15'],
  [{ frequency: 'yearly', month: 2, day_of_month: 29 }, '2028-02-29', '2029-02-28'],
  [{ frequency: 'yearly', month: 2, day_of_month: 29, interval: 4 }, '2028-02-29', '2032-02-29'],
])('%j after %s is %s', (fields, due, expected) => {
  expect(dayOf(fields, due)).toBe(expected)
})

test.each<[Partial<Recurrence>, string, string, string]>([
  [{}, '2020-01-01', '2026-06-10', '2026-06-10'],
  [{ interval: 7 }, '2026-06-01', '2026-06-10', '2026-06-15'],
  [{ frequency: 'weekly', weekdays: ['tuesday'], interval: 2 }, '2026-06-02', '2026-06-10', '2026-06-16'],
  [{ frequency: 'weekly', weekdays: ['tuesday'] }, '2026-06-02', '2026-06-10', '2026-06-16'],
  [{ frequency: 'monthly', day_of_month: 5 }, '0001-01-05', '2026-06-10', '2026-07-05'],
  [{ frequency: 'yearly', month: 6, day_of_month: 9 }, '2020-06-09', '2026-06-10', '2027-06-09'],
])('%j after %s leaves out days before %s: %s', (fields, due, today, expected) => {
  expect(dayOf(fields, due, `${today}T23:00:00Z`)).toBe(expected)
})

test('the time of day and the distance of the reminder are those of the local clock, also where it changes', () => {
  // Daylight saving time ends in Sydney on 5 April 2026.
  const reminder_at = '2026-04-03T07:00:00.000Z'
  expect(next({}, '2026-04-03T22:00:00Z', sydney, { reminder_at })).toEqual({
    due_at: '2026-04-04T23:00:00.000Z',
    reminder_at: '2026-04-04T07:00:00.000Z',
  })
})

test('a time and a reminder that the clocks have skipped are those of the task before again, unless they were changed', () => {
  // On 4 October 2026 the clocks of Sydney skip the times from 2:00 to 3:00.
  const late = (due_at: string, reminder_at: string, former: Times) => {
    const task = { recurrence: rule({}), occurrence: 2, due_at, reminder_at, former }
    return Object.values(nextTimes(task, sydney) ?? {})
  }
  const of = (due_at: string, reminder_at: string | null) => ({ due_at, reminder_at })
  const before = of('2026-10-02T17:00:00Z', '2026-10-02T16:30:00Z')
  expect(late('2026-10-03T16:00:00Z', '2026-10-03T16:30:00Z', before)).toEqual(['2026-10-04T16:00:00.000Z', '2026-10-04T15:30:00.000Z'])
  expect(late('2026-10-03T16:00:00Z', '2026-10-03T15:30:00Z', before)).toEqual(['2026-10-04T16:00:00.000Z', '2026-10-04T14:30:00.000Z'])
  expect(late('2026-10-03T16:00:00Z', '2026-10-03T15:00:00Z', of('2026-10-02T16:00:00Z', null))).toEqual([
    '2026-10-04T15:00:00.000Z',
    '2026-10-04T14:00:00.000Z',
  ])
})

test('a series ends with its last day, its number of tasks, and the year 9999', () => {
  expect(dayOf({ until: '2026-04-01' }, '2026-03-31')).toBe('2026-04-01')
  expect(dayOf({ until: '2026-03-31' }, '2026-03-31')).toBeUndefined()
  expect(next({ count: 2 }, '2026-03-31T00:00:00Z')).not.toBeNull()
  expect(next({ count: 2 }, '2026-03-31T00:00:00Z', sydney, { occurrence: 2 })).toBeNull()
  expect(dayOf({ frequency: 'yearly', month: 1, day_of_month: 1 }, '9999-06-01')).toBeUndefined()
})

test.each<[Partial<Recurrence>, string[]]>([
  [{ weekdays: ['monday'] }, ['weekdays']],
  [{ frequency: 'weekly' }, ['weekdays']],
  [{ frequency: 'monthly', month: 1 }, ['month', 'day_of_month']],
  [{ frequency: 'yearly' }, ['month', 'day_of_month']],
  [{ frequency: 'yearly', month: 2, day_of_month: 31 }, ['day_of_month']],
  [{ frequency: 'yearly', month: 4, day_of_month: 31 }, ['day_of_month']],
  [{ frequency: 'yearly', month: 2, day_of_month: 29 }, []],
  [{ frequency: 'monthly', day_of_month: 31 }, []],
])('%j has faults in %j', (fields, paths) => {
  expect(recurrenceFaults(rule(fields)).map(({ path }) => path)).toEqual(paths)
})
