import { describe, expect, test } from 'vitest'
import { startOfDay } from '../../src/domain/local-days.ts'
import { created, found, type Row, useCrm } from './crm.ts'

const crm = useCrm()
/** Days on which PostgreSQL's zone data and the Worker's disagree, and days on which clocks change. */
const CASES = [
  ['America/Edmonton', '2027-01-15'],
  ['Africa/Casablanca', '2027-01-15'],
  ['Africa/Casablanca', '2027-07-15'],
  ['Australia/Sydney', '2026-10-04'],
  ['America/New_York', '2026-11-01'],
  ['America/Havana', '2026-11-01'],
] as const

const search = async (filter: Row): Promise<string[]> => {
  const answer = await crm.ws.post('/contacts/search', { filter, sort: 'created_at' })
  expect(answer.status).toBe(200)
  return found(answer).map(({ first_name }: Row) => first_name)
}
const move = async (timezone: string) => expect((await crm.ws.patch('/company', { timezone })).status).toBe(200)

describe.each(CASES)('in %s on %s', (zone, day) => {
  test('a timestamp belongs to the day that the Worker computes', async () => {
    await move(zone)
    const start = Date.parse(startOfDay(zone, day))
    const tomorrow = new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10)
    const end = Date.parse(startOfDay(zone, tomorrow))
    const rows = { before: start - 1, first: start, last: end - 1, after: end }
    for (const [name, at] of Object.entries(rows))
      await crm.app.owner.query('insert into contacts (workspace_id, first_name, created_at) values ($1, $2, $3)', [
        crm.ws.id,
        name,
        new Date(at),
      ])
    const is = (op: string, value: unknown) => ({ field: 'created_at', op, value })
    expect(await search(is('on', day))).toEqual(['first', 'last'])
    expect(await search(is('before', day))).toEqual(['before'])
    expect(await search(is('after', day))).toEqual(['after'])
    expect(await search(is('between', [day, day]))).toEqual(['first', 'last'])
    expect(await search({ not: is('on', day) })).toEqual(['before', 'after'])
  })
})

test.each(['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'America/Edmonton', 'Africa/Casablanca'])('today is the day in %s', async (zone) => {
  await move(zone)
  const dayIn = (days: number) => new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(Date.now() + days * 86_400_000)
  await crm.ws.post('/custom-fields', { object: 'contact', key: 'since', label: 'Since', type: 'date', indexed: true })
  for (const [first_name, days] of [
    ['yesterday', -1],
    ['today', 0],
    ['tomorrow', 1],
  ] as const)
    await crm.contact({ first_name, metadata: { since: dayIn(days) } })
  await crm.app.drain()
  const is = (op: string, days: number) => ({ field: 'metadata.since', op, value: { days } })
  expect(await search(is('within_last', 0))).toEqual(['today'])
  expect(await search(is('within_last', 1))).toEqual(['yesterday', 'today'])
  expect(await search(is('within_next', 1))).toEqual(['today', 'tomorrow'])

  const invoice = async (days: number) =>
    created(await crm.ws.post('/invoices', { invoice_number: `D${days}`, status: 'sent', total: 10, due_date: dayIn(days) }))
  const [late, due] = [await invoice(-1), await invoice(0)]
  expect([late.is_overdue, due.is_overdue]).toEqual([true, false])
  const listed = found(await crm.ws.get('/invoices?sort=created_at')) as Row[]
  expect(listed.map(({ is_overdue }) => is_overdue)).toEqual([true, false])
  expect(found(await crm.ws.get(`/invoices/${late.id}`)).is_overdue).toBe(true)
})

test('a page that was begun yesterday continues today', async () => {
  for (const first_name of ['Ana', 'Ben']) await crm.contact({ first_name, date_of_birth: '2000-01-01' })
  const filter = { field: 'date_of_birth', op: 'within_last', value: { days: 36_500 } }
  const first = await crm.ws.post('/contacts/search', { filter, sort: 'created_at', limit: 1 })
  await move('Pacific/Kiritimati')
  const second = await crm.ws.post('/contacts/search', { filter, sort: 'created_at', limit: 1, after: first.body.page.next })
  expect([second.status, found(second)[0]?.first_name]).toEqual([200, 'Ben'])
})
