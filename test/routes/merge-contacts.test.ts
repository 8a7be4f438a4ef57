import { expect, test } from 'vitest'
import { created, found, type Row, useCrm } from './crm.ts'
import { addFile, asPreview, everythingOf, merge, undo } from './merging.ts'

const crm = useCrm()

const post = async (path: string, body: Row) => created(await crm.ws.post(path, body))

type Shared = { company: string; deal: string; task: string; type: string }

/** A contact with something of every kind that can refer to one. */
async function fullContact(first_name: string, shared: Shared, fields: Row = {}): Promise<string> {
  const { id } = await crm.contact({ first_name, customer_id: await crm.company(`${first_name} Ltd`), is_primary: true, ...fields })
  found(await crm.ws.post('/contacts/bulk-link', { records: [{ contact_id: id, customer_id: shared.company }] }))
  found(await crm.ws.post(`/opportunities/${shared.deal}/contacts`, { contact_id: id, role: first_name }))
  await crm.opportunity({ name: first_name, contacts: [{ contact_id: id, is_primary: true }] })
  found(await crm.ws.post(`/stakeholder-types/${shared.type}/members`, { contact_id: id }))
  await post('/deal-stakeholders', { deal_id: shared.deal, contact_id: id, bucket_id: shared.type })
  await post('/deal-stakeholders', { deal_id: shared.deal, contact_id: id })
  found(await crm.ws.post(`/tasks/${shared.task}/stakeholders`, { contact_id: id }))
  await post('/tasks', { title: first_name, contact_id: id })
  await addFile(crm, 'contact_id', id)
  await post('/activities', { activity_type: 'note', contact_id: id, body: first_name })
  await post('/activities', { activity_type: 'note', contact_id: id, deal_id: shared.deal, body: first_name })
  return id
}

async function shared(): Promise<Shared> {
  const { id: type } = await post('/stakeholder-types', { name: 'Installer', assignable_to_work_orders: true })
  return {
    company: await crm.company('Shared'),
    deal: (await crm.opportunity()).id,
    task: (await post('/tasks', { title: 'Shared' })).id,
    type,
  }
}

test('all related rows move to the winner, and an undo restores every row', async () => {
  const common = await shared()
  const winner = await fullContact('Winner', common, { email: 'w@example.com' })
  const first = await fullContact('First', common, {
    email: 'first@example.com',
    alternate_emails: ['other@example.com', 'w@example.com'],
    phone: '+61412345678',
    city: 'Perth',
    external_id: 'crm-1',
    sms_unsubscribed: true,
  })
  const second = await fullContact('Second', common, { email: 'second@example.com', phone: '+61412345679', postal_code: '2300' })
  const before = await everythingOf(crm)
  const preview = await merge(crm, 'contacts', winner, [first, second], { preview: true })
  expect(await everythingOf(crm)).toEqual(before)
  const done = await merge(crm, 'contacts', winner, [first, second])
  expect(asPreview(done)).toEqual(asPreview(preview))
  expect(done.moved).toEqual({
    activities: 4,
    documents: 0,
    memories: 0,
    notepads: 0,
    orders: 0,
    portals: 0,
    work_order_stakeholders: 0,
    activity_participations: 0,
    attachments: 2,
    automation_runs: 0,
    birthday_messages: 0,
    booking_transcripts: 0,
    bookings: 0,
    waiting_list_entries: 0,
    call_logs: 0,
    campaigns: 0,
    companies: 2,
    followers: 0,
    lead_enrolments: 0,
    lead_results: 0,
    lists: 0,
    email_messages: 0,
    email_threads: 0,
    email_drafts: 0,
    messages: 0,
    opportunities: 2,
    review_requests: 0,
    sms_consents: 0,
    sms_conversations: 0,
    stakeholder_types: 0,
    stakeholders: 0,
    task_stakeholders: 0,
    tasks: 2,
    unsubscribes: 0,
    whatsapp_conversations: 0,
    whatsapp_messages: 0,
    transcripts: 0,
  })
  expect(done.dropped).toEqual({ companies: 2, opportunities: 2, stakeholder_types: 2, stakeholders: 4, task_stakeholders: 2 })
  expect(done.winner).toMatchObject({
    email: 'w@example.com',
    alternate_emails: ['first@example.com', 'other@example.com', 'second@example.com'],
    phone: '+61412345678',
    alternate_phones: ['+61412345679'],
    landline: null,
    city: 'Perth',
    postal_code: null,
    external_id: 'crm-1',
    sms_unsubscribed: true,
    email_unsubscribed: false,
    is_primary: true,
  })
  expect(await undo(crm, 'contacts', done.merge_id)).toMatchObject({ undone: true, changed_since: [] })
  expect(await everythingOf(crm)).toEqual(before)
})

test('the one primary contact of a company and of an opportunity is the winner where it was a loser', async () => {
  const company = await crm.company()
  const winner = await crm.contact({ customer_id: company })
  const loser = await crm.contact({ customer_id: company, is_primary: true })
  const deal = await crm.opportunity({ contacts: [{ contact_id: winner.id }, { contact_id: loser.id, is_primary: true }] })
  const before = await everythingOf(crm)
  const done = await merge(crm, 'contacts', winner.id, [loser.id])
  expect(done.winner).toMatchObject({ is_primary: true, customer_id: company })
  expect(found(await crm.ws.get(`/opportunities/${deal.id}`)).contacts).toEqual([
    expect.objectContaining({ contact_id: winner.id, is_primary: true }),
  ])
  expect(await undo(crm, 'contacts', done.merge_id)).toMatchObject({ changed_since: [] })
  expect(await everythingOf(crm)).toEqual(before)
})

test('an activity that was opted out stays without the link, and moves when that was all it was about: nothing is deleted', async () => {
  const winner = await crm.contact()
  const loser = await crm.contact()
  const deal = await crm.opportunity()
  const alone = await post('/activities', { activity_type: 'note', contact_id: loser.id, body: 'alone' })
  const both = await post('/activities', { activity_type: 'note', contact_id: loser.id, deal_id: deal.id, body: 'both' })
  const task = await post('/tasks', { title: 'Call', contact_id: loser.id })
  const before = await everythingOf(crm)
  const done = await merge(crm, 'contacts', winner.id, [loser.id], { transfer: { activities: false, tasks: false, companies: false } })
  expect(done.left_behind).toEqual({ activities: { unlinked: 1, deleted: 0 }, tasks: { unlinked: 1, deleted: 0 } })
  expect(done.moved).toMatchObject({ activities: 1, tasks: 0 })
  expect(done.forced_categories).toContain('companies')
  expect(found(await crm.ws.get(`/activities/${alone.id}`))).toMatchObject({ contact_id: winner.id })
  expect(found(await crm.ws.get(`/activities/${both.id}`))).toMatchObject({ contact_id: null, deal_id: deal.id })
  expect(found(await crm.ws.get(`/tasks/${task.id}`))).toMatchObject({ contact_id: null })
  expect(await undo(crm, 'contacts', done.merge_id)).toMatchObject({ changed_since: [] })
  expect(await everythingOf(crm)).toEqual(before)
})

test('rows that are alike all move, and all return', async () => {
  const due_at = new Date(Date.now() + 86_400_000).toISOString()
  const kinds = { contacts: 'contact_id', companies: 'customer_id', opportunities: 'opportunity_id' }
  for (const [plural, link] of Object.entries(kinds)) {
    const records: string[] = []
    for (let n = 0; n < 2; n++) {
      const { id } = await post(`/${plural}`, plural === 'contacts' ? { first_name: 'Ana' } : { name: 'Ana' })
      await post('/tasks', { title: 'Call', due_at, [link]: id })
      records.push(id)
    }
    const tasks = () => Promise.all(records.map(async (id) => found(await crm.ws.get(`/tasks?${link}=${id}`)).length))
    const { merge_id } = await merge(crm, plural, records[0] as string, records.slice(1))
    expect([plural, await tasks()]).toEqual([plural, [2, 0]])
    await undo(crm, plural, merge_id)
    expect([plural, await tasks()]).toEqual([plural, [1, 1]])
  }
})

test('an undo gives a winner that is younger than the loser its own fields again', async () => {
  const loser = await crm.contact({ first_name: 'Old', city: 'Perth', email: 'old@example.com' })
  const winner = await crm.contact({ first_name: 'Young' })
  const { merge_id } = await merge(crm, 'contacts', winner.id, [loser.id])
  const fields = async ({ id }: Row) => {
    const { first_name, city, email } = found(await crm.ws.get(`/contacts/${id}`))
    return [first_name, city, email]
  }
  expect(await fields(winner)).toEqual(['Young', 'Perth', 'old@example.com'])
  await undo(crm, 'contacts', merge_id)
  expect([await fields(winner), await fields(loser)]).toEqual([
    ['Young', null, null],
    ['Old', 'Perth', 'old@example.com'],
  ])
})
