import { expect, test } from 'vitest'
import { found, useCrm } from '../crm.ts'
import { notifying } from './notices.ts'
import { eventType } from './scheduling.ts'

const crm = useCrm({ own: true })
const { booked, emailsTo, inviteOf, noticesOf, tick } = notifying(crm)

/** Every table and column that has a text. */
async function placesOf(secret: string): Promise<string[]> {
  const { rows: tables } = await crm.app.owner.query(
    "select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by 1",
  )
  const places: string[] = []
  for (const { name } of tables) {
    const { rows } = await crm.app.owner.query(`select count(*)::int as n from ${name} t where to_jsonb(t)::text like $1`, [`%${secret}%`])
    if (rows[0].n > 0) places.push(name)
  }
  return places
}

test('the token of the management link reaches the booker, and is in no log, event, history or export', async () => {
  await eventType(crm.ws, { notices: [{ kind: 'reminder', offsets_minutes: [60] }] })
  const booking = await booked('09:00', { attendees: ['ben@example.com'] })
  await tick(booking, 60)
  const { management_token: token, management_url } = found(await crm.ws.get(`/scheduling-bookings/${booking.id}`))
  const own = emailsTo(booking.email)
  expect(own).toHaveLength(2)
  for (const { TextBody, HtmlBody } of own)
    expect([TextBody, HtmlBody]).toEqual([expect.stringContaining(management_url), expect.stringContaining(management_url)])
  expect(inviteOf(own[0]!).replaceAll('\r\n ', '')).toContain(management_url)
  for (const email of emailsTo('ben@example.com')) expect(JSON.stringify(email) + inviteOf(email)).not.toContain(token)
  const exported = found(await crm.ws.get(`/contacts/${booking.contact_id}/data`))
  expect(exported.records.booking_notices).toHaveLength(4)
  expect(JSON.stringify(exported)).not.toContain(token)
  const notice = (await noticesOf(booking)).find(({ is_booker }) => is_booker)
  const message = found(await crm.ws.get(`/messages/${notice!.message_id}`))
  expect(message.body_text).toContain('{management_url}')
  const timeline = found(await crm.ws.get(`/activities?contact_id=${booking.contact_id}`))
  expect(timeline.length).toBeGreaterThan(0)
  await crm.app.drain()
  expect(await placesOf(token)).toEqual(['bookings'])
  expect(crm.app.logs.join('\n')).not.toContain(token)
})

test('a purge of the booker erases the notices, and a merge moves them', async () => {
  await eventType(crm.ws)
  const booking = await booked('09:00', { attendees: ['ben@example.com'] })
  const winner = await crm.contact({ email: 'winner@example.com' })
  found(await crm.ws.post('/contacts/merge', { winner_id: winner.id, loser_ids: [booking.contact_id] }))
  const owners = async () =>
    (await crm.app.owner.query('select distinct contact_id from booking_notices where workspace_id = $1', [crm.ws.id])).rows
  expect(await owners()).toEqual([{ contact_id: winner.id }])
  await crm.app.drain()
  found(await crm.ws.delete(`/contacts/${winner.id}`))
  expect(await owners()).toEqual([])
  found(await crm.ws.post(`/contacts/${winner.id}/restore`))
  expect(await owners()).toEqual([{ contact_id: winner.id }])
  found(await crm.ws.delete(`/contacts/${winner.id}?purge=true`))
  expect(await owners()).toEqual([])
  expect(await placesOf(booking.email)).toEqual([])
})
