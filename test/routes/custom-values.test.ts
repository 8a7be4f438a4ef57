import { describe, expect, test } from 'vitest'
import { created, found, held, ids, type Row, refused, useCrm } from './crm.ts'

const crm = useCrm()

const tier = { object: 'contact', label: 'Account tier', type: 'select', options: ['Gold', 'Silver'] }
const define = async (fields: Row) => created(await crm.ws.post('/custom-fields', { object: 'contact', ...fields }))
const rows = async () => {
  const { rows } = await crm.app.owner.query('select number, text from custom_values where workspace_id = $1 order by number, text', [
    crm.ws.id,
  ])
  return rows.map(({ number, text }) => text || number)
}
const conflict = (path: string) => ({
  status: 409,
  body: { error: { code: 'CONFLICT', details: { issues: [expect.objectContaining({ path })] } } },
})

describe('values', () => {
  const types: [string, unknown[], unknown[]][] = [
    ['text', ['Any text', 'x'.repeat(500)], [5, true, ['a'], 'x'.repeat(501)]],
    ['long_text', ['One\ntwo', 'x'.repeat(20_000)], [5, 'x'.repeat(20_001)]],
    ['number', [5, -1.5, 0, 1e12], ['5', true, [5]]],
    ['date', ['2026-02-28', '2024-02-29'], ['2026-02-29', '28.2.2026', '2026-02-28T00:00:00Z', 20260228]],
    ['boolean', [true, false], ['true', 1]],
    ['select', ['A', 'B'], ['C', 'a', ['A'], 1]],
    ['multi_select', [['A'], ['B', 'A']], ['A', ['C'], [1], { A: true }]],
    ['url', ['https://example.com/x?y', 'HTTP://x.co'], ['example.com', 'javascript:alert(1)', 'https://a b']],
    ['email', ['ana@example.com', 'O’Brien@x.co'], ['ana', 'ana@localhost', 'a b@x.co']],
    ['phone', ['+61 412 345 678', '(02) 9374-4000'], ['abc', '12', 5]],
  ]

  test.each(types)('of type %s are checked on every path', async (type, good, bad) => {
    await define({ key: 'it', label: 'It', type, ...(type.endsWith('select') && { options: ['A', 'B'] }) })
    for (const it of good) {
      const { id } = await crm.contact({ metadata: { it } })
      expect(found(await crm.ws.patch(`/contacts/${id}`, { metadata: { it, other: 1 } })).metadata).toEqual({ it, other: 1 })
    }
    const { id } = await crm.contact()
    for (const it of bad) {
      expect(await crm.ws.post('/contacts', { first_name: 'x', metadata: { it } }), JSON.stringify(it)).toMatchObject(
        refused('metadata.it'),
      )
      expect(await crm.ws.patch(`/contacts/${id}`, { metadata: { it } })).toMatchObject(refused('metadata.it'))
    }
    const records = [...good, ...bad].map((it) => ({ first_name: 'x', metadata: { it } }))
    const bulk = found(await crm.ws.post('/contacts/bulk-create', { records }))
    expect(bulk.results).toHaveLength(good.length)
    expect(bulk.errors.map(({ index, error }: Row) => [index, error.details.issues[0].path])).toEqual(
      bad.map((_, at) => [good.length + at, 'metadata.it']),
    )
    const patches = [...bad, ...good].map((it, at) => ({ id: at === 0 ? id : bulk.results[0].id, metadata: { it } })).slice(0, 2)
    const updated = found(
      await crm.ws.post('/contacts/bulk-update', { records: [patches[0], { id: bulk.results[0].id, metadata: { it: good[0] } }] }),
    )
    expect(updated).toMatchObject({
      results: [{ metadata: { it: good[0] } }],
      errors: [{ index: 0, id, error: { code: 'VALIDATION_ERROR' } }],
    })
    expect(found(await crm.ws.get(`/contacts/${id}`)).metadata).toEqual({})
  })

  test.each<[string, string, Row]>([
    ['company', '/companies', { name: 'Acme' }],
    ['opportunity', '/opportunities', { name: 'Deck' }],
    ['product', '/products', { name: 'GTX' }],
    ['task', '/tasks', { title: 'Call' }],
  ])('of a %s are too', async (object, path, fields) => {
    await define({ object, key: 'score', label: 'Score', type: 'number', required: true })
    await define({ object, key: 'code', label: 'Code', type: 'text', unique: true })
    const send = (metadata?: Row) => crm.ws.post(path, { ...fields, metadata })
    expect(await send()).toMatchObject(refused('metadata.score'))
    expect(await send({ score: 'x' })).toMatchObject(refused('metadata.score'))
    const { id } = created(await send({ score: 1, code: 'A' }))
    expect(await send({ score: 1, code: 'a' })).toMatchObject(conflict('metadata.code'))
    expect(await crm.ws.patch(`${path}/${id}`, { metadata: { score: null } })).toMatchObject(refused('metadata.score'))
    expect(await crm.ws.patch(`${path}/${id}`, { metadata: { score: 'x' } })).toMatchObject(refused('metadata.score'))
    const records = [{ ...fields, metadata: { score: 2, code: 'B' } }, fields, { ...fields, metadata: { score: 3, code: 'b' } }]
    const bulk = found(await crm.ws.post(`${path}/bulk-create`, { records }))
    expect(bulk.results).toHaveLength(1)
    expect(bulk.errors).toMatchObject([
      { index: 1, error: { code: 'VALIDATION_ERROR', details: { issues: [{ path: 'metadata.score' }] } } },
      { index: 2, error: { code: 'CONFLICT', details: { issues: [{ path: 'metadata.code' }] } } },
    ])
  })

  test('of activities are checked, filtered, recorded and restored', async () => {
    const contact = await crm.contact()
    await define({ object: 'activity', key: 'mood', label: 'Mood', type: 'select', options: ['Good', 'Bad'] })
    await define({ object: 'activity', key: 'rank', label: 'Rank', type: 'number', indexed: true })
    const log = (metadata: Row) => crm.ws.post('/activities', { activity_type: 'note', contact_id: contact.id, metadata })
    expect(await log({ mood: 'Odd' })).toMatchObject(refused('metadata.mood'))
    const { id, metadata } = created(await log({ mood: 'Good', rank: 3, gone: null }))
    expect(metadata).toEqual({ mood: 'Good', rank: 3 })
    expect(await crm.ws.patch(`/activities/${id}`, { metadata: { mood: 'Odd' } })).toMatchObject(refused('metadata.mood'))
    found(await crm.ws.patch(`/activities/${id}`, { metadata: { mood: 'Bad' } }))
    const having = async (where: Row) => ids(found(await crm.ws.post('/contacts/search', { filter: { has: 'activities', where } })))
    expect(await having({ field: 'metadata.mood', op: 'eq', value: 'bad' })).toEqual([contact.id])
    expect(await having({ field: 'metadata.mood', op: 'eq', value: 'good' })).toEqual([])
    expect(await having({ field: 'metadata.rank', op: 'gt', value: 2 })).toEqual([contact.id])
    expect(found(await crm.ws.get('/filters/activities')).fields).toContainEqual(
      expect.objectContaining({ field: 'metadata.mood', kind: 'choice', options: ['Good', 'Bad'] }),
    )
    const [change] = found(await crm.ws.get(`/activities/${id}/history`))
    expect(change?.fields.metadata).toEqual({ before: { mood: 'Good', rank: 3 }, after: { mood: 'Bad', rank: 3 } })
    found(await crm.ws.delete(`/activities/${id}`))
    expect(await rows()).toEqual([])
    expect(found(await crm.ws.post(`/activities/${id}/restore`)).metadata).toEqual({ mood: 'Bad', rank: 3 })
    expect(await rows()).toEqual([3])
  })

  test('of a task merge, are filtered by the indexes, and are in its events', async () => {
    await define({ object: 'task', key: 'room', label: 'Room', type: 'text' })
    const { id } = created(await crm.ws.post('/tasks', { title: 'Clean', metadata: { room: 'A1', gone: null } }))
    found(await crm.ws.post('/tasks/bulk-update', { records: [{ id, metadata: { floor: 2 } }] }))
    expect(found(await crm.ws.patch(`/tasks/${id}`, { title: 'Wash', metadata: { floor: 3 } })).metadata).toEqual({ room: 'A1', floor: 3 })
    const candidates = await crm.app.owner.query(
      `select id from (select set_config('app.workspace_id', $1, false)) w,
        candidate_rows(null::tasks, '{"metadata": "room", "values": ["a1"]}', 5)`,
      [crm.ws.id],
    )
    expect(ids(candidates.rows)).toEqual([id])
    const [event] = found(await crm.ws.get('/events?type=task.updated&limit=1'))
    expect(event?.payload).toMatchObject({ title: 'Wash', metadata: { room: 'A1', floor: 3 } })
  })

  test('all issues are reported together', async () => {
    await define(tier)
    await define({ label: 'Score', type: 'number', required: true })
    await define({ label: 'Since', type: 'date' })
    expect(await crm.ws.post('/contacts', { first_name: 'x', metadata: { account_tier: 'Brass', since: 'then' } })).toMatchObject(
      refused('metadata.account_tier', 'metadata.score', 'metadata.since'),
    )
  })

  test('a required value must be sent with a new record and cannot be cleared', async () => {
    const before = await crm.contact()
    const { id: field } = await define({ label: 'Score', type: 'number', required: true })
    for (const metadata of [undefined, {}, { score: null }])
      expect(await crm.ws.post('/contacts', { first_name: 'x', metadata })).toMatchObject(refused('metadata.score'))
    const { id } = await crm.contact({ metadata: { score: 0 } })
    for (const contact of [id, before.id]) {
      expect(await crm.ws.patch(`/contacts/${contact}`, { metadata: { score: null } })).toMatchObject(refused('metadata.score'))
      const bulk = found(await crm.ws.post('/contacts/bulk-update', { records: [{ id: contact, metadata: { score: null } }] }))
      expect(bulk.errors).toMatchObject([{ error: { details: { issues: [{ path: 'metadata.score' }] } } }])
    }
    // What has nothing to do with it may change.
    expect(found(await crm.ws.patch(`/contacts/${before.id}`, { city: 'Perth', metadata: { other: 1 } }))).toMatchObject({ city: 'Perth' })
    found(await crm.ws.patch(`/custom-fields/${field}`, { archived: true }))
    await crm.contact()
  })

  test('blank text is no value', async () => {
    await define({ label: 'Code', type: 'text', required: true, unique: true })
    expect(await crm.ws.post('/contacts', { first_name: 'x', metadata: { code: '  ' } })).toMatchObject(refused('metadata.code'))
  })

  test('an option that is no longer offered stays until it is changed', async () => {
    const { id: field } = await define(tier)
    const { id } = await crm.contact({ metadata: { account_tier: 'Gold' } })
    found(await crm.ws.patch(`/custom-fields/${field}`, { options: ['Silver'] }))
    expect(found(await crm.ws.patch(`/contacts/${id}`, { metadata: { note: 'x' } })).metadata).toEqual({ account_tier: 'Gold', note: 'x' })
    expect(
      found(await crm.ws.post('/contacts/search', { filter: { field: 'metadata.account_tier', op: 'eq', value: 'Gold' } })),
    ).toHaveLength(1)
    expect(await crm.ws.patch(`/contacts/${id}`, { metadata: { account_tier: 'Bronze' } })).toMatchObject(refused('metadata.account_tier'))
  })

  test('other names are free, unless the workspace is strict', async () => {
    await define(tier)
    const { id } = await crm.contact({ metadata: { anything: { goes: [1] } } })
    expect(found(await crm.ws.get('/custom-field-settings'))).toEqual({ strict: false, version: 1 })
    expect(found(await crm.ws.patch('/custom-field-settings', { strict: true }))).toEqual({ strict: true, version: 2 })
    expect(await crm.ws.post('/contacts', { first_name: 'x', metadata: { account_tier: 'Gold', else: 1 } })).toMatchObject(
      refused('metadata.else'),
    )
    expect(await crm.ws.post('/companies', { name: 'x', metadata: { else: 1 } })).toMatchObject(refused('metadata.else'))
    expect(
      found(await crm.ws.post('/contacts/bulk-create', { records: [{ first_name: 'x', metadata: { else: 1 } }, { first_name: 'y' }] })),
    ).toMatchObject({
      results: [{ first_name: 'y' }],
      errors: [{ index: 0, error: { details: { issues: [{ path: 'metadata.else' }] } } }],
    })
    // What is there already may stay, and go.
    expect(found(await crm.ws.patch(`/contacts/${id}`, { metadata: { account_tier: 'Silver' } })).metadata).toMatchObject({
      anything: { goes: [1] },
    })
    expect(found(await crm.ws.patch(`/contacts/${id}`, { metadata: { anything: null } })).metadata).toEqual({ account_tier: 'Silver' })
  })

  test('a new workspace is strict, and says how to define a key', async () => {
    const ws = await crm.app.workspace({ strict: true })
    created(await ws.post('/custom-fields', { ...tier, key: 'tier' }))
    const messageFor = async (key: string) => {
      const answer = await ws.post('/contacts', { first_name: 'x', metadata: { [key]: 'Gold' } })
      expect(answer).toMatchObject(refused(`metadata.${key}`))
      return answer.body.error.details.issues[0].message
    }
    const how = 'Define it with POST /custom-fields, or allow any key with PATCH /custom-field-settings'
    expect(await messageFor('teir')).toBe(`Unknown custom field teir: did you mean tier? ${how}`)
    expect(await messageFor('else')).toBe(`Unknown custom field else. ${how}`)
    created(await ws.post('/contacts', { first_name: 'x', metadata: { tier: 'Gold' } }))
    found(await ws.patch('/custom-field-settings', { strict: false }))
    created(await ws.post('/contacts', { first_name: 'x', metadata: { else: 1 } }))
  })

  test('what is refused in a bulk call still follows what is not', async () => {
    await define(tier)
    const customer_id = await crm.company()
    const [was, becomes] = [await crm.contact({ customer_id, is_primary: true }), await crm.contact({ customer_id })]
    const records = [
      { id: was.id, city: 'Perth', metadata: { account_tier: 'Brass' } },
      { id: becomes.id, is_primary: true, metadata: { account_tier: 'Gold' } },
    ]
    expect(found(await crm.ws.post('/contacts/bulk-update', { records }))).toMatchObject({
      results: [{ id: becomes.id }],
      errors: [{ index: 0 }],
    })
    expect(found(await crm.ws.get(`/contacts/${was.id}`))).toMatchObject({ is_primary: false, city: null, metadata: {} })
  })

  test('a record that goes takes its values along', async () => {
    await define({ label: 'Likes', type: 'multi_select', options: ['A', 'B'], indexed: true })
    const { id } = await crm.contact({ metadata: { likes: ['A', 'B', 'A'] } })
    expect(await rows()).toEqual(['a', 'b'])
    found(await crm.ws.patch(`/contacts/${id}`, { metadata: { likes: ['B'] } }))
    expect(await rows()).toEqual(['b'])
    found(await crm.ws.delete(`/contacts/${id}`))
    expect(await rows()).toEqual([])
  })

  test('a write that requires approval is validated before and when it runs', async () => {
    await define({ label: 'Code', type: 'text', unique: true })
    expect(await crm.ws.post('/contacts', { first_name: 'x', metadata: { code: 5 }, require_approval: true })).toMatchObject(
      refused('metadata.code'),
    )
    const waiting = await crm.ws.post('/contacts', { first_name: 'x', metadata: { code: 'A' }, require_approval: true })
    expect(waiting).toMatchObject(held)
    await crm.contact({ metadata: { code: 'A' } })
    found(await crm.ws.post(`/approvals/${waiting.body.approval_id}/approve`))
    await crm.app.drain()
    expect(found(await crm.ws.get(`/approvals/${waiting.body.approval_id}`))).toMatchObject({ status: 'failed', response_status: 409 })
  })
})

describe('unique values', () => {
  const create = (code: unknown) => crm.ws.post('/contacts', { first_name: 'x', metadata: { code } })

  test('are compared without regard to case, within the workspace and object', async () => {
    await define({ label: 'Code', type: 'text', unique: true })
    await define({ object: 'company', label: 'Code', type: 'text', unique: true })
    const { id } = created(await create('Ab 1'))
    for (const twin of ['Ab 1', ' ab  1', 'ＡＢ 1']) expect(await create(twin)).toMatchObject(conflict('metadata.code'))
    expect((await crm.ws.post('/companies', { name: 'x', metadata: { code: 'Ab 1' } })).status).toBe(201)
    const other = created(await create('Ab 2'))
    expect(await crm.ws.patch(`/contacts/${other.id}`, { metadata: { code: 'AB 1' } })).toMatchObject(conflict('metadata.code'))
    expect((await crm.ws.patch(`/contacts/${id}`, { metadata: { code: 'AB 1' } })).status).toBe(200)
    found(await crm.ws.patch(`/contacts/${id}`, { metadata: { code: null } }))
    expect((await create('Ab 1')).status).toBe(201)
  })

  test('of twenty concurrent writes of one value, one succeeds', async () => {
    await define({ label: 'Code', type: 'number', unique: true })
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(7)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
    expect(await rows()).toEqual([7])
  })

  test('of bulk calls that want the same ones at once, each record goes to one of them', async () => {
    await define({ label: 'Code', type: 'text', unique: true })
    const records = (turn: number) =>
      Array.from({ length: 10 }, (_, at) => ({ first_name: 'x', metadata: { code: `c${(at * (turn + 1)) % 11}` } }))
    const answers = await Promise.all([0, 1, 2, 3].map((turn) => crm.ws.post('/contacts/bulk-create', { records: records(turn) })))
    const bulks = answers.map(found)
    const wanted = new Set([0, 1, 2, 3].flatMap((turn) => records(turn).map(({ metadata }) => metadata.code)))
    expect(bulks.flatMap(({ results }) => results)).toHaveLength(wanted.size)
    expect(bulks.flatMap(({ results, errors }) => [...results, ...errors])).toHaveLength(40)
    expect(await rows()).toEqual([...wanted].sort())
  })

  test('updates that want one at once leave it to one', async () => {
    await define({ label: 'Code', type: 'text', unique: true })
    const contacts = await Promise.all(Array.from({ length: 8 }, () => crm.contact()))
    const answers = await Promise.all(contacts.map(({ id }) => crm.ws.patch(`/contacts/${id}`, { metadata: { code: 'one' } })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409])
  })

  test('stay unique for a definition that is made while records are written', async () => {
    const made = Promise.all(Array.from({ length: 10 }, () => create('same')))
    const { id } = await define({ label: 'Code', type: 'text', unique: true })
    const count = (await made).filter(({ status }) => status === 201).length
    await crm.app.drain()
    const { index_status } = found(await crm.ws.get(`/custom-fields/${id}`)) as Row
    // Of those that were made before the definition more than one may have it; of those made since none can.
    if (count > 1) expect(index_status).toBe('failed')
    else expect([index_status, await rows()]).toEqual(['ready', ['same']])
  })
})
