import { type Crm, created, found, type Row } from '../crm.ts'
import { mailing } from '../mailing.ts'
import { soldProduct } from './delivering.ts'

/** What tests of portals share: work for a client, the messages that the client receives, and browsers. */
export function portalVisits(crm: Crm) {
  const mail = mailing(crm)
  let people = 0
  /** An opportunity with a work order, and a client with an address of her own. */
  async function delivery(fields: Row = {}) {
    const email = `client-${++people}@example.com`
    const { deal, item } = await soldProduct(crm, { name: 'Roof of <Lee>' })
    const contact_id = (await crm.contact({ first_name: 'Ana', email, ...fields })).id as string
    found(await crm.ws.post(`/opportunities/${deal}/contacts`, { contact_id, is_primary: true }))
    const order = created(
      await crm.ws.post('/work-orders', { deal_product_id: item, title: 'Install panels', schedule_date: '2026-05-04' }),
    )
    return { deal, item, email, contact_id, order }
  }
  const sendStatus = (deal_id: string, fields: Row = {}) => crm.ws.post('/work-orders/send-work-status', { deal_id, ...fields })
  const pinIn = (text: string) => /\b\d{6}\b/.exec(text)?.[0] as string
  const textsTo = async (email: string) => {
    await crm.app.drain()
    return mail.emailsTo(email).map(({ TextBody }) => String(TextBody))
  }
  /** Sends the status, and returns the token and the PIN as the client receives them. */
  async function received({ deal, email }: { deal: string; email: string }) {
    const answer = found(await sendStatus(deal)) as Row
    const [link, pin] = (await textsTo(email)).slice(-2)
    const { token, portal_id } = answer as { token: string; portal_id: string }
    return { token, portal_id, link, pin: pinIn(pin as string) }
  }

  let visitors = 0
  function browser(address = `203.0.113.${++visitors}`) {
    let cookie = ''
    const send = async (path: string, method: string, fields?: Row) => {
      const { status, text, headers } = await crm.app.client(path, {
        method,
        headers: {
          'cf-connecting-ip': address,
          'accept-language': 'en',
          cookie,
          ...(fields && { 'content-type': 'application/x-www-form-urlencoded' }),
        },
        ...(fields && { body: new URLSearchParams(fields).toString() }),
      })
      const set = headers.get('set-cookie')
      if (set) cookie = set.split(';')[0] as string
      return { status, text, headers, cookie: set }
    }
    return {
      get: (token: string, query = '') => send(`/portal/${token}${query}`, 'GET'),
      enter: (token: string, pin: string) => send(`/portal/${token}`, 'POST', { pin }),
      leave: (token: string) => send(`/portal/${token}/leave`, 'POST', {}),
      use: (value: string) => {
        cookie = value
      },
      cookie: () => cookie,
    }
  }
  return { mail, delivery, sendStatus, pinIn, textsTo, received, browser }
}
