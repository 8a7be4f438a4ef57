import { get } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Inbox, startInbox } from '../../dev/inbox/server.ts'
import { campaigning, TOKEN } from '../routes/campaigning.ts'
import { found, type Row, useCrm } from '../routes/crm.ts'
import { mailing } from '../routes/mailing.ts'
import { texting } from '../routes/texting.ts'
import { whatsapping } from '../routes/whatsapping.ts'

const crm = useCrm()
const mail = mailing(crm)
const campaigns = campaigning(crm)
const texts = texting(crm)
const wa = whatsapping(crm)
let inbox: Inbox

beforeAll(async () => {
  const { email, sms, whatsapp, google, fetch } = crm.app
  const post = async (url: string, init: object) => fetch(url.slice('http://api.test'.length), init)
  inbox = await startInbox({ email, sms, whatsapp, google, apiUrl: 'http://api.test', emailToken: TOKEN, post })
})
afterAll(() => inbox.close())

const read = async (path: string): Promise<Row> => (await (await fetch(`${inbox.url}/api/${path}`)).json()) as Row
/** Does something on the page; resolves to the status, and what a refusal says. */
async function act(path: string, body: object = {}, headers: Record<string, string> = {}): Promise<[number, string]> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
  const response = await fetch(`${inbox.url}/api/${path}`, init)
  await crm.app.drain()
  return [response.status, ((await response.json()) as Row).message ?? '']
}
const DONE = [200, '']
const emailTo = async (address: string): Promise<Row> => (await read(`emails?search=${address}`)).emails[0]

test('an email is shown with its parts, and its reply arrives in its thread', async () => {
  inbox.inboundPath = await mail.inbox(true)
  const contact = await crm.contact({ email: 'inbox@example.com' })
  const html = '<p>Read <a href="https://example.com/offer?a=1&amp;b=2">the offer</a></p>'
  const log = await mail.send({ contact_id: contact.id, html })
  const listed = await emailTo('inbox@example.com')
  expect(listed).toMatchObject({ subject: 'Your offer', preview: 'Hello Ana', acts: [], campaign: null, more: 0 })
  const shown = await read(`emails/${listed.id}`)
  expect(shown).toMatchObject({ text: 'Hello Ana', has_html: true, links: ['https://example.com/offer?a=1&b=2'], mailbox: null })
  expect(shown.actions).toEqual(['reply', 'open', 'click', 'bounce', 'complain'])
  expect(shown.headers).toContainEqual(['To', 'inbox@example.com'])
  const frame = await fetch(`${inbox.url}/api/emails/${listed.id}/html`)
  expect(frame.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/)
  expect(await frame.text()).toContain('the offer')

  expect(await act(`emails/${listed.id}/reply`, { text: 'Yes, please' })).toEqual(DONE)
  expect((await mail.messages(log.thread_id)).map(({ body_text }: Row) => body_text)).toEqual(['Hello Ana', 'Yes, please'])
  expect((await read(`emails/${listed.id}`)).acts).toMatchObject([{ kind: 'replied', detail: 'Yes, please' }])
  expect(await act(`emails/${listed.id}/reply`)).toEqual([400, 'text is missing'])
  expect(await act(`emails/${listed.id}/unsubscribe`)).toEqual([404, expect.stringContaining('The actions of this email are reply')])
  inbox.inboundPath = undefined
  expect(await act(`emails/${listed.id}/reply`, { text: 'Yes' })).toEqual([409, expect.stringContaining('npm run dev')])
})

test('an invitation is shown as text, its file can be stored, and older emails follow page by page', async () => {
  const { url, token, sent } = crm.app.email
  const calendar = 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n'
  const file = { Name: 'ünvitation.ics', ContentType: 'text/calendar', Content: Buffer.from(calendar).toString('base64') }
  const headers = { 'content-type': 'application/json', 'x-postmark-server-token': token }
  const email = { From: 'us@example.com', Subject: 'Paged', TextBody: 'Come', Attachments: [file] }
  const batch = Array.from({ length: 60 }, (_, n) => ({ ...email, To: `guest-${n}@example.com` }))
  await fetch(`${url}/email/batch`, { method: 'POST', headers, body: JSON.stringify(batch) })
  const first = await read('emails?search=paged')
  const second = await read(`emails?search=paged&after=${first.next}`)
  expect([first.total, first.emails.length, second.emails.length, second.next]).toEqual([60, 50, 10, null])
  expect(second.emails.at(-1)).toMatchObject({ to: 'guest-0@example.com', attachments: 1 })
  const { id } = second.emails.at(-1)
  expect((await read(`emails/${id}`)).attachments).toEqual([{ name: file.Name, type: 'text/calendar', size: 32, calendar }])
  const stored = await fetch(`${inbox.url}/api/emails/${id}/attachments/0`)
  expect([await stored.text(), stored.headers.get('content-disposition')]).toEqual([
    calendar,
    expect.stringContaining('%C3%BCnvitation.ics'),
  ])
  expect((await fetch(`${inbox.url}/api/emails/${id}/attachments/1`)).status).toBe(404)
  sent.length = 0
})

test('what recipients do with a campaign is what the campaign reports', async () => {
  found(await crm.ws.patch('/company/crm-settings', { campaign_open_tracking: true, campaign_click_tracking: true }))
  await campaigns.people(5, 'reader')
  const { id } = await campaigns.draft({
    body_html: '<a href="https://example.com/">Spring</a> <a href="{{unsubscribe_url}}">Unsubscribe</a>',
  })
  await campaigns.send(id)
  await crm.app.drain()
  const email = async (n: number) => (await emailTo(`reader-${n}@example.com`)).id
  expect(await act(`emails/${await email(1)}/open`)).toEqual(DONE)
  expect(await act(`emails/${await email(2)}/click`, { link: 'https://example.com/' })).toEqual(DONE)
  expect(await act(`emails/${await email(2)}/click`, { link: 'https://elsewhere.example/' })).toEqual([400, 'The email has no such link'])
  expect(await act(`emails/${await email(3)}/bounce`, { type: 'HardBounce' })).toEqual(DONE)
  expect(await act(`emails/${await email(4)}/complain`)).toEqual(DONE)
  expect(await act(`emails/${await email(5)}/unsubscribe`)).toEqual(DONE)
  const campaign = (await read('emails?search=reader-&kind=campaign')).emails
  expect(campaign).toMatchObject([{ campaign: id, more: 4 }])
  expect((await read(`emails?campaign=${id}`)).emails).toHaveLength(5)
  expect(await read('emails?search=reader-&kind=single')).toMatchObject({ total: 0, emails: [] })
  expect((await read('emails?kind=spam')).message).toContain('all, single, campaign, mailbox')
  const states = Object.fromEntries((await campaigns.recipients(id)).map((one) => [one.email, one.status]))
  expect(states).toMatchObject({ 'reader-1@example.com': 'opened', 'reader-2@example.com': 'clicked', 'reader-3@example.com': 'bounced' })
  const blocked = found(await crm.ws.get('/suppressions?limit=100')).map(({ address }: Row) => address)
  expect(blocked).toEqual(expect.arrayContaining(['reader-3@example.com', 'reader-4@example.com', 'reader-5@example.com']))
})

test('an SMS is answered, and STOP ends the subscription', async () => {
  await texts.grant()
  const [number, phone] = [await texts.number(), '+61491570157']
  const contact = await crm.contact({ phone })
  expect((await texts.send({ contact_id: contact.id })).status).toBe(201)
  await crm.app.drain()
  for (const text of ['Thank you', 'STOP']) expect(await act('sms/receive', { from: phone, to: number, text })).toEqual(DONE)
  const thread = (await read('sms')).threads.find(({ id }: Row) => id === `${number}/${phone}`)
  expect(thread.messages.map(({ ours, text }: Row) => [ours, text]).slice(0, 3)).toEqual([
    [true, 'Your order is ready.'],
    [false, 'Thank you'],
    [false, 'STOP'],
  ])
  expect((await texts.send({ contact_id: contact.id })).status).toBe(409)
  expect(await act('sms/receive', { from: phone, to: '+61400000000', text: 'Hi' })).toEqual([
    409,
    expect.stringContaining('phone/numbers/buy'),
  ])
  expect(await act('sms/receive', { from: 'me', to: number, text: 'Hi' })).toEqual([400, expect.stringContaining('+61491570156')])
})

test('a phone is paired by a scan, and both sides of its conversations are shown', async () => {
  await wa.credits()
  await wa.pair()
  const { connections } = await read('whatsapp')
  const connection = connections.at(-1).name
  expect(connections.at(-1).qr.image).toMatch(/^data:image\/png;base64,/)
  expect(await act('whatsapp/receive', { connection, from: '+61491570158', text: 'Hello' })).toEqual([409, expect.stringContaining('scan')])
  expect(await act('whatsapp/scan', { connection, phone: '+61400000001', name: 'Shop' })).toEqual(DONE)
  await wa.flush()
  expect(await wa.pairing()).toMatchObject({ status: 'connected', phone_number: '+61400000001' })
  expect(await act('whatsapp/scan', { connection, phone: '+61400000001', name: 'Shop' })).toEqual([409, 'There is no QR code to scan'])

  await wa.send({ to_phone: '+61491570158' })
  expect(await act('whatsapp/receive', { connection, from: '+61491570158', text: 'Hi', name: 'Cleo' })).toEqual(DONE)
  expect(await act('whatsapp/phone-sends', { connection, to: '+61491570158', text: 'From the phone' })).toEqual(DONE)
  expect(await act('whatsapp/read', { connection, chat: '61491570158@s.whatsapp.net' })).toEqual(DONE)
  await wa.flush()
  const [thread] = (await read('whatsapp')).threads
  expect(thread.messages.map(({ ours, text, status, note }: Row) => [ours, text, status, note])).toEqual([
    [true, 'Hello Ana', 'read', ''],
    [false, 'Hi', '', ''],
    [true, 'From the phone', 'read', 'written on the phone'],
  ])
  const [conversation] = await wa.conversations()
  expect((await wa.messages(conversation!.id)).map(({ body_text }) => body_text).sort()).toEqual(['From the phone', 'Hello Ana', 'Hi'])
  expect(await act('whatsapp/log-out', { connection })).toEqual(DONE)
})

test('pictures that somebody sends by SMS and WhatsApp are stored, and both pages link to the files', async () => {
  await texts.grant()
  const [to, from] = [await texts.number(), '+61491570159']
  const PNG = [0x89, 0x50, 0x4e, 0x47]
  const bytes = async (url: string) => [...new Uint8Array(await (await fetch(new URL(url, inbox.url))).arrayBuffer()).subarray(0, 4)]
  expect(await act('sms/receive', { from, to, text: 'Look', picture: true })).toEqual(DONE)
  const [{ files }] = (await read('sms')).threads.find(({ id }: Row) => id === `${to}/${from}`).messages
  expect([files.length, await bytes(files[0].url)]).toEqual([1, PNG])
  const [sms] = await texts.conversations(`?phone_number=${encodeURIComponent(to)}`)
  expect(await texts.messages(sms?.id)).toMatchObject([{ text: 'Look', media: [{ status: 'stored', mimeType: 'image/png' }] }])

  await wa.paired()
  const connection = wa.connection().name
  expect(await act('whatsapp/receive', { connection, from, text: 'Look here', picture: true })).toEqual(DONE)
  await wa.flush()
  const [shown] = (await read('whatsapp')).threads.find(({ title }: Row) => title === from).messages
  expect(shown).toMatchObject({ text: 'Look here', files: [{ name: 'image' }] })
  expect(await bytes(shown.files[0].url)).toEqual(PNG)
  const conversation = (await wa.conversations()).find(({ external_phone_number }) => external_phone_number === from)
  expect(await wa.messages(conversation?.id)).toMatchObject([{ type: 'image', body_text: 'Look here', media: [{ status: 'stored' }] }])
  expect((await fetch(`${inbox.url}/api/whatsapp/files/nothing`)).status).toBe(404)
})

test('cleared emails are gone from the list, and the provider still knows them', async () => {
  const contact = await crm.contact({ email: 'cleared@example.com' })
  await mail.send({ contact_id: contact.id })
  const { id } = await emailTo('cleared@example.com')
  expect(await act('emails/clear')).toEqual(DONE)
  expect([await read('emails'), (await read('summary')).emails]).toMatchObject([{ total: 0, emails: [] }, 0])
  expect(await read(`emails/${id}`)).toMatchObject({ to: 'cleared@example.com' })
  await mail.send({ contact_id: contact.id })
  expect(await read('emails')).toMatchObject({ total: 1 })
})

test('faults are switched on and off, for every call or for the next', async () => {
  const contact = await crm.contact({ email: 'faults@example.com' })
  const send = () => crm.ws.post('/email/send', { contact_id: contact.id, subject: 'Hello', text: 'Hello' })
  const status = async () => (await send()).status
  const value = async () => (await read('faults'))[0].switches[0]
  expect(await act('faults/email/calls', { value: '422' })).toEqual(DONE)
  expect([await status(), await status(), (await value()).value, (await read('summary')).faults]).toEqual([502, 502, '422', 1])
  expect(await act('faults/email/calls', { value: '' })).toEqual(DONE)
  expect([await status(), (await read('summary')).faults]).toEqual([201, 0])
  expect(await act('faults/email/calls', { value: '422', times: 1 })).toEqual(DONE)
  expect([(await value()).pending, await status(), await status()]).toEqual([1, 502, 201])
  expect(await act('faults/email/calls', { value: 'drop but carried out', times: 1 })).toEqual(DONE)
  const before = crm.app.email.sent.length
  await send()
  expect(crm.app.email.sent.length).toBe(before + 1)

  for (const fault of ['duplicated', 'reordered', 'withheld'])
    for (const channel of ['email', 'sms', 'whatsapp', 'google']) {
      expect(await act(`faults/${channel}/${fault}`, { on: true })).toEqual(DONE)
      expect(crm.app[channel as 'sms'].reports.faults.has(fault as 'withheld')).toBe(true)
      expect(await act(`faults/${channel}/${fault}`, { on: false })).toEqual(DONE)
    }
  expect(await act('faults/whatsapp/deaf', { on: true })).toEqual(DONE)
  expect(wa.world().faults.has('deaf')).toBe(true)
  expect(await act('faults/whatsapp/deaf', { on: false })).toEqual(DONE)
  expect((await read('summary')).faults).toBe(0)

  expect(await act('faults/presets/down')).toEqual(DONE)
  expect(crm.app.email.failures.always).toEqual({ mode: '503', accept: false })
  expect(crm.app.google.failuresOf('*').always).toEqual({ mode: '503', accept: false })
  expect(await act('faults/presets/doubled')).toEqual(DONE)
  const on = (await read('faults')).flatMap(({ switches }: Row) => switches.filter(({ on, value }: Row) => on || value))
  expect([await status(), new Set(on.map(({ id }: Row) => id))]).toEqual([201, new Set(['duplicated', 'reordered'])])
  expect(await act('faults/presets/works')).toEqual(DONE)
  expect((await read('summary')).faults).toBe(0)
  expect(await act('faults/presets/fine')).toEqual([404, expect.stringContaining('down')])
  expect(await act('faults/email/calls', { value: 'nonsense' })).toEqual([400, expect.stringContaining('429')])
  expect(await act('faults/email/nonsense', { on: true })).toEqual([404, 'No such fault'])
})

test('a change is reported to who follows', async () => {
  const response = await fetch(`${inbox.url}/api/changes`)
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const until = async (part: string) => {
    while (!text.includes(part)) text += (await reader.read()).value ?? ''
  }
  await until('data: 1\n\n')
  const contact = await crm.contact({ email: 'followed@example.com' })
  await mail.send({ contact_id: contact.id })
  await until('data: 2\n\n')
  await reader.cancel()
})

test('the page loads nothing from elsewhere, and other pages and hosts are refused', async () => {
  for (const path of ['/', '/inbox.js', '/inbox.css', '/icon.svg']) {
    const response = await fetch(inbox.url + path)
    const text = await response.text()
    expect([path, response.status]).toEqual([path, 200])
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'")
    expect(text.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:\/\//)
  }
  expect(await act('faults/email/duplicated', { on: true }, { origin: 'https://evil.example' })).toEqual([403, expect.any(String)])
  expect(await act('faults/email/duplicated', { on: true }, { 'content-type': 'text/plain' })).toEqual([415, 'Send JSON'])
  expect(crm.app.email.reports.faults.size).toBe(0)
  const elsewhere = await new Promise((done) =>
    get(`${inbox.url}/api/emails`, { headers: { host: 'evil.example' } }, ({ statusCode }) => done(statusCode)),
  )
  expect(elsewhere).toBe(403)
  expect((await fetch(`${inbox.url}/api/emails/nothing`)).status).toBe(404)
})
