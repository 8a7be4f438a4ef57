import { beforeEach, expect, test } from 'vitest'
import { created, failed, found, nobody, type Row, useCrm } from './crm.ts'
import { useImports } from './importing.ts'
import { type Mark, markedPerson, newMark, places } from './marked-person.ts'

const crm = useCrm({ own: true })
const { imported } = useImports(crm)
let mark: Mark
beforeEach(() => {
  mark = newMark()
})

const purge = (id: string, kind = 'contacts') => crm.ws.delete(`/${kind}/${id}?purge=true`)
const merge = async (winner_id: string, loser_ids: string[], kind = 'contacts') =>
  found(await crm.ws.post(`/${kind}/merge`, { winner_id, loser_ids, append_notes: true })).merge_id as string

test('who was merged into a purged person goes too, at every step, and the merges cannot be undone', async () => {
  const person = (name: string) =>
    crm.contact({
      first_name: `${mark.mark}${name}`,
      email: `${mark.mark}.${name}@x.co`,
      notes: mark.marked(name),
      phone: `+61${mark.number}`,
    })
  const [first, second, third] = [await person('a'), await person('b'), await person('c')]
  created(await crm.ws.post('/activities', { activity_type: 'note', contact_id: first.id, body: mark.marked('note') }))
  const before = await merge(second.id, [first.id])
  const after = await merge(third.id, [second.id])
  expect(await purge(second.id)).toMatchObject({ ...failed(404, 'NOT_FOUND'), body: { error: { details: { merged_into: third.id } } } })
  expect(found(await purge(third.id)).purged).toMatchObject({ contact: 1, activity: 1 })
  expect(await places(crm, mark.mark)).toEqual({})
  for (const { id } of [first, second, third])
    expect((await crm.ws.get(`/contacts/${id}`)).body.error.details).toEqual({ purged_at: expect.any(String) })
  for (const id of [before, after]) {
    expect(found(await crm.ws.get(`/contacts/merges/${id}`))).toMatchObject({ losers: [{ name: '(purged)' }] })
    expect(await crm.ws.post(`/contacts/merges/${id}/undo`)).toMatchObject(failed(409, 'INVALID_STATE'))
  }
})

test('a merge of deals can still be undone, without the purged person who was on them', async () => {
  const ana = await crm.contact({ first_name: mark.mark })
  const [winner, loser] = [await crm.opportunity(), await crm.opportunity({ name: 'Other' })]
  for (const { id } of [winner, loser])
    await crm.ws.post(`/opportunities/${id}/contacts`, { contact_id: ana.id, role: mark.marked('role') })
  const id = await merge(winner.id, [loser.id], 'opportunities')
  expect(Object.keys(await places(crm, mark.mark))).toContain('merge_entries')
  found(await purge(ana.id))
  expect(await places(crm, mark.mark)).toEqual({})
  found(await crm.ws.post(`/opportunities/merges/${id}/undo`))
  expect(found(await crm.ws.get(`/opportunities/${loser.id}`))).toMatchObject({ name: 'Other', contacts: [] })
})

test('what the events of others say stays, beside those of what is kept without the person', async () => {
  const deal = await crm.opportunity()
  const ana = await crm.contact({ first_name: mark.mark })
  created(await crm.ws.post('/tasks', { title: mark.marked('title'), contact_id: ana.id, opportunity_id: deal.id }))
  const other = created(await crm.ws.post('/tasks', { title: 'Call', description: 'Before noon' }))
  found(await purge(ana.id))
  const { rows } = await crm.app.owner.query('select payload from outbox where entity_id = $1', [other.id])
  expect(rows).toMatchObject([{ payload: { title: 'Call', description: 'Before noon' } }])
})

test('a name of theirs in a wrong column of an import is no unknown stage any more', async () => {
  const lines = Array.from({ length: 15 }, (_, n) => `Deal ${n},Qualified\n`).join('')
  const other = found(await crm.ws.get(`/imports/${(await imported('name,stage\nDeal,Nowhere\n')).id}`))
  expect(other).toMatchObject({ unknown_values: [{ value: 'Nowhere' }], file: { columns: [{}, { samples: ['Nowhere'] }] } })
  const { id } = await imported(`name,stage\n${lines}Last,${mark.mark}@x.co\n`)
  const ana = await crm.contact({ first_name: 'Ana', email: `${mark.mark}@x.co` })
  expect(found(await crm.ws.get(`/imports/${id}`)).unknown_values).toMatchObject([{ field: 'stage', value: `${mark.mark}@x.co` }])
  found(await purge(ana.id))
  expect(await places(crm, mark.mark)).toEqual({})
  expect(found(await crm.ws.get(`/imports/${other.id}`)), 'another import keeps its own').toEqual(other)
})

test('what an import kept of lines with an address of theirs is gone; its file stays until the import is deleted', async () => {
  const file = `First name,Email,Phone\n${mark.mark},${mark.mark}@x.co,soon\nBo,bo@x.co,0412 000 000\n`
  const { id: importId } = await imported(file)
  const ana = await crm.contact({ first_name: 'Ana', email: `${mark.mark}@x.co` })
  expect(Object.keys(await places(crm, mark.mark))).toEqual(expect.arrayContaining(['import_files', 'import_rows']))
  found(await purge(ana.id))
  expect(await places(crm, mark.mark)).toEqual({})
  const rows = found(await crm.ws.get(`/imports/${importId}/rows`))
  expect(rows.map(({ line, status }) => [line, status])).toEqual([
    [2, 'failed'],
    [3, 'created'],
  ])
  expect(found(await crm.ws.get(`/imports/${importId}`)).file).toMatchObject({
    preview: [],
    columns: [{ name: 'First name', samples: [] }, {}, {}],
  })
})

type Kept = Record<string, { rows: string; because: string }>

/** Rows, by column, that keep the address of a purged person. */
const KEPT_ADDRESSES: Kept = {
  'suppressions.address': { rows: 'true', because: 'the list protects the person from further messages' },
  'changes.fields': { rows: "r.entity = 'suppression'", because: 'the history of the list' },
  'outbox.payload': { rows: "r.entity = 'suppression'", because: 'the events of the list' },
}
/** Rows, by column, that keep the id of a purged person, which names nobody any more. */
const KEPT_IDS: Kept = {
  'purged_records.id': { rows: 'true', because: 'who purged which record, and when' },
  'changes.entity_id': { rows: 'true', because: 'when there was a record, without its values' },
  'timeline_changes.record_id': { rows: 'true', because: 'which entries of the history are about it' },
  'outbox.entity_id': { rows: 'true', because: 'followers of the feed learn that the record is gone' },
  'changes.fields': { rows: "r.entity in ('activity', 'task')", because: 'the history of records that others have, too' },
  'outbox.payload': { rows: "r.entity in ('activity', 'task')", because: 'the events of records that others have, too' },
  'approvals.request': {
    rows: "not r.request ->> 'body' like '%-%-%-%-%'",
    because: 'which record a held request was about: its path has the id',
  },
  'approvals.changes': { rows: 'true', because: 'which record a held request would have changed, without values' },
  'record_time_checks.record_id': { rows: 'true', because: 'a check that goes when the transactions of the change have ended' },
  'requests.path': { rows: "r.method = 'DELETE'", because: 'the purge itself' },
}

/** The columns, as table.column, that contain the text in any case, or the digits however they are grouped, in rows that should not. */
async function traces(kept: Kept, text: string, digits = text): Promise<string[]> {
  const { rows: columns } = await crm.app.owner.query<{ name: string; col: string }>(`select c.relname as name, a.attname as col
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      join pg_type t on t.oid = a.atttypid left join pg_type e on e.oid = t.typelem and t.typcategory = 'A'
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and (coalesce(e.typcategory, t.typcategory) = 'S' or coalesce(e.typname, t.typname) in ('uuid', 'json', 'jsonb', 'tsvector'))`)
  expect(columns.length).toBeGreaterThan(500)
  const one = ({ name, col }: { name: string; col: string }) => `select '${name}.${col}' as place where exists (select from "${name}" r
    where (r."${col}"::text ilike $1 or regexp_replace(r."${col}"::text, '[^0-9]', '', 'g') like $2)
      and (${kept[`${name}.${col}`]?.rows ?? 'false'}) is not true)`
  const { rows } = await crm.app.owner.query<{ place: string }>(`${columns.map(one).join(' union all ')} order by 1`, [
    `%${text}%`,
    `%${digits}%`,
  ])
  return rows.map(({ place }) => place)
}

test('no column of the database names a purged person: paths, keys of requests, and lines of imports in any spelling', async () => {
  const ana = await markedPerson(crm, mark)
  const email = `${mark.mark}.new@x.co`
  const local = `0${mark.number}`
  const spelled = `${local.slice(0, 4)} ${local.slice(4, 7)} ${local.slice(7)}`
  const bo = await crm.contact({ first_name: 'Bo', email: 'bo@others.co', phone: '+61487654321' })
  const key = { 'idempotency-key': `upsert-${email.toUpperCase()}-${spelled.replaceAll(' ', '-')}` }
  const body = { first_name: 'Ana', email, phone: spelled }
  found(await crm.ws.post('/contacts/upsert', body, key))
  found(await crm.ws.patch(`/contacts/${bo.id}`, { city: 'Perth' }, { 'idempotency-key': 'bo@others.co' }))
  created(await crm.ws.post('/suppressions', { channel: 'email', address: email, reason: 'manual' }))
  const paths = [ana.id, email, encodeURIComponent(email.toUpperCase()), `%2B61${mark.number}`, spelled.replaceAll(' ', '%20'), bo.id]
  for (const path of paths) await crm.ws.get(`/contacts/${path}`)
  await crm.ws.get(`/nothing/${encodeURIComponent(email)}/here?email=${encodeURIComponent(email)}`)
  await crm.ws.get(`/opportunities/${nobody}/contacts/${ana.id}`)
  const lines = [
    ['First name', 'Email', 'Phone', 'Country'],
    [mark.mark, `<${email}`, spelled, 'Nowhere'],
    [mark.mark, `${mark.mark} at home`, `(${spelled.slice(0, 2)}) ${spelled.slice(2)}`, 'Australia'],
    [mark.mark, 'none', `+61 (0)${spelled.slice(1).replaceAll(' ', '-')}`, 'Australia'],
    [mark.mark, email.toUpperCase(), 'soon', 'Australia'],
    ['Cy', 'wrong', '0487 654 321', 'Australia'],
  ]
  const { id: importId } = await imported(`${lines.map((cells) => cells.join(',')).join('\n')}\n`)
  await crm.app.drain()
  await crm.app.cron('* * * * *')
  const search = (kept: Kept = {}) => traces(kept, mark.mark, mark.number)
  const before = await search()
  for (const place of ['requests.path', 'import_rows.values', 'import_rows.errors', 'import_files.preview']) expect(before).toContain(place)

  found(await purge(ana.id))
  await crm.app.drain()
  await crm.app.cron('* * * * *')
  expect(await search(KEPT_ADDRESSES)).toEqual([])
  expect(await traces(KEPT_IDS, ana.id)).toEqual([])
  const { rows: logged } = await crm.app.owner.query(
    "select method, path from requests where workspace_id = $1 and concat_ws(' ', path, more_paths) like $2",
    [crm.ws.id, `%${ana.id}%`],
  )
  expect(logged).toEqual([{ method: 'DELETE', path: `/contacts/${ana.id}` }])

  const shown = (await crm.walk('/requests?limit=100')).map(({ path }) => path)
  expect(shown).toEqual(expect.arrayContaining([`/contacts/${bo.id}`, '/contacts/(purged)', '/nothing/(purged)/here']))
  expect(shown).toContain(`/opportunities/${nobody}/contacts/(purged)`)
  const rows = found(await crm.ws.get(`/imports/${importId}/rows`))
  expect(rows.at(-1)).toMatchObject({ status: 'failed', values: ['Cy', 'wrong', '0487 654 321', 'Australia'] })
  expect(await crm.ws.post('/contacts/upsert', body, key)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(found(await crm.ws.patch(`/contacts/${bo.id}`, { city: 'Perth' }, { 'idempotency-key': 'bo@others.co' })).city).toBe('Perth')
})

test.each(['as the name of a value', 'as a value, and as the name of one beside it'])(
  'an address that a form has sent %s goes',
  async (how) => {
    const address = `${mark.mark}@x.co`
    const mapping = { name: 'title' }
    const webhook = created(await crm.ws.post('/incoming-webhooks', { name: 'Form', action: 'create_opportunity', mapping }))
    const sent = { title: 'Deck', answers: { [address]: { seats: 2 }, others: 3, ...(how.startsWith('as a value') && { of: address }) } }
    const response = await crm.app.fetch(webhook.path, {
      method: 'POST',
      body: JSON.stringify(sent),
      headers: { 'content-type': 'application/json' },
    })
    expect(response.status, await response.text()).toBe(200)
    await crm.app.drain()
    const ana = await crm.contact({ first_name: 'Ana', email: address })
    const [{ id }] = found(await crm.ws.get(`/incoming-webhooks/${webhook.id}/requests`)) as [Row]
    const payload = async () => found(await crm.ws.get(`/incoming-webhooks/${webhook.id}/requests/${id}`)).payload
    expect(await payload()).toEqual(sent)
    found(await purge(ana.id))
    expect(await places(crm, mark.mark)).toEqual({})
    const answers = how.startsWith('as a value') ? { others: 0, of: '' } : { others: 3 }
    expect(await payload()).toEqual({ title: 'Deck', answers: { '(purged)': { seats: 0 }, ...answers } })
  },
)
