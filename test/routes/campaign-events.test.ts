import { expect, test } from 'vitest'
import type { SentEmail } from '../../dev/email-emulator.ts'
import { campaigning } from './campaigning.ts'
import { found, type Row, useCrm } from './crm.ts'

const crm = useCrm({ own: true })
const { draft, later, people, recipients, report, reportOf, send, sentOf, show } = campaigning(crm)
const EVENTS = ['Delivery', 'Open', 'Click', 'HardBounce'] as const

async function sentTo(count: number): Promise<{ id: string; emails: SentEmail[] }> {
  await people(count)
  const { id } = await draft()
  await send(id)
  await crm.app.drain()
  const emails = sentOf(id)
  expect(emails).toHaveLength(count)
  return { id, emails }
}
const statusOf = async (id: string, { To }: Row) => (await recipients(id)).find(({ email }) => email === To) as Row
const linkOf = ({ Headers }: SentEmail) => Headers?.[0]?.Value.slice('<http://api.test'.length, -1) as string
const post = (path: string, body: string, type = 'application/x-www-form-urlencoded') =>
  crm.app.fetch(path, { method: 'POST', body, headers: { 'content-type': type } })

test('recipients move forward only, whatever the order of the reports and however often they come', async () => {
  const { id, emails } = await sentTo(5)
  const orders = [
    EVENTS,
    EVENTS.toReversed(),
    ['Click', 'Delivery', 'HardBounce', 'Open'],
    ['HardBounce', 'Delivery'],
    ['Transient', 'Delivery'],
  ] as const
  for (const [n, order] of orders.entries())
    for (const type of [...order, ...order]) expect((await report(reportOf(emails[n] as SentEmail, type))).status).toBe(200)
  await crm.app.drain()
  const states = []
  for (const email of emails) states.push((await statusOf(id, email)).status)
  expect(states).toEqual(['clicked', 'clicked', 'clicked', 'bounced', 'delivered'])
  expect((await show(id)).stats).toMatchObject({ recipients: 5, sent: 0, delivered: 1, opened: 0, clicked: 3, bounced: 1 })
  expect(await statusOf(id, emails[0] as Row)).toMatchObject({
    delivered_at: expect.any(String),
    opened_at: expect.any(String),
    clicked_at: expect.any(String),
    bounced_at: expect.any(String),
  })
})

test('a report gives a recipient the time of what it says, and of nothing else', async () => {
  const TIMES = {
    Delivery: 'delivered_at',
    Open: 'opened_at',
    Click: 'clicked_at',
    HardBounce: 'bounced_at',
    SpamComplaint: 'complained_at',
  }
  const { id, emails } = await sentTo(5)
  const kinds = Object.keys(TIMES) as (keyof typeof TIMES)[]
  for (const [n, kind] of kinds.entries()) await report(reportOf(emails[n] as SentEmail, kind))
  await crm.app.drain()
  for (const [n, kind] of kinds.entries()) {
    const row = await statusOf(id, emails[n] as Row)
    expect(
      Object.values(TIMES).filter((name) => row[name] !== null),
      kind,
    ).toEqual([TIMES[kind]])
  }
})

test('reports that come together count each by itself: the highest status, the first time of each kind, and why it bounced', async () => {
  const { id, emails } = await sentTo(3)
  const [one, two, three] = emails as [SentEmail, SentEmail, SentEmail]
  const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
  const times = Object.fromEntries([...EVENTS, 'SpamComplaint', 'SubscriptionChange'].map((type, n) => [type, [at(20 + n), at(10 + n)]]))
  const together = async (reports: unknown[]) => {
    await crm.app.capture(true)
    for (const body of reports) await report(body)
    const messages = await crm.app.capture(false)
    await crm.app.deliver(
      messages[0]?.queue as string,
      messages.map(({ body }) => body),
    )
    await crm.app.drain()
  }
  const all = (email: SentEmail) =>
    Object.entries(times).flatMap(([type, moments]) => moments.map((moment) => reportOf(email, type as (typeof EVENTS)[number], moment)))
  const [at5, earlier] = [at(5), at(9)]
  const complaint = reportOf(two, 'SpamComplaint', at5)
  await together([...all(one).toReversed(), complaint, { ...reportOf(three, 'HardBounce', at(4)), Description: 'No such person' }])
  const first = {
    status: 'clicked',
    delivered_at: times.Delivery?.[0],
    opened_at: times.Open?.[0],
    clicked_at: times.Click?.[0],
    bounced_at: times.HardBounce?.[0],
    complained_at: times.SpamComplaint?.[0],
    unsubscribed_at: times.SubscriptionChange?.[0],
    error: 'The server was unable to deliver your message.',
  }
  expect(await statusOf(id, one)).toMatchObject(first)
  expect(await statusOf(id, two)).toMatchObject({ status: 'delivered', complained_at: at5, bounced_at: null, error: null })
  expect(await statusOf(id, three)).toMatchObject({ status: 'bounced', error: 'No such person', opened_at: null })
  // A later time changes nothing, an earlier one does; a bounce without a reason leaves the one that is known.
  await together(Object.keys(times).map((type) => reportOf(one, type as (typeof EVENTS)[number], at(1))))
  expect(await statusOf(id, one)).toMatchObject(first)
  const unexplained = { ...reportOf(three, 'HardBounce', earlier), Description: undefined }
  await together([reportOf(one, 'Delivery', at(60)), unexplained, reportOf(three, 'Delivery', at(9))])
  expect(Date.parse((await statusOf(id, one)).delivered_at)).toBeLessThan(Date.parse(times.Delivery?.[0] as string))
  expect(await statusOf(id, three)).toMatchObject({ status: 'bounced', error: 'No such person', bounced_at: earlier })
})

test('bounces and complaints block the address for good and name the campaign; soft bounces and forged reports do not', async () => {
  const { id, emails } = await sentTo(4)
  const [hard, spam, soft, forged] = emails as [SentEmail, SentEmail, SentEmail, SentEmail]
  for (const [email, type] of [
    [hard, 'HardBounce'],
    [spam, 'SpamComplaint'],
    [spam, 'HardBounce'],
    [soft, 'SoftBounce'],
  ] as const)
    await report(reportOf(email, type))
  for (const token of ['wrong', '', 'the-token-of-email-event5'])
    expect((await report(reportOf(forged, 'HardBounce'), token)).status).toBe(404)
  for (const body of [
    {},
    [],
    'text',
    { RecordType: 'Bounce' },
    { ...reportOf(forged, 'HardBounce'), Metadata: { workspace_id: crm.ws.id } },
  ])
    expect(await (await report(body)).json()).toEqual({ data: { accepted: false } })
  await crm.app.drain()
  const blocked = found(await crm.ws.get('/suppressions')).map(({ address, reason }: Row) => [address, reason])
  expect(blocked.toSorted()).toEqual(
    [
      [hard.To, 'hard_bounce'],
      [spam.To, 'complaint'],
    ].toSorted(),
  )
  const left = found(await crm.ws.get('/email-campaigns/unsubscribes'))
  expect(left.map(({ email, reason, campaign_id }: Row) => [email, reason, campaign_id]).toSorted()).toEqual(
    [
      [hard.To, 'hard_bounce', id],
      [spam.To, 'complaint', id],
      [spam.To, 'hard_bounce', id],
    ].toSorted(),
  )
  expect(found(await crm.ws.get('/email-campaigns/unsubscribes?reason=complaint'))).toHaveLength(1)
  expect((await show(id)).stats).toMatchObject({ bounced: 3, complained: 1, delivered: 0, sent: 1 })
  // Opting in again does not help an address that complained.
  const { contact_id } = await statusOf(id, spam)
  await crm.ws.patch(`/contacts/${contact_id}`, { email_unsubscribed: true })
  await crm.ws.patch(`/contacts/${contact_id}`, { email_unsubscribed: false })
  const next = await draft({ name: 'Next' })
  await send(next.id)
  await crm.app.drain()
  expect((await show(next.id)).stats).toMatchObject({ audience: 4, recipients: 2, skipped: { hard_bounce: 1, complaint: 1 } })
})

test('unsubscribing takes the button of the page, or one click in a mail program, and it can be taken back', async () => {
  const { id, emails } = await sentTo(2)
  const [one, other] = emails as [SentEmail, SentEmail]
  const link = linkOf(one)
  expect(one.HtmlBody).toContain(link.replaceAll('&', '&amp;'))
  const page = await crm.app.fetch(link)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  const html = await page.text()
  expect(html).toContain('<html lang="en">')
  expect(html).not.toContain('<script')
  expect(html).not.toContain(one.To)
  const contact = async (email: SentEmail) => found(await crm.ws.get(`/contacts/${(await statusOf(id, email)).contact_id}`))
  expect(await contact(one)).toMatchObject({ email_unsubscribed: false })

  const changed = await post(link, 'choice=unsubscribe')
  expect([changed.status, await changed.text()]).toEqual([200, expect.stringContaining('You are unsubscribed')])
  await post(link, 'choice=unsubscribe')
  expect(await statusOf(id, other)).toMatchObject({ unsubscribed_at: null })
  const boundary = '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n'
  expect((await post(linkOf(other), boundary, 'multipart/form-data; boundary=b')).status).toBe(200)
  expect([await contact(one), await contact(other)]).toMatchObject([{ email_unsubscribed: true }, { email_unsubscribed: true }])
  const reasons = found(await crm.ws.get(`/email-campaigns/unsubscribes?campaign_id=${id}`)).map(({ email, reason }: Row) => [
    email,
    reason,
  ])
  expect(reasons).toEqual([
    [other.To, 'unsubscribe_header'],
    [one.To, 'link_click'],
  ])
  expect((await show(id)).stats).toMatchObject({ unsubscribed: 2 })

  expect(await (await post(link, 'choice=subscribe')).text()).toContain('You get our emails again')
  expect(await contact(one)).toMatchObject({ email_unsubscribed: false })
  expect(found(await crm.ws.get('/suppressions')).map(({ address }: Row) => address)).toEqual([other.To])

  for (const bad of [
    link.replace(/signature=(.)/, (_, first) => `signature=${first === '_' ? 'a' : '_'}`),
    linkOf(other).replace(/\?.*/, link.slice(link.indexOf('?'))),
  ]) {
    expect((await crm.app.fetch(bad)).status).toBe(401)
    expect((await post(bad, 'choice=unsubscribe')).status).toBe(401)
  }
  expect((await post(link, 'choice=other')).status).toBe(400)
  // The first gets the next campaign, the other does not.
  const next = await draft({ name: 'Next' })
  await send(next.id)
  await later()
  expect(sentOf(next.id).map(({ To }) => To)).toEqual([one.To])
})

test('who asks the provider for no more emails is unsubscribed, and the address is no bounce', async () => {
  const { id, emails } = await sentTo(2)
  const [bounce, change] = emails as [SentEmail, SentEmail]
  await report({ ...reportOf(bounce, 'HardBounce'), Type: 'Unsubscribe' })
  await report({
    ...reportOf(change, 'HardBounce'),
    RecordType: 'SubscriptionChange',
    SuppressSending: true,
    SuppressionReason: 'ManualSuppression',
  })
  await crm.app.drain()
  for (const { To } of emails) {
    expect(await statusOf(id, { To })).toMatchObject({ unsubscribed_at: expect.any(String), bounced_at: null })
    expect(found(await crm.ws.get(`/suppressions?address=${To}`))).toMatchObject([{ reason: 'unsubscribed' }])
    expect(found(await crm.ws.get(`/contacts?email=${To}`))).toMatchObject([{ email_unsubscribed: true }])
  }
  // The gravest reason stays, in whatever order they are reported.
  const reason = async () => found(await crm.ws.get(`/suppressions?address=${bounce.To}`))[0]?.reason
  for (const [kind, after] of [
    ['HardBounce', 'hard_bounce'],
    ['SpamComplaint', 'complaint'],
    ['HardBounce', 'complaint'],
  ] as const) {
    await report(reportOf(bounce, kind))
    await crm.app.drain()
    expect(await reason()).toBe(after)
  }
  await report({ ...reportOf(bounce, 'HardBounce'), Type: 'Unsubscribe' })
  await crm.app.drain()
  expect(await reason()).toBe('complaint')
})

test('a report about a message of the send ledger blocks its address too', async () => {
  const contact = await crm.contact({ email: 'ledger@example.com' })
  found(await crm.ws.patch('/company/crm-settings', { quiet_hours: null }))
  const { status } = await crm.ws.post('/messages', { contact_id: contact.id, subject: 'Offer', text: 'Hello' })
  expect(status).toBe(201)
  await crm.app.drain()
  const email = crm.app.email.sent.find(({ To }) => To === 'ledger@example.com') as SentEmail
  await report(reportOf(email, 'SpamComplaint'))
  await crm.app.drain()
  expect(found(await crm.ws.get('/suppressions'))).toMatchObject([{ address: 'ledger@example.com', reason: 'complaint' }])
  expect(found(await crm.ws.get('/email-campaigns/unsubscribes'))).toMatchObject([{ campaign_id: null, contact_id: contact.id }])
})

test('whoever asks for emails again at the page lifts no bounce and no complaint, and nothing of another workspace', async () => {
  const { emails } = await sentTo(3)
  const [bounced, complained, left] = emails as [SentEmail, SentEmail, SentEmail]
  await report(reportOf(bounced, 'HardBounce'))
  await report(reportOf(complained, 'SpamComplaint'))
  await crm.app.drain()
  await post(linkOf(left), 'choice=unsubscribe')
  const other = await crm.app.workspace()
  found(await other.post('/suppressions', { channel: 'email', address: left.To, reason: 'unsubscribed' }))
  const same = (await other.post('/contacts', { first_name: 'Same', email: left.To, email_unsubscribed: true })).body.data
  for (const email of [bounced, complained]) {
    const page = await (await post(linkOf(email), 'choice=subscribe')).text()
    expect(page).toContain('No more marketing emails')
  }
  expect(await (await post(linkOf(left), 'choice=subscribe')).text()).toContain('You get our emails again')
  const reasons = found(await crm.ws.get('/suppressions')).map(({ address, reason }: Row) => [address, reason])
  expect(reasons.toSorted()).toEqual(
    [
      [bounced.To, 'hard_bounce'],
      [complained.To, 'complaint'],
    ].toSorted(),
  )
  expect(found(await other.get('/suppressions'))).toMatchObject([{ address: left.To }])
  expect(found(await other.get(`/contacts/${same.id}`))).toMatchObject({ email_unsubscribed: true })
})
