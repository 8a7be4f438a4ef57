import { expect, test } from 'vitest'
import type { GmailMessage } from '../../../dev/gmail-world.ts'
import { useCrm } from '../crm.ts'
import { connecting, ME } from './connecting.ts'

/** Emails that come late, from the spam or the bin, or not at all. */
const crm = useCrm({ own: true })
const box = connecting(crm)
const FILE = { name: 'plan.pdf', content_type: 'application/pdf', content: Buffer.from('%PDF-1.7').toString('base64') }

async function connected() {
  await box.reset()
  const mailbox = await box.connect()
  const client = `client-${mailbox.id}@example.com`
  const contact = await crm.contact({ email: client })
  return { client, contact }
}

test('an email that its member takes out of the spam or the bin arrives then, once, and no other move matters', async () => {
  const { client } = await connected()
  const [spam, binned, kept] = (['SPAM', 'TRASH', 'INBOX'] as const).map((label) =>
    box.gmail().receive(ME, { from: client, subject: label, labels: [label, 'UNREAD'] }),
  ) as [GmailMessage, GmailMessage, GmailMessage]
  await box.later()
  const subjects = async () => (await box.threads()).map(({ subject, message_count }) => [subject, message_count])
  expect(await subjects()).toEqual([['INBOX', 1]])
  const reads = () => crm.app.google.accepted.filter(({ route }) => route === 'gmail.get').length
  const before = reads()
  box.gmail().move(ME, kept, ['Label_1'])
  await box.later()
  expect(reads()).toBe(before)
  box.gmail().move(ME, spam)
  expect(await box.push()).toBe(200)
  box.gmail().move(ME, binned)
  box.gmail().move(ME, kept, ['TRASH'])
  box.gmail().move(ME, kept)
  await box.later()
  expect((await subjects()).toSorted()).toEqual(['INBOX', 'SPAM', 'TRASH'].map((subject) => [subject, 1]))
})

test('a conversation whose changes Gmail has forgotten begins with its first email and shows its last one, in any order', async () => {
  const { client } = await connected()
  const messageId = `first-${client}`
  const first = box.gmail().receive(ME, { from: client, subject: 'Question', text: 'The question', messageId })
  const [answer, last] = ['The answer', 'Thanks'].map((text, n) => {
    const reply = { subject: 'Re: Question', text, inReplyTo: messageId }
    return n === 0 ? box.gmail().compose(ME, { to: client, ...reply }) : box.gmail().receive(ME, { from: client, ...reply })
  })
  for (const [n, one] of [first, answer!, last!].entries()) one.receivedAt = Date.now() - 60_000 + n * 1_000
  box.gmail().forget(ME)
  await box.later()
  expect(await box.threads()).toMatchObject([{ subject: 'Question', snippet: 'Thanks', direction: 'inbound', message_count: 3 }])
  const [thread] = await box.threads()
  const late = box.gmail().compose(ME, { to: client, subject: 'Re: Question', text: 'Between them', inReplyTo: messageId })
  late.receivedAt = first.receivedAt + 500
  await box.push()
  const { snippet, direction, last_message_at } = thread!
  expect(await box.threads()).toMatchObject([{ snippet, direction, last_message_at, message_count: 4 }])
  expect((await box.messages(thread!.id)).map(({ body_text }) => body_text)).toEqual([
    ...['The question', 'Between them', 'The answer', 'Thanks'],
  ])
})

test('an email that Gmail does not serve, or whose file it does not, holds up the others for hours at most, and only alone', async () => {
  const { client } = await connected()
  const subjects = async () => (await box.threads()).map(({ subject }) => subject).toSorted()
  const HOURS = 7 * 60
  box.gmail().receive(ME, { from: client, subject: 'Unreadable' }).receivedAt = Number.NaN
  box.gmail().receive(ME, { from: client, subject: 'With a file', attachments: [FILE] })
  box.gmail().receive(ME, { from: client, subject: 'After them' })
  crm.app.google.failuresOf('gmail.attachment').always = { mode: '400', accept: false }
  for (let n = 0; n < 6; n++) await box.later()
  expect(await subjects()).toEqual([])
  // While Gmail serves nothing else, either, no email is given up.
  crm.app.google.failuresOf('gmail.profile').always = { mode: '503', accept: false }
  await box.later(HOURS)
  expect(await subjects()).toEqual([])
  crm.app.google.failuresOf('gmail.profile').clear()
  await box.later()
  expect(await subjects()).toEqual(['After them'])
})
