import { expect, test } from 'vitest'
import { failed, found, type Row, useCrm } from './crm.ts'
import { connecting } from './mailboxes/connecting.ts'
import { mailing } from './mailing.ts'

const crm = useCrm()
const mail = mailing(crm)
const box = connecting(crm)

test('an address that the mailbox has lost sends nothing, neither by itself nor through an email config', async () => {
  const account = `member-${crm.ws.id}@gmail.example`
  const alias = `sales-${crm.ws.id}@harbour.example`
  box.gmail().addAlias(account, alias, 'Sales')
  const mailbox = await box.connect(crm.ws, account)
  const config = await mail.config({ mailbox_sender_alias: alias })
  expect(found(await box.send({ to: 'ana@example.com', config_id: config.id }))).toMatchObject({ sender_email: alias })
  found(await crm.ws.patch(`/mailboxes/${mailbox.id}`, { sender_email: alias }))
  const { aliases } = box.gmail().box(account)
  aliases.splice(0, aliases.length, ...aliases.filter(({ sendAsEmail }) => sendAsEmail !== alias))
  found(await crm.ws.post(`/mailboxes/${mailbox.id}/check`))
  expect(await box.send({ to: 'ana@example.com', config_id: config.id })).toMatchObject(failed(400, 'ALIAS_NOT_CONNECTED'))
  expect(box.gmail().sent(account)).toHaveLength(1)
  found(await crm.ws.patch(`/mailboxes/${mailbox.id}`, { sender_email: null }))
  expect(found(await box.send({ to: 'ana@example.com' }))).toMatchObject({ sender_email: account })
})

test('a reply to a contact who has lost the address, or is archived, is refused', async () => {
  const contact = await crm.contact({ email: `lost-${crm.ws.id}@example.com` })
  await mail.receive({ from: contact.email, to: 'hello@example.com', subject: 'Question', text: 'Is it ready?' })
  const [thread] = (await mail.threads()) as [Row]
  const refusedFor = async (reason: string) =>
    expect(await crm.ws.post('/email/reply', { thread_id: thread.id, text: 'Yes' })).toMatchObject({
      status: 409,
      body: { error: { code: 'RECIPIENT_UNREACHABLE', details: { reason } } },
    })
  found(await crm.ws.patch(`/contacts/${contact.id}`, { email: null, phone: '+61400000077' }))
  await refusedFor('no_address')
  found(await crm.ws.patch(`/contacts/${contact.id}`, { email: contact.email, archived: true }))
  await refusedFor('archived')
  expect(mail.emailsTo(contact.email)).toEqual([])
})

test('HTML and a signature without content count as none', async () => {
  const to = `blank-${crm.ws.id}@example.com`
  found(await crm.ws.post('/email/send', { to, subject: 'Blank', text: 'Hello\nAna', html: ' \n' }))
  expect(mail.emailsTo(to)).toMatchObject([{ TextBody: 'Hello\nAna', HtmlBody: 'Hello<br>\nAna' }])
  const sign = (html: string | null) => crm.ws.put('/email/signature', { html })
  expect(found(await sign('<p>Ana</p>'))).toMatchObject({ html: '<p>Ana</p>' })
  expect(found(await sign(' \n'))).toMatchObject({ html: null })
  expect(found(await crm.ws.get('/email/signature'))).toMatchObject({ html: null })
  found(await sign('<p>Ana</p>'))
  expect(found(await sign(null))).toMatchObject({ html: null })
})
