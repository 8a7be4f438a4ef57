import { expect, test } from 'vitest'
import type { SentEmail } from '../../dev/email-emulator.ts'
import { campaigning } from './campaigning.ts'
import { found, type Row, useCrm } from './crm.ts'
import { mailing } from './mailing.ts'

/** Reports of the mail provider about emails that are no campaign. */
const crm = useCrm({ own: true })
const mail = mailing(crm)
const { report, reportOf } = campaigning(crm)

const sentTo = (address: string) => mail.emailsTo(address).at(-1) as SentEmail
const listed = async () => found(await crm.ws.get('/suppressions')).map(({ address, reason }: Row) => [address, reason]) as string[][]
const left = async () =>
  found(await crm.ws.get('/email-campaigns/unsubscribes')).map(({ email, reason, contact_id }: Row) => [email, reason, contact_id])
/** The provider reports each recipient of an email by itself, with the metadata of the email. */
const about = (email: SentEmail, address: string, type: Parameters<typeof reportOf>[1]) => report(reportOf({ ...email, To: address }, type))

test('a report is about the recipient that it names, also one in the copy of an email', async () => {
  const ana = await crm.contact({ email: 'ana@example.net' })
  const ben = await crm.contact({ first_name: 'Ben', email: 'ben@example.net' })
  await mail.send({ contact_id: ana.id, cc: ['ben@example.net', 'carl@example.net'], bcc: ['dora@example.net'] })
  const email = sentTo('ana@example.net')
  await about(email, 'Carl@Example.net', 'HardBounce')
  await about(email, 'dora@example.net', 'SpamComplaint')
  await about(email, 'ben@example.net', 'SubscriptionChange')
  await crm.app.drain()
  const blocked = [
    ['ben@example.net', 'unsubscribed'],
    ['carl@example.net', 'hard_bounce'],
    ['dora@example.net', 'complaint'],
  ]
  expect((await listed()).toSorted()).toEqual(blocked)
  expect((await left()).map(([address]) => address).toSorted()).toEqual(blocked.map(([address]) => address))
  expect((await left()).map(([, , contact]) => contact)).not.toContain(ana.id)
  const unsubscribed = async ({ id }: Row) => found(await crm.ws.get(`/contacts/${id}`)).email_unsubscribed
  expect([await unsubscribed(ana), await unsubscribed(ben)]).toEqual([false, true])
  // Ana still gets emails.
  await mail.send({ contact_id: ana.id, subject: 'Again' })
  expect(sentTo('ana@example.net').Subject).toBe('Again')
  // An address that is none of the email, and a report without one, are about its recipient.
  await about(sentTo('ana@example.net'), 'forwarded@example.net', 'HardBounce')
  await crm.app.drain()
  expect(await listed()).toContainEqual(['ana@example.net', 'hard_bounce'])
  expect((await left()).find(([address]) => address === 'ana@example.net')).toEqual(['ana@example.net', 'hard_bounce', ana.id])
})

test('whoever bounces or unsubscribes is noted once, however often and in which ways the provider reports it', async () => {
  const eve = await crm.contact({ email: 'eve@example.net' })
  await mail.send({ contact_id: eve.id })
  const bounce = reportOf(sentTo('eve@example.net'), 'HardBounce')
  const change = { ...reportOf(sentTo('eve@example.net'), 'SubscriptionChange'), SuppressionReason: 'HardBounce' }
  for (const one of [bounce, change, bounce]) {
    await report(one)
    await crm.app.drain()
  }
  expect((await left()).filter(([address]) => address === 'eve@example.net')).toEqual([['eve@example.net', 'hard_bounce', eve.id]])
})
