import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Inbox, startInbox } from '../../dev/inbox/server.ts'
import { found, type Row, useCrm } from '../routes/crm.ts'
import { connecting, ME } from '../routes/mailboxes/connecting.ts'
import { useFiles } from '../routes/uploads.ts'

const crm = useCrm({ own: true })
const box = connecting(crm)
const files = useFiles(crm)
let inbox: Inbox

beforeAll(async () => {
  const { email, sms, whatsapp, google } = crm.app
  inbox = await startInbox({ email, sms, whatsapp, google, apiUrl: 'http://api.test', emailToken: 'none' })
})
afterAll(() => inbox.close())

const read = async (path: string): Promise<Row> => (await (await fetch(`${inbox.url}/api/${path}`)).json()) as Row
/** Does something on the page; resolves to the status, and what a refusal says. */
async function act(path: string, body: object = {}): Promise<[number, string]> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const response = await fetch(`${inbox.url}/api/${path}`, init)
  return [response.status, ((await response.json()) as Row).message ?? '']
}
const DONE = [200, '']

test('emails that were sent from a mailbox are shown with all their parts, and a reply arrives there, in the thread', async () => {
  await box.reset()
  const before = (await read('summary')).emails
  box.gmail().addAlias(ME, 'sales@harbour.example', 'Sälés')
  const mailbox = await box.connect()
  found(await crm.ws.patch(`/mailboxes/${mailbox.id}`, { sender_email: 'sales@harbour.example' }))
  const [contact, deal] = [await crm.contact({ email: 'gmail-reader@example.com' }), await crm.opportunity()]
  const plan = await files.uploaded(deal.id, 'Pläne.pdf')
  const log = found(
    await box.send({ contact_id: contact.id, subject: 'Angebot für Sie', html: '<p>Das <b>Angebot</b></p>', attachment_ids: [plan.id] }),
  )
  const [listed] = (await read(`emails?search=${ME}`)).emails
  expect(listed).toMatchObject({
    from: 'Sälés <sales@harbour.example>',
    mailbox: ME,
    subject: 'Angebot für Sie',
    attachments: 1,
    acts: [],
  })
  expect([listed.preview, (await read('summary')).emails]).toEqual(['Hello Ana', before + 1])
  const shown = await read(`emails/${listed.id}`)
  expect(shown).toMatchObject({ text: 'Hello Ana', source: '<p>Das <b>Angebot</b></p>', actions: ['reply'], links: [] })
  expect(shown.headers).toEqual(
    expect.arrayContaining([
      ['Subject', 'Angebot für Sie'],
      ['Message-ID', expect.stringMatching(/^<.+@.+>$/)],
      ['Gmail mailbox', ME],
    ]),
  )
  expect(shown.attachments).toMatchObject([{ name: 'Pläne.pdf', type: 'application/pdf', calendar: null }])
  expect(await (await fetch(`${inbox.url}/api/emails/${listed.id}/attachments/0`)).text()).toMatch(/^%PDF/)
  const frame = await fetch(`${inbox.url}/api/emails/${listed.id}/html`)
  expect(frame.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/)

  expect(await act(`emails/${listed.id}/reply`, { text: 'Yes <please>\nAna' })).toEqual(DONE)
  expect(await box.push()).toBe(200)
  expect((await box.messages(log.thread_id)).map(({ direction, body_text, to_emails }: Row) => [direction, body_text, to_emails])).toEqual([
    ['outbound', 'Hello Ana', ['gmail-reader@example.com']],
    ['inbound', 'Yes <please>\r\nAna', ['sales@harbour.example']],
  ])
  expect((await read(`emails/${listed.id}`)).acts).toMatchObject([{ kind: 'replied', detail: 'Yes <please>\nAna' }])
  expect((await read('emails')).total).toBe(before + 1)
  expect(await act(`emails/${listed.id}/bounce`)).toEqual([404, 'The actions of this email are reply'])

  const calendar = 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n'
  const invitation = { name: 'ünvitation.ics', content_type: 'text/calendar', content: Buffer.from(calendar).toString('base64') }
  const { id } = box.gmail().compose(ME, { to: contact.email, subject: 'Written at Gmail', attachments: [invitation] })
  expect((await read(`emails/${id}`)).attachments).toEqual([{ name: 'ünvitation.ics', type: 'text/calendar', size: 32, calendar }])
  box.gmail().compose(ME, { to: contact.email, subject: 'Not sent yet', labels: ['DRAFT'] })
  expect((await read('emails')).emails.map(({ subject }: Row) => subject).slice(0, 2)).toEqual(['Written at Gmail', 'Angebot für Sie'])
})

test('faults of Gmail are switched on and off, and no email is sent twice', async () => {
  await box.reset()
  await box.connect()
  const contact = await crm.contact({ email: 'gmail-faults@example.com' })
  const status = async () => (await box.send({ contact_id: contact.id })).status
  const sent = () => box.gmail().sent(ME).length
  const before = sent()
  expect(await act('faults/google/gmail.send', { value: '400' })).toEqual(DONE)
  expect([await status(), sent() - before, (await read('summary')).faults]).toEqual([502, 0, 1])
  expect(await act('faults/google/gmail.send', { value: '' })).toEqual(DONE)
  expect(await act('faults/google/gmail.send', { value: 'drop but carried out', times: 1 })).toEqual(DONE)
  await status()
  for (let n = 0; n < 3; n++) await box.later()
  expect([sent() - before, await status(), sent() - before]).toEqual([1, 201, 2])
  expect(await act('faults/google/gmail.send', { value: 'invalid_grant' })).toEqual([400, expect.stringContaining('quota')])
  expect(await act('faults/google/token', { value: 'invalid_grant', times: 1 })).toEqual(DONE)
  expect((await read('faults')).find(({ id }: Row) => id === 'google').switches.find(({ id }: Row) => id === 'token').pending).toBe(1)
  expect(await act('faults/google/token', { value: '' })).toEqual(DONE)
  expect((await read('summary')).faults).toBe(0)
})
