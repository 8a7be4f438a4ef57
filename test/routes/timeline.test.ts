import { describe, expect, test } from 'vitest'
import { blocksOfAnswer } from '../contract/blocks.ts'
import { created, failed, found, ids, type Row, refused, useCrm } from './crm.ts'

const crm = useCrm({ own: true })

const timeline = async (id: string, query = '', ws = crm.ws) => found(await ws.get(`/opportunities/${id}/timeline${query}`))
const kinds = (entries: Row[]) => entries.map(({ kind }) => kind)
const activity = async (deal_id: string, fields: Row = {}) =>
  created(await crm.ws.post('/activities', { activity_type: 'call', subject: 'Intro', deal_id, ...fields }))
const task = async (opportunity_id: string, fields: Row = {}) =>
  created(await crm.ws.post('/tasks', { title: 'Send the plan', opportunity_id, ...fields }))

async function attach(id: string): Promise<Row> {
  const form = '--b\r\nContent-Disposition: form-data; name="file"; filename="plan.pdf"\r\n\r\n%PDF-1.7\r\n--b--\r\n'
  const headers = { 'content-type': 'multipart/form-data; boundary=b', authorization: `Bearer ${crm.ws.apiKey}` }
  const response = await crm.app.fetch(`/v1/opportunities/${id}/attachments`, { method: 'POST', headers, body: form })
  return ((await response.json()) as Row).data
}

/** One of each kind, in this order. */
async function eventful(): Promise<{ id: string } & Row> {
  const opportunity = await crm.opportunity()
  const { stages } = await crm.firstPipeline()
  await crm.ws.post(`/opportunities/${opportunity.id}/move`, { stage_id: stages.Qualified })
  const made = { activity: await activity(opportunity.id), task: await task(opportunity.id), attachment: await attach(opportunity.id) }
  await crm.ws.patch(`/opportunities/${opportunity.id}`, { value: 250.5, closed_at: undefined })
  return { ...made, id: opportunity.id }
}

describe('the timeline', () => {
  test('is one list of all that happened, newest first', async () => {
    const { id, activity, task, attachment } = await eventful()
    const entries = await timeline(id)
    expect(entries).toMatchObject([
      { kind: 'change', data: { entity: 'opportunity', entity_id: id, action: 'updated', fields: { value: { before: 0, after: 250.5 } } } },
      { kind: 'attachment', id: attachment.id, data: { name: 'plan.pdf', content_type: 'application/pdf', state: 'stored' } },
      { kind: 'task', id: task.id, at: task.created_at, data: { title: 'Send the plan', status: 'open', due_at: null } },
      { kind: 'activity', id: activity.id, at: activity.occurred_at, data: { activity_type: 'call', subject: 'Intro' } },
      { kind: 'stage_move', data: { from_stage_name: 'New', to_stage_name: 'Qualified', seconds_in_stage: expect.any(Number) } },
      expect.anything(),
      expect.anything(),
    ])
    expect(kinds(entries.slice(5)).sort()).toEqual(['change', 'stage_move'])
    expect(entries.every(({ user_id }) => user_id === crm.ws.userId)).toBe(true)
    expect(entries.every(({ at }) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(at))).toBe(true)
    expect(entries.find(({ data }) => data.action === 'created')?.data.fields.opened_at.after).toMatch(/\.\d{3}Z$/)
  })

  test('comes page by page, each entry once, though more comes in between', async () => {
    const { id } = await eventful()
    for (let n = 0; n < 10; n++) await crm.ws.patch(`/opportunities/${id}`, { value: n + 1 })
    const whole = await timeline(id)
    expect(whole).toHaveLength(17)
    const seen = await crm.walk(`/opportunities/${id}/timeline?limit=3`, () => activity(id))
    expect(ids(seen)).toEqual(ids(whole))
  })

  test('entries of one moment are in one order, whatever their kinds', async () => {
    const { id } = await crm.opportunity()
    const occurred_at = '2026-03-31T09:30:00.000Z'
    for (let n = 0; n < 5; n++) await activity(id, { occurred_at })
    const done = (await Promise.all([1, 2, 3].map(() => task(id)))).map(({ id }) => id)
    for (const one of done) await crm.rewrite('tasks', one, { created_at: occurred_at })
    const whole = await timeline(id, '?kinds=activity,task')
    expect(whole).toHaveLength(8)
    expect(ids(whole)).toEqual(ids(whole).toSorted().toReversed())
    expect(ids(await crm.walk(`/opportunities/${id}/timeline?kinds=activity,task&limit=1`))).toEqual(ids(whole))
  })

  test.each([
    ['stage_move', ['stage_move', 'stage_move']],
    ['task,activity', ['task', 'activity']],
    ['attachment', ['attachment']],
    ['change', ['change', 'change']],
  ])('shows %s alone', async (kindList, expected) => {
    const { id } = await eventful()
    expect(kinds(await timeline(id, `?kinds=${kindList}`))).toEqual(expected)
  })

  test('says what is wrong with kinds, and refuses the cursor of others', async () => {
    const { id } = await eventful()
    for (const wrong of ['', 'zork', 'task,zork', 'task;activity'])
      expect(await crm.ws.get(`/opportunities/${id}/timeline?kinds=${wrong}`)).toMatchObject(refused('kinds'))
    const { page } = (await crm.ws.get(`/opportunities/${id}/timeline?limit=1`)).body
    expect(await crm.ws.get(`/opportunities/${id}/timeline?kinds=task&after=${page.next}`)).toMatchObject(refused('after'))
  })

  test('lists changes to its parts, including deleted ones', async () => {
    const { id } = await crm.opportunity()
    const item = created(await crm.ws.post(`/opportunities/${id}/products`, { name: 'GTX Pro', unit_price: 10 }))
    await crm.ws.patch(`/opportunities/${id}/products/${item.id}`, { unit_price: 12 })
    await crm.ws.delete(`/opportunities/${id}/products/${item.id}`)
    const contact = await crm.contact()
    await crm.ws.post(`/opportunities/${id}/contacts`, { contact_id: contact.id })
    const { id: attached } = await attach(id)
    await crm.ws.delete(`/opportunities/${id}/attachments/${attached}`)
    await crm.ws.patch(`/tasks/${(await task(id)).id}`, { status: 'completed' })
    const summary = (await timeline(id, '?kinds=change')).map(({ data }) => `${data.entity} ${data.action}`)
    expect(summary).toEqual([
      'task updated',
      'attachment deleted',
      'opportunity_contact created',
      'opportunity_product deleted',
      'opportunity_product updated',
      'opportunity_product created',
      'opportunity created',
    ])
  })

  test('a task that moves from one opportunity to another is listed in both timelines', async () => {
    const [from, to] = [await crm.opportunity(), await crm.opportunity()]
    const { id } = await task(from.id)
    await crm.ws.patch(`/tasks/${id}`, { opportunity_id: to.id })
    const move = { kind: 'change', data: { entity: 'task', fields: { opportunity_id: { before: from.id, after: to.id } } } }
    expect((await timeline(from.id))[0]).toMatchObject(move)
    expect(await timeline(to.id)).toMatchObject([move, { kind: 'task', id }, {}, {}])
    expect(ids(await timeline(from.id, '?kinds=task'))).toEqual([])
  })

  test('shows no more than the key may read elsewhere', async () => {
    const { id } = await eventful()
    await crm.ws.post(`/opportunities/${id}/billing-parties`, { customer_id: await crm.company() })
    const seen = async (...scopes: string[]) => {
      const entries = await timeline(id, '', await crm.ws.key({ scopes: ['opportunities:read', ...scopes] }))
      return [...new Set(entries.map(({ kind, data }) => (kind === 'change' ? data.entity : kind)))].sort()
    }
    const plain = ['attachment', 'opportunity', 'stage_move']
    expect(await seen()).toEqual(plain)
    expect(await seen('tasks:read')).toEqual([...plain, 'task'])
    expect(await seen('activities:*', 'invoices:read')).toEqual(['activity', 'attachment', 'billing_party', 'opportunity', 'stage_move'])
  })

  test('is of its own opportunity and workspace', async () => {
    const [{ id }, other, stranger] = [await eventful(), await crm.opportunity(), await crm.app.workspace()]
    expect(await timeline(other.id)).toHaveLength(2)
    expect(await stranger.get(`/opportunities/${id}/timeline`)).toMatchObject(failed(404, 'NOT_FOUND'))
    const theirs = created(await stranger.post('/opportunities', { name: 'Theirs' })).id
    expect(await timeline(theirs, '', stranger)).toHaveLength(2)
    await crm.ws.delete(`/opportunities/${id}`)
    expect(await crm.ws.get(`/opportunities/${id}/timeline`)).toMatchObject(failed(404, 'NOT_FOUND'))
  })

  test('reads no more of a long history than a page of it', async () => {
    const { id } = await crm.opportunity()
    await crm.app.owner.query(
      `with made as (insert into changes (workspace_id, entity, entity_id, action, fields, version, at)
        select $1, 'opportunity', $2, 'updated', '{"value": {}}', 1, now() - n * interval '1 second'
          from generate_series(1, 20000) n returning id, at)
        insert into timeline_changes (workspace_id, record_id, at, change_id) select $1, $2, at, id from made`,
      [crm.ws.id, id],
    )
    await crm.app.owner.query('analyze changes, timeline_changes')
    expect(await blocksOfAnswer(crm.app, () => timeline(id))).toBeLessThan(300)
  })
})
