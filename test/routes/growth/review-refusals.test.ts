import { expect, test } from 'vitest'
import { found, useCrm } from '../crm.ts'
import { texting } from '../texting.ts'
import { asking } from './asking.ts'

const crm = useCrm({ own: true })
const { mail, ready, person, ask, linked, later, background, request, open, post } = asking(crm)
const texts = texting(crm)

test('a person who was asked by SMS refuses SMS at the link, keeps emails, and gets no reminder', async () => {
  await ready()
  await texts.number()
  await texts.grant(10)
  const phone = '+61412000121'
  const bo = await crm.contact({ first_name: 'Bo', phone, email: 'refuses-sms@example.com' })
  const [{ id }] = found(await ask({ channel: 'sms', contact_ids: [bo.id], remind_after_days: 5 })).results
  await background()
  const path = new URL(/http\S+\/review\/\S+/.exec(texts.sentTo(phone)[0]?.body ?? '')?.[0] as string).pathname
  expect((await open(path)).text).toContain('No more SMS, please')
  const refusal = await post(`${path}/refuse`, 'POST', { lang: 'de' })
  const shown = await open(refusal.headers.get('location') as string)
  expect([refusal.status, shown.text.includes('<html lang="de">')]).toEqual([303, true])
  expect(found(await crm.ws.get(`/contacts/${bo.id}`))).toMatchObject({ sms_unsubscribed: true, email_unsubscribed: false })
  expect(await request(id)).toMatchObject({ status: 'stopped', reason: 'unsubscribed' })
  await later()
  expect(texts.sentTo(phone)).toHaveLength(1)
  const { errors } = found(await ask({ channel: 'sms', contact_ids: [bo.id] }))
  expect(errors).toMatchObject([{ error: { code: 'RECIPIENT_UNREACHABLE', details: { reason: 'unsubscribed' } } }])
})

test('a request waits while its page is closed or the workspace has no address to send from, and is sent afterwards', async () => {
  await ready()
  const [ana, bo] = [await person(), await person()]
  found(await crm.ws.patch('/company/crm-settings', { quiet_hours: { from: '00:00', to: '23:59' } }))
  const { results } = found(await ask({ contact_ids: [ana.id] }))
  found(await crm.ws.post('/reputation/profile', { is_published: false }))
  found(await crm.ws.patch('/company/crm-settings', { quiet_hours: null }))
  await later()
  expect(await request(results[0].id)).toMatchObject({ status: 'queued', reason: 'profile_not_published' })
  expect(mail.emailsTo(ana.email)).toEqual([])
  found(await crm.ws.post('/reputation/profile', { is_published: true }))
  await later()
  expect(await request(results[0].id)).toMatchObject({ status: 'sent', reason: null })
  expect(mail.emailsTo(ana.email)).toHaveLength(1)

  const { request: second } = await linked(bo)
  const [config] = found(await crm.ws.get('/email/configs'))
  found(await crm.ws.delete(`/email/configs/${config?.id}`))
  await later()
  expect(await request(second.id)).toMatchObject({ status: 'sent', reason: 'channel_not_configured' })
  expect(mail.emailsTo(bo.email)).toHaveLength(1)
})

test('a request that has expired sends no reminder', async () => {
  await ready()
  const ana = await person()
  const { request: first } = await linked(ana)
  await crm.app.owner.query('update review_requests set expires_at = now() where workspace_id = $1', [crm.ws.id])
  await later()
  expect(await request(first.id)).toMatchObject({ status: 'stopped', reason: 'expired' })
  expect(mail.emailsTo(ana.email)).toHaveLength(1)
})
