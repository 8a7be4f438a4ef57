import { describe, expect, test } from 'vitest'
import { created, failed, found, ids, nobody, type Row, useCrm } from './crm.ts'
import { everythingOf, merge, undo } from './merging.ts'

const crm = useCrm({ own: true })

const deals = (winner: string, losers: string[], how: Row = {}) => merge(crm, 'opportunities', winner, losers, how)
const deal = async (fields: Row = {}) => (await crm.opportunity(fields)).id as string
const undoing = (mergeId: string) => crm.ws.post(`/opportunities/merges/${mergeId}/undo`)
const post = async (path: string, body: Row) => created(await crm.ws.post(path, body))
const mergedInto = (winner: string) => ({ status: 404, body: { error: { code: 'NOT_FOUND', details: { merged_into: winner } } } })

describe('changes since the merge stay and are reported', () => {
  test('fields of the winner', async () => {
    const winner = await deal({ name: 'A', metadata: { tier: 'gold' } })
    const loser = await deal({ description: 'Told', notes: 'Theirs', metadata: { size: 'L', region: 'EU' } })
    const { merge_id } = await deals(winner, [loser], { field_overrides: { name: 'B' } })
    found(await crm.ws.patch(`/opportunities/${winner}`, { notes: 'Mine now', metadata: { size: 'XL', more: 1 } }))
    const { changed_since } = await undo(crm, 'opportunities', merge_id)
    expect(changed_since).toHaveLength(2)
    for (const field of ['notes', 'metadata.size'])
      expect(changed_since).toContainEqual({ table: 'opportunities', id: winner, field, reason: 'changed' })
    expect(found(await crm.ws.get(`/opportunities/${winner}`))).toMatchObject({
      name: 'A',
      description: null,
      notes: 'Mine now',
      metadata: { tier: 'gold', size: 'XL', more: 1 },
    })
    expect(found(await crm.ws.get(`/opportunities/${loser}`))).toMatchObject({ notes: 'Theirs', metadata: { size: 'L', region: 'EU' } })
  })

  test('rows that went elsewhere or are gone, and what other rows say by now', async () => {
    const [winner, loser, third] = [await deal(), await deal(), await deal()]
    const task = async (title: string) => (await post('/tasks', { title, opportunity_id: loser })).id as string
    const [stays, went, gone, changed] = [await task('stays'), await task('went'), await task('gone'), await task('changed')]
    const company = await crm.company()
    for (const id of [winner, loser])
      found(await crm.ws.post(`/opportunities/${id}/billing-parties`, { customer_id: await crm.company(), share_percent: 70 }))
    const { merge_id } = await deals(winner, [loser])
    found(await crm.ws.patch(`/tasks/${went}`, { opportunity_id: third }))
    found(await crm.ws.delete(`/tasks/${gone}`))
    found(await crm.ws.patch(`/tasks/${changed}`, { title: 'Changed' }))
    const [, moved] = found(await crm.ws.get(`/opportunities/${winner}/billing-parties`)) as Row[]
    found(await crm.ws.patch(`/opportunities/${winner}/billing-parties/${moved?.customer_id}`, { share_percent: 20 }))
    const made = (await post('/tasks', { title: 'made since', opportunity_id: winner })).id
    const { changed_since } = await undo(crm, 'opportunities', merge_id)
    expect(changed_since).toHaveLength(3)
    expect(changed_since).toContainEqual({ table: 'tasks', id: went, field: null, reason: 'changed' })
    expect(changed_since).toContainEqual({ table: 'tasks', id: gone, field: null, reason: 'deleted' })
    expect(changed_since).toContainEqual(expect.objectContaining({ table: 'billing_parties', field: 'share_percent', reason: 'changed' }))
    const linked = async (id: string) => found(await crm.ws.get(`/tasks/${id}`)).opportunity_id
    expect([await linked(stays), await linked(went), await linked(changed), await linked(made)]).toEqual([loser, third, loser, winner])
    expect(found(await crm.ws.get(`/opportunities/${loser}/billing-parties`))).toMatchObject([{ share_percent: 20 }])
    expect(company).toBeTruthy()
  })

  test('line items and buckets stay with those that they stand in', async () => {
    const [winner, loser] = [
      await deal({ products: [{ name: 'Winner’s' }] }),
      await deal({ products: [{ name: 'Loser’s' }, { name: 'Other' }] }),
    ]
    const bucket = async (of: string, name: string) => (await post(`/opportunities/${of}/buckets`, { name })).id as string
    const [common, mine, theirs] = [await bucket(winner, 'Common'), await bucket(winner, 'Mine'), await bucket(loser, 'Theirs')]
    await bucket(loser, 'Common')
    const { merge_id, winner: after } = await deals(winner, [loser])
    const [first, second, third] = after.products as [Row, Row, Row]
    const put = (item: Row, bucket_id: string) => crm.ws.patch(`/opportunities/${winner}/products/${item.id}`, { bucket_id }).then(found)
    await put(first, theirs)
    await put(second, mine)
    await put(third, theirs)
    const cost = await post(`/opportunities/${winner}/product-costs`, { line_item_id: second.id, unit_cost: 1 })
    const { changed_since } = await undo(crm, 'opportunities', merge_id)
    const inBuckets = async (of: string) =>
      found(await crm.ws.get(`/opportunities/${of}`)).products.map((item: Row) => [item.name, item.bucket_id])
    expect(await inBuckets(winner)).toEqual([['Winner’s', null]])
    expect(await inBuckets(loser)).toEqual([
      ['Loser’s', null],
      ['Other', theirs],
    ])
    expect(found(await crm.ws.get(`/opportunities/${loser}/product-costs`))).toEqual([expect.objectContaining({ id: cost.id })])
    expect(changed_since).toHaveLength(2)
    for (const { id } of [first, second])
      expect(changed_since).toContainEqual({ table: 'opportunity_products', id, field: 'bucket_id', reason: 'changed' })
    expect(ids(found(await crm.ws.get(`/opportunities/${winner}/buckets`)))).toEqual([common, mine])
  })

  test('values that another record has taken, and references to what is gone', async () => {
    created(await crm.ws.post('/custom-fields', { object: 'opportunity', key: 'code', label: 'Code', type: 'text', unique: true }))
    const company = await crm.company()
    const person = (await crm.contact()).id
    const winner = await deal({ external_id: 'w', contacts: [{ contact_id: person }] })
    const loser = await deal({
      external_id: 'ext',
      customer_id: company,
      metadata: { code: 'X', size: 'L' },
      contacts: [{ contact_id: person, role: 'Buyer' }],
    })
    const { merge_id } = await deals(winner, [loser], { fill_empty_fields: false })
    await deal({ external_id: 'ext', metadata: { code: 'X' } })
    found(await crm.ws.delete(`/companies/${company}`))
    found(await crm.ws.delete(`/contacts/${person}`))
    const { changed_since } = await undo(crm, 'opportunities', merge_id)
    const about = (field: string, reason: string) => ({ table: 'opportunities', id: loser, field, reason })
    expect(changed_since).toHaveLength(4)
    for (const entry of [about('customer_id', 'gone'), about('external_id', 'taken'), about('metadata.code', 'taken')])
      expect(changed_since).toContainEqual(entry)
    expect(changed_since).toContainEqual(expect.objectContaining({ table: 'opportunity_contacts', field: 'contact_id', reason: 'gone' }))
    expect(found(await crm.ws.get(`/opportunities/${loser}`))).toMatchObject({
      external_id: null,
      customer_id: null,
      metadata: { size: 'L' },
      contacts: [],
    })
  })

  test('a value of the winner’s own that another record has taken', async () => {
    const [winner, loser] = [await deal({ external_id: 'w' }), await deal()]
    const { merge_id } = await deals(winner, [loser], { field_overrides: { external_id: 'x', description: 'Kept' } })
    await deal({ external_id: 'w' })
    const { changed_since } = await undo(crm, 'opportunities', merge_id)
    expect(changed_since).toEqual([{ table: 'opportunities', id: winner, field: 'external_id', reason: 'taken' }])
    expect(found(await crm.ws.get(`/opportunities/${winner}`))).toMatchObject({ external_id: null, description: null })
  })

  test('a primary contact that has another successor by now', async () => {
    const company = await crm.company()
    const [winner, loser, other] = [
      await crm.contact({ customer_id: company }),
      await crm.contact(),
      await crm.contact({ customer_id: company }),
    ]
    found(await crm.ws.patch(`/contacts/${loser.id}`, { customer_id: company, is_primary: true }))
    const { merge_id } = await merge(crm, 'contacts', winner.id, [loser.id])
    found(await crm.ws.patch(`/contacts/${other.id}`, { is_primary: true }))
    const { changed_since } = await undo(crm, 'contacts', merge_id)
    expect(changed_since).toContainEqual({ table: 'contacts', id: loser.id, field: 'is_primary', reason: 'taken' })
    const primary = found(await crm.ws.get(`/companies/${company}/contacts`)).filter(({ is_primary }) => is_primary)
    expect(ids(primary)).toEqual([other.id])
  })

  test('a winner that was deleted: the losers come back with what is left', async () => {
    const [winner, loser] = [await deal(), await deal({ name: 'Loser', products: [{ name: 'Desk' }] })]
    const task = await post('/tasks', { title: 'Call', opportunity_id: loser })
    const { merge_id } = await deals(winner, [loser])
    found(await crm.ws.delete(`/opportunities/${winner}`))
    const { changed_since } = await undo(crm, 'opportunities', merge_id)
    expect(changed_since).toContainEqual({ table: 'opportunities', id: winner, field: null, reason: 'deleted' })
    expect(changed_since).toContainEqual({ table: 'tasks', id: task.id, field: null, reason: 'changed' })
    expect(changed_since).toContainEqual(expect.objectContaining({ table: 'opportunity_products', reason: 'deleted' }))
    expect(found(await crm.ws.get(`/opportunities/${loser}`))).toMatchObject({ name: 'Loser', products: [] })
  })
})

test('what a merge did is kept for 30 days, and where its losers went for ever', async () => {
  const [winner, first, second] = [await deal(), await deal({ notes: 'Secret' }), await deal({ notes: 'Secret' })]
  const old = (await deals(winner, [first], { fill_empty_fields: false })).merge_id
  const recent = (await deals(winner, [second], { fill_empty_fields: false })).merge_id
  await crm.app.owner.query("update merges set created_at = now() - interval '30 days 1 minute' where id = $1", [old])
  await crm.app.cron('17 3 * * *')
  const kept = async (merge: string) =>
    (await crm.app.owner.query("select coalesce(string_agg(before::text, ''), '') as text from merge_entries where merge_id = $1", [merge]))
      .rows[0].text
  expect(await kept(old)).toBe('{}')
  expect(await kept(recent)).toContain('Secret')
  const undoable = async (id: string) => found(await crm.ws.get(`/opportunities/merges/${id}`)).undoable
  expect([await undoable(old), await undoable(recent)]).toEqual([false, true])
  expect(await crm.ws.get(`/opportunities/${first}`)).toMatchObject(mergedInto(winner))
  expect(await undo(crm, 'opportunities', recent)).toMatchObject({ undoable: false })
  expect(await kept(recent)).toBe('{}')
})

describe('a merge that cannot be undone', () => {
  test('is undone already, over 30 days old, of another kind, unknown, or another workspace’s', async () => {
    const [winner, first, second] = [await deal(), await deal(), await deal()]
    const { merge_id } = await deals(winner, [first])
    await undo(crm, 'opportunities', merge_id)
    expect(await undoing(merge_id)).toMatchObject({ ...failed(409, 'INVALID_STATE'), body: { error: { details: { state: 'undone' } } } })
    const old = (await deals(winner, [second])).merge_id
    await crm.app.owner.query("update merges set created_at = now() - interval '30 days 1 minute' where id = $1", [old])
    expect(await undoing(old)).toMatchObject({ ...failed(409, 'INVALID_STATE'), body: { error: { details: { state: 'expired' } } } })
    expect(await crm.ws.post(`/contacts/merges/${old}/undo`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await crm.ws.get(`/contacts/merges/${old}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    const other = await crm.app.workspace()
    for (const id of [nobody, old]) expect(await other.post(`/opportunities/merges/${id}/undo`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await other.get(`/opportunities/merges/${old}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(found(await other.get('/opportunities/merges'))).toEqual([])
  })

  test('is one whose winner was merged itself: that merge has to be undone first', async () => {
    const [a, b, c] = [await deal(), await deal(), await deal({ name: 'C', products: [{ name: 'Desk' }] })]
    const before = await everythingOf(crm)
    const first = (await deals(b, [c])).merge_id
    const second = (await deals(a, [b])).merge_id
    expect(await crm.ws.get(`/opportunities/${c}`)).toMatchObject(mergedInto(a))
    expect(await undoing(first)).toMatchObject({
      ...failed(409, 'INVALID_STATE'),
      body: { error: { details: { state: 'merged_on', merge_id: second, merged_into: a } } },
    })
    await undo(crm, 'opportunities', second)
    expect(await crm.ws.get(`/opportunities/${c}`)).toMatchObject(mergedInto(b))
    expect((await undo(crm, 'opportunities', first)).changed_since).toEqual([])
    expect(await everythingOf(crm)).toEqual(before)
  })
})

test('merged, brought back and merged elsewhere, a record answers with where it is now', async () => {
  const [a, b, loser] = [await deal(), await deal(), await deal()]
  const { merge_id } = await deals(a, [loser])
  await undo(crm, 'opportunities', merge_id)
  found(await crm.ws.get(`/opportunities/${loser}`))
  await deals(b, [loser])
  expect(await crm.ws.get(`/opportunities/${loser}`)).toMatchObject(mergedInto(b))
})
