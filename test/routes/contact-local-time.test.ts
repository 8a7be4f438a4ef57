import { expect, test } from 'vitest'
import { failed, found, nobody, type Row, useCrm } from './crm.ts'

const crm = useCrm()

const chain: [string, Row, string, string][] = [
  ['its own timezone, before all else', { timezone: 'Europe/Berlin', state: 'WA', phone: '+64 21 123 4567' }, 'Europe/Berlin', 'timezone'],
  ['a timezone given as a state', { timezone: 'WA', state: 'NSW' }, 'Australia/Perth', 'timezone'],
  ['its state, before the phone', { state: 'Western Australia', phone: '+64 21 123 4567' }, 'Australia/Perth', 'state'],
  ['its state of another country', { state: 'CA', country: 'USA' }, 'America/Los_Angeles', 'state'],
  ['its state in a country of one clock', { state: 'Bavaria', country: 'Germany' }, 'Europe/Berlin', 'state'],
  ['the country of its phone', { phone: '+64 21 123 4567' }, 'Pacific/Auckland', 'phone'],
  ['the country of its phone, when the state says nothing', { state: 'Somewhere', phone: '+44 20 7946 0018' }, 'Europe/London', 'phone'],
  ['the area code of its phone', { phone: '+1 415 555 2671' }, 'America/Los_Angeles', 'phone'],
  ['the workspace, when the area code has two zones', { phone: '+1 208 555 0123' }, 'Asia/Tokyo', 'workspace'],
  ['the workspace, when nothing else is known', { state: 'Somewhere' }, 'Asia/Tokyo', 'workspace'],
  ['the workspace, for a phone of no country', { phone: '+800 1234 5678' }, 'Asia/Tokyo', 'workspace'],
  ['the workspace, though the country has a default', {}, 'Asia/Tokyo', 'workspace'],
]
test.each(chain)('the local time of a contact is decided by %s', async (_, fields, timezone, decided_by) => {
  await crm.app.owner.query("update workspaces set timezone = 'Asia/Tokyo' where id = $1", [crm.ws.id])
  const { id } = await crm.contact(fields)
  const answer = found(await crm.ws.get(`/contacts/${id}/local-time`))
  expect(answer).toMatchObject({ timezone, decided_by })
  const wallClock = (at: number) =>
    new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short', timeStyle: 'medium' }).format(at).replace(' ', 'T')
  const now = Date.now()
  expect(Array.from({ length: 30 }, (_, i) => wallClock(now - i * 1000))).toContain(answer.local_time)
})

test('a timezone that is cleared leaves the decision to the state, and a state that is cleared to the phone', async () => {
  const { id } = await crm.contact({ timezone: 'Europe/Berlin', state: 'QLD', phone: '+64 21 123 4567' })
  const decidedAfter = async (patch: Row) => {
    found(await crm.ws.patch(`/contacts/${id}`, patch))
    return found(await crm.ws.get(`/contacts/${id}/local-time`)).decided_by
  }
  expect(await decidedAfter({})).toBe('timezone')
  expect(await decidedAfter({ timezone: null })).toBe('state')
  expect(await decidedAfter({ state: '' })).toBe('phone')
  expect(await decidedAfter({ phone: null })).toBe('workspace')
})

test('an unknown contact has no local time', async () => {
  expect(await crm.ws.get(`/contacts/${nobody}/local-time`)).toMatchObject(failed(404, 'NOT_FOUND'))
})
