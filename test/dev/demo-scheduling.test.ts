import { DateTime } from 'luxon'
import type { RequestInit } from 'miniflare'
import { expect, test } from 'vitest'
import { aroundNextChange } from '../../dev/demo/booking-calls.ts'
import { demonstrateScheduling } from '../../dev/demo/scheduling.ts'
import { useCrm } from '../routes/crm.ts'
import { audit } from '../routes/scheduling/scheduling.ts'
import { limit } from '../speed.ts'

const crm = useCrm({ ownServer: true })

test('35 sellers are booked in turn, one of 50 racers wins, a call repeats and moves, and no host has two bookings at a time', {
  timeout: limit(240_000),
}, async () => {
  const lines: string[] = []
  const fetch = (url: string, init: object) => crm.app.fetch(url.slice('http://api.test'.length), init as RequestInit)
  const surroundings = { fetch, sent: async () => crm.app.email.sent as never, pass: () => crm.app.drain() }
  await demonstrateScheduling('http://api.test', crm.ws.apiKey, (line) => lines.push(line), surroundings, { bookings: 70 })
  const output = lines.join('\n')
  for (const part of [
    '12 hosts work from 9 to 5, America/New_York',
    '70 booked in',
    '1 won, 49 were refused with SLOT_UNAVAILABLE',
    'nothing was booked twice',
    'There are 2 upcoming bookings. Nothing has been moved yet.',
    'Moved: "Product call',
    ' 0 overlaps; each host has ',
  ])
    expect(output).toContain(part)
  const shown = [...output.matchAll(/local time \((-0[45]:00)\)/g)].map(([, offset]) => offset)
  expect(shown.toSorted()).toEqual(['-04:00', '-05:00'])
  await audit(crm)
})

test('a change of the clocks lies between the two dates, whenever the demonstration is run', () => {
  const start = Date.parse('2026-02-20T00:30:00Z')
  for (const zone of ['America/New_York', 'Europe/Berlin', 'Australia/Sydney', 'America/Santiago'])
    for (let hours = 0; hours < 24 * 7; hours++) {
      const now = new Date(start + hours * 3_600_000)
      const dates = aroundNextChange(zone, now).map((date) => DateTime.fromISO(date, { zone }).set({ hour: 9 }))
      // The first working day from each date on, which is what the demonstration shows.
      const [before, after] = dates.map((date) => (date.weekday > 5 ? date.plus({ days: 8 - date.weekday }) : date)) as [DateTime, DateTime]
      expect(before.offset, `${zone} ${now.toISOString()}`).not.toBe(after.offset)
      expect(before.toMillis()).toBeGreaterThan(now.getTime())
    }
})
