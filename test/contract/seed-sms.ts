import type { Harness } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import type { Ids } from './samples.ts'
import { addCall } from './seed-phone.ts'

/** A phone number, a call and a conversation by SMS, and the credits for many. */
export async function addSms(app: Harness, ws: TestWorkspace, ids: Ids): Promise<void> {
  await app.owner.query("select grant_credits($1, 100000, 'seed')", [ws.id])
  const made = await ws.post('/phone/numbers/buy', { phone_number: numberForSale() })
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  ids.phone_number_id = made.body.data.id
  const sent = await ws.post('/sms/send', { to_phone: '+61412000000', text: 'Hello' })
  if (sent.status !== 201) throw new Error(JSON.stringify(sent.body))
  ids.sms_conversation_id = sent.body.data.conversation_id
  const decided = await ws.post('/sms/consents', { phone_number: '+61412000001', decision: 'opt_in', source: 'paper' })
  if (decided.status !== 201) throw new Error(JSON.stringify(decided.body))
  ids.consent_id = decided.body.data.id
  await addCall(app, ws, ids)
}

/** A number that no other test has bought, or written to. */
export const unusedPhone = () => `+614${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`

/** A number of the United States, which requires no address, that no other test has bought. */
export const numberForSale = () => `+1415${2 + Math.floor(Math.random() * 7)}${String(Math.floor(Math.random() * 1e6)).padStart(6, '0')}`
