import { type Crm, created, found, type Row } from '../crm.ts'
import { mailing } from '../mailing.ts'

let people = 0

/** What tests of review requests share: a published profile, people, the background, and what they find at their link. */
export function asking(crm: Crm) {
  const mail = mailing(crm)
  const send = async (path: string, method: string, fields?: Row, address = `198.51.100.${++people % 250}`) => {
    const { status, text, headers } = await crm.app.client(path, {
      method,
      headers: {
        'cf-connecting-ip': address,
        'accept-language': 'en',
        ...(fields && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(fields && { body: new URLSearchParams(fields).toString() }),
    })
    return { status, text, headers }
  }
  const asker = {
    mail,
    /** A workspace that can ask at any hour. */
    async ready(fields: Row = {}): Promise<Row> {
      found(await crm.ws.patch('/company/crm-settings', { quiet_hours: null }))
      await mail.config()
      const slug = `asked-${crypto.randomUUID().slice(0, 8)}`
      return created(await crm.ws.post('/reputation/profile', { slug, display_name: 'Bright Roofs', is_published: true, ...fields }))
    },
    person: (fields: Row = {}) => crm.contact({ email: `asked-${++people}@example.com`, ...fields }),
    ask: (fields: Row) => crm.ws.post('/reputation/review-requests', { channel: 'email', ...fields }),
    /** Asks one contact, who gets the message. Returns the request, and the path of the link. */
    async linked(contact: Row, fields: Row = {}): Promise<{ request: Row; path: string }> {
      const { results } = found(await asker.ask({ contact_ids: [contact.id], ...fields }))
      await crm.app.drain()
      await asker.background()
      return { request: results[0], path: asker.linkTo(contact.email) }
    },
    linkTo: (email: string) => /http[^\s]+(\/review\/[\w-]{43})/.exec(String(mail.emailsTo(email).at(-1)?.TextBody))?.[1] as string,
    async background() {
      await crm.app.cron('* * * * *')
      await crm.app.drain()
      await crm.app.cron('* * * * *')
      await crm.app.drain()
    },
    /** The days until the reminder pass. */
    async later() {
      await crm.app.owner.query(
        "update review_requests set due_at = now() - interval '1 second' where workspace_id = $1 and due_at is not null",
        [crm.ws.id],
      )
      await asker.background()
    },
    request: async (id: string) => found(await crm.ws.get(`/reputation/review-requests/${id}`)),
    reviews: async (query = '') => found(await crm.ws.get(`/reputation/reviews${query}`)) as Row[],
    open: (path: string, address?: string) => send(path, 'GET', undefined, address),
    write: (path: string, fields: Row = {}, address?: string) =>
      send(path, 'POST', { token: crypto.randomUUID(), rating: '4', words: 'On time.', name: 'Ana S.', ...fields }, address),
    post: send,
  }
  return asker
}
