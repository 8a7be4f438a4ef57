import { expect, test } from 'vitest'
import { inboundEmail } from '../../../dev/inbound-mail.ts'
import { found, type Row, useCrm } from '../crm.ts'
import { mailing } from '../mailing.ts'
import { messaging } from '../messaging.ts'
import { connecting, ME } from './connecting.ts'

/** What changes, or fails, between two steps of receiving and of sending. */
const crm = useCrm({ own: true })
const box = connecting(crm)
const team = mailing(crm)
const ledger = messaging(crm)
const FILE = { name: 'plan.pdf', content_type: 'application/pdf', content: Buffer.from('%PDF-1.7').toString('base64') }
const posted = (Name: string, Content: string) => ({ Name, Content, ContentType: 'application/pdf' })

async function connected() {
  await box.reset()
  const mailbox = await box.connect()
  const client = `client-${mailbox.id}@example.com`
  const contact = await crm.contact({ email: client })
  return { mailbox, client, contact }
}
/** Does something before each statement of the Worker that calls a function. */
function before(name: string, happens: () => unknown): void {
  crm.app.proxy.onRequest = async (request) => {
    if (JSON.stringify(request).includes(name)) await happens()
  }
}
const mend = () => {
  crm.app.proxy.onRequest = undefined
}
const stored = async () => (await (await crm.app.files()).list({ prefix: `emails/${crm.ws.id}/` })).objects.length
const subjects = async () => (await box.threads()).map(({ subject }) => subject).toSorted()

test('an email whose contact is deleted while it is read is not stored, and neither are its files', async () => {
  const { client, contact } = await connected()
  box.gmail().receive(ME, { from: client, subject: 'Too late', attachments: [FILE] })
  before('receive_mailbox_email', async () => {
    mend()
    found(await crm.ws.delete(`/contacts/${contact.id}?purge=true`))
  })
  expect(await box.push()).toBe(200)
  mend()
  expect([await subjects(), await stored()]).toEqual([[], 0])
})

test('an email that is deleted at the provider while it is read does not keep away the next one', async () => {
  const { client } = await connected()
  box.gmail().receive(ME, { from: client, subject: 'Gone' })
  crm.app.google.fail('gmail.get', 'slow')
  crm.app.google.fail('gmail.get', '404')
  expect(await box.push()).toBe(200)
  box.gmail().receive(ME, { from: client, subject: 'Here' })
  expect(await box.push()).toBe(200)
  expect(await subjects()).toEqual(['Here'])
})

test('an email is not left out because the database cannot be reached, however often that was so', async () => {
  const { mailbox, client } = await connected()
  box.gmail().receive(ME, { from: client, subject: 'Still here', attachments: [FILE] })
  await crm.app.owner.query('update mailboxes set attempts = 7 where id = $1', [mailbox.id])
  before('receive_mailbox_email', () => {
    throw new Error('The connection broke')
  })
  await box.later()
  mend()
  expect(await subjects()).toEqual([])
  await box.later()
  expect(await subjects()).toEqual(['Still here'])
})

test('of a received email that is stored already, and of a file that cannot be read, nothing is kept', async () => {
  const contact = await crm.contact({ email: `files-${crm.ws.id}@example.com` })
  const once = inboundEmail({
    from: contact.email,
    subject: 'Files',
    attachments: [posted('bad.pdf', 'no base64!'), posted('good.pdf', FILE.content)],
  })
  const again = { ...inboundEmail({ from: contact.email, attachments: [posted('good.pdf', FILE.content)] }), Headers: once.Headers }
  for (const email of [once, again]) {
    found((await team.post(email)) as never)
    await crm.app.drain()
  }
  const [thread, ...others] = (await team.threads()) as Row[]
  expect(others).toEqual([])
  expect(await team.messages(thread!.id)).toMatchObject([{ subject: 'Files', attachments: [{ name: 'good.pdf', size: 8 }] }])
  expect(await stored()).toBe(1)
})

test('an outcome that the database refuses keeps away no other, and that message is looked up and sent once', async () => {
  const recipients = ['one', 'poison', 'three'].map((name) => `${name}-${crm.ws.id}@example.com`)
  const messages: string[] = []
  await crm.app.capture(true)
  for (const email of recipients) messages.push(await ledger.reserve(await crm.contact({ email })))
  await crm.app.owner.query(`create function refuse_poison() returns trigger language plpgsql as $$ begin
    raise exception 'refused'; end $$;
    create trigger refuse_poison before update on messages for each row
    when (new.status = 'sent' and new.recipient like 'poison-%') execute function refuse_poison()`)
  await ledger.wake()
  const states = async () => (await Promise.all(messages.map(ledger.message))).map((one) => (one as Row).status)
  expect(await states()).toEqual(['sent', 'sending', 'sent'])
  await crm.app.owner.query('drop trigger refuse_poison on messages; drop function refuse_poison()')
  await crm.app.capture(false)
  await ledger.later()
  expect(await states()).toEqual(['sent', 'sent', 'sent'])
  expect(recipients.map((address) => ledger.emailsTo(address).length)).toEqual([1, 1, 1])
})
