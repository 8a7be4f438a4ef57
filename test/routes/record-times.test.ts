import { afterEach, describe, expect, test } from 'vitest'
import { allBlocks, explain } from '../../bench/plans.ts'
import type { NeonQuery } from '../../dev/neon-proxy.ts'
import { settled } from '../database.ts'
import type { TestWorkspace } from '../workspace.ts'
import { created, failed, found, refused, useCrm } from './crm.ts'
import { useImports } from './importing.ts'

const crm = useCrm({ ownServer: true })
const { imported } = useImports(crm)

/** The times as activities and tasks have them, in the form of record_times. */
const TIMES = [
  ...['contacts contact_id', 'companies customer_id', 'opportunities deal_id'].map((names) => {
    const [plural, column] = names.split(' ')
    const others = plural === 'contacts' ? 'union all select workspace_id, contact_id, occurred_at from activity_contacts' : ''
    return `select '${plural}.last_activity_at' as sort, extract(epoch from max(occurred_at)) * 1000 as number, id from
      (select workspace_id, ${column} as id, occurred_at from activities ${others}) a where workspace_id = $1 and id is not null
        group by id`
  }),
  ...['contacts contact_id', 'companies customer_id', 'opportunities opportunity_id'].map((names) => {
    const [plural, column] = names.split(' ')
    return `select '${plural}.next_task_due_at', extract(epoch from min(due_at)) * 1000, ${column} from tasks where workspace_id = $1
      and ${column} is not null and due_at is not null and status <> 'completed' and not archived group by ${column}`
  }),
].join(' union all ')

/** Entries that should not be there, and those that are missing. */
async function drift(): Promise<unknown[]> {
  await settled(crm.app.owner)
  await crm.app.cron('* * * * *')
  const stored = 'select sort, number::numeric as number, record_id as id from record_times where workspace_id = $1'
  const { rows } = await crm.app.owner.query(
    `(select 'stale', * from (${stored} except (${TIMES})) a) union all (select 'missing', * from ((${TIMES}) except ${stored}) b)`,
    [crm.ws.id],
  )
  return rows
}
afterEach(async () => {
  expect(await drift()).toEqual([])
})

const day = (n: number) => new Date(Date.UTC(2026, 0, n)).toISOString()
const activity = async (fields: object, on: number) =>
  created(await crm.ws.post('/activities', { activity_type: 'note', subject: 'A', occurred_at: day(on), ...fields })).id as string
const task = async (fields: object, due: number | null) =>
  created(await crm.ws.post('/tasks', { title: 'T', due_at: due && day(due), ...fields })).id as string

/** The ids that a search returns, page by page. */
async function sorted(plural: string, sort: string, body: object = {}, limit = 1): Promise<string[]> {
  const all: string[] = []
  for (let after: string | undefined; ; ) {
    const { body: page } = await crm.ws.post(`/${plural}/search`, { sort, limit, ...body, ...(after && { after }) })
    all.push(...page.data.map(({ id }: { id: string }) => id))
    after = page.page.next
    if (!after) return all
  }
}

const KINDS = [
  { plural: 'contacts', link: 'contact_id', task_link: 'contact_id', make: async () => (await crm.contact()).id as string },
  { plural: 'companies', link: 'customer_id', task_link: 'customer_id', make: () => crm.company(`C${crypto.randomUUID()}`) },
  { plural: 'opportunities', link: 'deal_id', task_link: 'opportunity_id', make: async () => (await crm.opportunity()).id as string },
]

describe.each(KINDS)('$plural', ({ plural, link, task_link, make }) => {
  test('are sorted by their last activity, whatever changes it', async () => {
    const [a, b, c, none] = [await make(), await make(), await make(), await make()]
    const first = await activity({ [link]: a }, 1)
    const late = await activity({ [link]: b }, 9)
    await activity({ [link]: b }, 2)
    await activity({ [link]: c }, 5)
    expect(await sorted(plural, '-last_activity_at')).toEqual([b, c, a, none])
    expect(await sorted(plural, 'last_activity_at')).toEqual([a, c, b, none])
    const recent = { field: 'last_activity_at', op: 'after', value: day(3) }
    expect(await sorted(plural, '-last_activity_at', { filter: recent })).toEqual([b, c])
    found(await crm.ws.patch(`/activities/${first}`, { occurred_at: day(7) }))
    found(await crm.ws.delete(`/activities/${late}`))
    expect(await sorted(plural, '-last_activity_at')).toEqual([a, c, b, none])
    found(await crm.ws.post(`/activities/${late}/restore`))
    expect(await sorted(plural, '-last_activity_at')).toEqual([b, a, c, none])
    found(await crm.ws.patch(`/activities/${late}`, { [link]: none }))
    expect(await sorted(plural, '-last_activity_at')).toEqual([none, a, c, b])
  })

  test('are sorted by the next due task, which is open and not archived', async () => {
    const [a, b, c] = [await make(), await make(), await make()]
    const early = await task({ [task_link]: a }, 1)
    await task({ [task_link]: a }, 8)
    const other = await task({ [task_link]: b }, 3)
    await task({ [task_link]: c }, null)
    expect(await sorted(plural, 'next_task_due_at')).toEqual([a, b, c])
    found(await crm.ws.post(`/tasks/${early}/complete`))
    expect(await sorted(plural, 'next_task_due_at')).toEqual([b, a, c])
    expect(await sorted(plural, '-next_task_due_at')).toEqual([a, b, c])
    found(await crm.ws.patch(`/tasks/${other}`, { archived: true }))
    expect((await sorted(plural, 'next_task_due_at'))[0]).toBe(a)
    found(await crm.ws.post(`/tasks/${early}/reopen`))
    found(await crm.ws.patch(`/tasks/${other}`, { archived: false, due_at: day(4) }))
    const list = created(await crm.ws.post('/lists', { name: 'Two', object: plural, kind: 'static' })).id
    found(await crm.ws.post(`/lists/${list}/members`, { ids: [b, a] }))
    const members = found(await crm.ws.get(`/lists/${list}/members?sort=next_task_due_at`))
    expect(members.map(({ id }) => id)).toEqual([a, b])
  })

  test('keep their times through bulk calls, a merge and its undo, a deletion and its restore, and a purge', async () => {
    const [winner, loser] = [await make(), await make()]
    const records = [winner, loser].map((id, n) => ({ activity_type: 'note', subject: 'B', occurred_at: day(n + 1), [link]: id }))
    found(await crm.ws.post('/activities/bulk-create', { records }))
    found(await crm.ws.post('/tasks/bulk-create', { records: [{ title: 'B', due_at: day(3), [task_link]: loser }] }))
    const merged = found(await crm.ws.post(`/${plural}/merge`, { winner_id: winner, loser_ids: [loser] }))
    expect(await drift()).toEqual([])
    found(await crm.ws.post(`/${plural}/merges/${merged.merge_id}/undo`))
    expect(await sorted(plural, '-last_activity_at')).toEqual([loser, winner])
    found(await crm.ws.delete(`/${plural}/${loser}`))
    expect(await drift()).toEqual([])
    found(await crm.ws.post(`/${plural}/${loser}/restore`))
    expect(await sorted(plural, '-last_activity_at')).toEqual([loser, winner])
    expect(await sorted(plural, 'next_task_due_at')).toEqual([loser, winner])
    found(await crm.ws.delete(`/${plural}/${loser}?purge=true`))
    const { rows } = await crm.app.owner.query('select record_id from record_times where record_id = $1', [loser])
    expect(rows).toEqual([])
  })
})

test('activities of several contacts count for each, and an import and its undo change the times', async () => {
  const [a, b] = [await crm.contact({ email: 'a@example.com' }), await crm.contact({ email: 'b@example.com' })]
  const meeting = await activity({ contact_ids: [a.id, b.id] }, 4)
  await activity({ contact_id: a.id }, 2)
  expect(await sorted('contacts', '-last_activity_at')).toEqual([b.id, a.id])
  found(await crm.ws.patch(`/activities/${meeting}`, { contact_ids: [a.id] }))
  expect(await drift()).toEqual([])
  const { id } = await imported('title,due_at,contact\nCall,2026-01-05T00:00:00Z,b@example.com\n', {
    object: 'tasks',
    mapping: [
      { column: 'title', field: 'title' },
      { column: 'due_at', field: 'due_at' },
      { column: 'contact', field: 'contact' },
    ],
  })
  expect(await drift()).toEqual([])
  expect((await sorted('contacts', 'next_task_due_at'))[0]).toBe(b.id)
  found(await crm.ws.post(`/imports/${id}/undo`))
  await crm.app.drain()
})

test('a sort by activities or tasks needs their scope, and an unknown sort is refused', async () => {
  const { ws } = crm
  const reader = await ws.key({ scopes: ['contacts:read'] })
  for (const sort of ['last_activity_at', '-next_task_due_at'])
    for (const answer of [await reader.post('/contacts/search', { sort }), await reader.get(`/contacts?sort=${sort}`)])
      expect(answer).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
  expect(await ws.post('/contacts/search', { sort: 'last_activity' })).toMatchObject(refused('sort'))
})

test('writers about one record never wait for each other, and a deletion beside an addition leaves the right time', async () => {
  const { id } = await crm.contact()
  const late = await activity({ contact_id: id }, 9)
  await activity({ contact_id: id }, 1)
  const [one, other] = [await crm.app.owner.connect(), await crm.app.owner.connect()]
  const add = `insert into activities (workspace_id, activity_type, subject, contact_id, occurred_at) values ($1, 'note', 'C', $2, $3)`
  try {
    for (const client of [one, other]) {
      await client.query('begin')
      await client.query(`set local lock_timeout = '200ms'`)
      await client.query(`select set_config('app.workspace_id', $1, true)`, [crm.ws.id])
    }
    await one.query('delete from activities where id = $1', [late])
    await other.query(add, [crm.ws.id, id, day(5)])
    await one.query(add, [crm.ws.id, id, day(3)])
    await one.query('commit')
    await other.query('commit')
  } finally {
    one.release()
    other.release()
  }
  expect(await drift()).toEqual([])
  expect(await sorted('contacts', '-last_activity_at')).toEqual([id])
})

/** A workspace in which each contact has an activity. */
async function workspaceWith(contacts: number): Promise<TestWorkspace> {
  const { app } = crm
  const ws = await app.workspace()
  const session = await app.owner.connect()
  try {
    await session.query('set session_replication_role = replica')
    await session.query(
      `with c as (insert into contacts (workspace_id, first_name) select $1, 'N' || n from generate_series(1, $2::int) n returning id),
        a as (insert into activities (workspace_id, activity_type, contact_id, occurred_at)
          select $1, 'note', id, '2026-01-01'::timestamptz + random() * interval '90 days' from c returning contact_id, occurred_at)
        insert into record_times (workspace_id, sort, number, record_id)
          select $1, 'contacts.last_activity_at', extract(epoch from occurred_at) * 1000, contact_id from a`,
      [ws.id, contacts],
    )
    return ws
  } finally {
    session.release(true)
  }
}

/** The blocks that a page of contacts by their last activity reads. */
async function costIn(ws: TestWorkspace): Promise<number> {
  const { app } = crm
  const session = await app.owner.connect()
  try {
    let sent: NeonQuery[] = []
    app.proxy.onRequest = (request) => {
      if ('queries' in request && request.queries[0]?.query.includes('begin_request')) sent = request.queries
    }
    expect(found(await ws.post('/contacts/search', { sort: '-last_activity_at', limit: 25 }))).toHaveLength(25)
    app.proxy.onRequest = undefined
    await session.query(`select set_config('app.workspace_id', $1, false)`, [ws.id])
    await session.query('set role app')
    // The first time a session also reads the catalogue.
    await explain(session, sent)
    return allBlocks(await explain(session, sent))
  } finally {
    session.release(true)
  }
}

test('a page by a time reads as many blocks in a large workspace as in a small one', async () => {
  // The indexes that both read have their full depth before either is measured.
  const [small, large] = [await workspaceWith(1_000), await workspaceWith(12_000)]
  // A transaction that is still open would keep the vacuum from marking rows as visible to all.
  await crm.app.drain()
  await crm.app.owner.query('vacuum analyze contacts, activities, activity_contacts, record_times')
  expect(await costIn(large)).toBeLessThan(1.05 * (await costIn(small)))
})
