import { expect, test } from 'vitest'
import { proving } from '../proof.ts'
import { created, found, ids, nobody, type Row, useCrm } from './crm.ts'
import { useImports } from './importing.ts'
import { miscounts } from './record-counting.ts'

/** The counts of records are kept: whatever is done with records, they say what a recount says. */

const crm = useCrm({ own: true })
const { imported, act } = useImports(crm)
const WRITERS = 8
const ACTIONS = proving ? 10_000 : 150

/** Numbers from 0 to 1 that are the same in every run. */
function randomFrom(seed: number) {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

const KINDS = ['contacts', 'companies', 'opportunities', 'tasks'] as const
type Kind = (typeof KINDS)[number]
const MERGED = ['contacts', 'companies', 'opportunities']
const exact = () => miscounts(crm.app.owner, crm.ws.id)
const countOf = async (path: string) => {
  const { status, body } = await crm.ws.get(`${path}${path.includes('?') ? '&' : '?'}count=true&limit=1`)
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body.page.count_exact).toBe(true)
  return body.page.count as number
}

/** Compares the counts of lists with their length. */
async function expectListed(queries: Record<Kind, string[]>) {
  for (const kind of KINDS)
    for (const filter of ['', ...queries[kind]])
      for (const archived of ['false', 'true', 'all']) {
        const path = `/${kind}?archived=${archived}${filter && `&${filter}`}`
        expect(await countOf(path), path).toBe((await crm.walk(`${path}&limit=100&fields=id`)).length)
      }
}

test('many writers at once, folds among them: the counts are exact at each moment and in the end', async () => {
  const owners = [crm.ws.userId, (await crm.ws.key()).userId]
  const sources = [await crm.leadSource('Fair'), await crm.leadSource('Web')]
  const records: Record<Kind, string[]> = { contacts: [], companies: [], opportunities: [], tasks: [] }
  const merges: [Kind, string][] = []
  let left = ACTIONS
  const send = async (method: 'post' | 'patch' | 'delete', path: string, body?: unknown) => {
    const answer = method === 'delete' ? await crm.ws.delete(path) : await crm.ws[method](path, body)
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(500)
    return answer.body.data as Row | undefined
  }
  const fields = (kind: Kind, random: () => number) => {
    const one = <T>(list: T[]): T => list[Math.floor(random() * list.length)] as T
    return {
      ...{ contacts: { first_name: 'Ana' }, companies: { name: 'Acme' }, opportunities: { name: 'Deal' }, tasks: { title: 'Call' } }[kind],
      assigned_to: one([null, ...owners]),
      ...(kind !== 'tasks' && { tags: one([[], [{ name: 'VIP' }], [{ name: 'Late' }, { name: 'VIP' }]]) }),
      ...(kind === 'contacts' && { source_id: one([null, ...sources]), source: one(['manual', 'form_submission']) }),
      ...(kind === 'opportunities' && { lead_source: one([null, 'Fair', 'Web']) }),
    }
  }

  async function step(random: () => number): Promise<unknown> {
    const kind = KINDS[Math.floor(random() * KINDS.length)] as Kind
    const some = () => records[kind][Math.floor(random() * records[kind].length)] ?? nobody
    const many = () => [...new Set(Array.from({ length: 4 }, some))]
    const path = `/${kind}/${some()}`
    const roll = random()
    if (roll < 0.25) return send('post', `/${kind}`, fields(kind, random)).then((made) => made && records[kind].push(made.id))
    if (roll < 0.35) {
      const made = await send('post', `/${kind}/bulk-create`, { records: Array.from({ length: 5 }, () => fields(kind, random)) })
      return made && records[kind].push(...ids(made.results))
    }
    if (roll < 0.4) return send('post', `/${kind}?dry_run=true`, fields(kind, random))
    if (roll < 0.6) return send('patch', path, { ...fields(kind, random), archived: random() < 0.3 })
    if (roll < 0.7) return send('post', `/${kind}/bulk-update`, { records: many().map((id) => ({ id, ...fields(kind, random) })) })
    if (roll < 0.76) return send('delete', path)
    if (roll < 0.8) return send('post', `${path}/restore`)
    if (roll < 0.83) return send('delete', `${path}?purge=true`)
    if (roll < 0.86) return send('post', `/${kind}/bulk-delete`, { ids: many().slice(0, 2) })
    if (!MERGED.includes(kind)) return undefined
    if (roll < 0.94) {
      const [winner_id, ...loser_ids] = many().slice(0, 3)
      return send('post', `/${kind}/merge`, { winner_id, loser_ids }).then((done) => done?.merge_id && merges.push([kind, done.merge_id]))
    }
    const [of, merge] = merges.splice(Math.floor(random() * merges.length), 1)[0] ?? []
    return merge && send('post', `/${of}/merges/${merge}/undo`, {})
  }

  let writing = true
  const watched: Row[] = []
  const fold = () => crm.app.owner.query('select fold_record_counts($1, 20)', [crm.ws.id])
  const watch = async () => {
    while (writing) {
      await Promise.all([fold(), fold()])
      watched.push(...(await exact()))
    }
  }
  const watching = watch()
  const writers = Array.from({ length: WRITERS }, async (_, i) => {
    const random = randomFrom(i + 2)
    while (left-- > 0) await step(random)
  })
  await Promise.all(writers).finally(() => {
    writing = false
  })
  await watching
  expect(watched).toEqual([])
  const { rows } = await crm.app.owner.query('select deadlocks::int from pg_stat_database where datname = current_database()')
  expect(rows[0].deadlocks).toBe(0)

  const owner = `assigned_to=${owners[1]}`
  const queries = {
    contacts: [owner, 'tag=vip', `source_id=${sources[0]}`, 'source=form_submission', `source_id=${nobody}`],
    companies: [owner, 'tag=Late'],
    opportunities: [owner, 'tag=VIP', 'lead_source=Fair'],
    tasks: [owner],
  }
  await expectListed(queries)
  await crm.app.cron('* * * * *')
  expect(await crm.count('record_count_deltas')).toBe(0)
  expect(await exact()).toEqual([])
  await expectListed({ ...queries, contacts: queries.contacts.slice(1, 3) })
  expect(await countOf('/contacts')).toBeGreaterThan(0)
}, 1_200_000)

test('an import, its undo, a replaced source and a renamed tag keep the counts exact', async () => {
  const [fair, web] = [await crm.leadSource('Fair'), await crm.leadSource('Web')]
  found(await crm.ws.patch('/company/settings/tag-palette', [{ name: 'VIP', color: '#1a73e8' }]))
  const { id } = await crm.contact({ email: 'ana@example.com', source_id: fair, tags: [{ name: 'VIP' }], assigned_to: crm.ws.userId })
  await crm.opportunity({ lead_source: 'Fair' })
  const usage = async () =>
    (await crm.walk('/lead-sources/usage')).map(({ contacts, opportunities }) => [contacts.count, opportunities.count])
  expect(await usage()).toEqual([
    [1, 1],
    [0, 0],
  ])
  const lines = Array.from({ length: 30 }, (_, n) => `Bo${n},bo${n}@example.com,VIP,Fair`)
  const file = ['First Name,Email,Tags,Lead source', ...lines, 'Ana,ana@example.com,Late,Web'].join('\n')
  const run = await imported(file, { mode: 'upsert', match_by: 'email' })
  expect(run.progress).toMatchObject({ created: 30, updated: 1 })
  expect([await countOf('/contacts'), await countOf('/contacts?tag=vip')]).toEqual([31, 30])
  expect(await exact()).toEqual([])
  expect(await usage()).toEqual([
    [30, 1],
    [1, 0],
  ])
  await act(run.id, 'undo')
  expect([await countOf('/contacts'), await countOf('/contacts?tag=vip')]).toEqual([1, 1])
  found(await crm.ws.post('/company/settings/tag-palette/rename', { from: 'VIP', to: 'Guest' }))
  found(await crm.ws.delete(`/lead-sources/${fair}?replace_with=${web}`))
  expect(await usage()).toEqual([[1, 1]])
  expect([await countOf('/contacts?tag=vip'), await countOf('/contacts?tag=Guest'), await countOf(`/contacts?source_id=${web}`)]).toEqual([
    0, 1, 1,
  ])
  found(await crm.ws.delete(`/contacts/${id}`))
  expect(await exact()).toEqual([])
})

test('a fold that is killed has changed nothing, and the next one does it', async () => {
  await crm.contact({ assigned_to: crm.ws.userId })
  const deltas = await crm.count('record_count_deltas')
  const client = await crm.app.owner.connect()
  client.on('error', () => {})
  await client.query('begin')
  const pid = (await client.query('select pg_backend_pid() as pid')).rows[0].pid
  expect((await client.query('select fold_record_counts($1, 100) as n', [crm.ws.id])).rows[0].n).toBe(deltas)
  // Another one does not wait for it, and readers see what was before it.
  expect((await crm.app.owner.query('select fold_record_counts($1, 100) as n', [crm.ws.id])).rows[0].n).toBe(0)
  expect(await countOf('/contacts')).toBe(1)
  await crm.app.owner.query('select pg_terminate_backend($1, 5000)', [pid])
  client.release(true)
  expect([await crm.count('record_count_deltas'), await crm.count('record_counts'), await exact()]).toEqual([deltas, 0, []])
  await crm.app.cron('* * * * *')
  expect([await crm.count('record_count_deltas'), await countOf('/contacts'), await exact()]).toEqual([0, 1, []])
})

test('whoever may list the records that are counted sees all of them, unless they are being deleted', async () => {
  const { rows } = await crm.app.owner.query(
    "select tablename, policyname from pg_policies where tablename = any($1) and policyname <> 'being_deleted' order by 1",
    [KINDS],
  )
  expect(rows).toEqual([...KINDS].sort().map((tablename) => ({ tablename, policyname: 'tenant' })))
})

test('a change that no count shows leaves no delta, and a bulk call of like records one', async () => {
  const records = Array.from({ length: 40 }, () => ({ first_name: 'Ana', tags: [{ name: 'VIP' }] }))
  const made = found(await crm.ws.post('/contacts/bulk-create', { records })).results as Row[]
  expect(await crm.count('record_count_deltas')).toBe(1)
  found(await crm.ws.patch(`/contacts/${made[0]!.id}`, { first_name: 'Bo', notes: 'New' }))
  expect((await crm.ws.post('/contacts?dry_run=true', { first_name: 'Ana' })).status).toBe(200)
  expect(await crm.count('record_count_deltas')).toBe(1)
  found(await crm.ws.patch(`/contacts/${made[0]!.id}`, { assigned_to: crm.ws.userId }))
  expect(await crm.count('record_count_deltas')).toBe(3)
  found(await crm.ws.post('/contacts/bulk-delete', { ids: ids(made).slice(1) }))
  expect(await crm.count('record_count_deltas')).toBe(4)
})

test('who counts with more than 1000 unfolded changes folds first, in the same trip', async () => {
  await crm.contact({ tags: [{ name: 'VIP' }] })
  await crm.app.owner.query(
    `insert into record_count_deltas (workspace_id, object, archived, source, tags, count)
     select workspace_id, object, archived, source, tags, case n % 2 when 0 then 1 else -1 end
       from record_count_deltas, generate_series(1, 1000) n where workspace_id = $1`,
    [crm.ws.id],
  )
  expect(await crm.count('record_count_deltas')).toBe(1_001)
  expect(await countOf('/contacts?tag=VIP')).toBe(1)
  expect(await crm.count('record_count_deltas')).toBe(0)
  expect(await countOf('/contacts?tag=VIP')).toBe(1)
})

test('a recount repairs counts that were damaged, and what is deleted with a workspace includes them', async () => {
  await crm.contact({ tags: [{ name: 'VIP' }] })
  await crm.app.cron('* * * * *')
  await crm.contact()
  await crm.app.owner.query('update record_counts set count = count + 1 where workspace_id = $1', [crm.ws.id])
  expect(await exact()).not.toEqual([])
  await crm.app.owner.query('select recount_records($1)', [crm.ws.id])
  expect([await exact(), await countOf('/contacts')]).toEqual([[], 2])
  const ws = await crm.app.workspace()
  created(await ws.post('/contacts', { first_name: 'Ana' }))
  await crm.app.cron('* * * * *')
  created(await ws.post('/contacts', { first_name: 'Bo' }))
  const client = await crm.app.owner.connect()
  try {
    await client.query('begin')
    for (const statement of ['delete from api_keys where workspace_id = $1', 'delete from workspaces where id = $1'])
      await client.query(statement, [ws.id])
    for (const table of ['record_count_deltas', 'record_counts'])
      expect((await client.query(`select from ${table} where workspace_id = $1`, [ws.id])).rowCount, table).toBe(0)
  } finally {
    await client.query('rollback')
    client.release()
  }
})
