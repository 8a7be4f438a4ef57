import type { RequestInit } from 'miniflare'
import { expect, test } from 'vitest'
import { demonstrateScheduling } from '../../dev/demo/scheduling.ts'
import { useCrm } from '../routes/crm.ts'
import { audit } from '../routes/scheduling/scheduling.ts'
import { limit } from '../speed.ts'

const crm = useCrm({ ownServer: true, seldomLogs: true })

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
  expect(output).toMatch(/local time \(-0[45]:00\)[\s\S]*local time \(-0[45]:00\)/)
  await audit(crm)
})
