import { expect, test } from 'vitest'
import { TOKEN } from '../routes/campaigning.ts'
import { failed, type Row, useCrm } from '../routes/crm.ts'
import { texting } from '../routes/texting.ts'

/** What providers report while the queue of reports cannot be reached: they are asked to send it again. */
const crm = useCrm({ unreachable: 'DELIVERIES' })
const { number, inbound } = texting(crm)

const answer = async (sending: Promise<{ status: number; text(): Promise<string> }>) => {
  const response = await sending
  return { status: response.status, body: JSON.parse(await response.text()) as Row }
}

test('a report that cannot be handed over is refused for now, from each provider', async () => {
  const to = await number()
  const calls = `http://api.test/call-events/twilio/${crm.ws.id}`
  const metadata = { workspace_id: crm.ws.id, recipient_id: crm.ws.id }
  const email = crm.app.fetch(`/email-events/${TOKEN}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ RecordType: 'Delivery', MessageID: 'm', Metadata: metadata }),
  })
  const form = { CallSid: `CA${'1'.repeat(32)}`, CallStatus: 'completed', From: '+61400000002', To: to }
  const twilio = crm.app.sms.posted(calls, form)
  const call = { call_id: 'call_1', direction: 'inbound', from_number: '+61400000002', to_number: to, call_status: 'ended' }
  const retell = crm.app.voice.event({ event: 'call_ended', call })
  const again = {
    ...failed(503, 'UNAVAILABLE'),
    body: { error: { code: 'UNAVAILABLE', message: expect.stringContaining('send it again') } },
  }
  expect(await answer(email)).toMatchObject(again)
  expect(await answer(inbound('+61400000002', to, 'Hello'))).toMatchObject(again)
  expect(await answer(crm.app.fetch(twilio.url.slice('http://api.test'.length), twilio.init))).toMatchObject(again)
  expect(await answer(crm.app.fetch('/call-events/retell', retell.init))).toMatchObject(again)
  // The caller is answered nevertheless: the next report of the call has all of it.
  const question = crm.app.sms.posted(`${calls}/answer`, { ...form, CallStatus: 'ringing' })
  const answered = await crm.app.fetch(question.url.slice('http://api.test'.length), question.init)
  expect([answered.status, await answered.text()]).toEqual([200, expect.stringContaining('<Reject reason="busy"/>')])
  // What says nothing about a message of ours is accepted, so that nobody repeats it.
  const unknown = crm.app.sms.posted(calls, { ...form, CallStatus: 'added-later' })
  expect((await crm.app.fetch(unknown.url.slice('http://api.test'.length), unknown.init)).status).toBe(200)
})
