import { expect, test } from 'vitest'
import { created, failed, found, nobody, type Row, refused, useCrm } from '../crm.ts'
import { mailing } from '../mailing.ts'
import { texting } from '../texting.ts'
import { soldProduct } from './delivering.ts'

const crm = useCrm()
const mail = mailing(crm)
const texts = texting(crm)

let people = 0
/** An opportunity with a work order, and a client with an address of her own. */
async function delivery(fields: Row = {}) {
  const email = `client-${++people}@example.com`
  const { deal, item } = await soldProduct(crm, { name: 'Roof of <Lee>' })
  const contact_id = (await crm.contact({ first_name: 'Ana', email, ...fields })).id as string
  found(await crm.ws.post(`/opportunities/${deal}/contacts`, { contact_id, is_primary: true }))
  const order = created(await crm.ws.post('/work-orders', { deal_product_id: item, title: 'Install panels', schedule_date: '2026-05-04' }))
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
        ...{ 'cf-connecting-ip': address, 'accept-language': 'en', cookie },
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

test('the client receives the address and the PIN in two emails, enters it, and sees days, states and people', async () => {
  await mail.config()
  const { deal, email, order, contact_id } = await delivery()
  found(
    await crm.ws.patch(`/work-orders/${order.id}`, {
      status: 'Scheduled',
      schedule_time: '09:30',
      assigned_to: crm.ws.userId,
      notes: 'secret',
    }),
  )
  const answer = found(await sendStatus(deal)) as Row
  expect(answer).toEqual({ success: true, portal_id: expect.any(String), token: expect.stringMatching(/^[\w-]{43}$/) })
  const [link, second] = await textsTo(email)
  expect(link).toContain(`/portal/${answer.token}`)
  expect(link).not.toMatch(/\b\d{6}\b/)
  expect(second).not.toContain(answer.token)
  const visitor = browser()
  const door = await visitor.get(answer.token)
  expect(door.status).toBe(200)
  expect(door.text).toContain('<label for="pin">')
  expect(door.text).not.toContain('Install panels')
  const entered = await visitor.enter(answer.token, pinIn(second as string))
  expect([entered.status, entered.headers.get('location')]).toEqual([303, `/portal/${answer.token}`])
  expect(entered.cookie).toMatch(/; Path=\/portal\/[\w-]+; Max-Age=43200; HttpOnly; SameSite=Lax/)
  const page = await visitor.get(answer.token)
  for (const text of ['Roof of &lt;Lee&gt;', 'Install panels', 'Scheduled', 'Monday 4 May 2026', '9:30 am', '0 of 1 done'])
    expect(page.text).toContain(text)
  expect(page.text).not.toContain('secret')
  expect(page.text).toContain('<meta name="robots" content="noindex">')
  expect(page.headers.get('x-robots-tag')).toBe('noindex')
  expect(page.headers.get('cache-control')).toBe('no-store')
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(page.text.length).toBeLessThan(60_000)
  expect((await visitor.get(answer.token, '?lang=de')).text).toContain('0 von 1 erledigt')
  const stored = found(await crm.ws.get(`/portals/${answer.portal_id}`))
  expect(stored).toMatchObject({ kind: 'work_status', deal_id: deal, contact_id, revoked_at: null, last_viewed_at: expect.any(String) })
  expect(JSON.stringify(stored)).not.toContain(answer.token)
  await visitor.leave(answer.token)
  expect((await visitor.get(answer.token)).text).toContain('<label for="pin">')
})

test('neither the ledger nor the history nor the events have the token or the PIN', async () => {
  await mail.config()
  const portal = await received(await delivery())
  const ledger = await crm.ws.get('/messages')
  const details = await Promise.all(found(ledger).map(({ id }) => crm.ws.get(`/messages/${id}`)))
  const all = JSON.stringify([
    ledger.body,
    details.map(({ body }) => body),
    (await crm.ws.get('/events')).body,
    await crm.events(portal.portal_id),
  ])
  expect(all).not.toContain(portal.token)
  expect(all).not.toContain(portal.pin)
  expect(all).toContain('portal.created')
  const { rows } = await crm.app.owner.query('select encode(token_hash, $1) t, encode(pin_hash, $1) p from portals where id = $2', [
    'hex',
    portal.portal_id,
  ])
  expect(JSON.stringify(rows)).not.toContain(portal.pin)
})

test('the PIN goes by SMS to whom it reaches', async () => {
  await mail.config()
  await texts.number()
  await texts.grant()
  const phone = '+61412345699'
  const { deal, email } = await delivery({ phone })
  const { token } = found(await sendStatus(deal)) as Row
  const emails = await textsTo(email)
  expect(emails).toHaveLength(1)
  const pin = pinIn(texts.sentTo(phone).at(-1)?.body as string)
  expect((await browser().enter(token, pin)).status).toBe(303)
})

test('spaces, hyphens and Arabic digits in a PIN are accepted', async () => {
  await mail.config()
  const { token, pin } = await received(await delivery())
  const arabic = [...pin].map((digit) => String.fromCodePoint(0x660 + Number(digit))).join('')
  const persian = [...pin].map((digit) => String.fromCodePoint(0x6f0 + Number(digit))).join(' ')
  for (const typed of [`${pin.slice(0, 3)} ${pin.slice(3)}`, ` ${pin.slice(0, 3)}-${pin.slice(3)} `, arabic, persian])
    expect((await browser().enter(token, typed)).status, typed).toBe(303)
  for (const typed of ['', pin.slice(1), `${pin}0`, 'abcdef']) expect((await browser().enter(token, typed)).status, typed).toBe(422)
})

test('five wrong PINs lock the portal for 15 minutes, for everybody, and the sixth is refused though it is right', async () => {
  await mail.config()
  const { token, pin, portal_id } = await received(await delivery())
  const wrong = pin === '000000' ? '000001' : '000000'
  const statuses = []
  for (let n = 0; n < 5; n++) statuses.push((await browser().enter(token, wrong)).status)
  expect(statuses).toEqual([422, 422, 422, 422, 429])
  const locked = await browser().enter(token, pin)
  expect([locked.status, locked.cookie]).toEqual([429, null])
  expect(locked.text).toContain('Try again in 15 minutes')
  await crm.app.owner.query("update portals set locked_until = now() - interval '1 second' where id = $1", [portal_id])
  expect((await browser().enter(token, pin)).status).toBe(303)
})

test('five wrong PINs of one network lock it for all portals, and not the portals for others', async () => {
  await mail.config()
  const [one, two] = [await received(await delivery()), await received(await delivery())]
  const wrong = (pin: string) => (pin === '000000' ? '000001' : '000000')
  const address = '203.0.113.250'
  for (let n = 0; n < 3; n++) expect((await browser(address).enter(one.token, wrong(one.pin))).status).toBe(422)
  expect((await browser(address).enter(two.token, wrong(two.pin))).status).toBe(422)
  expect((await browser(address).enter(two.token, wrong(two.pin))).status).toBe(429)
  expect((await browser(address).enter(one.token, one.pin)).status).toBe(429)
  expect((await browser().enter(one.token, one.pin)).status).toBe(303)
})

test('wrong PINs at the same time are all counted', async () => {
  await mail.config()
  const { token, pin } = await received(await delivery())
  const wrong = pin === '000000' ? '000001' : '000000'
  const answers = await Promise.all(Array.from({ length: 8 }, () => browser().enter(token, wrong)))
  expect(answers.map(({ status }) => status).sort()).toEqual([422, 422, 422, 422, 429, 429, 429, 429])
})

test('a second call replaces token and PIN; a session ends with the PIN, and with the portal', async () => {
  await mail.config()
  const place = await delivery()
  const first = await received(place)
  const visitor = browser()
  await visitor.enter(first.token, first.pin)
  const second = await received(place)
  expect(second.portal_id).toBe(first.portal_id)
  expect(second.token).not.toBe(first.token)
  expect((await visitor.get(first.token)).status).toBe(404)
  await visitor.enter(second.token, second.pin)
  expect((await visitor.get(second.token)).text).toContain('Install panels')
  const { pin } = found(await crm.ws.post(`/portals/${second.portal_id}/new-pin`)) as Row
  expect((await visitor.get(second.token)).text).not.toContain('Install panels')
  expect((await browser().enter(second.token, second.pin)).status).toBe(pin === second.pin ? 303 : 422)
  expect((await visitor.enter(second.token, pin)).status).toBe(303)
  expect(found(await crm.ws.post(`/portals/${second.portal_id}/revoke`)).revoked_at).toEqual(expect.any(String))
  found(await crm.ws.post(`/portals/${second.portal_id}/revoke`))
  const [revoked, unknown] = [await visitor.get(second.token), await visitor.get('x'.repeat(43))]
  expect([revoked.status, unknown.status]).toEqual([404, 404])
  expect(revoked.text.replaceAll(second.token, '')).toBe(unknown.text.replaceAll('x'.repeat(43), ''))
  expect(await crm.ws.post(`/portals/${second.portal_id}/new-pin`)).toMatchObject(failed(409, 'INVALID_STATE'))
  const third = await received(place)
  expect((await browser().enter(third.token, third.pin)).status).toBe(303)
})

test('a message that waits while the portal gets another PIN is not sent', async () => {
  await mail.config()
  const { deal, email } = await delivery()
  crm.app.email.fail('500', 2)
  const { portal_id } = found(await sendStatus(deal)) as Row
  await crm.app.drain()
  found(await crm.ws.post(`/portals/${portal_id}/revoke`))
  await crm.app.owner.query('update messages set due_at = now() - $2::interval where workspace_id = $1 and due_at is not null', [
    crm.ws.id,
    '1 second',
  ])
  await crm.app.deliver('messages', [{ type: 'messages.send', workspace_id: crm.ws.id }])
  expect(found(await crm.ws.get('/messages')).map(({ status, error }) => [status, error])).toEqual([
    ['failed', expect.stringContaining('revoked')],
    ['failed', expect.stringContaining('revoked')],
  ])
  expect(mail.emailsTo(email)).toEqual([])
})

test('a session of one portal opens no other one, and nobody forges one', async () => {
  await mail.config()
  const [one, two] = [await received(await delivery()), await received(await delivery())]
  const visitor = browser()
  await visitor.enter(one.token, one.pin)
  const mine = visitor.cookie()
  visitor.use(mine)
  expect((await visitor.get(two.token)).text).not.toContain('Install panels')
  visitor.use(mine.replace(/\.\d{10}\./, '.9999999999.'))
  expect((await visitor.get(one.token)).text).not.toContain('Install panels')
  visitor.use(mine)
  expect((await visitor.get(one.token)).text).toContain('Install panels')
})

test('what is in the way is said: no work orders, no email configuration, nobody to write to', async () => {
  const { deal, item, contact_id, order } = await delivery()
  expect(await sendStatus(deal)).toMatchObject(failed(409, 'CHANNEL_NOT_CONFIGURED'))
  await mail.config()
  expect(await sendStatus(nobody)).toMatchObject(refused('deal_id'))
  expect(await sendStatus(deal, { contact_id: nobody })).toMatchObject(refused('contact_id'))
  const silent = (await crm.contact({ first_name: 'Bo' })).id
  expect(await sendStatus(deal, { contact_id: silent })).toMatchObject({
    status: 409,
    body: { error: { code: 'RECIPIENT_UNREACHABLE', details: { reason: 'no_address' } } },
  })
  found(await crm.ws.patch(`/contacts/${contact_id}`, { email_unsubscribed: true }))
  expect(await sendStatus(deal)).toMatchObject({ body: { error: { code: 'RECIPIENT_UNREACHABLE', details: { reason: 'unsubscribed' } } } })
  found(await crm.ws.delete(`/opportunities/${deal}/contacts/${contact_id}`))
  expect(await sendStatus(deal)).toMatchObject(failed(409, 'RECIPIENT_UNREACHABLE'))
  found(await crm.ws.delete(`/work-orders/${order.id}`))
  expect(await sendStatus(deal)).toMatchObject(failed(409, 'INVALID_STATE'))
  expect(await crm.count('portals')).toBe(0)
  expect(item).toBeTruthy()
})

test('a repeated call with the same key sends once, and answers the same token', async () => {
  await mail.config()
  const { deal, email } = await delivery()
  const key = { 'idempotency-key': crypto.randomUUID() }
  const answers = [
    await crm.ws.post('/work-orders/send-work-status', { deal_id: deal }, key),
    await crm.ws.post('/work-orders/send-work-status', { deal_id: deal }, key),
  ]
  expect(found(answers[1] as never)).toEqual(found(answers[0] as never))
  expect(await textsTo(email)).toHaveLength(2)
})

test('two calls at the same time leave one portal, whose latest messages open it', async () => {
  await mail.config()
  const { deal, email } = await delivery()
  const tokens = (await Promise.all([sendStatus(deal), sendStatus(deal)])).map((answer) => (found(answer) as Row).token)
  expect(new Set(tokens).size).toBe(2)
  expect(await crm.count('portals')).toBe(1)
  const sent = await textsTo(email)
  const open: string[] = []
  for (const token of tokens) if ((await browser().get(token)).status === 200) open.push(token)
  expect(open).toHaveLength(1)
  expect(sent.filter((text) => text.includes(`/portal/${open[0]}`))).toHaveLength(1)
})

test('a stakeholder with portal_eligible sees the work that is shared, until the type loses that', async () => {
  await mail.config()
  const { order, item } = await delivery()
  const email = 'installer@example.com'
  const contact_id = (await crm.contact({ first_name: 'Ivo', email })).id as string
  expect(await crm.ws.post('/portals', { contact_id })).toMatchObject(refused('contact_id'))
  const type = created(
    await crm.ws.post('/stakeholder-types', { name: 'Installer', assignable_to_work_orders: true, portal_eligible: true }),
  )
  found(await crm.ws.post(`/stakeholder-types/${type.id}/members`, { contact_id }))
  const { token } = found(await crm.ws.post('/portals', { contact_id })) as Row
  const visitor = browser()
  await visitor.enter(token, pinIn((await textsTo(email)).at(-1) as string))
  expect((await visitor.get(token)).text).toContain('Nothing is planned')
  created(await crm.ws.post('/work-orders', { deal_product_id: item, title: 'Not shared' }))
  found(await crm.ws.post(`/work-orders/${order.id}/stakeholders`, { contact_id }))
  const task = created(await crm.ws.post('/tasks', { title: 'Order the rails' }))
  found(await crm.ws.post(`/tasks/${task.id}/stakeholders`, { contact_id }))
  const { text } = await visitor.get(token)
  for (const shown of ['Install panels', 'Order the rails']) expect(text).toContain(shown)
  expect(text).not.toContain('Not shared')
  found(await crm.ws.patch(`/stakeholder-types/${type.id}`, { portal_eligible: false }))
  expect((await visitor.get(token)).status).toBe(404)
})

test('portals are listed by kind, deal and contact, in their own workspace only', async () => {
  await mail.config()
  const place = await delivery()
  const { portal_id, token } = await received(place)
  for (const query of ['kind=work_status', `deal_id=${place.deal}`, `contact_id=${place.contact_id}`])
    expect(found(await crm.ws.get(`/portals?${query}`))).toMatchObject([{ id: portal_id }])
  expect(found(await crm.ws.get('/portals?kind=stakeholder'))).toEqual([])
  const stranger = await crm.app.workspace()
  for (const path of ['revoke', 'new-pin'])
    expect(await stranger.post(`/portals/${portal_id}/${path}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await stranger.post('/work-orders/send-work-status', { deal_id: place.deal })).toMatchObject({ status: 400 })
  expect((await browser().get(token)).status).toBe(200)
})
