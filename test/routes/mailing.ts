import { type EmailParts, inboundEmail, replyTo } from '../../dev/inbound-mail.ts'
import { type Crm, created, found, type Row } from './crm.ts'

/** Sending emails, and receiving them as the mail provider posts them. */
export function mailing(crm: Crm) {
  let configs = 0
  let inbox = ''
  let owner = ''
  return {
    config: async (fields: Row = {}) =>
      created(
        await crm.ws.post('/email/configs', {
          from_email_handle: `hello-${Date.now().toString(36)}-${++configs}`,
          from_name: 'Harbour "Blue" Renovations',
          staff_email: 'team@example.com',
          ...fields,
        }),
      ),
    send: async (fields: Row) => found(await crm.ws.post('/email/send', { subject: 'Your offer', text: 'Hello Ana', ...fields })),
    /** What the emulator has accepted for an address, oldest first. */
    emailsTo: (address: string) => crm.app.email.sent.filter(({ To }) => To === address),
    /** The path of the inbox of the current workspace; with `rotates` a new one. */
    async inbox(rotates = false): Promise<string> {
      if (rotates || owner !== crm.ws.id) inbox = found(await crm.ws.post('/email/inbox/rotate-token')).path
      owner = crm.ws.id
      return inbox
    },
    /** Posts an email as the provider does, without any key. */
    async post(body: unknown, path?: string) {
      const target = path ?? (await this.inbox())
      const response = await crm.app.fetch(target, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })
      return { status: response.status, body: (await response.json()) as Row }
    },
    async receive(written: EmailParts): Promise<void> {
      found((await this.post(inboundEmail(written))) as never)
      await crm.app.drain()
    },
    async reply(address: string, written: Partial<EmailParts> = {}): Promise<void> {
      const sent = this.emailsTo(address).at(-1)
      found((await this.post(replyTo(sent as never, { text: 'Thank you', ...written }))) as never)
      await crm.app.drain()
    },
    threads: async (query = '') => found(await crm.ws.get(`/email/threads${query && `?${query}`}`)),
    messages: async (thread: string) => found(await crm.ws.get(`/email/threads/${thread}/messages`)),
  }
}
