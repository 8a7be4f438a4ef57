import type { Callback, SentSms } from '../../dev/sms-emulator.ts'
import type { TestWorkspace } from '../workspace.ts'
import { type Crm, created, found, type Row } from './crm.ts'

/** How many numbers tests have bought in this file, which has one provider. */
let bought = 0

/** An address in Australia. */
export const ADDRESS = {
  customer_name: 'Harbour Pty Ltd',
  street: '12 Bridge Street',
  city: 'Sydney',
  region: 'NSW',
  postal_code: '2000',
  country: 'AU',
}

/** The address that numbers of Australia are bought with. */
export const registerAddress = async (workspace: TestWorkspace): Promise<Row> => created(await workspace.post('/phone/addresses', ADDRESS))

/** What tests of SMS share: numbers, credits, and what the provider posts. */
export function texting(crm: Crm) {
  const post = ({ url, init }: Callback) => crm.app.fetch(url.slice('http://api.test'.length), init)
  const texts = {
    grant: (credits = 1000, workspace = crm.ws) =>
      crm.app.owner.query('select grant_credits($1, $2, $3)', [workspace.id, credits, crypto.randomUUID()]),
    /** Buys a number that no other test has. */
    async number(workspace = crm.ws): Promise<string> {
      const phone_number = `+6149${String(++bought).padStart(7, '0')}`
      await registerAddress(workspace)
      created(await workspace.post('/phone/numbers/buy', { phone_number }))
      return phone_number
    },
    send: (body: Row) => crm.ws.post('/sms/send', { text: 'Your order is ready.', ...body }),
    credits: async () => found(await crm.ws.get('/billing/credits')),
    sentTo: (phone: string): SentSms[] => crm.app.sms.sent.filter(({ to }) => to === phone),
    post,
    /** The provider reports the outcome of a message. */
    report: (sms: SentSms, status: string, code?: number) => post(crm.app.sms.report(sms, status, code)),
    /** Somebody writes to a number of the workspace. */
    async inbound(from: string, to: string, body: string, sid?: string) {
      const url = crm.app.sms.numbers.find(({ phone_number }) => phone_number === to)?.sms_url as string
      return post(crm.app.sms.inbound({ from, to, body, url, ...(sid && { sid }) }))
    },
    conversations: async (query = '') => found(await crm.ws.get(`/sms/conversations${query}`)) as Row[],
    messages: async (conversation: string) => found(await crm.ws.get(`/sms/conversations/${conversation}/messages`)) as Row[],
  }
  return texts
}
