import { expect, test } from 'vitest'
import { created, failed, found, nobody, type Row, refused, useCrm } from '../crm.ts'
import { inviting } from '../invite.ts'
import { texting } from '../texting.ts'
import { portalVisits } from './portal-visits.ts'

const crm = useCrm()
const texts = texting(crm)
const { mail, delivery, sendStatus, pinIn, textsTo, received, browser } = portalVisits(crm)

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

test('the page has no name of a person who has not joined but in another workspace', async () => {
  await mail.config()
  const { deal, email, order } = await delivery()
  const { id, own } = await inviting(crm).inviteFromElsewhere({ full_name: 'Our new fitter' })
  found(await crm.ws.patch(`/work-orders/${order.id}`, { assigned_to: id }))
  const { token, pin } = await received({ deal, email })
  const visitor = browser()
  await visitor.enter(token, pin)
  const { text } = await visitor.get(token)
  expect(text).toContain('Our new fitter')
  expect(text).not.toContain(own)
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

test('a message that waits while the portal gets another PIN is not sent', async () => {
  await mail.config()
  const { deal, email } = await delivery()
  crm.app.email.fail('429', 2)
  const { portal_id } = found(await sendStatus(deal)) as Row
  await crm.app.drain()
  found(await crm.ws.post(`/portals/${portal_id}/revoke`))
  await crm.app.owner.query('update messages set due_at = now() - $2::interval where workspace_id = $1 and due_at is not null', [
    crm.ws.id,
    '1 second',
  ])
  await crm.app.deliver('messages', [{ type: 'work.run', kind: 'messages.send', workspace_id: crm.ws.id }])
  expect(found(await crm.ws.get('/messages')).map(({ status, error }) => [status, error])).toEqual([
    ['failed', expect.stringContaining('revoked')],
    ['failed', expect.stringContaining('revoked')],
  ])
  expect(mail.emailsTo(email)).toEqual([])
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
  found(await crm.ws.patch('/company', { timezone: 'UTC' }))
  const task = created(await crm.ws.post('/tasks', { title: 'Order the rails', due_at: '2055-06-01T00:00:00Z', all_day: true }))
  const archived = created(await crm.ws.post('/tasks', { title: 'Order the cables' }))
  for (const { id } of [task, archived]) found(await crm.ws.post(`/tasks/${id}/stakeholders`, { contact_id }))
  found(await crm.ws.patch(`/tasks/${archived.id}`, { archived: true }))
  const { text } = await visitor.get(token)
  for (const shown of ['Install panels', 'Order the rails']) expect(text).toContain(shown)
  for (const hidden of ['Not shared', 'Order the cables']) expect(text).not.toContain(hidden)
  expect(text).toContain('1 June 2055<')
  found(await crm.ws.patch(`/tasks/${task.id}`, { all_day: false }))
  expect((await visitor.get(token)).text).toMatch(/1 June 2055 at 12:00\sam</)
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
