import { expect, test } from 'vitest'
import type { Outage } from '../../dev/neon-proxy.ts'
import { proving } from '../proof.ts'
import { campaigning, LINK } from '../routes/campaigning.ts'
import { found, type Row, useCrm } from '../routes/crm.ts'
import { limit } from '../speed.ts'

/** Whatever fails while a campaign is sent, nobody gets it twice and nobody is lost. */
const crm = useCrm({ ownServer: true })
const { draft, later, path, people, recipients, send, sentOf, show } = campaigning(crm)

/** What the emulator has accepted agrees with our rows: one email for each address. */
async function expectEach(id: string, count: number): Promise<void> {
  const addresses = sentOf(id).map(({ To }) => To as string)
  expect([addresses.length, new Set(addresses).size]).toEqual([count, count])
  const rows = await recipients(id, '&status=sent')
  expect(rows.map(({ email }) => email).toSorted()).toEqual(addresses.toSorted())
  const byAddress = new Map(sentOf(id).map(({ To, MessageID }) => [To, MessageID]))
  for (const { email, provider_message_id } of rows) expect(provider_message_id).toBe(byAddress.get(email))
}

/** A long body, so that few emails fit in a batch. */
const LONG = `<p>Hello</p><!-- ${'x'.repeat(120_000)} -->${LINK}`
const PEOPLE = 70
/** Who gets a campaign of two batches, and its body. */
const [AUDIENCE, BODY] = proving ? [600, {}] : [PEOPLE, { body_html: LONG }]

test('a session that made its plans while the tables were small claims a batch of a large campaign in time', async () => {
  const { id } = await draft()
  const client = await crm.app.owner.connect()
  const grow = async (count: number, prefix: string) => {
    await people(count, prefix)
    await client.query(
      `insert into campaign_recipients (workspace_id, campaign_id, contact_id, email, due_at)
        select workspace_id, $2, id, email, now() - interval '1 minute' from contacts where workspace_id = $1 and email like $3`,
      [crm.ws.id, id, `${prefix}-%`],
    )
  }
  const claim = async () => {
    const { rows } = await client.query('select jsonb_array_length(claim_recipients($1, $2, 500, 0, null, null)) as count', [
      id,
      crypto.randomUUID(),
    ])
    await client.query("update campaign_recipients set batch_id = null, due_at = now() - interval '1 minute' where workspace_id = $1", [
      crm.ws.id,
    ])
    return rows[0].count
  }
  try {
    await client.query(`set app.workspace_id = '${crm.ws.id}'; set statement_timeout = '5s'`)
    await grow(3, 'few')
    for (let n = 0; n < 8; n++) expect(await claim()).toBe(3)
    await grow(3_000, 'many')
    expect(await claim()).toBe(500)
  } finally {
    client.release(true)
  }
})

test.each([
  ['429', false],
  ['503', false],
  ['500', true],
  ['drop', false],
  ['drop', true],
  ['partial', false],
  ['422', false],
  ['slow', false],
] as const)('after a fault of the provider (%s, accepted: %s) everybody gets the email once', async (mode, accept) => {
  await people(AUDIENCE)
  const { id } = await draft(BODY)
  crm.app.email.clear()
  crm.app.email.fail(mode, 1, accept)
  await send(id)
  await crm.app.drain()
  const isUnclear = mode === 'drop' || mode === '500' || mode === '503' || mode === 'partial'
  if (isUnclear) {
    const [first] = await recipients(id, '&status=queued')
    expect(first).toMatchObject({ status: 'queued', reconciling: true, error: expect.any(String) })
    expect(await show(id)).toMatchObject({ status: 'sending', ended_at: null })
    // The provider does not answer the question at first either.
    crm.app.email.failSearch('503')
  }
  await later(4)
  expect(await show(id)).toMatchObject({ status: 'sent', stats: { audience: AUDIENCE, recipients: AUDIENCE, queued: 0, sent: AUDIENCE } })
  await expectEach(id, AUDIENCE)
})

test('one refused address harms no other, and a provider that accepts nothing pauses the campaign, which then resumes', async () => {
  await people(5)
  const { id } = await draft()
  crm.app.email.clear()
  crm.app.email.inactive.add('person-3@example.com')
  await send(id)
  await crm.app.drain()
  expect((await show(id)).stats).toMatchObject({ sent: 4, bounced: 1, queued: 0 })
  expect(await recipients(id, '&status=bounced')).toMatchObject([{ email: 'person-3@example.com', error: expect.stringContaining('406') }])

  crm.app.email.clear()
  const other = await draft({ name: 'Other' })
  crm.app.email.fail('401', 20)
  await send(other.id)
  await crm.app.drain()
  await later(7)
  expect(await show(other.id)).toMatchObject({
    status: 'paused',
    error: { code: 'PROVIDER_ERROR', message: expect.stringContaining('token') },
    stats: { queued: 5 },
  })
  crm.app.email.clear()
  found(await crm.ws.post(path(other.id, '/resume')))
  await crm.app.drain()
  await later()
  expect(await show(other.id)).toMatchObject({ status: 'sent', error: null, stats: { sent: 5 } })
})

test.each([
  ['every call', '401'],
  ['every email', '405'],
] as const)('who was refused because the provider refuses %s is sent to in the end, however often that was', async (_, mode) => {
  await people(3)
  const { id } = await draft()
  crm.app.email.clear()
  for (let times = 0; times < 2; times++) {
    crm.app.email.fail(mode, 20)
    if (times === 0) await send(id)
    else found(await crm.ws.post(path(id, '/resume')))
    await crm.app.drain()
    await later(7)
    expect(await show(id)).toMatchObject({ status: 'paused', error: { code: 'PROVIDER_ERROR' }, stats: { queued: 3, failed: 0 } })
    crm.app.email.clear()
  }
  // One answer that is lost then is no reason to give up.
  crm.app.email.fail('drop', 1, false)
  found(await crm.ws.post(path(id, '/resume')))
  await crm.app.drain()
  await later(3)
  expect(await show(id)).toMatchObject({ status: 'sent', error: null, stats: { sent: 3, failed: 0 } })
  await expectEach(id, 3)
})

/** Interrupts the background at a request to the database, and then lets it catch up. */
async function interrupted(mode: Outage, at: number): Promise<{ reached: boolean; id: string }> {
  const { proxy } = crm.app
  const name = `${mode.replace('_', '-')}-${at}`
  await people(PEOPLE, name, name)
  const { id } = await draft({ body_html: LONG, segment_filter: { tags: [name] } })
  crm.app.email.clear()
  let count = 0
  let isBegun = false
  proxy.onRequest = () => {
    count += isBegun ? 1 : 0
    proxy.outage = isBegun && count === at ? mode : 'none'
  }
  await send(id)
  isBegun = true
  await crm.app.drain()
  Object.assign(proxy, { onRequest: undefined, outage: 'none' })
  await later(3)
  return { reached: count >= at, id }
}

test('a database that fails or loses its answer at any request of a send repeats no email and loses none', {
  timeout: limit(240_000),
}, async () => {
  let points = 0
  // A proof fails at each request in both ways, the usual run in the one or the other.
  for (const mode of ['lose_answer', 'refuse'] as const)
    for (let at = mode === 'refuse' || proving ? 1 : 2; at < 20; at += proving ? 1 : 2) {
      const { reached, id } = await interrupted(mode, at)
      expect([mode, at, await show(id)]).toMatchObject([mode, at, { status: 'sent', stats: { audience: PEOPLE, sent: PEOPLE, queued: 0 } }])
      const addresses = sentOf(id).map(({ To }) => To)
      expect([mode, at, addresses.length, new Set(addresses).size]).toEqual([mode, at, PEOPLE, PEOPLE])
      if (!reached) break
      points += 1
    }
  expect(points).toBeGreaterThan(8)
})

test('doubled and concurrent messages, people who leave meanwhile, a pause, and an hourly limit', async () => {
  await people(1_200)
  const { id } = await draft({ max_per_hour: 700 })
  crm.app.email.clear()
  await crm.app.capture(true)
  await send(id)
  await crm.app.capture(false)
  const message = { type: 'work.run', kind: 'campaign.send', workspace_id: crm.ws.id, item_id: id }
  await Promise.all(Array.from({ length: 4 }, () => crm.app.deliver('campaigns', [message])))
  await crm.app.drain()
  expect((await show(id)).stats).toMatchObject({ audience: 1_200, sent: 700, queued: 500 })
  found(await crm.ws.post(path(id, '/pause')))
  const waiting = await recipients(id, '&status=queued')
  const [leaves, archived, moved, deleted] = waiting as [Row, Row, Row, Row]
  await crm.ws.patch(`/contacts/${leaves.contact_id}`, { email_unsubscribed: true })
  await crm.ws.patch(`/contacts/${archived.contact_id}`, { archived: true })
  await crm.ws.patch(`/contacts/${moved.contact_id}`, { email: 'moved@example.com' })
  await crm.ws.delete(`/contacts/${deleted.contact_id}`)
  await crm.app.owner.query("update campaign_windows set began_at = began_at - interval '2 hours' where campaign_id = $1", [id])
  await later()
  expect(await show(id)).toMatchObject({ status: 'paused', stats: { sent: 700 } })
  found(await crm.ws.post(path(id, '/resume')))
  await crm.app.drain()
  await later()
  const { status, stats } = await show(id)
  expect([status, stats]).toMatchObject(['sent', { audience: 1_200, recipients: 1_196, sent: 1_196, queued: 0 }])
  expect(stats.skipped).toMatchObject({ unsubscribed: 1, archived: 1, address_changed: 1, contact_deleted: 1 })
  await expectEach(id, 1_196)
})

test('a scheduled campaign is sent when its time has come, unless it is unscheduled; a list that is gone ends it', async () => {
  await people(2)
  const at = new Date(Date.now() + 3_600_000).toISOString()
  const { id } = await draft()
  expect(found(await crm.ws.post(path(id, '/schedule'), { scheduled_at: at }))).toMatchObject({ status: 'scheduled', scheduled_at: at })
  expect(await crm.ws.patch(path(id), { subject: null })).toMatchObject({ status: 400 })
  found(await crm.ws.patch(path(id), { subject: 'Later' }))
  await crm.app.cron('* * * * *')
  await crm.app.drain()
  expect(await show(id)).toMatchObject({ status: 'scheduled', subject: 'Later' })
  found(await crm.ws.post(path(id, '/unschedule')))
  await later()
  expect(await show(id)).toMatchObject({ status: 'draft', scheduled_at: null })
  found(await crm.ws.post(path(id, '/schedule'), { scheduled_at: at }))
  await later()
  expect(await show(id)).toMatchObject({ status: 'sent', stats: { sent: 2 } })

  const list = (await crm.ws.post('/lists', { name: 'Gone', object: 'contacts', kind: 'static' })).body.data.id
  const [{ contact_id }] = (await recipients(id)) as [Row]
  found(await crm.ws.post(`/lists/${list}/members`, { ids: [contact_id] }))
  const other = await draft({ segment_filter: { list_ids: [list] } })
  found(await crm.ws.post(path(other.id, '/schedule'), { scheduled_at: at }))
  found(await crm.ws.delete(`/lists/${list}`))
  await later()
  expect(await show(other.id)).toMatchObject({ status: 'failed', error: { code: 'VALIDATION_ERROR' }, stats: { recipients: 0 } })
  found(await crm.ws.delete(path(other.id)))
})

test('a copy, a test and a preview of what is sent change nothing of the campaign', async () => {
  const { id } = await draft()
  const copy = await crm.ws.post(path(id, '/duplicate'), { name: 'Copy' })
  expect(copy).toMatchObject({ status: 201, body: { data: { name: 'Copy', status: 'draft', segment_filter: { tags: ['News'] } } } })
  crm.app.email.clear()
  const contact = await crm.contact({ first_name: 'Zoe' })
  found(await crm.ws.post(path(id, '/test-send'), { email: 'me@example.com', contact_id: contact.id }))
  await crm.app.drain()
  expect(crm.app.email.sent).toMatchObject([
    { To: 'me@example.com', Subject: '[Test] Hello Zoe', HtmlBody: expect.stringContaining('Dear Zoe') },
  ])
  expect(await show(id)).toMatchObject({ status: 'draft', stats: { recipients: 0 } })
})
