import { describe, expect, test } from 'vitest'
import { blocksOfAnswer } from '../contract/blocks.ts'
import { proving } from '../proof.ts'
import { created, failed, found, ids, type Row, useCrm } from './crm.ts'
import { merge } from './merging.ts'

const crm = useCrm({ own: true })

async function attach(path: string, ws = crm.ws) {
  const form = '--b\r\nContent-Disposition: form-data; name="file"; filename="plan.pdf"\r\n\r\n%PDF-1.7\r\n--b--\r\n'
  const headers = { 'content-type': 'multipart/form-data; boundary=b', authorization: `Bearer ${ws.apiKey}` }
  const response = await crm.app.fetch(`/v1${path}/attachments`, { method: 'POST', headers, body: form })
  return { status: response.status, body: (await response.json()) as Row }
}
const objects = async () => (await (await crm.app.files()).list({ prefix: `attachments/${crm.ws.id}/` })).objects.map(({ key }) => key)

describe.each([
  ['contact', '/contacts', 'contact_id', 'contact_id'],
  ['company', '/companies', 'customer_id', 'customer_id'],
])('a %s', (kind, plural, column, field) => {
  const make = async (name = 'Ana') => created(await crm.ws.post(plural, kind === 'contact' ? { first_name: name } : { name }))
  const timeline = async (id: string, query = '', ws = crm.ws) => found(await ws.get(`${plural}/${id}/timeline${query}`))
  const summary = (entries: Row[]) => entries.map(({ kind, data }) => (kind === 'change' ? `${data.entity} ${data.action}` : kind))

  /** One entry of each kind, in this order. */
  async function eventful() {
    const record = await make()
    const links = kind === 'contact' ? { contacts: [{ contact_id: record.id }] } : { customer_id: record.id }
    const opportunity = await crm.opportunity(links)
    const { stages } = await crm.firstPipeline()
    found(await crm.ws.post(`/opportunities/${opportunity.id}/move`, { stage_id: stages.Qualified }))
    const activity = created(await crm.ws.post('/activities', { activity_type: 'call', subject: 'Intro', [field]: record.id }))
    const task = created(await crm.ws.post('/tasks', { title: 'Send the plan', [field]: record.id }))
    const file = (await attach(`${plural}/${record.id}`)).body.data
    found(await crm.ws.patch(`${plural}/${record.id}`, { notes: 'Seen' }))
    return { id: record.id as string, opportunity, activity, task, file }
  }

  test('has a timeline of all that happened, newest first', async () => {
    const { id, opportunity, activity, task, file } = await eventful()
    const entries = await timeline(id)
    expect(entries.slice(0, 5)).toMatchObject([
      { kind: 'change', data: { entity: kind, entity_id: id, action: 'updated', fields: { notes: { before: null, after: 'Seen' } } } },
      { kind: 'attachment', id: file.id, data: { name: 'plan.pdf', content_type: 'application/pdf' } },
      { kind: 'task', id: task.id, data: { title: 'Send the plan', status: 'open' } },
      { kind: 'activity', id: activity.id, data: { activity_type: 'call', subject: 'Intro' } },
      { kind: 'stage_move', data: { opportunity_id: opportunity.id, from_stage_name: 'New', to_stage_name: 'Qualified' } },
    ])
    expect(summary(entries.slice(5)).sort()).toEqual(
      kind === 'contact' ? ['contact created', 'opportunity_contact created'] : ['company created', 'stage_move'],
    )
    expect(ids(await crm.walk(`${plural}/${id}/timeline?limit=2`))).toEqual(ids(entries))
    expect(summary(await timeline(id, '?kinds=stage_move,task')).slice(0, 2)).toEqual(['task', 'stage_move'])
  })

  test('shows an archived task in order with the others', async () => {
    const { id } = await make()
    const tasks = []
    for (const archived of [false, true, false]) {
      const task = created(await crm.ws.post('/tasks', { title: 'Call', [field]: id }))
      if (archived) found(await crm.ws.patch(`/tasks/${task.id}`, { archived }))
      tasks.unshift(task.id)
    }
    expect(ids(await timeline(id, '?kinds=task'))).toEqual(tasks)
    expect(ids(await crm.walk(`${plural}/${id}/timeline?kinds=task&limit=1`))).toEqual(tasks)
  })

  test('shows in its timeline no more than the key may read elsewhere', async () => {
    const { id } = await eventful()
    const read = `${plural.slice(1)}:read`
    const seen = async (...scopes: string[]) =>
      new Set(summary(await timeline(id, '', await crm.ws.key({ scopes: [read, ...scopes] as never }))))
    expect(await seen()).toEqual(new Set([`${kind} updated`, 'attachment', `${kind} created`]))
    expect(await seen('tasks:read')).toContain('task')
    expect(await seen('activities:read')).toContain('activity')
    expect(await seen('opportunities:read')).toContain('stage_move')
    const stranger = await crm.app.workspace()
    expect(await stranger.get(`${plural}/${id}/timeline`)).toMatchObject(failed(404, 'NOT_FOUND'))
  })

  test('has files, which are listed, downloaded and removed', async () => {
    const { id } = await make()
    const uploaded = await attach(`${plural}/${id}`)
    expect(uploaded).toMatchObject({ status: 201, body: { data: { [column]: id, name: 'plan.pdf', uploaded_by: crm.ws.userId } } })
    const file = uploaded.body.data
    expect(file).not.toHaveProperty('opportunity_id')
    expect(found(await crm.ws.get(`${plural}/${id}/attachments`))).toEqual([file])
    expect(found(await crm.ws.get(`${plural}/${id}/attachments/${file.id}`))).toEqual(file)
    const { pathname, search } = new URL(found(await crm.ws.get(`${plural}/${id}/attachments/${file.id}/download`)).url)
    expect(await (await crm.app.fetch(pathname + search)).text()).toBe('%PDF-1.7')
    const other = await make('Bo')
    expect(await crm.ws.get(`${plural}/${other.id}/attachments/${file.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await crm.ws.get(`${plural}/${other.id}/attachments/${file.id}/download`)).toMatchObject(failed(404, 'NOT_FOUND'))
    found(await crm.ws.delete(`${plural}/${id}/attachments/${file.id}`))
    expect(found(await crm.ws.get(`${plural}/${id}/attachments`))).toEqual([])
    expect(found(await crm.ws.post(`${plural}/${id}/attachments/${file.id}/restore`))).toMatchObject({ id: file.id })
    expect(found(await crm.ws.get(`${plural}/${id}/attachments`))).toHaveLength(1)
    found(await crm.ws.delete(`${plural}/${id}?purge=true`))
    await crm.app.drain()
    expect(await objects()).toEqual([])
  })

  test('refuses a file of a key that may only read', async () => {
    const { id } = await make()
    const reader = await crm.ws.key({ scopes: [`${plural.slice(1)}:read`] as never })
    expect(await attach(`${plural}/${id}`, reader)).toMatchObject({ status: 403 })
  })

  test('takes its files along when it is merged, and with it they are purged', async () => {
    const [winner, loser] = [await make(), await make('Bo')]
    const file = (await attach(`${plural}/${loser.id}`)).body.data
    expect((await merge(crm, plural.slice(1), winner.id, [loser.id])).moved).toMatchObject({ attachments: 1 })
    expect(ids(found(await crm.ws.get(`${plural}/${winner.id}/attachments`)))).toEqual([file.id])
    await crm.app.drain()
    expect(await objects()).toHaveLength(1)
    found(await crm.ws.delete(`${plural}/${winner.id}?purge=true`))
    await crm.app.drain()
    expect(await objects()).toEqual([])
  })
})

test('a long timeline of a contact costs what a page of it costs', async () => {
  const { id } = await crm.contact()
  const other = await crm.opportunity()
  const fill = async (count: number, before: string) => {
    for (const statement of [
      `with made as (insert into changes (workspace_id, entity, entity_id, action, fields, version, at)
        select $1, 'contact', $2, 'updated', '{"notes": {}}', 1, now() - $5::interval - n * interval '1 second'
          from generate_series(1, $4::int) n where $3::uuid is not null
        returning id, at) insert into timeline_changes (workspace_id, record_id, at, change_id) select $1, $2, at, id from made`,
      `insert into tasks (workspace_id, title, contact_id, created_at)
        select $1, 'Call', $2, now() - $5::interval - n * interval '3 seconds' from generate_series(1, $4::int / 4) n
        where $3::uuid is not null`,
      `insert into activities (workspace_id, activity_type, contact_id, occurred_at)
        select $1, 'call', $2, now() - $5::interval - n * interval '4 seconds' from generate_series(1, $4::int / 4) n
        where $3::uuid is not null`,
      `with moved as (insert into stage_moves (workspace_id, opportunity_id, to_stage_name, moved_at)
        select $1, $3, 'New', now() - $5::interval - n * interval '5 seconds' from generate_series(1, $4::int / 4) n returning id, moved_at)
        insert into timeline_moves (workspace_id, record_id, at, move_id) select $1, $2, moved_at, id from moved`,
    ])
      await crm.app.owner.query(statement, [crm.ws.id, id, other.id, count, before])
    await crm.app.owner.query('analyze changes, timeline_changes, timeline_moves, stage_moves, tasks, activities')
  }
  const blocks = () =>
    blocksOfAnswer(crm.app, async () => expect(found(await crm.ws.get(`/contacts/${id}/timeline?limit=50`))).toHaveLength(50))
  await fill(1_000, '0 days')
  const few = await blocks()
  await fill(proving ? 20_000 : 8_000, '1 day')
  const many = await blocks()
  expect(few).toBeLessThan(4 * 50)
  // An index of more entries may be one level deeper.
  expect(many - few).toBeLessThan(50)
})
