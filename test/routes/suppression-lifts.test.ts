import { beforeEach, expect, test } from 'vitest'
import { campaigning } from './campaigning.ts'
import { created, found, type Row, useCrm } from './crm.ts'
import { mailing } from './mailing.ts'

const crm = useCrm({ own: true })
const { draft, people, recipients, send, sentOf } = campaigning(crm)
const mail = mailing(crm)
beforeEach(() => crm.app.email.clear())
let last = 0
const someone = () => `lift-${Date.now().toString(36)}-${++last}@example.com`
const suppress = async (address: string, reason: string): Promise<Row> =>
  created(await crm.ws.post('/suppressions', { channel: 'email', address, reason }))
const listed = async () => (found(await crm.ws.get('/suppressions')) as Row[]).map(({ address, reason }) => [address, reason])
const at = () => crm.app.email.suppressions
const sweep = () => crm.app.cron('* * * * *')
const night = () => crm.app.cron('17 3 * * *')

test('an address that is lifted is lifted at the mail provider too, in every stream, so that the next email arrives', async () => {
  const email = someone()
  const contact = await crm.contact({ email })
  for (const stream of ['outbound', 'broadcast'] as const) at().add(stream, email, 'HardBounce')
  const { id } = await suppress(email, 'hard_bounce')
  found(await crm.ws.delete(`/suppressions/${id}`))
  at().isDown = true
  await sweep()
  expect(at().has('outbound', email), 'the provider is away').toBe(true)
  at().isDown = false
  await sweep()
  expect(at().has('outbound', email), 'it is asked again later only').toBe(true)
  await crm.app.owner.query('update suppression_lifts set due_at = now()')
  await sweep()
  expect([at().has('outbound', email), at().has('broadcast', email)]).toEqual([false, false])
  expect((await mail.send({ contact_id: contact.id })).status).toBe('sent')
  expect((await crm.app.owner.query('select from suppression_lifts')).rowCount).toBe(0)
})

test('one that was suppressed again stays suppressed, and what the provider keeps is on the list again, with its reason', async () => {
  const [again, complained] = [someone(), someone()]
  at().add('outbound', again, 'HardBounce')
  const { id } = await suppress(again, 'hard_bounce')
  found(await crm.ws.delete(`/suppressions/${id}`))
  await suppress(again, 'hard_bounce')
  at().add('broadcast', complained, 'SpamComplaint')
  const { id: complaint } = await suppress(complained, 'complaint')
  found(await crm.ws.delete(`/suppressions/${complaint}`))
  await sweep()
  expect(at().has('outbound', again)).toBe(true)
  expect((await listed()).toSorted()).toEqual(
    [
      [again, 'hard_bounce'],
      [complained, 'complaint'],
    ].toSorted(),
  )
})

test('a second lift begins anew, one of SMS is left alone, and no address comes back while its lift waits', async () => {
  const email = someone()
  const contact = await crm.contact({ email })
  expect((await mail.send({ contact_id: contact.id })).status).toBe('sent')
  at().add('outbound', email, 'HardBounce')
  const lift = async () => found(await crm.ws.delete(`/suppressions/${(await suppress(email, 'hard_bounce')).id}`))
  await lift()
  await crm.app.owner.query("update suppression_lifts set attempts = 60, due_at = now() + interval '1 day' where address = $1", [email])
  const phone = created(await crm.ws.post('/suppressions', { channel: 'sms', address: '+61400000001', reason: 'manual' }))
  found(await crm.ws.delete(`/suppressions/${phone.id}`))
  const waiting = async () => (await crm.app.owner.query('select address, attempts from suppression_lifts')).rows
  expect(await waiting()).toEqual([{ address: email, attempts: 60 }])
  await night()
  expect(await listed()).toEqual([])
  await lift()
  expect(await waiting()).toEqual([{ address: email, attempts: 0 }])
  await sweep()
  expect([at().has('outbound', email), await waiting()]).toEqual([false, []])
})

test('what the provider has suppressed unheard is on the list of the workspace that wrote last, and on no other', async () => {
  await people(2, `missed-${crm.ws.id}`)
  const { id } = await draft()
  await send(id)
  await crm.app.drain()
  const [bounced, unsubscribed] = sentOf(id).map(({ To }) => To as string) as [string, string]
  const other = await crm.app.workspace()
  await other.post('/contacts', { first_name: 'Same', email: bounced })
  at().add('broadcast', bounced, 'HardBounce')
  at().add('broadcast', unsubscribed, 'ManualSuppression')
  at().add('broadcast', someone(), 'HardBounce')
  await night()
  expect((await listed()).toSorted()).toEqual(
    [
      [bounced, 'hard_bounce'],
      [unsubscribed, 'unsubscribed'],
    ].toSorted(),
  )
  expect(found(await other.get('/suppressions'))).toEqual([])
  const statuses = Object.fromEntries((await recipients(id)).map(({ email, status }: Row) => [email, status]))
  expect(statuses[bounced]).toBe('bounced')
  await night()
  expect(await listed()).toHaveLength(2)
})

test('what happened to emails of a campaign while nobody listened is fetched the next night, once', async () => {
  await people(4, `outage-${crm.ws.id}`)
  const { id } = await draft()
  await send(id)
  await crm.app.drain()
  const [delivered, opened, bounced] = sentOf(id)
  const seen = (Type: string, Details = {}) => ({ Type, ReceivedAt: new Date().toISOString(), Details })
  crm.app.email.events.set(delivered!.MessageID, [seen('Delivered'), seen('Transient')])
  crm.app.email.events.set(opened!.MessageID, [seen('Delivered'), seen('Opened'), seen('LinkClicked', { Link: 'https://example.com/' })])
  crm.app.email.events.set(bounced!.MessageID, [seen('Bounced', { Summary: 'No such mailbox' })])
  await night()
  const statuses = async () => (await recipients(id)).map(({ status }: Row) => status).toSorted()
  expect(await statuses(), 'their reports may still come').toEqual(['sent', 'sent', 'sent', 'sent'])
  await crm.app.owner.query("update campaign_recipients set sent_at = sent_at - interval '2 hours' where workspace_id = $1", [crm.ws.id])
  for (let n = 0; n < 2; n++) {
    await night()
    expect(await statuses()).toEqual(['bounced', 'clicked', 'delivered', 'sent'])
  }
})
