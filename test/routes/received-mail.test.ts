import { expect, test } from 'vitest'
import { type EmailParts, inboundEmail } from '../../dev/inbound-mail.ts'
import { found, type Row, useCrm } from './crm.ts'
import { mailing } from './mailing.ts'

const crm = useCrm()
const mail = mailing(crm)
let people = 0
const person = () => crm.contact({ email: `received-${++people}@example.com` })
const HOUR = 3_600_000

async function post(parts: EmailParts, fields: Row): Promise<void> {
  found((await mail.post({ ...inboundEmail(parts), ...fields })) as never)
  await crm.app.drain()
}

/** A conversation with a contact that was closed after an email to them. */
async function closed(): Promise<{ contact: Row; thread: string }> {
  const contact = await person()
  await mail.inbox()
  const { thread_id } = await mail.send({ contact_id: contact.id })
  found(await crm.ws.patch(`/conversations/${thread_id}`, { status: 'closed' }))
  return { contact, thread: thread_id }
}

const AUTOMATIC: [string, Row[]][] = [
  ['Exchange', [{ Name: 'Auto-Submitted', Value: 'auto-generated' }]],
  ['Gmail', [{ Name: 'Auto-Submitted', Value: 'auto-replied (vacation)' }]],
  ['cPanel', [{ Name: 'X-Autorespond', Value: 'Away' }]],
  ['Sieve of old', [{ Name: 'Precedence', Value: 'auto_reply' }]],
  ['a mail server', [{ Name: 'Content-Type', Value: 'multipart/report; report-type=delivery-status' }]],
  ['a bounce', [{ Name: 'Return-Path', Value: '<>' }]],
]

test.each(AUTOMATIC)('an automatic reply of %s opens no closed conversation and is no answer of a person', async (_, headers) => {
  const { contact, thread } = await closed()
  const [before] = await mail.threads(`contact_id=${contact.id}`)
  await mail.reply(contact.email, { text: 'I am away', headers: headers as { Name: string; Value: string }[] })
  expect(found(await crm.ws.get(`/conversations/${thread}`))).toMatchObject({ status: 'closed', unread: false, message_count: 2 })
  const [after] = await mail.threads(`contact_id=${contact.id}`)
  expect(after).toMatchObject({ is_read: true, direction: 'outbound', snippet: before!.snippet, last_message_at: before!.last_message_at })
  expect((await mail.messages(thread)).map(({ body_text, is_automatic }: Row) => [body_text, is_automatic])).toContainEqual([
    'I am away',
    true,
  ])
  const types = (await crm.events(thread)).map(({ type }) => type)
  expect(types).toContain('email.automatic_received')
  expect(types).not.toContain('email.received')
})

test('a reply goes to the person, and answers what the person wrote, whatever program has answered meanwhile', async () => {
  const { contact, thread } = await closed()
  const reply = async (id: string) => {
    const { recipient_email } = found(await crm.ws.post('/email/reply', { thread_id: id, text: 'Hello again' }))
    const headers = mail.emailsTo(recipient_email).at(-1)!.Headers!
    return [recipient_email, headers.find(({ Name }) => Name === 'In-Reply-To')?.Value]
  }
  const bounced = (messageId: string) =>
    mail.receive({
      from: 'MAILER-DAEMON@mx.example.net',
      subject: 'Delayed',
      text: 'Not delivered yet',
      headers: [{ Name: 'References', Value: messageId }],
    })
  const sent = mail.emailsTo(contact.email)[0]!.Headers!.find(({ Name }) => Name === 'Message-ID')!.Value
  await bounced(sent)
  expect(await reply(thread)).toEqual([contact.email, sent])
  const stranger = { from: `stranger-${contact.id}@example.net`, messageId: `question-${contact.id}@example.net` }
  await mail.receive({ ...stranger, subject: 'Question', text: 'Is it ready?' })
  const [question] = await mail.threads()
  await bounced(`<${stranger.messageId}>`)
  expect(await mail.messages(question!.id)).toHaveLength(2)
  expect(await reply(question!.id)).toEqual([stranger.from, `<${stranger.messageId}>`])
  // A conversation without a person is answered to the program.
  await mail.receive({ from: `mailer-daemon@${contact.id}.example`, subject: 'Quota', text: 'Nearly full' })
  expect((await reply((await mail.threads()).find(({ subject }: Row) => subject === 'Quota')!.id))[0]).toBe(
    `mailer-daemon@${contact.id}.example`,
  )
})

test('what a person writes opens it, also if their program says that it is not automatic, or is a list', async () => {
  for (const header of [
    { Name: 'Auto-Submitted', Value: 'no' },
    { Name: 'Precedence', Value: 'list' },
    { Name: 'X-Auto-Response-Suppress', Value: 'All' },
  ]) {
    const { contact, thread } = await closed()
    await mail.reply(contact.email, { text: 'Here I am', headers: [header] })
    expect(found(await crm.ws.get(`/conversations/${thread}`)), header.Name).toMatchObject({ status: 'open', unread: true })
    expect((await crm.events(thread)).map(({ type }) => type)).toContain('email.received')
  }
})

test('an email has the time at which it was sent, unless its clock is wrong', async () => {
  const contact = await person()
  const at = (hours: number) => new Date(Math.floor((Date.now() + hours * HOUR) / 1000) * 1000)
  const cases: [string, string, Date | null][] = [
    ['held up', at(-5).toUTCString(), at(-5)],
    ['with a zone in words', at(-5).toUTCString().replace('GMT', '+0000 (UTC)'), at(-5)],
    ['from the future', at(5).toUTCString(), null],
    ['from a computer of 1970', 'Thu, 1 Jan 1970 00:00:00 +0000', null],
    ['unreadable', 'yesterday', null],
  ]
  for (const [subject, Date_, expected] of cases) {
    await post({ from: contact.email, subject, text: 'Hello' }, { Date: Date_ })
    const [thread] = await mail.threads(`search=${encodeURIComponent(subject)}`)
    const [message] = (await mail.messages(thread!.id)) as [Row]
    const difference = Math.abs(Date.parse(message.occurred_at) - (expected?.getTime() ?? Date.now()))
    expect(difference, subject).toBeLessThan(60_000)
  }
})

test('an image is joined with its file by its Content-ID, and the name of a file has no path, or says what it is', async () => {
  const contact = await person()
  const file = { Content: 'aGk=', ContentType: 'image/png' }
  const Attachments = [
    { ...file, Name: 'C:\\Users\\Ana\\photo.png', ContentID: '<photo@example.com>' },
    { ...file, Name: '../../etc/passwd', ContentID: 'cid:second' },
    { ...file, Name: '', ContentID: '' },
  ]
  await post({ from: contact.email, subject: 'Photo', html: '<img src="cid:photo@example.com">' }, { Attachments })
  const [thread] = await mail.threads('search=photo')
  const [message] = (await mail.messages(thread!.id)) as [Row]
  expect(message.attachments.map(({ name, content_id }: Row) => [name, content_id])).toEqual([
    ['photo.png', 'photo@example.com'],
    ['passwd', 'second'],
    ['image.png', null],
  ])
  expect(message.body_html).toBe(`<img src="cid:${message.attachments[0].content_id}">`)
})

test('the timeline shows what Outlook users have written without what they quote, and HTML keeps the addresses of links', async () => {
  const contact = await person()
  const quoted = 'Agreed.\n\nFrom: Me <me@example.com>\nSent: Thursday, 19 November 2026 16:20\nTo: Ana\nSubject: Offer\n\nOld text'
  await post({ from: contact.email, subject: 'Outlook', text: quoted }, { StrippedTextReply: '' })
  const html = '<p>See <a href="https://example.com/plan">the plan</a></p>'
  await post({ from: contact.email, subject: 'Links', html }, { TextBody: '', StrippedTextReply: '' })
  const activities = found(await crm.ws.get(`/contacts/${contact.id}/activities`)) as Row[]
  expect(activities.map(({ body }) => body).toSorted()).toEqual(['Agreed.', 'See the plan'])
  const [thread] = await mail.threads('search=links')
  const [message] = (await mail.messages(thread!.id)) as [Row]
  expect(message.body_text).toBe('See the plan (https://example.com/plan)')
})
