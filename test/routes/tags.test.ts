import { describe, expect, test } from 'vitest'
import { created, failed, found, type Row, refused, useCrm } from './crm.ts'
import { useImports } from './importing.ts'
import { merge } from './merging.ts'

const crm = useCrm()
const { imported } = useImports(crm)
const PALETTE = ['VIP', 'Idle'].map((name) => ({ name, color: '#1a73e8' }))
const offered = () => crm.ws.patch('/company/settings/tag-palette', PALETTE)
const names = (record: Row) => record.tags.map(({ name }: Row) => name)

describe.each([
  ['contacts', { first_name: 'Ana' }],
  ['companies', { name: 'Acme' }],
  ['opportunities', { name: 'Workstations' }],
])('the tags of %s', (plural, least) => {
  const make = async (fields: Row = {}) => created(await crm.ws.post(`/${plural}`, { ...least, ...fields }))
  const one = plural === 'companies' ? 'company' : plural === 'contacts' ? 'contact' : 'opportunity'

  test('are distinct by name, whether a record is created, updated, upserted or written in bulk', async () => {
    const tags = [{ name: 'VIP' }, { name: 'Idle' }, { name: 'vip', color: '#ff0000' }]
    const distinct = [
      { name: 'vip', color: '#ff0000' },
      { name: 'Idle', color: null },
    ]
    const answer = await crm.ws.post(`/${plural}`, { ...least, tags })
    expect(created(answer)).toMatchObject({ tags: distinct })
    expect(answer.body._warnings).toMatchObject([{ code: 'DUPLICATES_DROPPED', field: 'tags' }])
    const { id } = await make()
    expect(found(await crm.ws.patch(`/${plural}/${id}`, { tags }))).toMatchObject({ tags: distinct })
    expect(found(await crm.ws.patch(`/${plural}/${id}`, { tags: [] }))).toMatchObject({ tags: [] })
    const upsert = { ...least, external_id: 'x', tags }
    expect(created(await crm.ws.post(`/${plural}/upsert`, upsert))).toMatchObject({ tags: distinct })
    expect(found(await crm.ws.post(`/${plural}/upsert`, upsert))).toMatchObject({ tags: distinct, version: 1 })
    const bulk = found(await crm.ws.post(`/${plural}/bulk-create`, { records: [{ ...least, tags }] }))
    expect(bulk.results).toMatchObject([{ tags: distinct }])
    const records = [{ id, tags }]
    expect(found(await crm.ws.post(`/${plural}/bulk-update`, { records })).results).toMatchObject([{ tags: distinct }])
  })

  test('are added and removed one by one, with the colour of the palette', async () => {
    await offered()
    const { id } = await make()
    expect(found(await crm.ws.post(`/${plural}/${id}/tags`, { name: 'vip' }))).toEqual({ name: 'vip', color: '#1a73e8' })
    expect(found(await crm.ws.get(`/${plural}/${id}/tags`))).toEqual([{ name: 'vip', color: '#1a73e8' }])
    for (const [sent, color] of [
      [{ color: '#112233' }, '#112233'],
      [{}, '#112233'],
    ] as const)
      expect(found(await crm.ws.post(`/${plural}/${id}/tags`, { name: 'VIP', ...sent }))).toEqual({ name: 'vip', color })
    expect(found(await crm.ws.delete(`/${plural}/${id}/tags/VIP`))).toEqual({ [`${one}_id`]: id, name: 'VIP', deleted: true })
    expect(await crm.ws.delete(`/${plural}/${id}/tags/VIP`)).toMatchObject(failed(404, 'NOT_FOUND'))
    await crm.ws.patch(`/${plural}/${id}`, { tags: Array.from({ length: 50 }, (_, n) => ({ name: `Tag ${n}` })) })
    const full = await crm.ws.post(`/${plural}/${id}/tags`, { name: 'One more' })
    expect(full).toMatchObject(refused('name'))
  })

  test('are added to and removed from many records, each with its own outcome', async () => {
    await offered()
    const first = await make({ tags: [{ name: 'Idle' }, { name: 'Own' }] })
    const full = await make({ tags: Array.from({ length: 50 }, (_, n) => ({ name: `Tag ${n}` })) })
    const missing = '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d'
    const ids = [first.id, full.id, missing, 'no id', first.id]
    const call = () => crm.ws.post(`/${plural}/bulk-tags`, { ids, add: [{ name: 'VIP' }], remove: ['idle'] })
    const done = found(await call())
    expect(done.results).toMatchObject([{ id: first.id, version: 2 }])
    expect(names(done.results[0])).toEqual(['Own', 'VIP'])
    expect(done.results[0].tags[1]).toEqual({ name: 'VIP', color: '#1a73e8' })
    expect(done.errors.map(({ index, error }: Row) => [index, error.code])).toEqual([
      [1, 'VALIDATION_ERROR'],
      [2, 'NOT_FOUND'],
      [3, 'VALIDATION_ERROR'],
      [4, 'VALIDATION_ERROR'],
    ])
    expect(found(await call()).results).toMatchObject([{ version: 2 }])
    expect(names(found(await crm.ws.get(`/${plural}/${full.id}`)))).toHaveLength(50)
    expect(await crm.ws.post(`/${plural}/bulk-tags`, { ids })).toMatchObject(refused('add'))
    expect(found(await crm.ws.get(`/${plural}/${first.id}/history`))[0]?.fields).toHaveProperty('tags')
  })

  test('are found by lists, exports and filters', async () => {
    const [vip, both] = [await make({ tags: [{ name: 'VIP' }] }), await make({ tags: [{ name: 'Vip' }, { name: 'Idle' }] })]
    const none = await make()
    const ids = (list: Row[]) => list.map(({ id }) => id).sort()
    expect(ids(found(await crm.ws.get(`/${plural}?tag=vIP`)))).toEqual(ids([vip, both]))
    expect(ids(found(await crm.ws.get(`/${plural}?tag=idle&search=${Object.values(least)[0]}`)))).toEqual([both.id])
    const search = async (filter: object) => ids(found(await crm.ws.post(`/${plural}/search`, { filter })))
    expect(await search({ field: 'tags', op: 'in', value: ['idle', 'other'] })).toEqual([both.id])
    expect(await search({ field: 'tags', op: 'not_in', value: ['idle'] })).toEqual(ids([vip, none]))
    expect(await search({ field: 'tags', op: 'is_empty' })).toEqual([none.id])
    const { body } = await crm.ws.get(`/${plural}/export?tag=idle&fields=id,tags`)
    expect(body).toBe(`id,tags\r\n${both.id},"Vip; Idle"\r\n`)
  })

  test('are joined by a merge that asks for it', async () => {
    const [winner, loser] = [await make({ tags: [{ name: 'VIP' }] }), await make({ tags: [{ name: 'vip' }, { name: 'Idle' }] })]
    const merged = await merge(crm, plural, winner.id, [loser.id], { union_tags: true })
    expect(names(merged.winner)).toEqual(['VIP', 'Idle'])
  })

  test('are imported', async () => {
    const [field] = Object.keys(least)
    const run = await imported(`${field},Labels\nAna,"VIP; Idle, vip"\n`, { object: plural })
    expect(run).toMatchObject({ object: plural, progress: { created: 1, failed: 0 } })
    const [record] = found(await crm.ws.get(`/${plural}`))
    expect(names(record as Row)).toEqual(['vip', 'Idle'])
  })
})

describe('the palette', () => {
  const tagged = async (name: string) => {
    const tags = [{ name }]
    return Promise.all([
      crm.contact({ tags }),
      crm.contact({ tags }),
      crm.ws.post('/companies', { name: 'Acme', tags }).then(created),
      crm.opportunity({ tags }),
    ])
  }

  test('counts the records of each kind that have a tag', async () => {
    await offered()
    await tagged('vip')
    const count = (n: number) => ({ count: n, more: false })
    expect(found(await crm.ws.get('/company/settings/tag-palette/usage'))).toEqual([
      { name: 'VIP', ...count(4), contacts: count(2), companies: count(1), opportunities: count(1) },
      { name: 'Idle', ...count(0), contacts: count(0), companies: count(0), opportunities: count(0) },
    ])
  })

  test('renames a tag in records of every kind', async () => {
    await offered()
    const [contact, , company, opportunity] = await tagged('VIP')
    const renamed = found(await crm.ws.post('/company/settings/tag-palette/rename', { from: 'vip', to: 'Key account' }))
    expect(renamed).toMatchObject({ name: 'Key account', changed: 4, more: false })
    for (const path of [`/contacts/${contact.id}`, `/companies/${company.id}`, `/opportunities/${opportunity.id}`])
      expect(names(found(await crm.ws.get(path)))).toEqual(['Key account'])
  })

  test('gives up a tag only when no record of any kind has it', async () => {
    await offered()
    const company = created(await crm.ws.post('/companies', { name: 'Acme', tags: [{ name: 'VIP' }] }))
    const inUse = await crm.ws.delete('/company/settings/tag-palette/VIP')
    expect(inUse).toMatchObject(failed(409, 'CONFLICT'))
    expect(inUse.body.error.details).toMatchObject({ referenced_by: 'companies', count: 1 })
    const replaced = found(await crm.ws.delete('/company/settings/tag-palette/VIP?replace_with=Idle'))
    expect(replaced).toMatchObject({ deleted: true, changed: 1 })
    expect(names(found(await crm.ws.get(`/companies/${company.id}`)))).toEqual(['Idle'])
  })
})

describe('many tags', () => {
  test('of a hundred records change as those of one that gets them one by one', async () => {
    await offered()
    const own = [{ name: 'Vip', color: null }, { name: 'Idle' }, { name: 'Old', color: '#101010' }]
    const records = Array.from({ length: 100 }, (_, n) => ({ first_name: `Ana ${n}`, tags: own }))
    const ids = found(await crm.ws.post('/contacts/bulk-create', { records })).results.map(({ id }: Row) => id)
    const add: Row[] = [
      { name: 'idle', color: '#202020' },
      { name: 'IDLE' },
      { name: 'old' },
      { name: 'vip' },
      ...Array.from({ length: 15 }, (_, n) => ({ name: `New ${n}`, ...(n % 2 && { color: '#303030' }) })),
      { name: 'new 0', color: '#404040' },
    ]
    const one = created(await crm.ws.post('/contacts', { first_name: 'One', tags: own }))
    for (const tag of add) expect((await crm.ws.post(`/contacts/${one.id}/tags`, tag)).status).toBe(200)
    const { tags } = found(await crm.ws.get(`/contacts/${one.id}`))
    const { results } = found(await crm.ws.post('/contacts/bulk-tags', { ids, add, remove: ['OLD', 'none'] }))
    expect(results.map(({ tags }: Row) => tags)).toEqual(Array.from({ length: 100 }, () => tags))
  })
})
