import { expect, test } from 'vitest'
import { bySort, created, failed, found, ids, nobody, type Row, refused, useCrm, walkWhileRowsComeAndGo } from './crm.ts'

const crm = useCrm()

const list = async (query: string, path = '/tasks') => found(await crm.ws.get(`${path}?${query}`))
const task = async (fields: Row = {}) => created(await crm.ws.post('/tasks', { title: 'Call Ana', ...fields }))
async function tasks(...records: Row[]): Promise<Row[]> {
  const { results } = found(
    await crm.ws.post('/tasks/bulk-create', { records: records.map((record) => ({ title: 'Call Ana', ...record })) }),
  )
  expect(results).toHaveLength(records.length)
  return results
}
const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString()

test('a filter finds the tasks with its value, and no others', async () => {
  const colleague = await crm.ws.key()
  const fields = {
    status: 'in_progress',
    priority: 'urgent',
    assigned_to: colleague.userId,
    contact_id: (await crm.contact()).id,
    customer_id: await crm.company(),
    opportunity_id: (await crm.opportunity()).id,
    external_id: 'a',
  }
  const one = created(await colleague.post('/tasks', { title: 'One', ...fields }))
  const two = await task({ title: 'Two' })
  for (const [name, value] of Object.entries({ ...fields, created_by: colleague.userId })) {
    expect(ids(await list(`${name}=${value}`)), name).toEqual([one.id])
  }
  expect(ids(await list(`created_by=${crm.ws.userId}`))).toEqual([two.id])
  expect(await list('status=in_progress&priority=normal'), 'all of several filters').toEqual([])
  expect(await list(`contact_id=${nobody}`)).toEqual([])
})

test('mine are those of the key’s owner, overdue those that should have been done by now', async () => {
  const colleague = await crm.ws.key()
  const mine = await task({ assigned_to: crm.ws.userId, due_at: hours(1) })
  const late = await task({ assigned_to: colleague.userId, due_at: hours(-1), status: 'in_progress' })
  const done = await task({ due_at: hours(-1), status: 'completed' })
  const today = await task({ due_at: hours(-20), all_day: true })
  const yesterday = await task({ due_at: hours(-25), all_day: true })
  const whenever = await task()
  const found_ = async (query: string, ws = crm.ws) => new Set(ids(found(await ws.get(`/tasks?${query}`))))
  expect(await found_('mine=true')).toEqual(new Set([mine.id]))
  expect(await found_('mine=true', colleague)).toEqual(new Set([late.id]))
  expect(await found_('mine=false')).toEqual(new Set(ids([late, done, today, yesterday, whenever])))
  expect(await found_('overdue=true')).toEqual(new Set(ids([late, yesterday])))
  expect(await found_('overdue=false')).toEqual(new Set(ids([mine, done, today, whenever])))
  expect(await found_('overdue=true&mine=true', colleague)).toEqual(new Set([late.id]))
})

test('due_after and due_before include their own moment, and know no task without a date', async () => {
  const [march, april] = await tasks({ due_at: '2026-03-31T09:30:00Z' }, { due_at: '2026-04-30T09:30:00Z' }, {})
  expect(ids(await list('due_before=2026-04-30T09:30:00Z&sort=due_at'))).toEqual([march!.id, april!.id])
  expect(ids(await list('due_before=2026-04-30T09:29:59.999Z'))).toEqual([march!.id])
  expect(ids(await list('due_after=2026-04-30T09:30:00Z'))).toEqual([april!.id])
  expect(ids(await list('due_after=2026-03-31T19:30:00%2B10:00&due_before=2026-04-01T00:00:00Z'))).toEqual([march!.id])
  expect(await list('due_after=2026-04-30T09:30:01Z')).toEqual([])
})

test('a search finds words of the title and of the external_id, in this workspace only', async () => {
  const [one, two] = await tasks({ title: 'Call Ana Lee' }, { title: 'Écrire à Zoë', external_id: 'ASANA-77' })
  await (await crm.app.workspace()).post('/tasks', { title: 'Call Ana Lee' })
  expect(ids(await list('search=lee%20call'))).toEqual([one!.id])
  expect(ids(await list('search=asana-7'))).toEqual([two!.id])
  expect(ids(await list(`search=${encodeURIComponent('ÉCRIRE')}`))).toEqual([two!.id])
  expect(await list('search=nobody')).toEqual([])
})

test('archived tasks are left out by default', async () => {
  const [active, archived] = await tasks({}, {})
  found(await crm.ws.patch(`/tasks/${archived!.id}`, { archived: true }))
  expect(ids(await list(''))).toEqual([active!.id])
  expect(ids(await list('archived=true'))).toEqual([archived!.id])
  expect(await list('archived=all')).toHaveLength(2)
})

test.each([
  ['sort=title', 'sort'],
  ['status=done', 'status'],
  ['priority=1', 'priority'],
  ['assigned_to=me', 'assigned_to'],
  ['mine=yes', 'mine'],
  ['overdue=1', 'overdue'],
  ['due_before=2026-03-31', 'due_before'],
  ['due_at=2026-03-31T09:30:00Z', 'due_at'],
  ['limit=101', 'limit'],
  ['after=abc', 'after'],
])('?%s is refused, naming %s', async (query, path) => {
  expect(await crm.ws.get(`/tasks?${query}`)).toMatchObject(refused(path))
})

test('a cursor of another sort or filter is refused', async () => {
  await tasks({}, {})
  const { next } = (await crm.ws.get('/tasks?limit=1')).body.page
  for (const other of ['&sort=due_at', '&status=open', '&mine=true', '&overdue=false']) {
    expect(await crm.ws.get(`/tasks?after=${next}${other}`), other).toMatchObject(refused('after'))
  }
  expect(await list(`after=${next}`)).toHaveLength(1)
})

const RANKS = ['low', 'normal', 'high', 'urgent']
const keys: Record<string, (task: Row) => string | number> = {
  created_at: ({ created_at }) => created_at,
  updated_at: ({ updated_at }) => updated_at,
  due_at: ({ due_at }) => due_at ?? 'infinity',
  priority: ({ priority }) => RANKS.indexOf(priority),
}
const walks = Object.keys(keys).flatMap((sort) =>
  [sort, `-${sort}`].flatMap((way) => ['false', 'all'].map((archived) => [way, archived] as const)),
)

test.each(walks)('walking by %s, archived %s, neither skips nor repeats a task while others come and go', async (sort, archived) => {
  const some = (day: number) =>
    Array.from({ length: 14 }, (_, i) => ({
      priority: RANKS[i % 4],
      ...(i % 3 > 0 && { due_at: `2026-03-${String(day + (i % 5)).padStart(2, '0')}T09:30:00.5Z` }),
    }))
  const made = [...(await tasks(...some(1))), ...(await tasks(...some(3)))]
  for (const { id } of made.filter((_, i) => i % 5 === 0)) {
    found(await crm.ws.patch(`/tasks/${id}`, { title: 'Changed', archived: archived === 'all' }))
  }
  const before = (await list(`limit=100&archived=${archived}&sort=${sort}`)) as Row[]
  expect(ids(before)).toEqual(ids(bySort(before, sort, keys[sort.replace('-', '')]!)))
  expect(before).toHaveLength(made.length)

  await walkWhileRowsComeAndGo(crm, `/tasks?limit=5&archived=${archived}&sort=${sort}`, before, {
    come: async () => {
      await tasks(
        { priority: 'low' },
        { priority: 'high', due_at: '2026-03-03T09:30:00.5Z' },
        { priority: 'urgent', due_at: '2026-03-30T00:00:00Z' },
      )
    },
    go: async (id) => {
      found(await crm.ws.delete(`/tasks/${id}`))
    },
  })
})

const parents: [string, string, string[], () => Promise<string>][] = [
  ['contacts', 'contact_id', ['contacts:read', 'tasks:read'], async () => (await crm.contact()).id],
  ['companies', 'customer_id', ['companies:read', 'tasks:read'], () => crm.company()],
  ['customers', 'customer_id', ['companies:read', 'tasks:read'], () => crm.company()],
  ['opportunities', 'opportunity_id', ['opportunities:read', 'tasks:read'], async () => (await crm.opportunity()).id],
  ['deals', 'opportunity_id', ['opportunities:read', 'tasks:read'], async () => (await crm.opportunity()).id],
]
test.each(parents)('/%s/:id/tasks lists those with its %s, and needs %j', async (path, link, scopes, make) => {
  const [id, other] = [await make(), await make()]
  const at = `/${path}/${id}/tasks`
  const [one, two] = await tasks({ [link]: id, due_at: hours(-1) }, { [link]: id, status: 'completed' }, { [link]: other }, {})
  expect(ids(await list('sort=created_at', at))).toEqual([one!.id, two!.id])
  expect(ids(await list('status=completed', at))).toEqual([two!.id])
  expect(ids(await list('overdue=true', at))).toEqual([one!.id])
  expect(ids(await crm.walk(`${at}?limit=1&sort=-due_at`))).toEqual([two!.id, one!.id])
  expect(await crm.ws.get(`${at}?${link}=${id}`)).toMatchObject(refused(link))

  const stranger = await crm.app.workspace()
  expect(await stranger.get(at)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await crm.ws.get(`/${path}/${nobody}/tasks`)).toMatchObject(failed(404, 'NOT_FOUND'))
  for (const lacking of scopes) {
    const key = await crm.ws.key({ scopes: scopes.filter((scope) => scope !== lacking) })
    expect(await key.get(at)).toMatchObject({ status: 403, body: { error: { details: { missing_scopes: [lacking] } } } })
  }
})
