import { describe, expect, test } from 'vitest'
import { created, failed, found, ids, nobody, type Row, refused, useCrm } from './crm.ts'
import { everythingOf, merge, undo } from './merging.ts'

const crm = useCrm()
const deals = (winner: string, losers: string[], how: Row = {}) => merge(crm, 'opportunities', winner, losers, how)
const deal = async (fields: Row = {}) => (await crm.opportunity(fields)).id as string

describe('a refusal happens before any write, and names the field', () => {
  test.each<[string[], (ids: Record<string, string>) => Row]>([
    [['winner_id'], ({ b }) => ({ loser_ids: [b] })],
    [['loser_ids'], ({ a }) => ({ winner_id: a })],
    [['loser_ids'], ({ a }) => ({ winner_id: a, loser_ids: [] })],
    [['loser_ids'], ({ a }) => ({ winner_id: a, loser_ids: Array.from({ length: 101 }, () => crypto.randomUUID()) })],
    [['loser_ids.1'], ({ a, b }) => ({ winner_id: a, loser_ids: [b, a] })],
    [['loser_ids.2'], ({ a, b, c }) => ({ winner_id: a, loser_ids: [b, c, b?.toUpperCase()] })],
    [['loser_ids.1'], ({ a, b }) => ({ winner_id: a, loser_ids: [b, 'first'] })],
    [['loser_ids.1'], ({ a, b }) => ({ winner_id: a, loser_ids: [b, nobody] })],
    [['loser_ids.0', 'loser_ids.2'], ({ a, b, theirs }) => ({ winner_id: a, loser_ids: [theirs, b, nobody] })],
    [['winner_id', 'loser_ids.0'], ({ theirs }) => ({ winner_id: theirs, loser_ids: [nobody] })],
    [['transfer.desks'], ({ a, b }) => ({ winner_id: a, loser_ids: [b], transfer: { desks: false } })],
    [['field_overrides.stage_id'], ({ a, b, c }) => ({ winner_id: a, loser_ids: [b], field_overrides: { stage_id: c } })],
    [['field_overrides.value'], ({ a, b }) => ({ winner_id: a, loser_ids: [b], field_overrides: { value: 'much' } })],
    [['field_overrides.customer_id'], ({ a, b }) => ({ winner_id: a, loser_ids: [b], field_overrides: { customer_id: nobody } })],
  ])('%j', async (paths, body) => {
    const theirs = created(await (await crm.app.workspace()).post('/opportunities', { name: 'Theirs' })).id
    const [a, b, c] = [await deal(), await deal(), await deal()]
    const before = await everythingOf(crm)
    const request = body({ a, b, c, theirs } as Record<string, string>)
    for (const path of ['/opportunities/merge', '/deals/merge']) expect(await crm.ws.post(path, request)).toMatchObject(refused(...paths))
    expect(await crm.ws.post('/opportunities/merge', { ...request, preview: true })).toMatchObject(refused(...paths))
    expect(await everythingOf(crm)).toEqual(before)
  })
})

describe('the winner’s fields', () => {
  test('stay as they are, and the empty ones take the value of the first loser that has one', async () => {
    const winner = await deal({ name: 'Kept', value: 7, notes: 'Mine', tags: [{ name: 'VIP' }], metadata: { tier: 'gold', size: '' } })
    const first = await deal({
      value: 9,
      currency: 'USD',
      metadata: { tier: 'tin', size: 'XL' },
      lead_source: 'Fair',
      tags: [{ name: 'New' }],
    })
    const second = await deal({ notes: 'Theirs', lead_source: 'Web', description: 'Told', metadata: { region: 'EU' } })
    const none = await deals(winner, [first, second], { fill_empty_fields: false, preview: true })
    expect(none.field_changes).toEqual({})
    const done = await deals(winner, [first, second])
    expect(Object.keys(done.field_changes).sort()).toEqual(['description', 'lead_source', 'metadata.region', 'metadata.size'])
    expect(done.field_changes.lead_source).toEqual({ before: null, after: 'Fair', from: [first] })
    expect(done.winner).toMatchObject({
      name: 'Kept',
      value: 7,
      currency: 'AUD',
      notes: 'Mine',
      tags: [{ name: 'VIP' }],
      metadata: { tier: 'gold', size: 'XL', region: 'EU' },
    })
  })

  test('take overrides before they are filled, and a value that was given stays', async () => {
    const winner = await deal({ name: 'A', description: 'Old', metadata: { tier: 'gold', old: 1 } })
    const loser = await deal({ name: 'B', description: 'Theirs', notes: 'Theirs', next_action_type: 'call', next_action_note: 'Soon' })
    const field_overrides = { name: 'B', description: null, value: 3, metadata: { old: null, region: 'EU' }, assigned_to: crm.ws.userId }
    const done = await deals(winner, [loser], { field_overrides })
    expect(done.winner).toMatchObject({
      name: 'B',
      description: null,
      value: 3,
      notes: 'Theirs',
      next_action_note: 'Soon',
      metadata: { tier: 'gold', region: 'EU' },
      assigned_to: crm.ws.userId,
    })
    expect(done.field_changes).toMatchObject({ name: { before: 'A', after: 'B', from: [] }, 'metadata.old': { before: 1, after: null } })
    expect(done.winner.metadata).not.toHaveProperty('old')
    expect(await undo(crm, 'opportunities', done.merge_id)).toMatchObject({ changed_since: [] })
    expect(found(await crm.ws.get(`/opportunities/${winner}`))).toMatchObject({
      name: 'A',
      description: 'Old',
      metadata: { tier: 'gold', old: 1 },
    })
  })

  test('that belong together come from one loser: value and currency, a next action, an address', async () => {
    const winner = await deal()
    const dollars = await deal({ value: 9, currency: 'USD' })
    const half = await deal({ next_action_type: 'call' })
    const whole = await deal({ value: 4, next_action_type: 'email', next_action_note: 'Offer' })
    expect((await deals(winner, [dollars, half, whole])).winner).toMatchObject({
      value: 4,
      currency: 'AUD',
      next_action_type: 'call',
      next_action_note: null,
    })
    const person = await crm.contact({ city: 'Perth' })
    const other = await crm.contact({ address_line1: '1 Bridge St', city: 'Sydney', postal_code: '2000', job_title: 'CEO' })
    expect((await merge(crm, 'contacts', person.id, [other.id])).winner).toMatchObject({
      city: 'Perth',
      address_line1: null,
      job_title: 'CEO',
    })
  })

  test('notes are appended and tags united on request', async () => {
    const winner = await deal({ notes: 'Mine', tags: [{ name: 'VIP', color: '#111111' }] })
    const losers = [
      await deal({ notes: 'First', tags: [{ name: 'vip', color: '#222222' }, { name: 'New' }] }),
      await deal({ notes: 'Mine' }),
      await deal({ notes: 'Third\nline', tags: [{ name: 'NEW' }, { name: 'Hot' }] }),
    ]
    const done = await deals(winner, losers, { append_notes: true, union_tags: true })
    expect(done.winner.notes).toBe('Mine\n\nFirst\n\nThird\nline')
    expect(done.winner.tags).toEqual([
      { name: 'VIP', color: '#111111' },
      { name: 'New', color: null },
      { name: 'Hot', color: null },
    ])
    expect(done.field_changes.notes.from).toEqual([losers[0], losers[2]])
    expect(done.field_changes.tags.from).toEqual([losers[0], losers[2]])
  })

  test('have their limits: notes of 20000 characters, 50 tags', async () => {
    const winner = await deal({ notes: 'a'.repeat(15_000), tags: Array.from({ length: 30 }, (_, i) => ({ name: `A${i}` })) })
    const loser = await deal({ notes: 'b'.repeat(15_000), tags: Array.from({ length: 30 }, (_, i) => ({ name: `B${i}` })) })
    const request = { winner_id: winner, loser_ids: [loser] }
    expect(await crm.ws.post('/opportunities/merge', { ...request, append_notes: true })).toMatchObject(refused('append_notes'))
    expect(await crm.ws.post('/opportunities/merge', { ...request, union_tags: true })).toMatchObject(refused('union_tags'))
    found(await crm.ws.get(`/opportunities/${loser}`))
  })

  test('where the card stands, and its status, are the winner’s, and its reasons only those of its own status', async () => {
    const { stages } = await crm.firstPipeline()
    await crm.offerReasons(['Price'])
    const lost = await deal({ stage_id: stages.Lost, lost_reasons: ['Price'] })
    const open = await deal()
    const alsoLost = await deal({ stage_id: stages.Lost })
    expect((await deals(open, [lost], { preview: true })).winner).toMatchObject({
      status: 'open',
      stage_id: stages.New,
      lost_reasons: null,
      closed_at: null,
    })
    expect((await deals(alsoLost, [lost])).winner).toMatchObject({ status: 'lost', lost_reasons: ['Price'] })
  })

  test('take no custom value that is not possible any more, and free one that must be a record’s own', async () => {
    const field = (key: string, more: Row) => crm.ws.post('/custom-fields', { object: 'contact', key, label: key, type: 'text', ...more })
    created(await field('code', { unique: true }))
    const winner = (await crm.contact()).id
    const loser = (await crm.contact({ metadata: { code: 'X1', size: 'L' } })).id
    created(await field('size', { type: 'select', options: ['S', 'M'] }))
    const done = await merge(crm, 'contacts', winner, [loser])
    expect(done.winner.metadata).toEqual({ code: 'X1' })
    expect(await crm.ws.post('/contacts', { first_name: 'B', metadata: { code: 'X1' } })).toMatchObject(failed(409, 'CONFLICT'))
    created(await field('must', { required: true }))
    expect(await undo(crm, 'contacts', done.merge_id)).toMatchObject({ changed_since: [] })
    expect(found(await crm.ws.get(`/contacts/${loser}`)).metadata).toEqual({ code: 'X1', size: 'L' })
    expect(ids(found(await crm.ws.post('/contacts/search', { filter: { field: 'metadata.code', op: 'eq', value: 'X1' } })))).toEqual([
      loser,
    ])
  })
})

test('a contact’s override is read as an update is: its number by its country', async () => {
  const winner = await crm.contact({ country: 'Germany', email: 'old@example.com' })
  const loser = await crm.contact({ email: 'new@example.com' })
  const done = await merge(crm, 'contacts', winner.id, [loser.id], { field_overrides: { phone: '030 901820', email: 'NEW@example.com' } })
  expect(done.winner).toMatchObject({ phone: '+4930901820', email: 'new@example.com', alternate_emails: ['old@example.com'] })
})
