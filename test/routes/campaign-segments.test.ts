import { expect, test } from 'vitest'
import type { SentEmail } from '../../dev/email-emulator.ts'
import { campaigning } from './campaigning.ts'
import { created, found, type Row, refused, useCrm } from './crm.ts'

/** Whom each key of a segment chooses, both in the preview and in the send. */
const crm = useCrm({ own: true })
const { draft, path, people, recipients, report, reportOf, send, sentOf, show } = campaigning(crm)

const DAY = 86_400_000

/** Contacts by their tags, of which some have an opportunity. */
async function audience() {
  const { pipeline, stages } = await crm.firstPipeline()
  const tagged = async (name: string, ...tags: string[]) => {
    const email = `${name}-${crm.ws.id}@example.com`
    return crm.contact({ first_name: name, email, tags: tags.map((tag) => ({ name: tag })) })
  }
  await tagged('none')
  const [a, b, ab] = [await tagged('a', 'A'), await tagged('b', 'B'), await tagged('ab', 'A', 'B')]
  await tagged('abc', 'A', 'B', 'C')
  for (const [contact, stage_id] of [
    [a, stages.New],
    [b, stages.Won],
    [ab, stages.Lost],
  ] as const)
    created(
      await crm.ws.post(`/opportunities/${(await crm.opportunity({ pipeline_id: pipeline, stage_id })).id}/contacts`, {
        contact_id: contact.id,
      }),
    )
  return { pipeline, stages }
}

test('each key of a segment narrows the audience, and those who are previewed are those who are sent to', async () => {
  const { pipeline, stages } = await audience()
  const cases: [Row, string[]][] = [
    [{ tags: ['A'] }, ['a', 'ab', 'abc']],
    [{ tags: ['a', 'b'], tags_match: 'any' }, ['a', 'ab', 'abc', 'b']],
    [{ tags: ['a', 'B'], tags_match: 'all' }, ['ab', 'abc']],
    [{ tags: ['A', 'B', 'C'], tags_match: 'all' }, ['abc']],
    [{ exclude_tags: ['a'] }, ['b', 'none']],
    [{ tags: ['A'], exclude_tags: ['C', 'X'] }, ['a', 'ab']],
    [{ tags: ['A', 'B'], tags_match: 'all', exclude_tags: ['c'] }, ['ab']],
    [{ opportunity_status: 'open' }, ['a']],
    [{ opportunity_status: 'won' }, ['b']],
    [{ opportunity_status: 'lost', pipeline_ids: [pipeline] }, ['ab']],
    [{ opportunity_status: 'won', stage_ids: [stages.New] }, []],
    [{ stage_ids: [stages.New, stages.Won], tags: ['B'] }, ['b']],
  ]
  const { id } = await draft({ segment_filter: {} })
  for (const [segment_filter, names] of cases) {
    found(await crm.ws.patch(path(id), { segment_filter }))
    const { sample, total } = found(await crm.ws.get(path(id, '/preview-audience'))) as Row
    const previewed = sample.map(({ first_name }: Row) => first_name).toSorted()
    expect([segment_filter, previewed, total]).toEqual([segment_filter, names, names.length])
  }
  for (const [segment_filter, names] of cases.filter(([, to]) => to.length > 0)) {
    const campaign = await draft({ segment_filter })
    await send(campaign.id)
    await crm.app.drain()
    const sentTo = sentOf(campaign.id).map(({ To }) => (To as string).split('-')[0])
    expect([segment_filter, sentTo.toSorted()]).toEqual([segment_filter, names])
  }
})

test('archived contacts are in the audience only if its filter asks about them, and are skipped then', async () => {
  await people(1, 'active')
  const archived = await crm.contact({ first_name: 'Old', email: `old-${crm.ws.id}@example.com`, tags: [{ name: 'News' }] })
  found(await crm.ws.patch(`/contacts/${archived.id}`, { archived: true }))
  const { id } = await draft()
  const preview = async (filter?: Row) => {
    found(await crm.ws.patch(path(id), { segment_filter: { tags: ['News'], ...(filter && { filter }) } }))
    const { total, recipients: reached, skipped } = found(await crm.ws.get(path(id, '/preview-audience'))) as Row
    return [total, reached, skipped.archived]
  }
  expect(await preview()).toEqual([1, 1, 0])
  expect(await preview({ field: 'archived', op: 'eq', value: true })).toEqual([1, 0, 1])
  expect(
    await preview({
      any: [
        { field: 'archived', op: 'eq', value: true },
        { field: 'archived', op: 'eq', value: false },
      ],
    }),
  ).toEqual([2, 1, 1])
})

test('of contacts with one address the first who may be sent to is the recipient, in the preview and in the send', async () => {
  const email = `shared-${crm.ws.id}@example.com`
  const shared = (first_name: string, fields: Row = {}) => crm.contact({ first_name, email, tags: [{ name: 'News' }], ...fields })
  await shared('Out', { email_unsubscribed: true })
  const second = await shared('In')
  await shared('Doubled')
  const { id } = await draft()
  const preview = found(await crm.ws.get(path(id, '/preview-audience'))) as Row
  expect(preview.sample.map(({ skip_reason }: Row) => skip_reason)).toEqual(['unsubscribed', null, 'duplicate_address'])
  expect(preview).toMatchObject({ total: 3, recipients: 1, skipped: { unsubscribed: 1, duplicate_address: 1 } })
  await send(id)
  await crm.app.drain()
  expect((await show(id)).stats).toMatchObject({ audience: 3, recipients: 1, skipped: preview.skipped })
  expect(await recipients(id)).toMatchObject([{ contact_id: second.id }])
})

test('a campaign is scheduled for a time to come, at most a year ahead', async () => {
  await people(1)
  const { id } = await draft()
  const schedule = (ahead: number) => crm.ws.post(path(id, '/schedule'), { scheduled_at: new Date(Date.now() + ahead).toISOString() })
  for (const ahead of [-60_000, 367 * DAY]) expect(await schedule(ahead)).toMatchObject(refused('scheduled_at'))
  expect(await show(id)).toMatchObject({ status: 'draft', scheduled_at: null })
  found(await schedule(365 * DAY))
})

test('a campaign of which the provider takes no email has failed, and its recipients have the reasons; one email is enough', async () => {
  const bad = `two words-${crm.ws.id}`
  await people(2, bad)
  const { id } = await draft()
  await send(id)
  await crm.app.drain()
  expect(await show(id)).toMatchObject({
    status: 'failed',
    error: { code: 'PROVIDER_ERROR', message: expect.stringContaining('No email could be handed over') },
    stats: { recipients: 2, failed: 2, queued: 0 },
  })
  expect((await recipients(id)).map(({ status, error }) => [status, error])).toEqual(
    Array.from({ length: 2 }, () => ['failed', expect.stringContaining('300')]),
  )
  await people(1, `good-${crm.ws.id}`)
  const other = await draft({ name: 'Other' })
  await send(other.id)
  await crm.app.drain()
  expect(await show(other.id)).toMatchObject({ status: 'sent', error: null, stats: { recipients: 3, failed: 2, sent: 1 } })
})

test('the link of a recipient who was purged changes nothing, and says so', async () => {
  await people(1, `gone-${crm.ws.id}`)
  const { id } = await draft()
  crm.app.email.clear()
  await send(id)
  await crm.app.drain()
  const [email] = sentOf(id)
  const link = email!.Headers?.[0]?.Value.slice('<http://api.test'.length, -1) as string
  const [{ contact_id }] = (await recipients(id)) as [Row]
  found(await crm.ws.delete(`/contacts/${contact_id}?purge=true`))
  const other = await crm.contact({ email: email!.To })
  const unsubscribe = { method: 'POST', body: 'choice=unsubscribe', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
  for (const init of [undefined, unsubscribe]) {
    const page = await crm.app.fetch(link, init)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('This link is no longer in use')])
  }
  expect(found(await crm.ws.get(`/contacts/${other.id}`))).toMatchObject({ email_unsubscribed: false })
  expect(found(await crm.ws.get('/suppressions'))).toEqual([])
  expect(found(await crm.ws.get('/email-campaigns/unsubscribes'))).toEqual([])
})

test('what a deleted contact asks for, and what is reported about an email to them, holds when they come again', async () => {
  await people(4, `left-${crm.ws.id}`)
  const { id } = await draft()
  crm.app.email.clear()
  await send(id)
  await crm.app.drain()
  const [leaving, complaining, silent, back] = sentOf(id) as [SentEmail, SentEmail, SentEmail, SentEmail]
  for (const { contact_id } of await recipients(id)) found(await crm.ws.delete(`/contacts/${contact_id}`))
  const link = ({ Headers }: SentEmail) => Headers?.[0]?.Value.slice('<http://api.test'.length, -1) as string
  const choose = (email: SentEmail, choice: string) =>
    crm.app.fetch(link(email), {
      method: 'POST',
      body: `choice=${choice}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  const pages = [await choose(leaving, 'unsubscribe'), await choose(back, 'unsubscribe'), await choose(back, 'subscribe')]
  expect(await Promise.all(pages.map((page) => page.text()))).toMatchObject([
    expect.stringContaining('You are unsubscribed'),
    expect.stringContaining('You are unsubscribed'),
    expect.stringContaining('You get our emails again'),
  ])
  await report(reportOf(complaining, 'SpamComplaint'))
  await crm.app.drain()
  const blocked = found(await crm.ws.get('/suppressions')).map(({ address, reason }: Row) => [address, reason])
  expect(blocked.toSorted()).toEqual(
    [
      [complaining.To, 'complaint'],
      [leaving.To, 'unsubscribed'],
    ].toSorted(),
  )
  for (const { To } of [leaving, complaining, silent, back]) await crm.contact({ email: To, tags: [{ name: 'News', color: null }] })
  const next = await draft({ name: 'Next' })
  await send(next.id)
  await crm.app.drain()
  expect((await show(next.id)).stats).toMatchObject({ recipients: 2, skipped: { unsubscribed: 1, complaint: 1 } })
})

test('a complaint about a message whose contact was deleted blocks its address', async () => {
  const contact = await crm.contact({ email: `sent-${crm.ws.id}@example.com` })
  crm.app.email.clear()
  created(await crm.ws.post('/email/send', { contact_id: contact.id, subject: 'Hello', text: 'Hello' }))
  await crm.app.drain()
  const [email] = crm.app.email.sent as [SentEmail]
  found(await crm.ws.delete(`/contacts/${contact.id}`))
  await report(reportOf(email, 'SpamComplaint'))
  await crm.app.drain()
  expect(found(await crm.ws.get('/suppressions'))).toMatchObject([{ address: contact.email, reason: 'complaint' }])
})
