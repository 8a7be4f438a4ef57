import { expect, test } from 'vitest'
import { FAILED, type Tool } from '../../../src/features/scheduling/rules/voice/texts.ts'
import { type ArgumentKind, argumentOf, namesOf, TOOL_ARGUMENTS } from '../../../src/features/scheduling/rules/voice/tools.ts'
import { created, found, type Row, useCrm } from '../crm.ts'
import { PHONE, retell, vapi, voiceOf } from './calling.ts'
import { book, eventType, monday } from './scheduling.ts'

const crm = useCrm()
const say = voiceOf(crm)
const MONDAY = monday()
const at = (time: string) => `${MONDAY} ${time}`
const bookingIds = async () => found(await crm.ws.get('/scheduling-bookings')).map(({ id }: Row) => id)

/** Values that cannot be read, by how an argument is read. A name and a note can be any text. */
const UNREADABLE: Record<ArgumentKind, unknown[]> = {
  start: ['soon', '2026-02-30 09:00', '2026-12-01 25:00'],
  day: ['qwertz', '2026-02-30', '2001-01-01', 'friday or saturday'],
  clock: ['25:00', 'later', '2'],
  count: ['many', 0, 99],
  part: ['sometime'],
  zone: ['Nowhere/City'],
  minutes: ['long', -5, '30 hours'],
  email: ['no address'],
  phone: ['abc'],
  selector: ['the blue one', 99],
  name: [],
  text: [],
}
const BASE: Record<Tool, Row> = {
  slots: {},
  book: { slot: at('15:00'), name: 'Ben Ito', phone: '+61499000111' },
  cancel: { phone: PHONE },
  reschedule: { phone: PHONE, slot: at('16:00') },
  find: { phone: PHONE },
}
const cases = Object.entries(TOOL_ARGUMENTS).flatMap(([tool, names]) =>
  names.flatMap((name) =>
    [{ a: 1 }, [MONDAY], true, ...UNREADABLE[argumentOf(name).kind]].map((value) => [tool as Tool, name, value] as const),
  ),
)

test('each argument of each tool leads to a question if it cannot be read, and to nothing else', async () => {
  const { ws } = crm
  const type = await eventType(ws)
  const { id } = created(await book(ws, { starts_at: at('09:00'), phone: PHONE }))
  const PATHS: Record<Tool, string> = {
    slots: `/${type.id}/slots`,
    book: `/${type.id}/book`,
    cancel: '/cancel-booking',
    reschedule: '/reschedule-booking',
    find: '/find-booking',
  }
  for (const [tool, name, value] of cases) {
    const { slot, ...rest } = BASE[tool]
    // A day and a time of day take the place of a key.
    const base = name === 'date' || name === 'time' ? { ...rest, date: MONDAY, time: '15:00' } : { ...rest, ...(slot && { slot }) }
    // For each of the names under which it can be sent.
    for (const alias of typeof value === 'object' ? namesOf(name) : [name]) {
      const { [name]: _, ...others } = base as Row
      const { text } = await say(PATHS[tool], { ...others, [alias]: value })
      expect(text, `${tool} ${alias}: ${JSON.stringify(value)}`).toMatch(new RegExp(`^${FAILED[tool]} .*Ask the caller `))
      expect(text).not.toContain('free times')
    }
  }
  expect(await bookingIds()).toEqual([id])
  for (const [tool, path] of Object.entries(PATHS)) {
    const { text } = await say(path, BASE[tool as Tool])
    expect(text, 'the rest of the arguments is in order').not.toContain(FAILED[tool as Tool])
    if (tool === 'cancel') created(await book(ws, { starts_at: at('10:00'), phone: PHONE }))
  }
})

test('every free time of a day can be heard, whatever its part of the day; and it is said how many more there are', async () => {
  const { ws } = crm
  const hours = { monday: [{ start: '07:00', end: '21:00' }], tuesday: [{ start: '13:00', end: '15:00' }] }
  found(await ws.put('/scheduling/availability', { timezone: 'Australia/Sydney', weekly_hours: hours }))
  const type = await eventType(ws, { duration_minutes: 15, step_minutes: 15 })
  const tuesday = new Date(Date.parse(MONDAY) + 86_400_000).toISOString().slice(0, 10)
  const range = { event_type: type.id, from: MONDAY, to: tuesday }
  const { days } = found(await ws.post('/scheduling-bookings/available-slots', range))
  const free: string[] = days.flatMap(({ slots }: Row) => slots.map(({ key }: Row) => key))
  expect(free).toHaveLength(4 * 14 + 4 * 2)
  const heard = async (args: Row) => {
    const { text } = await say(`/${type.id}/slots`, args)
    const keys = [...text.matchAll(/^- .*\[(.*)\]$/gm)].map(([, key = '']) => key)
    return { keys, more: Number(/There are (\d+) more free times/.exec(text)?.[1] ?? (text.includes('one more free') ? 1 : 0)), text }
  }
  const first = await heard({ from: MONDAY, to: tuesday })
  expect([first.keys.length, first.more]).toEqual([6, free.length - 6])
  const partsOf = (keys: string[]) =>
    new Set(keys.map((key) => `${key.slice(0, 10)} ${key.slice(11) < '12' ? 1 : key.slice(11) < '18' ? 2 : 3}`))
  expect(partsOf(first.keys).size, 'each part of each day').toBe(4)
  const afternoon = await heard({ date: MONDAY, part_of_day: 'afternoon' })
  expect(afternoon.keys.every((key) => key.slice(11) >= '12' && key.slice(11) < '18')).toBe(true)
  expect(afternoon.keys.length + afternoon.more).toBe(24)

  const reached = new Set<string>()
  for (const date of [MONDAY, tuesday])
    for (let hour = 0; hour < 24; hour++) {
      const window = await heard({ date, after: `${hour}:00`, before: hour === 23 ? 'midnight' : `${hour + 1}:00` })
      expect(window.more).toBe(0)
      for (const key of window.keys) reached.add(key)
    }
  expect([...reached].toSorted()).toEqual(free)

  const odd = await heard({ date: MONDAY, time_of_day: 'late', call_id: 'c_1' })
  expect(odd.text).toContain('This tool has no such arguments, so they were ignored: "time_of_day".')
  const evening = await heard({ date: tuesday, part_of_day: 'evening' })
  expect(evening.text).toContain(
    `There are no free times from ${tuesday} to ${tuesday} between 18:00 and 24:00.\nThe next free time is Monday`,
  )
})

test('several calls of slots in one message are each answered; one that cannot be read does not take the others along', async () => {
  const type = await eventType(crm.ws)
  const tuesday = new Date(Date.parse(MONDAY) + 86_400_000).toISOString().slice(0, 10)
  const calls = vapi(['tc_1', { date: MONDAY }], ['tc_2', { date: tuesday }], ['tc_3', { date: 'soon' }], ['tc_4', { date: MONDAY }])
  const { results } = JSON.parse((await say(`/${type.id}/slots`, calls)).text)
  const texts = results.map(({ result }: Row) => result)
  expect(texts[0]).toContain(`[${MONDAY} 09:00]`)
  expect(texts[1]).toContain(`[${tuesday} 09:00]`)
  expect(texts[2]).toMatch(/^AVAILABILITY CHECK FAILED: The date cannot be used: it must be a day/)
  expect(texts[3]).toBe(texts[0])
})

test('with two people on one phone, the list to choose from says whose booking each is', async () => {
  const { ws } = crm
  await eventType(ws, { seats: 2 })
  for (const name of ['Ana Lee', 'Ben Ito']) created(await book(ws, { starts_at: at('09:00'), phone: PHONE, name, email: null }))
  const { text } = await say('/cancel-booking', retell({}))
  const [first, second] = text.split('\n').slice(1, 3) as [string, string]
  expect(first).toMatch(/^1\. "First meeting" for "Ana Lee" on /)
  expect(second).toMatch(/^2\. "First meeting" for "Ben Ito" on /)
  // Their time names both of them.
  expect((await say('/cancel-booking', retell({ booking_selector: at('09:00') }))).text).toMatch(
    /^There are 2 upcoming bookings\. Nothing has been cancelled/,
  )
  expect((await say('/cancel-booking', retell({ booking_selector: 2 }))).text).toMatch(/^Cancelled: /)
  const left = found(await ws.get('/scheduling-bookings?status=confirmed'))
  expect(left.map(({ name }: Row) => name)).toEqual(['Ana Lee'])
})
