import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { foreignEmail } from '../../../dev/inbound-mail.ts'
import { found, type Row, useCrm } from '../crm.ts'
import { mailing } from '../mailing.ts'
import { connecting, ME } from './connecting.ts'

const crm = useCrm()
const box = connecting(crm)
const posted = mailing(crm)
const MAIL = join(import.meta.dirname, '../../mail')

type Expected = {
  subject: string
  from?: string | null
  /** What the person has written, as the timeline shows it. */
  own: string
  /** What is in the text, and in the HTML. */
  text?: string[]
  html?: string[]
  files?: [name: string, type: string, contentId?: string][]
}
const PHOTO: [string, string] = ['IMG_4711.jpeg', 'image/jpeg']

/** The emails in test/mail, byte by byte as ten mail programs write them, and what a reader must see of each. */
const EXPECTED: Record<string, Expected> = {
  'apple-mail-ios-photo': {
    subject: 'Photos of the roof',
    own: 'Before the photo: this is the leak.\n\n\n\nAfter the photo: please call before Friday – it’s urgent.\n\nSent from my iPhone',
    files: [PHOTO],
  },
  'apple-mail-mac-mixed-html': {
    subject: 'Angebot für die Küche',
    from: 'Jörg Müller',
    own: 'Vor dem Plan: die Küche wie besprochen.\n\nNach dem Plan: Grüße aus Köln',
    html: ['Vor dem Plan: die Küche wie besprochen.', 'Nach dem Plan: Grüße aus Köln'],
    files: [['Küchenplan.pdf', 'application/pdf']],
  },
  'outlook-classic-windows-1252': {
    subject: 'AW: Angebot über 1.200 €',
    from: 'Müller, Jörg',
    own: 'Der Preis beträgt 1.200 € – „gültig“ bis März.\n\n[cid:image001.png@01DC5A3B.4F2E1A90]',
    text: ['Alter Text des Angebots'],
    html: ['Der Preis beträgt 1.200 € – „gültig“ bis März.', 'src="cid:image001.png@01DC5A3B.4F2E1A90"'],
    files: [['image001.png', 'image/png', 'image001.png@01DC5A3B.4F2E1A90']],
  },
  'becky-iso-2022-jp': {
    subject: 'お見積りの件',
    from: '佐藤 花子',
    own: 'お見積りをありがとうございます。\n来週お電話します。',
    text: ['> 以前の本文'],
  },
  'naver-euc-kr-html': { subject: '견적 문의', from: '김민수', own: '견적을 확인했습니다.\n다음 주에 연락드리겠습니다.' },
  'foxmail-gb18030': {
    subject: '报价单',
    from: '王芳',
    own: '您好，报价单请看附件。',
    files: [['报价单.xls', 'application/vnd.ms-excel']],
  },
  'mutt-koi8-r': { subject: 'Re: Встреча', from: 'Иван Петров', own: 'Да, вторник подходит.\n\n\nПридём вдвоём.', text: ['> Кто придёт?'] },
  'notes-iso-8859-15': {
    subject: 'Réponse à votre offre',
    own: 'Le prix de 900 € me convient, cœur de métier compris.',
    text: ['Ancien texte'],
  },
  'thunderbird-forward-as-attachment': {
    subject: 'Fwd: Inner',
    own: 'See the attached message – naïve café.',
    files: [
      ['Inner.eml', 'message/rfc822'],
      ['Prüfung.log', 'text/x-log'],
    ],
  },
  'gmail-web-inline-image': {
    subject: 'Re: Offer',
    own: 'Yes please 👍\n[image: image.png]',
    html: ['src="cid:ii_mi2k3l4m0"'],
    files: [['image.png', 'image/png', 'ii_mi2k3l4m0']],
  },
  'outlook-365-meeting-request': {
    subject: 'Visit',
    own: 'Does the first of December suit you?',
    files: [['invitation.ics', 'text/calendar']],
  },
  'yahoo-big5': { subject: '訂單', from: '陳大文', own: '請寄新的訂單給我。' },
  'the-bat-windows-1251': { subject: 'Счёт', from: 'Ольга', own: 'Пришлите, пожалуйста, счёт.' },
  'outlook-express-shift-jis': { subject: 'ご連絡', from: '田中', own: '明日の午後に伺います。', text: ['以前の本文'] },
  'exchange-out-of-office': { subject: 'Automatic reply: Offer', own: 'I am away until Monday.' },
  'postfix-bounce': {
    subject: 'Undelivered Mail Returned to Sender',
    own: 'This is the mail system at host mail.example.com.',
    files: [
      ['delivery-status.txt', 'message/delivery-status'],
      ['noname.eml', 'message/rfc822'],
    ],
  },
}

/** The bytes of an email that a client has sent; its Message-ID is unique to the test. */
const rawOf = (name: string, client: string, run: string): Buffer =>
  Buffer.from(
    readFileSync(join(MAIL, `${name}.eml`), 'latin1')
      .replace(/client@example\.com|MAILER-DAEMON@mail\.example\.com/g, client)
      .replace(/^(Message-ID: <)/im, `$1${run}`),
    'latin1',
  )

test.each([
  ['as Gmail serves them', false],
  ['served as its documentation also allows', true],
])('nothing that ten mail programs write in ten charsets is lost or garbled: emails %s', async (run, isLenient) => {
  expect(Object.keys(EXPECTED).toSorted()).toEqual(
    readdirSync(MAIL)
      .map((name) => name.replace('.eml', ''))
      .toSorted(),
  )
  await box.reset()
  await box.connect()
  box.gmail().isLenient = isLenient
  const client = `client-${run.length}@example.com`
  const contact = await crm.contact({ email: client })
  for (const name of Object.keys(EXPECTED)) box.gmail().receiveRaw(ME, rawOf(name, client, `r${run.length}.`))
  await box.push()
  expect(await seenOf(contact.id)).toEqual(EXPECTED)
})

/** What a reader sees of each email of a contact, as far as it is expected. */
async function seenOf(contactId: string): Promise<Record<string, Expected>> {
  const threads = await posted.threads(`contact_id=${contactId}&limit=100`)
  const activities = found(await crm.ws.get(`/contacts/${contactId}/activities?limit=100`)) as Row[]
  const read: Record<string, Expected> = {}
  for (const [name, { from, text = [], html = [] }] of Object.entries(EXPECTED)) {
    const thread = threads.find(({ subject }: Row) => subject === EXPECTED[name]?.subject)
    expect([name, threads.map(({ subject }: Row) => subject)]).toEqual([name, expect.arrayContaining([EXPECTED[name]?.subject])])
    const [message] = await box.messages(thread!.id)
    expect([name, message?.body_text.trim()]).toEqual([name, expect.stringMatching(/./)])
    const files = message!.attachments.map((file: Row): [string, string, string?] =>
      file.content_id === null ? [file.name, file.mimeType] : [file.name, file.mimeType, file.content_id],
    )
    read[name] = {
      subject: message?.subject,
      ...(from !== undefined && { from: message?.from_name }),
      own: activities.find(({ metadata }) => metadata.email_message_id === message?.id)?.body.replaceAll('\r', ''),
      ...(text.length > 0 && { text: text.filter((part) => message?.body_text.includes(part)) }),
      ...(html.length > 0 && { html: html.filter((part) => message?.body_html.includes(part)) }),
      ...(files.length > 0 && { files }),
    }
  }
  return read
}

const accepted = ({ status }: { status: number }) => expect(status).toBe(200)

/** A file that has no name gets one that says what it is: Gmail's is its own. */
const named = (seen: Record<string, Expected>) =>
  JSON.parse(JSON.stringify(seen).replaceAll('noname.eml', 'message.eml')) as Record<string, Expected>

test('nothing of them is lost or garbled when Postmark posts them', async () => {
  const contact = await crm.contact({ email: 'posted@example.com' })
  for (const name of Object.keys(EXPECTED))
    accepted(await posted.post(foreignEmail(rawOf(name, 'posted@example.com', 'p.'), 'inbox@example.com', false)))
  await crm.app.drain()
  expect(await seenOf(contact.id)).toEqual(named(EXPECTED))
})

test('of what a person has written nothing is lost when Postmark posts only the first text as such', async () => {
  const contact = await crm.contact({ email: 'first-text@example.com' })
  for (const name of Object.keys(EXPECTED))
    accepted(await posted.post(foreignEmail(rawOf(name, 'first-text@example.com', 'f.'), 'inbox@example.com', true)))
  await crm.app.drain()
  const seen = await seenOf(contact.id)
  for (const [name, { own, files = [] }] of Object.entries(EXPECTED)) {
    expect([name, seen[name]?.own]).toEqual([name, expect.stringContaining(own.split('\n')[0] as string)])
    expect([name, (seen[name]?.files ?? []).length]).toEqual([name, expect.toSatisfy((count: number) => count >= files.length)])
  }
})

test('a file is stored as it was sent, whatever its charset', async () => {
  await box.reset()
  await box.connect()
  const client = 'files@example.com'
  await crm.contact({ email: client })
  box.gmail().receiveRaw(ME, rawOf('thunderbird-forward-as-attachment', client, 'files.'))
  await box.push()
  const [thread] = await box.threads()
  const [message] = await box.messages(thread!.id)
  const bytes: Record<string, Buffer> = {}
  for (const { id, name } of message!.attachments as Row[]) {
    const { pathname, search } = new URL(found(await crm.ws.get(`/email/attachments/${id}/download`)).url)
    bytes[name] = Buffer.from(await (await crm.app.fetch(pathname + search)).arrayBuffer())
  }
  expect(bytes['Prüfung.log']?.toString('latin1')).toBe('Größe: 5 µm')
  expect(bytes['Inner.eml']?.toString()).toContain('The text of the forwarded message')
})
