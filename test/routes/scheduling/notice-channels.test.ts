import { expect, test, vi } from 'vitest'
import { limit } from '../../speed.ts'
import { created, found, type Row, useCrm } from '../crm.ts'
import { texting } from '../texting.ts'
import { whatsapping } from '../whatsapping.ts'
import { notifying } from './notices.ts'
import { book, eventType, monday } from './scheduling.ts'
import { openPage, visits } from './visitor.ts'

const crm = useCrm({ own: true })
const { booked, change, emailsTo, inviteOf, later, noticesOf, statesOf, subjectsTo, tick } = notifying(crm)
const { grant, number, sentTo } = texting(crm)
const phones = whatsapping(crm)
const by = (kind: string, ...channels: string[]) => ({ kind, channels })
const tokenOf = async ({ id }: Row) => found(await crm.ws.get(`/scheduling-bookings/${id}`)).management_token as string
const tablesWith = async (table: string, text: string) =>
  (await crm.app.owner.query(`select count(*)::int as n from ${table} t where to_jsonb(t)::text like $1`, [`%${text}%`])).rows[0].n

test('an SMS is sent where the workspace has a number and the event type asks for it, and costs credits', async () => {
  await eventType(crm.ws, { notices: [by('confirmation', 'email', 'sms'), by('cancellation', 'sms')] })
  const phone = '+61412000111'
  const early = await booked('09:00', { phone })
  expect((await statesOf(early)).filter((state) => state.startsWith('confirmation')).sort()).toEqual([
    'confirmation sent',
    'confirmation skipped channel_not_configured',
  ])
  await grant(3)
  await number()
  const booking = await booked('10:00', { phone })
  const [sms] = sentTo(phone)
  expect(sms!.body).toContain('First meeting is confirmed for')
  expect(sms!.body).toContain('10:00 am (Australia/Sydney)')
  expect(sms!.body).toContain(`/manage/${await tokenOf(booking)}`)
  expect(emailsTo(booking.email)).toHaveLength(1)
  // Without credits the notice is skipped, and nothing else suffers.
  await crm.app.owner.query('update credit_accounts set balance = 0 where workspace_id = $1', [crm.ws.id])
  await change(booking, 'cancel')
  expect(sentTo(phone)).toHaveLength(1)
  expect(await statesOf(booking)).toContain('cancellation skipped insufficient_credits')
})

test('a notice by WhatsApp has the link, which no record of the conversation keeps', async () => {
  await phones.paired()
  // The provider may have reported the connection before it was subscribed to.
  const look = { type: 'work.run', kind: 'whatsapp.watch', workspace_id: crm.ws.id }
  await vi.waitFor(
    async () => {
      await crm.app.deliver('messages', [look])
      expect((await phones.pairing()).status).toBe('connected')
    },
    { timeout: limit(15_000) },
  )
  await eventType(crm.ws, { notices: [by('confirmation', 'whatsapp')] })
  const booking = await booked('09:00', { phone: '+61412000222' })
  await phones.flush({ twice: true })
  await later()
  expect((await noticesOf(booking)).find(({ kind }) => kind === 'confirmation')).toMatchObject({
    channel: 'whatsapp',
    state: 'sent',
    reason: null,
  })
  const token = await tokenOf(booking)
  expect(JSON.stringify([...phones.world().connections.values()].map(({ messages }) => [...messages.values()]))).toContain(token)
  for (const table of ['messages', 'whatsapp_messages', 'whatsapp_events', 'activities', 'changes', 'outbox', 'requests'])
    expect([table, await tablesWith(table, token)]).toEqual([table, 0])
})

test('a booking by a voice agent and one from the public page are announced as one by the API is', async () => {
  const type = await eventType(crm.ws, { notices: [{ kind: 'reminder', is_enabled: false }] })
  const args = { slot: `${monday()} 09:00`, name: 'Ana Lee', email: 'voice@example.com', phone: '+61412345678' }
  const response = await crm.app.fetch(`/v1/scheduling/voice/${type.id}/book`, {
    method: 'POST',
    headers: { authorization: `Bearer ${crm.ws.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'tool', call: { call_id: 'call_1' }, args }),
  })
  expect(await response.text()).toContain('First meeting')
  await visits(crm).booked(await openPage(crm.ws), '10:00', { email: 'page@example.com' })
  await crm.app.drain()
  for (const address of ['voice@example.com', 'page@example.com'])
    expect(subjectsTo(address)).toEqual([expect.stringContaining('Confirmed: First meeting')])
})

/** The Sunday on which Sydney's summer time ends next, at least a month from now, and the Monday after it. */
function afterClockChange(): { sunday: string; monday: string } {
  const soon = new Date(Date.now() + 31 * 86_400_000)
  const of = (year: number) => new Date(Date.UTC(year, 3, 1 + ((7 - new Date(Date.UTC(year, 3, 1)).getUTCDay()) % 7)))
  const [sunday] = [of(soon.getUTCFullYear()), of(soon.getUTCFullYear() + 1)].filter((day) => day > soon) as [Date]
  const text = (day: Date) => day.toISOString().slice(0, 10)
  return { sunday: text(sunday), monday: text(new Date(sunday.getTime() + 86_400_000)) }
}

test('a reminder before a change of the clocks shows the time after it, on the clock of each reader', async () => {
  await eventType(crm.ws, { horizon_days: 420, notices: [{ kind: 'reminder', offsets_minutes: [2_880] }] })
  await crm.contact({ email: 'nina@example.com', timezone: 'Europe/Berlin' })
  // Clocks in Sydney go back by an hour on the first Sunday of April, when Berlin has summer time.
  const { monday, sunday } = afterClockChange()
  const booking = created(
    await book(crm.ws, {
      email: 'ana@example.com',
      attendees: ['nina@example.com'],
      starts_at: `${monday} 09:00`,
      timezone: 'Australia/Sydney',
    }),
  )
  await crm.app.drain()
  expect(booking.starts_at).toBe(`${sunday}T23:00:00.000Z`)
  await tick(booking, 2_881)
  expect(subjectsTo('ana@example.com')).toHaveLength(1)
  await tick(booking, 2_880)
  const [confirmation, reminder] = emailsTo('ana@example.com')
  for (const email of [confirmation, reminder])
    expect(email!.TextBody).toMatch(
      new RegExp(`Monday,? ${Number(monday.slice(8))} April ${monday.slice(0, 4)}, 9:00 am \\(Australia/Sydney\\)`),
    )
  expect(inviteOf(confirmation!)).toContain(`DTSTART:${sunday.replaceAll('-', '')}T230000Z`)
  expect(emailsTo('nina@example.com').at(-1)!.TextBody).toContain('1:00 am (Europe/Berlin)')
})

test('a reminder in the quiet hours waits for their end, and is left out if the booking has begun by then', async () => {
  found(await crm.ws.patch('/company/crm-settings', { quiet_hours: { from: '20:00', to: '10:00' } }))
  await eventType(crm.ws, { notices: [{ kind: 'reminder', offsets_minutes: [120] }] })
  const [nine, eleven] = [await booked('09:00'), await booked('11:00')]
  expect(subjectsTo(nine!.email)).toHaveLength(1)
  await tick(nine!, 120)
  await tick(eleven!, 120)
  expect(await statesOf(nine!)).toContain('reminder 120 skipped quiet_hours')
  expect(subjectsTo(eleven!.email)).toHaveLength(1)
  await tick(eleven!, 60)
  expect(subjectsTo(eleven!.email)).toEqual([expect.stringContaining('Confirmed'), expect.stringContaining('Reminder')])
})
