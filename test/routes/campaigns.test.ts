import { expect, test } from 'vitest'
import { campaigning, LINK } from './campaigning.ts'
import { created, failed, found, ids, type Row, refused, useCrm } from './crm.ts'

const crm = useCrm({ own: true })
const { draft, later, path, people, recipients, send, sender, sentOf, show } = campaigning(crm)

test('a campaign is written, sent to its audience in batches with one-click unsubscribe, and cannot be changed afterwards', async () => {
  await people(3)
  const company = await crm.company('Acme & Sons')
  await crm.contact({ first_name: 'Ana', email: 'ana@example.com', tags: [{ name: 'News' }], customer_id: company })
  await crm.contact({ first_name: 'Other', email: 'other@example.com' })
  const campaign = await draft({ body_html: `<p>Dear {{ first_name }} of {{company_name | your company}}</p>${LINK}` })
  expect(campaign).toMatchObject({ status: 'draft', stats: { recipients: 0, queued: 0, skipped: { unsubscribed: 0 } }, started_at: null })
  expect(await send(campaign.id)).toMatchObject({ status: 'sending', started_at: expect.any(String) })
  await crm.app.drain()
  expect(await show(campaign.id)).toMatchObject({
    status: 'sent',
    ended_at: expect.any(String),
    body_html: campaign.body_html,
    error: null,
    stats: { audience: 4, recipients: 4, queued: 0, sent: 4, failed: 0 },
  })
  const emails = sentOf(campaign.id)
  expect(emails).toHaveLength(4)
  const ana = emails.find(({ To }) => To === 'ana@example.com') as Row
  expect(ana).toMatchObject({
    Subject: 'Hello Ana',
    MessageStream: 'broadcast',
    HtmlBody: expect.stringContaining('Dear Ana of Acme &amp; Sons'),
    Tag: 'campaign',
    TextBody: expect.stringContaining('Dear Ana of Acme & Sons'),
    Headers: [
      { Name: 'List-Unsubscribe', Value: expect.stringMatching(/^<http:\/\/api\.test\/unsubscribe\/[^>]+>$/) },
      { Name: 'List-Unsubscribe-Post', Value: 'List-Unsubscribe=One-Click' },
    ],
    Metadata: { campaign_id: campaign.id, workspace_id: crm.ws.id },
  })
  const rows = await recipients(campaign.id)
  expect(rows).toHaveLength(4)
  expect(rows.find(({ email }) => email === 'ana@example.com')).toMatchObject({
    status: 'sent',
    reconciling: false,
    provider_message_id: ana.MessageID,
    sent_at: expect.any(String),
    delivered_at: null,
  })
  expect((await recipients(campaign.id, '&search=PERSON-')).map(({ email }) => email)).toEqual(
    [1, 2, 3].map((n) => `person-${n}@example.com`),
  )
  expect(await recipients(campaign.id, '&status=queued')).toEqual([])
  expect(await recipients(campaign.id, '&status=sent&search=ana@')).toHaveLength(1)
  for (const answer of [
    await crm.ws.patch(path(campaign.id), { name: 'Other' }),
    await crm.ws.delete(path(campaign.id)),
    await crm.ws.post(path(campaign.id, '/send')),
    await crm.ws.post(path(campaign.id, '/pause')),
  ])
    expect(answer).toMatchObject({ status: 409, body: { error: { code: 'INVALID_STATE', details: { state: 'sent' } } } })
  expect(ids(found(await crm.ws.get('/email-campaigns?status=sent')))).toEqual([campaign.id])
  expect(found(await crm.ws.get('/email-campaigns?status=draft'))).toEqual([])
  expect((await crm.events(campaign.id)).map(({ type }) => type)).toEqual(
    ['created', 'updated', 'updated'].map((verb) => `email_campaign.${verb}`),
  )
  await later()
  expect(sentOf(campaign.id)).toHaveLength(4)
})

test('what keeps a campaign from being sent is said field by field, before anything is sent', async () => {
  const { id } = created(await crm.ws.post('/email-campaigns', { name: 'Bare' }))
  expect(await crm.ws.post(path(id, '/send'))).toMatchObject(refused('subject', 'body_html', 'segment_filter', 'config_id'))
  expect(found(await crm.ws.get(path(id, '/preflight')))).toMatchObject({ ready: false, issues: [{ path: 'subject' }, {}, {}, {}] })
  await sender()
  const patch = (fields: Row) => crm.ws.patch(path(id), fields)
  found(await patch({ subject: 'Hi {{name}}', body_html: '<p> {{first_name}} </p>', segment_filter: { tags: ['News'] } }))
  expect(found(await crm.ws.get(path(id, '/preflight'))).issues.map(({ message }: Row) => message)).toEqual([
    'has the unknown merge tag {{name}}: use first_name, last_name, email, company_name, unsubscribe_url, or remove it',
    expect.stringContaining('has no unsubscribe link'),
    'has no content that a reader sees',
  ])
  found(await patch({ subject: 'Hi', body_html: `<p>News</p>${LINK}` }))
  expect(await crm.ws.post(path(id, '/send'))).toMatchObject(refused('segment_filter'))
  expect(found(await crm.ws.get(path(id, '/preflight')))).toMatchObject({ ready: false, issues: [{ path: 'segment_filter' }] })
  await people(1, `ready-${crm.ws.id}`)
  expect(found(await crm.ws.get(path(id, '/preflight')))).toEqual({ ready: true, issues: [] })
  for (const segment_filter of [
    { tags: [] },
    { stage_ids: [crm.ws.id] },
    { list_ids: [crm.ws.id] },
    { filter: { field: 'nothing', op: 'eq', value: 1 } },
    { tag: ['News'] },
  ])
    expect(await patch({ segment_filter }), JSON.stringify(segment_filter)).toMatchObject({ status: 400 })
  expect(await patch({ status: 'sent' })).toMatchObject({ status: 400 })
  const gone = await crm.ws.delete(path(id))
  found(gone)
  expect(await crm.ws.get(path(id))).toMatchObject(failed(404, 'NOT_FOUND'))
})

test('the audience: tags, pipelines, lists and filters; who is left out and why, in the preview and in the send', async () => {
  const { pipeline, stages } = await crm.firstPipeline()
  const [ana, ben, cem, dan] = await Promise.all(
    ['ana', 'ben', 'cem', 'dan'].map((name) => crm.contact({ first_name: name, email: `${name}@example.com` })),
  )
  await crm.ws.post('/opportunities', { name: 'Deck', pipeline_id: pipeline, stage_id: stages.Qualified, contact_ids: [ben!.id] })
  const deal = await crm.opportunity({ pipeline_id: pipeline })
  await crm.ws.post(`/opportunities/${deal.id}/contacts`, { contact_id: ana!.id })
  const list = created(await crm.ws.post('/lists', { name: 'VIP', object: 'contacts', kind: 'static' }))
  found(await crm.ws.post(`/lists/${list.id}/members`, { ids: [cem!.id] }))
  const { id } = created(await crm.ws.post('/email-campaigns', { name: 'Audience' }))
  const preview = async (segment_filter: Row) => {
    found(await crm.ws.patch(path(id), { segment_filter }))
    return found(await crm.ws.get(path(id, '/preview-audience'))) as Row
  }
  const names = async (segment: Row) => (await preview(segment)).sample.map(({ first_name }: Row) => first_name)
  expect(await names({ pipeline_ids: [pipeline] })).toContain('ana')
  expect(await names({ list_ids: [list.id] })).toEqual(['cem'])
  expect(await names({ filter: { field: 'first_name', op: 'eq', value: 'dan' } })).toEqual(['dan'])
  expect(await names({ exclude_list_ids: [list.id] })).toEqual(['ana', 'ben', 'dan'])
  await crm.ws.patch(`/contacts/${dan!.id}`, { email_unsubscribed: true })
  await crm.contact({ first_name: 'No address' })
  const former = await crm.contact({ first_name: 'Archived', email: 'archived@example.com' })
  found(await crm.ws.patch(`/contacts/${former.id}`, { archived: true }))
  await crm.ws.post('/suppressions', { channel: 'email', address: 'cem@example.com', reason: 'hard_bounce' })
  const all = await preview({})
  expect(all).toMatchObject({
    total: 5,
    total_is_exact: true,
    recipients: 2,
    skipped: { unsubscribed: 1, no_address: 1, hard_bounce: 1, complaint: 0 },
  })
  expect(all.sample.map(({ skip_reason }: Row) => skip_reason)).toEqual([null, null, 'hard_bounce', 'unsubscribed', 'no_address'])
  found(await crm.ws.patch(path(id), { subject: 'Hi', body_html: `<p>Hi</p>${LINK}` }))
  await sender()
  await send(id)
  await crm.app.drain()
  expect((await show(id)).stats).toMatchObject({ audience: 5, recipients: 2, sent: 2, skipped: all.skipped })
  expect(
    sentOf(id)
      .map(({ To }) => To)
      .toSorted(),
  ).toEqual(['ana@example.com', 'ben@example.com'])
})

test('who comes back after a campaign has ended gets it no more, and what was sent to them is looked up', async () => {
  await people(3)
  const { id } = await draft({ max_per_hour: 1 })
  crm.app.email.clear()
  crm.app.email.fail('drop', 1, true)
  await send(id)
  await crm.app.drain()
  const [unclear] = (await recipients(id)).filter(({ reconciling }) => reconciling) as [Row]
  const [waiting, last] = (await recipients(id)).filter(({ reconciling }) => !reconciling) as [Row, Row]
  for (const { contact_id } of [unclear, waiting]) found(await crm.ws.delete(`/contacts/${contact_id}`))
  await crm.app.owner.query("update campaign_windows set began_at = began_at - interval '2 hours' where campaign_id = $1", [id])
  await later(2)
  expect(await show(id)).toMatchObject({ status: 'sent', stats: { recipients: 1, sent: 1, skipped: { contact_deleted: 2 } } })
  for (const { contact_id } of [unclear, waiting]) found(await crm.ws.post(`/contacts/${contact_id}/restore`))
  await later(2)
  expect(sentOf(id).map(({ To }) => To)).toEqual([unclear.email, last.email])
  expect(await show(id)).toMatchObject({
    status: 'sent',
    stats: { audience: 3, recipients: 2, queued: 0, sent: 2, skipped: { contact_deleted: 1 } },
  })
  expect((await recipients(id)).map(({ email, status }) => [email, status]).toSorted()).toEqual(
    [unclear.email, last.email].map((email) => [email, 'sent']).toSorted(),
  )
})

test('a scheduled campaign whose workspace has no sender left is not sent in the name of the deployment', async () => {
  await people(1, `nobody-${crm.ws.id}`)
  const { id } = await draft()
  found(await crm.ws.post(path(id, '/schedule'), { scheduled_at: new Date(Date.now() + 3_600_000).toISOString() }))
  found(await crm.ws.delete(`/email/configs/${(await sender()).id}`))
  await later()
  expect(sentOf(id)).toEqual([])
  expect(await show(id)).toMatchObject({
    status: 'failed',
    error: { code: 'VALIDATION_ERROR', message: expect.stringContaining('sender') },
  })
})
