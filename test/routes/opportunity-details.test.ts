import { describe, expect, test } from 'vitest'
import { created, failed, found, held, ids, nobody, type Row, refused, useCrm } from './crm.ts'

const crm = useCrm()

const line = async (opportunity: string, fields: Row = {}) =>
  created(await crm.ws.post(`/opportunities/${opportunity}/products`, { name: 'GTX Pro', quantity: 2, unit_price: 100, ...fields }))
const bucket = async (opportunity: string, name: string, fields: Row = {}) =>
  created(await crm.ws.post(`/opportunities/${opportunity}/buckets`, { name, ...fields }))
const cost = async (opportunity: string, line_item_id: string, fields: Row = {}) =>
  created(await crm.ws.post(`/opportunities/${opportunity}/product-costs`, { line_item_id, unit_cost: 60, ...fields }))
const names = (rows: Row[]) => rows.map(({ name }) => name)

describe('tags', () => {
  test('one is added, shown on the record, told in its history, and removed by name', async () => {
    const { id } = await crm.opportunity()
    expect(await crm.ws.post(`/opportunities/${id}/tags`, { name: 'VIP', color: '#1A73E8' })).toMatchObject({
      status: 200,
      body: { data: { name: 'VIP', color: '#1a73e8' } },
    })
    await crm.ws.post(`/opportunities/${id}/tags`, { name: 'Zu groß / eilig' })
    const tags = [
      { name: 'VIP', color: '#1a73e8' },
      { name: 'Zu groß / eilig', color: null },
    ]
    expect(found(await crm.ws.get(`/opportunities/${id}/tags`))).toEqual(tags)
    expect(found(await crm.ws.get(`/opportunities/${id}`)).tags).toEqual(tags)

    const removed = await crm.ws.delete(`/opportunities/${id}/tags/${encodeURIComponent('zu GROSS / eilig'.replace('SS', 'ß'))}`)
    expect(removed).toMatchObject({ status: 200, body: { data: { opportunity_id: id, deleted: true } } })
    expect(names(found(await crm.ws.get(`/opportunities/${id}/tags`)))).toEqual(['VIP'])
    const [change] = found(await crm.ws.get(`/opportunities/${id}/history`))
    expect(change?.fields).toEqual({ tags: { before: tags, after: [tags[0]] } })
    expect((await crm.events(id)).filter(({ type }) => type === 'opportunity.updated')).toHaveLength(3)
  })

  test('without a colour it gets the palette’s, whatever its case', async () => {
    await crm.app.owner.query(`update crm_settings set tag_palette = '[{"name": "VIP", "color": "#ff0000"}]' where workspace_id = $1`, [
      crm.ws.id,
    ])
    const { id } = await crm.opportunity({ tags: [{ name: 'plain' }] })
    expect((await crm.ws.post(`/opportunities/${id}/tags`, { name: 'vip' })).body.data).toEqual({ name: 'vip', color: '#ff0000' })
    expect((await crm.ws.post(`/opportunities/${id}/tags`, { name: 'Other' })).body.data).toEqual({ name: 'Other', color: null })
  })

  test('adding one again changes its colour where one is sent, and nothing else', async () => {
    const { id } = await crm.opportunity()
    const add = async (body: Row) => (await crm.ws.post(`/opportunities/${id}/tags`, body)).body.data
    await add({ name: 'VIP', color: '#111111' })
    expect(await add({ name: 'vip' })).toEqual({ name: 'VIP', color: '#111111' })
    const { version } = found(await crm.ws.get(`/opportunities/${id}`))
    expect(version).toBe(2)
    expect(await add({ name: 'ViP', color: '#222222' })).toEqual({ name: 'VIP', color: '#222222' })
    expect(found(await crm.ws.get(`/opportunities/${id}/tags`))).toEqual([{ name: 'VIP', color: '#222222' }])
  })

  test('many added at once are all stored, 50 at most', async () => {
    const { id } = await crm.opportunity()
    const add = (n: number) => crm.ws.post(`/opportunities/${id}/tags`, { name: `Tag ${n}` })
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => add(n)))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect(found(await crm.ws.get(`/opportunities/${id}/tags`))).toHaveLength(20)
    await crm.ws.patch(`/opportunities/${id}`, { tags: Array.from({ length: 50 }, (_, n) => ({ name: `Tag ${n}` })) })
    expect(await add(50)).toMatchObject(refused('name'))
    expect((await add(49)).status).toBe(200)
  })

  test('invalid input is reported', async () => {
    const { id } = await crm.opportunity()
    expect(await crm.ws.post(`/opportunities/${id}/tags`, { name: ' ', color: 'reddish' })).toMatchObject(refused('name', 'color'))
    expect(await crm.ws.delete(`/opportunities/${id}/tags/none`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await crm.ws.post(`/opportunities/${id}/tags`, { name: 'x' }, { 'if-match': '"9"' })).toMatchObject(
      failed(412, 'PRECONDITION_FAILED'),
    )
  })
})

describe('the next action', () => {
  test('is set as a whole, shown on the record, and cleared', async () => {
    const { id } = await crm.opportunity()
    const path = `/opportunities/${id}/next-action`
    expect(await crm.ws.put(path, { type: 'call', note: 'Ask for the plan', at: '2026-03-31T19:30:00+10:00' })).toMatchObject({
      status: 200,
      body: { data: { opportunity_id: id, type: 'call', note: 'Ask for the plan', at: '2026-03-31T09:30:00.000Z', version: 2 } },
    })
    expect(found(await crm.ws.get(`/opportunities/${id}`))).toMatchObject({
      next_action_type: 'call',
      next_action_note: 'Ask for the plan',
    })
    expect((await crm.ws.put(path, { type: 'visit' })).body.data).toMatchObject({ type: 'visit', note: null, at: null })
    expect(found(await crm.ws.get(path))).toMatchObject({ type: 'visit', version: 3 })
    expect((await crm.ws.delete(path)).body.data).toMatchObject({ type: null, note: null, at: null, version: 4 })
    expect((await crm.ws.delete(path)).body.data).toMatchObject({ type: null, version: 4 })
    const [change] = found(await crm.ws.get(`/opportunities/${id}/history`))
    expect(change?.fields).toEqual({ next_action_type: { before: 'visit', after: null } })
  })

  test('prevents lost updates, and reports invalid input', async () => {
    const { id } = await crm.opportunity()
    const put = (body: Row, headers = {}) => crm.ws.put(`/opportunities/${id}/next-action`, body, headers)
    expect(await put({ type: 'call' }, { 'if-match': '"7"' })).toMatchObject(failed(412, 'PRECONDITION_FAILED'))
    expect((await put({ type: 'call' }, { 'if-match': '"1"' })).headers.get('etag')).toBe('"2"')
    expect(await put({})).toMatchObject(refused('type'))
    expect(await put({ type: 'call', at: 'tomorrow' })).toMatchObject(refused('at'))
  })
})

describe('buckets', () => {
  test('come in display order, with the number and sums of their line items', async () => {
    const { id } = await crm.opportunity()
    const hardware = await bucket(id, 'Hardware')
    await bucket(id, 'Service')
    await bucket(id, 'First', { position: 0 })
    await line(id, { bucket_id: hardware.id, tax_percent: 10 })
    await line(id, { bucket_id: hardware.id, quantity: 1, discount_percent: 50 })
    await line(id)
    const list = found(await crm.ws.get(`/opportunities/${id}/buckets`))
    expect(names(list)).toEqual(['First', 'Hardware', 'Service'])
    expect(list.map(({ line_items }) => line_items)).toEqual([
      { count: 0, subtotal: 0, total: 0 },
      { count: 2, subtotal: 250, total: 270 },
      { count: 0, subtotal: 0, total: 0 },
    ])
    expect(found(await crm.ws.get(`/opportunities/${id}/buckets/${hardware.id}`))).toEqual(list[1])
    expect(found(await crm.ws.get(`/opportunities/${id}`)).products.map(({ bucket_id }: Row) => bucket_id)).toEqual([
      hardware.id,
      hardware.id,
      null,
    ])
    expect(names(await crm.walk(`/opportunities/${id}/buckets?limit=1`))).toEqual(['First', 'Hardware', 'Service'])
  })

  test('a line item is added to one, moved to another, and removed', async () => {
    const { id } = await crm.opportunity()
    const [a, b] = [await bucket(id, 'A'), await bucket(id, 'B')]
    const item = await line(id, { bucket_id: a.id })
    const put = (bucket_id: unknown) => crm.ws.patch(`/opportunities/${id}/products/${item.id}`, { bucket_id })
    expect((await put(b.id)).body.data).toMatchObject({ bucket_id: b.id, total: 200 })
    expect((await put(null)).body.data).toMatchObject({ bucket_id: null, total: 200 })
    expect((await crm.ws.get(`/opportunities/${id}/products`)).body.data[0]).toMatchObject({ bucket_id: null })
  })

  test('a bucket of another opportunity or workspace, or an unknown one, is refused', async () => {
    const [{ id }, other, stranger] = [await crm.opportunity(), await crm.opportunity(), await crm.app.workspace()]
    const elsewhere = await bucket(other.id, 'Elsewhere')
    const theirs = created(await stranger.post('/opportunities', { name: 'Theirs' })).id
    const foreign = created(await stranger.post(`/opportunities/${theirs}/buckets`, { name: 'Theirs' })).id
    const item = await line(id)
    for (const bucket_id of [elsewhere.id, foreign, nobody]) {
      expect(await crm.ws.patch(`/opportunities/${id}/products/${item.id}`, { bucket_id })).toMatchObject(refused('bucket_id'))
      expect(await crm.ws.post(`/opportunities/${id}/products`, { name: 'x', bucket_id })).toMatchObject(refused('bucket_id'))
      expect(await crm.ws.get(`/opportunities/${id}/buckets/${bucket_id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
      expect(await crm.ws.delete(`/opportunities/${id}/buckets/${bucket_id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    }
    expect(await crm.count('opportunity_buckets')).toBe(1)
  })

  test('deleting one keeps its line items, ungrouped, at their prices, and their history tells so', async () => {
    const { id } = await crm.opportunity()
    const { id: gone } = await bucket(id, 'Gone')
    const item = await line(id, { bucket_id: gone })
    expect((await crm.ws.delete(`/opportunities/${id}/buckets/${gone}`)).body.data).toEqual({ id: gone, deleted: true })
    const [now] = found(await crm.ws.get(`/opportunities/${id}/products`))
    expect(now).toMatchObject({ id: item.id, bucket_id: null, unit_price: 100, subtotal: 200, total: 200, version: 2 })
    expect((await crm.events(item.id)).map(({ type }) => type)).toEqual(['opportunity_product.created', 'opportunity_product.updated'])
    expect((await crm.events(gone)).map(({ type }) => type)).toEqual(['opportunity_bucket.created', 'opportunity_bucket.deleted'])
  })

  test('a bucket deleted while a line item comes into it leaves no line item in it', async () => {
    const { id } = await crm.opportunity()
    for (let n = 0; n < 5; n++) {
      const { id: gone } = await bucket(id, `Race ${n}`)
      const item = await line(id)
      const [patched] = await Promise.all([
        crm.ws.patch(`/opportunities/${id}/products/${item.id}`, { bucket_id: gone }),
        crm.ws.delete(`/opportunities/${id}/buckets/${gone}`),
      ])
      expect([200, 400]).toContain(patched.status)
      expect(found(await crm.ws.get(`/opportunities/${id}/products/${item.id}`)).bucket_id).toBeNull()
    }
  })

  test('are put in another order as a whole', async () => {
    const { id } = await crm.opportunity()
    const [a, b, c] = [await bucket(id, 'A'), await bucket(id, 'B'), await bucket(id, 'C')]
    const reorder = (order: string[]) => crm.ws.post(`/opportunities/${id}/buckets/reorder`, { ids: order })
    expect(names(found(await reorder([c.id, a.id, b.id])))).toEqual(['C', 'A', 'B'])
    expect(names(found(await crm.ws.get(`/opportunities/${id}/buckets`)))).toEqual(['C', 'A', 'B'])
    for (const [wrong, field] of [
      [[a.id], 'ids'],
      [[a.id, b.id, c.id, nobody], 'ids.3'],
      [[a.id, a.id, b.id, c.id], 'ids.1'],
      [[a.id, b.id, b.id], 'ids.2'],
    ] as const)
      expect(await reorder([...wrong])).toMatchObject(refused(field))
  })

  test('have unique names on an opportunity, even when two are added at once', async () => {
    const { id } = await crm.opportunity()
    const answers = await Promise.all(['Same', 'same', ' SAME '].map((name) => crm.ws.post(`/opportunities/${id}/buckets`, { name })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    const other = await bucket(id, 'Other')
    expect(await crm.ws.patch(`/opportunities/${id}/buckets/${other.id}`, { name: 'same' })).toMatchObject(failed(409, 'CONFLICT'))
    expect((await crm.ws.patch(`/opportunities/${id}/buckets/${other.id}`, { name: 'OTHER' })).body.data).toMatchObject({
      name: 'OTHER',
      version: 2,
    })
    await bucket((await crm.opportunity()).id, 'Same')
  })

  test('go with their opportunity', async () => {
    const { id } = await crm.opportunity()
    await line(id, { bucket_id: (await bucket(id, 'A')).id })
    expect((await crm.ws.delete(`/opportunities/${id}`)).status).toBe(200)
    expect(await crm.count('opportunity_buckets')).toBe(0)
    expect(await crm.ws.get(`/opportunities/${id}/buckets`)).toMatchObject(failed(404, 'NOT_FOUND'))
  })
})

describe('every part', () => {
  test('can require approval, and runs once it is approved', async () => {
    const { id } = await crm.opportunity()
    const answer = await crm.ws.post(`/opportunities/${id}/buckets`, { name: 'Held', require_approval: true })
    expect(answer).toMatchObject(held)
    expect(found(await crm.ws.get(`/opportunities/${id}/buckets`))).toEqual([])
    await crm.ws.post(`/approvals/${answer.body.approval_id}/approve`)
    await crm.app.drain()
    expect(names(found(await crm.ws.get(`/opportunities/${id}/buckets`)))).toEqual(['Held'])
  })

  test('is served under /deals too', async () => {
    const { id } = await crm.opportunity()
    const { id: made } = created(await crm.ws.post(`/deals/${id}/buckets`, { name: 'Old' }))
    const answer = await crm.ws.get(`/deals/${id}/buckets`)
    expect(ids(found(answer))).toEqual([made])
    expect(answer.headers.get('deprecation')).toBe('true')
    expect(answer.headers.get('link')).toBe(`</v1/opportunities/${id}/buckets>; rel="successor-version"`)
    for (const path of ['tags', 'next-action', 'margin', 'product-costs', 'billing-parties', 'invoices', 'attachments', 'timeline'])
      expect((await crm.ws.get(`/deals/${id}/${path}`)).status, path).toBe(200)
  })

  test('moves to another opportunity within a transaction, whichever goes first', async () => {
    for (const tables of [
      ['opportunity_buckets', 'opportunity_products', 'product_costs'],
      ['product_costs', 'opportunity_products', 'opportunity_buckets'],
    ]) {
      const [from, to] = [await crm.opportunity(), await crm.opportunity()]
      const { id: bucket_id } = await bucket(from.id, 'A')
      const item = await line(from.id, { bucket_id })
      await cost(from.id, item.id)
      const client = await crm.app.owner.connect()
      await client.query('begin')
      for (const table of tables) await client.query(`update ${table} set opportunity_id = $2 where opportunity_id = $1`, [from.id, to.id])
      await client.query('commit')
      client.release()
      expect(found(await crm.ws.get(`/opportunities/${to.id}/buckets`))[0]).toMatchObject({ id: bucket_id, line_items: { count: 1 } })
      expect(found(await crm.ws.get(`/opportunities/${to.id}/margin`))).toMatchObject({ cost: 60 })
    }
  })
})
