import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { settled } from '../database.ts'
import { type Harness, start } from '../harness.ts'
import type { ApiResponse, TestWorkspace } from '../workspace.ts'
import { created, type Row } from './crm.ts'

let app: Harness
let ws: TestWorkspace
beforeAll(async () => {
  app = await start()
  ws = await app.workspace()
})
afterAll(() => app.close())

const contact = async (first_name: string, fields: object = {}): Promise<string> =>
  created(await ws.post('/contacts', { first_name, ...fields })).id
const list = async (name: string, fields: object = {}, by = ws) =>
  created(await by.post('/lists', { name, object: 'contacts', kind: 'static', ...fields }))
const live = (name: string, filter: object, fields: object = {}, by = ws) => list(name, { kind: 'live', filter, ...fields }, by)
const namesIn = (answer: ApiResponse) => answer.body.data.map((row: Row) => row.name ?? row.first_name).sort()
const members = async (id: string, query = '', by = ws) => by.get(`/lists/${id}/members${query}`)
const issuesOf = ({ body }: ApiResponse) => body.error.details.issues
const inCity = (city: string) => ({ field: 'city', op: 'eq', value: city })
const inList = (value: string, op = 'in') => ({ field: 'list', op, value })
const search = (filter: object, by = ws, object = 'contacts') => by.post(`/${object}/search`, { filter })

describe('a list', () => {
  test('has a name that is unique among the shared lists of its object, and among the private ones of its owner', async () => {
    const editor = await ws.key({ role: 'client_editor' })
    const shared = await list('Fair', { visibility: 'shared' })
    const again = await editor.post('/lists', { name: 'FAIR', object: 'contacts', kind: 'static', visibility: 'shared' })
    expect([again.status, again.body.error.details]).toMatchObject([409, { field: 'name', id: shared.id }])
    expect((await editor.post('/lists', { name: 'Fair', object: 'companies', kind: 'static', visibility: 'shared' })).status).toBe(201)
    const own = await list('Fair', {}, editor)
    expect(own).toMatchObject({ visibility: 'private', owner_id: editor.userId })
    const twice = await editor.post('/lists', { name: 'fair', object: 'contacts', kind: 'static' })
    expect([twice.status, twice.body.error.details]).toMatchObject([409, { field: 'name', id: own.id }])
  })

  test('is refused with a filter that the search would refuse, at the same place', async () => {
    const filter = { all: [inCity('Perth'), { field: 'citty', op: 'eq', value: 'Perth' }] }
    const answer = await ws.post('/lists', { name: 'Bad', object: 'contacts', kind: 'live', filter })
    expect([answer.status, issuesOf(answer)[0].path]).toEqual([400, 'filter.all.1.field'])
    const undefinedField = { field: 'metadata.none', op: 'eq', value: 'x' }
    const custom = await ws.post('/lists', { name: 'Bad', object: 'contacts', kind: 'live', filter: undefinedField })
    expect([custom.status, issuesOf(custom)[0].path]).toEqual([400, 'filter.field'])
    for (const [fields, path] of [
      [{ kind: 'live' }, 'filter'],
      [{ kind: 'static', filter: inCity('Perth') }, 'kind'],
    ] as const) {
      const answer = await ws.post('/lists', { name: 'Bad', object: 'contacts', ...fields })
      expect([answer.status, issuesOf(answer)[0].path]).toEqual([400, path])
    }
    const { id } = await live('Checked', inCity('Perth'))
    const patched = await ws.patch(`/lists/${id}`, { filter: { field: 'industry', op: 'eq', value: 'Retail' } })
    expect([patched.status, issuesOf(patched)[0].path]).toEqual([400, 'filter.field'])
    expect((await ws.patch(`/lists/${id}`, { filter: null })).status).toBe(400)
    expect((await ws.patch(`/lists/${id}`, { filter: null, search: 'perth' })).body.data).toMatchObject({ filter: null, search: 'perth' })
  })

  test('that is private is seen by its owner and by a client_admin only, in every path', async () => {
    const [owner, other] = [await ws.key({ role: 'client_editor' }), await ws.key({ role: 'client_editor' })]
    const { id } = await live('Hidden', inCity('Hidden City'), {}, owner)
    const readers = [
      (by: TestWorkspace) => by.get(`/lists/${id}`),
      (by: TestWorkspace) => by.get(`/lists/${id}/members`),
      (by: TestWorkspace) => by.get(`/lists/${id}/history`),
      (by: TestWorkspace) => by.patch(`/lists/${id}?dry_run=true`, { description: 'Seen' }),
      (by: TestWorkspace) => by.delete(`/lists/${id}?dry_run=true`),
    ]
    for (const reader of readers) {
      const answers = [await reader(owner), await reader(ws), await reader(other)]
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 404])
    }
    const seen = async (by: TestWorkspace, path: string) => JSON.stringify((await by.get(path)).body).includes('Hidden')
    await settled(app.owner)
    for (const path of ['/lists?limit=100', '/events?type=list.created&limit=100', '/events?order=asc&limit=100&type=list.created'])
      expect([path, await seen(owner, path), await seen(ws, path), await seen(other, path)]).toEqual([path, true, true, false])
    const used = await search(inList(id), other)
    expect([used.status, issuesOf(used)]).toEqual([400, [{ path: 'filter.value', message: 'No such list in this workspace' }]])
    // Only the owner and a client_admin decide who sees it.
    expect((await owner.patch(`/lists/${id}`, { visibility: 'shared' })).status).toBe(200)
    expect((await other.get(`/lists/${id}`)).status).toBe(200)
    expect((await other.patch(`/lists/${id}`, { visibility: 'private' })).status).toBe(403)
    expect((await other.patch(`/lists/${id}`, { visibility: 'shared', description: 'Together' })).status).toBe(200)
    // A deleted one comes back only for those who see it.
    await owner.patch(`/lists/${id}`, { visibility: 'private' })
    await owner.delete(`/lists/${id}`)
    expect((await other.post(`/lists/${id}/restore`)).status).toBe(404)
    expect((await owner.post(`/lists/${id}/restore`)).status).toBe(200)
  })
})

describe('a static list', () => {
  test('has the records that are added, each with its outcome', async () => {
    const [ana, bo, cy] = [await contact('Ana'), await contact('Bo'), await contact('Cy')]
    const { id } = await list('Guests')
    const unknown = crypto.randomUUID()
    await ws.post(`/lists/${id}/members`, { ids: [ana] })
    const added = await ws.post(`/lists/${id}/members`, { ids: [ana, bo, bo, unknown, 'x', cy] })
    expect(added.body.data).toMatchObject({
      results: [
        { id: bo, added: true },
        { id: cy, added: true },
      ],
      skipped: [
        { index: 0, id: ana, reason: 'Already in the list' },
        { index: 2, id: bo, reason: 'Duplicate id in request' },
      ],
      errors: [
        { index: 3, id: unknown, error: { code: 'NOT_FOUND' } },
        { index: 4, id: 'x', error: { code: 'VALIDATION_ERROR' } },
      ],
    })
    const page = await members(id, '?sort=name&fields=first_name&count=true&limit=2')
    expect(page.body.data).toEqual([
      { id: ana, first_name: 'Ana' },
      { id: bo, first_name: 'Bo' },
    ])
    expect(page.body.page).toMatchObject({ count: 3, count_exact: true })
    const next = await members(id, `?sort=name&fields=first_name&count=true&limit=2&after=${page.body.page.next}`)
    expect(next.body.data).toEqual([{ id: cy, first_name: 'Cy' }])
    const removed = await ws.post(`/lists/${id}/members/remove`, { ids: [bo, unknown] })
    expect(removed.body.data).toMatchObject({ results: [{ id: bo, removed: true }], skipped: [], errors: [{ id: unknown }] })
    expect((await ws.post(`/lists/${id}/members/remove`, { ids: [bo] })).body.data.skipped).toHaveLength(1)
    expect(namesIn(await members(id))).toEqual(['Ana', 'Cy'])
  })

  test('takes only records of its object, and no members where a filter decides', async () => {
    const company = created(await ws.post('/companies', { name: 'Acme' })).id
    const { id } = await list('Firms', { object: 'companies' })
    const added = await ws.post(`/lists/${id}/members`, { ids: [company, await contact('Dee')] })
    expect([added.body.data.results.length, added.body.data.errors.length]).toEqual([1, 1])
    expect(namesIn(await members(id))).toEqual(['Acme'])
    expect((await members(id, '?sort=value')).status).toBe(400)
    expect(issuesOf(await members(id, '?fields=first_name,name'))).toEqual([
      { path: 'fields', message: 'companies have no field first_name' },
    ])
    const decided = await live('Decided', inCity('Perth'))
    expect((await ws.post(`/lists/${decided.id}/members`, { ids: [company] })).body.error.code).toBe('INVALID_STATE')
  })

  test('shows and changes members only for readers of the records', async () => {
    const { id } = await list('Read', { visibility: 'shared' })
    const keyOf = (...scopes: string[]) => ws.key({ scopes })
    const without = await keyOf('lists:read', 'lists:write')
    expect((await without.get(`/lists/${id}`)).status).toBe(200)
    for (const answer of [await members(id, '', without), await without.post(`/lists/${id}/members`, { ids: [crypto.randomUUID()] })])
      expect([answer.status, answer.body.error.code]).toEqual([403, 'INSUFFICIENT_SCOPE'])
    expect((await members(id, '', await keyOf('lists:read', 'contacts:read'))).status).toBe(200)
  })

  test('loses a deleted record, and has it again once it is restored, as a restored list has its members', async () => {
    const person = await contact('Eve')
    const { id } = await list('Kept')
    await ws.post(`/lists/${id}/members`, { ids: [person] })
    await ws.delete(`/contacts/${person}`)
    expect(namesIn(await members(id))).toEqual([])
    await ws.post(`/contacts/${person}/restore`)
    expect(namesIn(await members(id))).toEqual(['Eve'])
    await ws.delete(`/lists/${id}`)
    expect((await members(id)).status).toBe(404)
    expect((await search(inList(id))).status).toBe(400)
    await ws.post(`/lists/${id}/restore`)
    expect(namesIn(await members(id))).toEqual(['Eve'])
  })

  test('has the winner of a merge once, and the loser again after its undo', async () => {
    const [winner, loser] = [await contact('Fay'), await contact('Fey')]
    const [both, one] = [await list('Both'), await list('One')]
    await ws.post(`/lists/${both.id}/members`, { ids: [winner, loser] })
    await ws.post(`/lists/${one.id}/members`, { ids: [loser] })
    const merged = await ws.post('/contacts/merge', { winner_id: winner, loser_ids: [loser] })
    expect(merged.status).toBe(200)
    expect([namesIn(await members(both.id)), namesIn(await members(one.id))]).toEqual([['Fay'], ['Fay']])
    const undone = await ws.post(`/contacts/merges/${merged.body.data.merge_id}/undo`)
    expect(undone.status).toBe(200)
    expect([namesIn(await members(both.id)), namesIn(await members(one.id))]).toEqual([['Fay', 'Fey'], ['Fey']])
  })
})

describe('a live list', () => {
  test('has the records that its filter and its words match at the time', async () => {
    const gus = await contact('Gus', { city: 'Hobart' })
    await ws.patch(`/contacts/${await contact('Gusto', { city: 'Hobart' })}`, { archived: true })
    const hal = await contact('Hal', { city: 'Hobart' })
    const { id } = await live('Hobart', inCity('hobart'))
    const words = await list('Gus in Hobart', { kind: 'live', filter: inCity('Hobart'), search: 'gus' })
    expect([namesIn(await members(id)), namesIn(await members(words.id))]).toEqual([['Gus', 'Hal'], ['Gus']])
    expect(namesIn(await members(id, '?archived=all'))).toHaveLength(3)
    expect((await members(id, '?count=true&limit=1')).body.page).toMatchObject({ count: 2, count_exact: true })
    expect((await members(id, `?ids=${gus},${crypto.randomUUID()}`)).body.data).toHaveLength(1)
    await ws.patch(`/contacts/${hal}`, { city: 'Perth' })
    expect(namesIn(await members(id))).toEqual(['Gus'])
    await ws.patch(`/lists/${id}`, { filter: inCity('Nowhere') })
    expect(namesIn(await members(id))).toEqual([])
  })

  test('needs the scopes of what its filter reads', async () => {
    const { id } = await live('With deals', { has: 'opportunities' }, { visibility: 'shared' })
    const reader = await ws.key({ scopes: ['lists:read', 'contacts:read'] })
    expect((await members(id, '', reader)).body.error.code).toBe('INSUFFICIENT_SCOPE')
    expect((await search(inList(id), reader)).body.error.code).toBe('INSUFFICIENT_SCOPE')
  })

  test('whose custom field is gone says so', async () => {
    const field = created(await ws.post('/custom-fields', { object: 'contact', key: 'gone', label: 'Gone', type: 'text' }))
    const { id } = await live('Of a field', { field: 'metadata.gone', op: 'eq', value: 'x' })
    expect((await members(id)).status).toBe(200)
    await ws.delete(`/custom-fields/${field.id}`)
    expect((await members(id)).status).toBe(400)
  })
})

describe('the condition on a list', () => {
  test('finds its members and the others, alone and among other conditions, also of related records', async () => {
    const acme = created(await ws.post('/companies', { name: 'Harbour' })).id
    const [ida, jo] = [await contact('Ida', { city: 'Cairns', customer_id: acme }), await contact('Jo', { city: 'Cairns' })]
    const chosen = await list('Chosen')
    await ws.post(`/lists/${chosen.id}/members`, { ids: [ida] })
    const cairns = await live('Cairns', inCity('Cairns'))
    expect(namesIn(await search(inList(chosen.id)))).toEqual(['Ida'])
    expect(namesIn(await search({ all: [inList(cairns.id), inList(chosen.id, 'not_in')] }))).toEqual(['Jo'])
    expect(namesIn(await search({ all: [inCity('Cairns'), { any: [inList(chosen.id), { field: 'id', op: 'eq', value: jo }] }] }))).toEqual([
      'Ida',
      'Jo',
    ])
    expect(namesIn(await search({ all: [inCity('Cairns'), inList(cairns.id, 'not_in')] }))).toEqual([])
    for (const value of [chosen.id, cairns.id])
      expect(namesIn(await search({ has: 'contacts', where: inList(value) }, ws, 'companies'))).toEqual(['Harbour'])
    const exported = await ws.post('/contacts/export', { filter: inList(cairns.id), fields: ['first_name'] })
    expect([exported.status, String(exported.body).split('\r\n').filter(Boolean).slice(1).sort()]).toEqual([200, ['Ida', 'Jo']])
    const { body } = await ws.get('/filters/contacts')
    expect(body.data.fields.find(({ field }: { field: string }) => field === 'list').operators).toEqual({
      in: 'list id',
      not_in: 'list id',
    })
  })

  test('leads through lists to a depth of three, and never in a circle', async () => {
    const [one, lists] = [await live('Level 1', inCity('Darwin')), [] as Row[]]
    lists.push(one)
    for (const level of [2, 3, 4]) lists.push(await live(`Level ${level}`, inList(lists.at(-1)!.id)))
    await contact('Kim', { city: 'Darwin' })
    expect(namesIn(await search(inList(lists[2]!.id)))).toEqual(['Kim'])
    expect(namesIn(await members(lists[3]!.id))).toEqual(['Kim'])
    const deep = await search(inList(lists[3]!.id))
    expect([deep.status, issuesOf(deep)[0]]).toMatchObject([400, { path: 'filter.value' }])
    expect(issuesOf(deep)[0].message).toContain('deeper than 3')
    const refused = await ws.patch(`/lists/${one.id}`, { filter: { any: [inCity('Darwin'), inList(lists[1]!.id)] } })
    expect([refused.status, issuesOf(refused)[0].path]).toEqual([400, 'filter.any.1.value'])
    expect(issuesOf(refused)[0].message).toContain('“Level 1”, “Level 2”, “Level 1”')
    // Two changes at the same time could still make a circle.
    await app.owner.query('update lists set filter = $2 where id = $1', [one.id, JSON.stringify(inList(lists[1]!.id))])
    const circle = await search(inList(lists[1]!.id))
    expect([circle.status, issuesOf(circle)[0].message]).toEqual([
      400,
      'names lists that contain each other: “Level 2”, “Level 1”, “Level 2”',
    ])
  })

  test('is refused for a list of other records, and for what is no list', async () => {
    const { id } = await list('Elsewhere', { object: 'companies' })
    expect(issuesOf(await search(inList(id)))[0].message).toContain('“Elsewhere” is a list of companies')
    for (const value of [crypto.randomUUID(), 'x', [id]]) expect((await search({ field: 'list', op: 'in', value })).status).toBe(400)
    expect((await search({ field: 'list', op: 'eq', value: id })).status).toBe(400)
    const stranger = await app.workspace()
    const strange = await list('Strange', {}, stranger)
    expect((await search(inList(strange.id))).status).toBe(400)
  })
})

describe('the lists of a record', () => {
  test('are the static ones that it is a member of, and the live ones whose filter it matches', async () => {
    const lou = await contact('Lou', { city: 'Broome' })
    const [guests, others] = [await list('Broome guests'), await list('Other guests')]
    await ws.post(`/lists/${guests.id}/members`, { ids: [lou] })
    await ws.post(`/lists/${others.id}/members`, { ids: [await contact('Mia')] })
    const broome = await live('In Broome', inCity('Broome'))
    await live('Not in Broome', { not: inCity('Broome') })
    await live('Guests of Broome', { all: [inList(guests.id), inList(broome.id)] })
    await live('Broome with deals', { any: [inCity('Broome'), { has: 'opportunities' }] }, { visibility: 'shared' })
    const hers = async (by = ws, query = '') => namesIn(await by.get(`/contacts/${lou}/lists${query}`))
    expect(await hers()).toEqual(['Broome guests', 'Broome with deals', 'Guests of Broome', 'In Broome'])
    expect(await hers(ws, '?limit=1')).toHaveLength(1)
    // Private lists of others, and those whose filter reads what the key may not read, are left out.
    const editor = await ws.key({ role: 'client_editor' })
    expect(await hers(editor)).toEqual(['Broome with deals'])
    expect(await hers(await ws.key({ scopes: ['contacts:read', 'lists:read'], role: 'client_editor' }))).toEqual([])
    await ws.patch(`/contacts/${lou}`, { city: 'Perth' })
    expect((await hers()).includes('In Broome')).toBe(false)
    expect((await ws.get(`/contacts/${crypto.randomUUID()}/lists`)).status).toBe(404)
    const company = created(await ws.post('/companies', { name: 'Acme' })).id
    const firms = await list('Some firms', { object: 'companies' })
    await ws.post(`/lists/${firms.id}/members`, { ids: [company] })
    expect(namesIn(await ws.get(`/companies/${company}/lists`))).toEqual(['Some firms'])
  })
})
