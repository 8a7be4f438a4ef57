import { describe, expect, test } from 'vitest'
import { created, failed, found, ids, nobody, type Row, refused, useCrm } from './crm.ts'
import { merge, undo } from './merging.ts'

const crm = useCrm()
const define = async (fields: Row) => created(await crm.ws.post('/custom-fields', fields))
const metadataOf = async (path: string, id: string) => found(await crm.ws.get(`${path}/${id}`)).metadata
const partner = { object: 'task', key: 'partner', label: 'Partner', type: 'contact' }
const task = async (metadata: Row) => created(await crm.ws.post('/tasks', { title: 'Call', metadata })).id as string

describe('a reference to a record', () => {
  test('is the id of one in the workspace, on every path, and always indexed', async () => {
    expect(await define(partner)).toMatchObject({ indexed: true })
    expect(await crm.ws.post('/custom-fields', { ...partner, key: 'other', indexed: false })).toMatchObject(refused('indexed'))
    expect(await crm.ws.post('/custom-fields', { ...partner, key: 'other', unique: true })).toMatchObject(refused('unique'))
    const stranger = await crm.app.workspace()
    const theirs = created(await stranger.post('/contacts', { first_name: 'Ana' })).id
    const { id: ours } = await crm.contact()
    const { id } = created(await crm.ws.post('/tasks', { title: 'Call', metadata: { partner: ours } }))
    for (const bad of ['Ana', nobody, theirs, [ours], 5]) {
      expect(await crm.ws.post('/tasks', { title: 'Call', metadata: { partner: bad } })).toMatchObject(refused('metadata.partner'))
      expect(await crm.ws.patch(`/tasks/${id}`, { metadata: { partner: bad } })).toMatchObject(refused('metadata.partner'))
    }
    const records = [
      { title: 'x', metadata: { partner: nobody } },
      { title: 'y', metadata: { partner: ours } },
    ]
    expect(found(await crm.ws.post('/tasks/bulk-create', { records }))).toMatchObject({
      results: [{ title: 'y' }],
      errors: [{ index: 0, error: { details: { issues: [{ path: 'metadata.partner', message: 'No such contact in this workspace' }] } } }],
    })
  })

  test('can be to a member, who stays when removed; names come with include', async () => {
    await define({ object: 'company', key: 'advisor', label: 'Advisor', type: 'member' })
    await define({ object: 'company', key: 'sold', label: 'Sold', type: 'opportunity' })
    const former = await crm.formerMember()
    expect(await crm.ws.post('/companies', { name: 'Acme', metadata: { advisor: former } })).toMatchObject(refused('metadata.advisor'))
    const sold = (await crm.opportunity({ name: 'Deck' })).id
    const metadata = { advisor: crm.ws.userId, sold }
    const { id } = created(await crm.ws.post('/companies', { name: 'Acme', metadata }))
    const filter = { field: 'metadata.sold', op: 'eq', value: sold }
    expect(ids(found(await crm.ws.post('/companies/search', { filter })))).toEqual([id])
    const [company] = found(await crm.ws.get('/companies?include=custom_references'))
    expect(company?.custom_references).toEqual({
      advisor: { type: 'member', id: crm.ws.userId, name: expect.stringContaining('Owner') },
      sold: { type: 'opportunity', id: sold, name: 'Deck' },
    })
    const few = await crm.ws.key({ scopes: ['companies:read'] })
    expect(await few.get('/companies?include=custom_references')).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
  })

  test('goes with the deleted record, and comes back with it unless it has another by then', async () => {
    await define({ ...partner, required: true })
    const { id: partnerId } = await crm.contact()
    const [first, second, third] = [
      await task({ partner: partnerId }),
      await task({ partner: partnerId }),
      await task({ partner: partnerId }),
    ]
    found(await crm.ws.delete(`/contacts/${partnerId}`))
    expect(await metadataOf('/tasks', first)).toEqual({})
    const [change] = found(await crm.ws.get(`/tasks/${first}/history`))
    expect(change?.fields).toEqual({ metadata: { before: { partner: partnerId }, after: {} } })
    const { id: other } = await crm.contact()
    found(await crm.ws.patch(`/tasks/${second}`, { metadata: { partner: other } }))
    found(await crm.ws.delete(`/tasks/${third}`))
    const restored = await crm.ws.post(`/contacts/${partnerId}/restore`)
    expect(restored.body._warnings).toMatchObject([
      { details: { table: 'tasks', id: second, field: 'metadata.partner', reason: 'changed' } },
    ])
    expect(await metadataOf('/tasks', first)).toEqual({ partner: partnerId })
    expect(await metadataOf('/tasks', second)).toEqual({ partner: other })
    // A record that is restored after its target was deleted comes back without the value.
    found(await crm.ws.delete(`/tasks/${second}`))
    found(await crm.ws.delete(`/contacts/${other}`))
    const cleared = await crm.ws.post(`/tasks/${second}/restore`)
    expect(cleared.body._warnings).toMatchObject([{ details: { id: second, field: 'metadata.partner', reason: 'gone' } }])
    expect(await metadataOf('/tasks', second)).toEqual({})
  })

  test('follows a merge to the winner, and an undo back', async () => {
    await define(partner)
    await define({ ...partner, object: 'contact' })
    const [winner, loser] = [await crm.contact({ first_name: 'Bo' }), await crm.contact({ first_name: 'Cy' })]
    const id = await task({ partner: loser.id, other: 1 })
    const { id: friend } = await crm.contact({ metadata: { partner: loser.id } })
    found(await crm.ws.patch(`/contacts/${winner.id}`, { metadata: { partner: loser.id, a: 1 } }))
    found(await crm.ws.patch(`/contacts/${loser.id}`, { metadata: { partner: winner.id, b: 2 } }))
    const { merge_id, winner: merged } = await merge(crm, 'contacts', winner.id, [loser.id])
    expect(merged.metadata).toEqual({ a: 1, b: 2 })
    expect(await metadataOf('/tasks', id)).toEqual({ partner: winner.id, other: 1 })
    expect(await metadataOf('/contacts', friend)).toEqual({ partner: winner.id })
    await undo(crm, 'contacts', merge_id)
    expect(await metadataOf('/tasks', id)).toEqual({ partner: loser.id, other: 1 })
    expect(await metadataOf('/contacts', friend)).toEqual({ partner: loser.id })
    // Values between the merged records do not come back in the winner.
    expect(await metadataOf('/contacts', winner.id)).toEqual({ a: 1 })
    expect(await metadataOf('/contacts', loser.id)).toEqual({ partner: winner.id, b: 2 })
  })

  test('to a record that is deleted at the same time is refused, or cleared', async () => {
    await define(partner)
    for (let turn = 0; turn < 5; turn++) {
      const { id } = await crm.contact()
      const [answer] = await Promise.all([
        crm.ws.post('/tasks', { title: 'Call', metadata: { partner: id } }),
        crm.ws.delete(`/contacts/${id}`),
      ])
      if (answer.status === 201) expect(await metadataOf('/tasks', answer.body.data.id)).toEqual({})
      else expect(answer).toMatchObject(refused('metadata.partner'))
    }
  })
})

describe('an amount of money', () => {
  const budget = { object: 'contact', key: 'budget', label: 'Budget', type: 'money' }
  const aud = (amount: number) => ({ amount, currency: 'AUD' })

  test('has an amount with at most two decimals and a currency of ISO 4217', async () => {
    await define(budget)
    for (const it of [aud(0), aud(-1.25), aud(999_999_999_999.99), { currency: 'JPY', amount: 5 }])
      expect((await crm.contact({ metadata: { budget: it } })).metadata).toEqual({ budget: it })
    for (const it of [
      5,
      'AUD 5',
      {},
      { amount: 5 },
      { currency: 'AUD' },
      aud(0.001),
      aud(1e12),
      { ...aud(1), rate: 1 },
      [aud(1)],
      { amount: '5', currency: 'AUD' },
      { amount: 5, currency: 'aud' },
      { amount: 5, currency: 'XXX' },
      { amount: null, currency: 'AUD' },
    ])
      expect(await crm.ws.post('/contacts', { first_name: 'x', metadata: { budget: it } }), JSON.stringify(it)).toMatchObject(
        refused('metadata.budget'),
      )
  })

  test.each([false, true])('is compared within one currency (indexed: %s)', async (indexed) => {
    await define({ ...budget, indexed })
    const small = (await crm.contact({ metadata: { budget: aud(10) } })).id
    const large = (await crm.contact({ metadata: { budget: aud(99.5) } })).id
    const other = (await crm.contact({ metadata: { budget: { amount: 50, currency: 'EUR' } } })).id
    const none = (await crm.contact()).id
    const search = async (op: string, value?: unknown) => {
      const answer = await crm.ws.post('/contacts/search', { filter: { field: 'metadata.budget', op, value }, sort: 'created_at' })
      return ids(found(answer))
    }
    expect(await search('gt', aud(5))).toEqual([small, large])
    expect(await search('gte', aud(99.5))).toEqual([large])
    expect(await search('lt', aud(99.5))).toEqual([small])
    expect(await search('eq', aud(10))).toEqual([small])
    expect(await search('between', [aud(10), aud(100)])).toEqual([small, large])
    expect(await search('lte', { amount: 50, currency: 'EUR' })).toEqual([other])
    expect(await search('not_eq', aud(10))).toEqual([large, other, none])
    expect(await search('is_empty')).toEqual([none])
    const refusedFor = async (op: string, value: unknown, path: string) =>
      expect(await crm.ws.post('/contacts/search', { filter: { field: 'metadata.budget', op, value } })).toMatchObject(refused(path))
    await refusedFor('gt', 5, 'filter.value')
    await refusedFor('between', [aud(1), { amount: 5, currency: 'EUR' }], 'filter.value')
    expect(await crm.ws.post('/contacts/search', { sort: 'metadata.budget' })).toMatchObject(refused('sort'))
    const csv = await crm.ws.get('/contacts/export?fields=metadata.budget&sort=created_at&limit=1')
    expect(csv.body).toContain('AUD')
  })
})
