import type { Harness } from '../harness.ts'
import { comeBack } from '../routes/consenting.ts'
import { type Crm, created, found } from '../routes/crm.ts'
import { phoning } from '../routes/phoning.ts'
import { notetaking } from '../routes/scheduling/notetaking.ts'
import type { TestWorkspace } from '../workspace.ts'

export const GUEST = 'guest@example.org'
/** What the guest gets in each workspace: three confirmations, a cancellation, and an email that was scheduled. */
export const INVITATIONS = 5

/**
 * Bookings with notices and notetakers, a scheduled email, and calls. Returns what then happens: a meeting is held, one is cancelled and
 * one gets a notetaker, the email is due, and the voice provider reports a call repeatedly and in the wrong order.
 */
export async function meetingsIn(app: Harness, ws: TestWorkspace, number: string, work: () => Promise<void>): Promise<() => Promise<void>> {
  const crm = { app, ws } as Crm
  const [notes, phones] = [notetaking(crm), phoning(crm)]
  await notes.prepare({ fields: { notices: [{ kind: 'reminder', is_enabled: false }] } })
  const guest = { name: 'Gus Guest', email: GUEST }
  const [held, other, next] = [
    await notes.booking('10:00', guest),
    await notes.booking('12:00', guest),
    await notes.booking('14:00', guest),
  ]
  await notes.request(held)
  const contact = created(await ws.post('/contacts', { first_name: 'Gil', email: GUEST, timezone: 'Australia/Perth' }))
  const draft = created(await ws.post('/email/drafts', { contact_id: contact.id, subject: 'Your visit', text: 'Hello' }))
  await work()

  return async () => {
    found(await ws.post(`/email/drafts/${draft.id}/schedule`, { send_at: new Date(Date.now() + 3_600_000).toISOString() }))
    found(await ws.post(`/scheduling-bookings/${other.id}/cancel`, { reason: 'Ill' }))
    await connectAndDelete(app, ws)
    const bot = notes.bot()
    await notes.request(next)
    app.notetaker.meet(bot, { seconds: 125 })
    for (const event of ['bot.done', 'bot.in_call_recording', 'transcript.done', 'bot.done']) await notes.report(bot, event)
    const call = {
      call_id: `call_${ws.id.replaceAll('-', '')}`,
      call_type: 'phone_call',
      direction: 'inbound',
      from_number: '+61412000158',
      to_number: number,
      start_timestamp: Date.parse('2026-11-20T09:00:00Z'),
      end_timestamp: Date.parse('2026-11-20T09:01:24Z'),
    }
    const ended = { ...call, call_status: 'ended', duration_ms: 84_000, transcript: 'User: Hello.', disconnection_reason: 'user_hangup' }
    const reports = [
      { event: 'call_analyzed', call: { ...ended, call_analysis: { call_summary: 'A question', call_successful: true } } },
      { event: 'call_started', call: { ...call, call_status: 'ongoing' } },
      { event: 'call_ended', call: ended },
    ]
    for (const report of [...reports, ...reports]) await phones.postRetell(report)
  }
}

/** A member connects a calendar account and a mailbox, and deletes both again, which the background ends at the provider. */
async function connectAndDelete(app: Harness, ws: TestWorkspace): Promise<void> {
  for (const [path, body] of [
    ['/calendar-connections', { provider: 'google' }],
    ['/mailboxes', {}],
  ] as const) {
    const { url } = found(await ws.post(`${path}/start`, body))
    const back = app.google.accounts.consent(new URL(url).searchParams, { email: 'host@example.com' })
    await comeBack(app, back)
    const [connected] = found(await ws.get(path))
    found(await ws.delete(`${path}/${connected?.id}`))
  }
}
