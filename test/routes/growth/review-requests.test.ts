import { expect, test } from 'vitest'
import { ASK_AGAIN_DAYS, MAX_ASKED } from '../../../src/features/reputation/rules/review-requests.ts'
import { created, failed, found, nobody, type Row, refused, useCrm } from '../crm.ts'
import { texting } from '../texting.ts'
import { asking } from './asking.ts'

const crm = useCrm({ own: true })
const { mail, ready, person, ask, linked, later, background, request, open, write } = asking(crm)
const texts = texting(crm)

test('a contact gets an email with a link of their own, one reminder, and no more', async () => {
  const { id: profile_id } = await ready()
  const ana = await person({ first_name: 'Ana' })
  const { request: first, path } = await linked(ana, { message: 'How was the {installation}?' })
  expect(first).toMatchObject({ profile_id, contact_id: ana.id, channel: 'email', status: 'queued', remind_after_days: 5, sent_at: null })
  expect(mail.emailsTo(ana.email)).toMatchObject([
    { Subject: 'Bright Roofs: how was it?', TextBody: expect.stringContaining('How was the installation?') },
  ])
  expect(mail.emailsTo(ana.email)[0]?.TextBody).toContain('Hello Ana')
  expect(await request(first.id)).toMatchObject({ status: 'sent', sent_at: expect.any(String), reminded_at: null, reason: null })
  await background()
  expect(mail.emailsTo(ana.email)).toHaveLength(1)
  await later()
  expect(mail.emailsTo(ana.email).at(-1)).toMatchObject({
    Subject: 'Bright Roofs: a reminder of your review',
    TextBody: expect.stringContaining(path),
  })
  expect(await request(first.id)).toMatchObject({ status: 'reminded', reminded_at: expect.any(String) })
  await later()
  expect(mail.emailsTo(ana.email)).toHaveLength(2)
})

test('one click in a mail program ends the messages, with either form', async () => {
  await ready()
  const forms = [
    ['application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
    ['multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n'],
  ] as const
  for (const [type, body] of forms) {
    const bo = await person()
    const { request: first, path } = await linked(bo)
    const headers = Object.fromEntries((mail.emailsTo(bo.email)[0]?.Headers ?? []).map(({ Name, Value }) => [Name, Value]))
    expect(headers).toMatchObject({ 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' })
    const url = new URL(String(headers['List-Unsubscribe']).slice(1, -1))
    expect(url.pathname).toBe(`${path}/refuse`)
    expect((await open(url.pathname)).status).toBe(404)
    const { status, text } = await crm.app.client(url.pathname, { method: 'POST', headers: { 'content-type': type }, body })
    expect([status, text]).toEqual([200, expect.stringContaining('You get no more of them')])
    expect(found(await crm.ws.get(`/contacts/${bo.id}`))).toMatchObject({ email_unsubscribed: true })
    await later()
    expect(mail.emailsTo(bo.email)).toHaveLength(1)
    expect(await request(first.id)).toMatchObject({ status: 'stopped', reason: 'unsubscribed' })
  }
})

test('neither the ledger nor the history nor the events have the link', async () => {
  await ready()
  const { request: first, path } = await linked(await person())
  const token = path.split('/')[2] as string
  const ledger = found(await crm.ws.get('/messages?purpose=review'))
  expect(ledger).toHaveLength(1)
  const answers = [
    '/events',
    `/reputation/review-requests/${first.id}/history`,
    `/messages/${ledger[0]?.id}`,
    '/reputation/review-requests',
  ]
  for (const answer of answers) expect(JSON.stringify((await crm.ws.get(answer)).body)).not.toContain(token)
  const { rows } = await crm.app.owner.query('select token_seed from review_requests where id = $1', [first.id])
  for (const answer of answers) expect(JSON.stringify((await crm.ws.get(answer)).body)).not.toContain(rows[0].token_seed)
})

test('an SMS is sent from the number of the workspace, and charged by its whole length', async () => {
  await ready()
  await texts.number()
  await texts.grant(10)
  const phone = '+61412000111'
  const bo = await crm.contact({ first_name: 'Bo', phone })
  found(await ask({ channel: 'sms', contact_ids: [bo.id], message: 'x'.repeat(120) }))
  await background()
  const [sms] = texts.sentTo(phone)
  expect(sms?.body).toMatch(/^Bright Roofs: x{120} http\S+\/review\/[\w-]{43}$/)
  expect(found(await crm.ws.get('/messages?channel=sms'))).toMatchObject([{ segments: 2, credits: 2, purpose: 'review' }])
})

test('without credits an SMS waits, and is sent when there are some', async () => {
  await ready()
  await texts.number()
  const phone = '+61412000112'
  const bo = await crm.contact({ first_name: 'Bo', phone })
  const { results } = found(await ask({ channel: 'sms', contact_ids: [bo.id] }))
  await background()
  expect(await request(results[0].id)).toMatchObject({ status: 'queued', reason: 'insufficient_credits' })
  await texts.grant(10)
  await later()
  expect(texts.sentTo(phone)).toHaveLength(1)
  expect(await request(results[0].id)).toMatchObject({ status: 'sent', reason: null })
})

test('a message waits for the end of the quiet hours', async () => {
  await ready()
  found(await crm.ws.patch('/company/crm-settings', { quiet_hours: { from: '00:00', to: '23:59' } }))
  const ana = await person()
  const { results } = found(await ask({ contact_ids: [ana.id] }))
  await background()
  expect(mail.emailsTo(ana.email)).toEqual([])
  expect(await request(results[0].id)).toMatchObject({ status: 'queued', reason: 'quiet_hours' })
  found(await crm.ws.patch('/company/crm-settings', { quiet_hours: null }))
  await later()
  expect(mail.emailsTo(ana.email)).toHaveLength(1)
})

test('there is no reminder after a review, an unsubscription, a suppression or a cancellation, nor without one asked for', async () => {
  await ready()
  const people: Row[] = []
  const requests: Row[] = []
  for (let n = 0; n < 5; n++) {
    const one = await person()
    people.push(one)
    requests.push((await linked(one, n === 4 ? { remind_after_days: null } : {})).request)
  }
  const [, second, third] = people
  expect((await write(asking(crm).linkTo(people[0]?.email))).status).toBe(303)
  found(await crm.ws.patch(`/contacts/${second?.id}`, { email_unsubscribed: true }))
  created(await crm.ws.post('/suppressions', { channel: 'email', address: third?.email, reason: 'manual' }))
  found(await crm.ws.post(`/reputation/review-requests/${requests[3]?.id}/cancel`))
  await later()
  for (const { email } of people) expect(mail.emailsTo(email)).toHaveLength(1)
  const states = await Promise.all(requests.map(async ({ id }) => [(await request(id)).status, (await request(id)).reason]))
  expect(states).toEqual([
    ['reviewed', null],
    ['stopped', 'unsubscribed'],
    ['stopped', 'suppressed'],
    ['cancelled', null],
    ['sent', null],
  ])
})

test('a deleted contact is not reminded, and the link leads nowhere', async () => {
  await ready()
  const ana = await person()
  const { request: first, path } = await linked(ana)
  found(await crm.ws.delete(`/contacts/${ana.id}`))
  await later()
  expect(mail.emailsTo(ana.email)).toHaveLength(1)
  expect(await crm.ws.get(`/reputation/review-requests/${first.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect((await open(path)).status).toBe(404)
})

test('a cancelled request sends nothing, and its link does not work; one with a review cannot be cancelled', async () => {
  await ready()
  found(await crm.ws.patch('/company/crm-settings', { quiet_hours: { from: '00:00', to: '23:59' } }))
  const [ana, bo] = [await person(), await person()]
  const { results } = found(await ask({ contact_ids: [ana.id] }))
  expect(found(await crm.ws.post(`/reputation/review-requests/${results[0].id}/cancel`))).toMatchObject({ status: 'cancelled' })
  found(await crm.ws.patch('/company/crm-settings', { quiet_hours: null }))
  await later()
  expect(mail.emailsTo(ana.email)).toEqual([])
  const { request: second, path } = await linked(bo)
  await write(path)
  expect(await crm.ws.post(`/reputation/review-requests/${second.id}/cancel`)).toMatchObject(failed(409, 'INVALID_STATE'))
  const third = await person()
  const other = await linked(third)
  found(await crm.ws.post(`/reputation/review-requests/${other.request.id}/cancel`))
  expect((await open(other.path)).status).toBe(404)
  // The provider has not taken the message yet when its request is cancelled.
  const fourth = await person()
  crm.app.email.fail('429')
  const [{ id }] = found(await ask({ contact_ids: [fourth.id] })).results
  await later()
  expect(found(await crm.ws.get(`/messages?contact_id=${fourth.id}`))).toMatchObject([
    { status: 'queued', error: expect.stringContaining('429') },
  ])
  found(await crm.ws.post(`/reputation/review-requests/${id}/cancel`))
  await crm.app.owner.query('update messages set due_at = now() where workspace_id = $1 and due_at is not null', [crm.ws.id])
  await crm.app.cron('* * * * *')
  await crm.app.drain()
  expect(mail.emailsTo(fourth.email)).toEqual([])
})

test('a contact is asked once in a while, also by many calls at once, and each answer says so', async () => {
  await ready()
  const ana = await person()
  const answers = await Promise.all(Array.from({ length: 6 }, () => ask({ contact_ids: [ana.id] })))
  const bulks = answers.map((answer) => found(answer))
  expect(bulks.flatMap(({ results }) => results)).toHaveLength(1)
  expect(bulks.flatMap(({ skipped }) => skipped)).toHaveLength(5)
  expect(found(await ask({ contact_ids: [ana.id] })).skipped).toEqual([
    {
      index: 0,
      id: ana.id,
      reason: expect.stringMatching(
        new RegExp(`${ASK_AGAIN_DAYS} days from one request to the next, and this contact got one at 20\\d\\d-`),
      ),
    },
  ])
  // A cancelled request counts if the contact has received it.
  await later()
  found(await crm.ws.post(`/reputation/review-requests/${bulks.flatMap(({ results }) => results)[0].id}/cancel`))
  expect(found(await ask({ contact_ids: [ana.id] })).results).toEqual([])
  await crm.app.owner.query("update review_requests set created_at = now() - interval '91 days' where workspace_id = $1", [crm.ws.id])
  expect(found(await ask({ contact_ids: [ana.id] })).results).toHaveLength(1)
})

test('each contact has an outcome: those who cannot be reached are errors', async () => {
  await ready()
  const [good, gone, silent] = [await person(), await person({ email_unsubscribed: true }), await crm.contact({ phone: '+61412000113' })]
  const bulk = found(await ask({ contact_ids: [good.id, gone.id, silent.id, nobody] }))
  expect(bulk.results.map(({ contact_id }: Row) => contact_id)).toEqual([good.id])
  expect(bulk.errors.map(({ index, error }: Row) => [index, error.code, error.details?.reason])).toEqual([
    [1, 'RECIPIENT_UNREACHABLE', 'unsubscribed'],
    [2, 'RECIPIENT_UNREACHABLE', 'no_address'],
    [3, 'NOT_FOUND', undefined],
  ])
})

test('what cannot be asked is refused, with the remedy', async () => {
  const { id } = await person()
  expect(await ask({ contact_ids: [id] })).toMatchObject(failed(409, 'INVALID_STATE'))
  created(await crm.ws.post('/reputation/profile', { slug: `shut-${crypto.randomUUID().slice(0, 8)}`, display_name: 'Shut' }))
  expect(await ask({ contact_ids: [id] })).toMatchObject(failed(409, 'INVALID_STATE'))
  found(await crm.ws.post('/reputation/profile', { is_published: true }))
  expect(await ask({ contact_ids: [id] })).toMatchObject(failed(409, 'CHANNEL_NOT_CONFIGURED'))
  await mail.config()
  expect(await ask({})).toMatchObject(refused('contact_ids'))
  expect(await ask({ contact_ids: [id], audience: { tags: ['June'] } })).toMatchObject(refused('contact_ids'))
  expect(await ask({ contact_ids: Array.from({ length: MAX_ASKED + 1 }, () => crypto.randomUUID()) })).toMatchObject(refused('contact_ids'))
  expect(await ask({ contact_ids: [id], channel: 'fax' })).toMatchObject(refused('channel'))
  expect(await ask({ contact_ids: [id], remind_after_days: 0 })).toMatchObject(refused('remind_after_days'))
  expect(await ask({ contact_ids: [id], remind_after_days: 1.5 })).toMatchObject(refused('remind_after_days'))
  expect(await ask({ audience: {} })).toMatchObject(refused('audience'))
  expect(await crm.count('review_requests')).toBe(0)
})

test('nothing crosses workspaces', async () => {
  await ready()
  const ana = await person()
  const { request: first } = await linked(ana)
  const other = await crm.app.workspace()
  expect(await other.get(`/reputation/review-requests/${first.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await other.post(`/reputation/review-requests/${first.id}/cancel`)).toMatchObject(failed(404, 'NOT_FOUND'))
  created(
    await other.post('/reputation/profile', {
      slug: `other-${crypto.randomUUID().slice(0, 8)}`,
      display_name: 'Other',
      is_published: true,
    }),
  )
  created(
    await other.post('/email/configs', { from_email_handle: `other-${Date.now()}`, from_name: 'Other', staff_email: 'team@example.com' }),
  )
  const { errors } = found(await other.post('/reputation/review-requests', { channel: 'email', contact_ids: [ana.id] }))
  expect(errors).toMatchObject([{ index: 0, error: { code: 'NOT_FOUND' } }])
})
