import { expect, test } from 'vitest'
import { headerOf } from '../../../dev/gmail-world.ts'
import { failed, found, type Row, useCrm } from '../crm.ts'
import { connecting, ME } from './connecting.ts'

/** What a mailbox shows when its provider no longer allows what it was connected for. */
const crm = useCrm({ own: true })
const box = connecting(crm)

async function connected() {
  await box.reset()
  const mailbox = await box.connect()
  const contact = await crm.contact({ email: `client-${mailbox.id}@example.com` })
  return { mailbox, contact }
}
const shown = async (id: string) => found(await crm.ws.get(`/mailboxes/${id}`)) as Row
const errors = async (id: string) => (await crm.events(id)).filter(({ type }) => type === 'mailbox.errored').map(({ payload }) => payload)
const subjects = () =>
  box
    .gmail()
    .sent(ME)
    .map((one) => headerOf(one, 'Subject'))

test('a mailbox that may not send, or whose new token is refused too, has an error until its member connects it again', async () => {
  const { mailbox, contact } = await connected()
  const send = (subject: string) => box.send({ contact_id: contact.id, subject })
  let announced = 0
  for (const [n, modes] of ([['403'], ['401', '401'], ['401', '403']] as const).entries()) {
    for (const mode of modes) crm.app.google.fail('gmail.send', mode)
    expect(await send(`refused ${n}`)).toMatchObject(failed(502, 'PROVIDER_ERROR'))
    expect(await shown(mailbox.id)).toMatchObject({ status: 'error', error: 'scopes' })
    expect(await send(`ended ${n}`)).toMatchObject(failed(400, 'MAILBOX_NOT_CONNECTED'))
    announced += 1
    expect(await errors(mailbox.id)).toMatchObject(Array.from({ length: announced }, () => ({ error: 'scopes', account_email: ME })))
    expect(await box.connect()).toMatchObject({ status: 'connected', error: null })
    expect(found(await send(`again ${n}`))).toMatchObject({ status: 'sent' })
  }
  expect(subjects()).toEqual(['again 0', 'again 1', 'again 2'])
})

test('a failure that may pass, also with the new token, leaves the mailbox connected', async () => {
  const { mailbox, contact } = await connected()
  crm.app.google.fail('gmail.send', '401')
  crm.app.google.fail('gmail.send', '429')
  expect(found(await box.send({ contact_id: contact.id, subject: 'Later' }))).toMatchObject({ status: 'queued' })
  expect(await shown(mailbox.id)).toMatchObject({ status: 'connected', error: null })
  await box.later()
  expect(subjects()).toEqual(['Later'])
  expect(await errors(mailbox.id)).toEqual([])
})

test('a check says what the provider has answered, and shows an end of the grant by the status', async () => {
  const { mailbox } = await connected()
  const check = () => crm.ws.post(`/mailboxes/${mailbox.id}/check`)
  box.gmail().addAlias(ME, 'new@harbour.example')
  for (const mode of ['503', '429', 'drop'] as const) {
    crm.app.google.failuresOf('gmail.sendAs').always = { mode, accept: false }
    expect(await check()).toMatchObject({
      status: 502,
      body: { error: { code: 'PROVIDER_ERROR', details: { provider: 'gmail', reason: expect.any(String) } } },
    })
    expect(await shown(mailbox.id)).toMatchObject({ status: 'connected' })
  }
  crm.app.google.failuresOf('gmail.sendAs').clear()
  expect(found(await check()).aliases).toHaveLength(2)
  crm.app.google.fail('gmail.sendAs', '403')
  expect(found(await check())).toMatchObject({ status: 'error', error: 'scopes' })
  expect(await check()).toMatchObject(failed(409, 'INVALID_STATE'))
  await box.connect()
  crm.app.google.accounts.revokeAll(ME)
  crm.app.google.accounts.expireAccess()
  expect(found(await check())).toMatchObject({ status: 'error', error: 'invalid_grant' })
})

test('received emails are not lost when the provider refuses to be read for a while', async () => {
  const { mailbox, contact } = await connected()
  crm.app.google.fail('gmail.history', '403')
  box.gmail().receive(ME, { from: contact.email, subject: 'Hello', text: 'Are you there?' })
  expect(await box.push()).toBe(200)
  expect(await shown(mailbox.id)).toMatchObject({ status: 'error', error: 'scopes' })
  expect(await box.threads()).toEqual([])
  await box.connect()
  await box.later()
  expect(await box.threads()).toMatchObject([{ subject: 'Hello' }])
})

test('a mailbox whose changes Google does not let be reported, because of the topic of this deployment, is read without', async () => {
  await box.reset()
  crm.app.google.fail('gmail.watch', '403')
  const mailbox = await box.connect()
  expect(mailbox).toMatchObject({ status: 'connected', error: null, watch_expires_at: null })
  const contact = await crm.contact({ email: `client-${mailbox.id}@example.com` })
  box.gmail().receive(ME, { from: contact.email, subject: 'Hello' })
  await box.later()
  expect(await box.threads()).toMatchObject([{ subject: 'Hello' }])
  expect(await errors(mailbox.id)).toEqual([])
})
