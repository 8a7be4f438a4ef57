import { expect, test } from 'vitest'
import { created, failed, found, type Row, refused, useCrm } from './crm.ts'
import { useImports } from './importing.ts'

const crm = useCrm({ own: true })
const { imported, rows, uploaded, act } = useImports(crm)

const read = ({ status, body }: { status: number; body: string }): string[] => {
  expect(status, JSON.stringify(body)).toBe(200)
  return body.replace('\uFEFF', '').trimEnd().split('\r\n')
}
const exported = async (path: string) => read(await crm.ws.get(path))

test('products are exported with the filters of their list, in a query or in a body', async () => {
  await crm.ws.post('/custom-fields', { object: 'product', key: 'weight', label: 'Weight', type: 'number' })
  for (const product of [
    { name: 'Desk, oak', sku: '=D1', category: 'Desks', price: 12.5, metadata: { weight: 40 } },
    { name: 'Lamp', category: 'Lamps', is_active: false },
  ])
    created(await crm.ws.post('/products', product))
  expect((await exported('/products/export'))[0]).toBe(
    'id,name,sku,category,description,price,cost,currency,unit,tax_percent,is_active,external_id,archived,' +
      'metadata.weight,created_at,updated_at',
  )
  const columns = 'name,sku,price,metadata.weight'
  expect(await exported(`/products/export?fields=${columns}&category=Desks`)).toEqual([columns, `"Desk, oak",'=D1,12.5,40`])
  const body = { fields: ['name'], is_active: false, bom: false }
  expect(read(await crm.ws.post('/products/export', body))).toEqual(['name', 'Lamp'])
  expect(await exported('/products/export?fields=name&search=oak&sort=-updated_at')).toEqual(['name', '"Desk, oak"'])
  expect(await exported('/products/export?fields=name&search=none&sort=updated_at')).toEqual(['name'])
  expect(await crm.ws.get('/products/export?fields=zork')).toMatchObject(refused('fields'))
})

test('tasks and activities name the records that they are linked to, as far as the caller may read them', async () => {
  const company = await crm.company('A; B')
  const ana = await crm.contact({ first_name: 'Ana', last_name: 'Lee', email: 'ana@example.com' })
  const bo = await crm.contact({ first_name: 'Bo; "x"' })
  const deal = await crm.opportunity({ name: 'Deck', external_id: 'D1' })
  const task = { title: 'Call', due_at: '2030-03-31T09:30:00Z', contact_id: ana.id, opportunity_id: deal.id, customer_id: company }
  created(await crm.ws.post('/tasks', { ...task, assigned_to: crm.ws.userId }))
  created(await crm.ws.post('/tasks', { title: 'Other', status: 'completed' }))
  const meeting = { activity_type: 'meeting', contact_ids: [bo.id, ana.id], deal_id: deal.id, customer_id: company }
  created(await crm.ws.post('/activities', meeting))
  created(await crm.ws.post('/activities', { activity_type: 'note', body: 'x', contact_id: ana.id }))
  const links = 'contact,company,opportunity'
  const { email } = found(await crm.ws.get(`/company/users/${crm.ws.userId}`))
  expect(await exported(`/tasks/export?status=open&fields=title,due_at,owner,${links}`)).toEqual([
    `title,due_at,owner,${links}`,
    `Call,2030-03-31T09:30:00.000Z,${email},ana@example.com,"[""A; B""]",D1`,
  ])
  const ofAna = { field: 'contact_id', op: 'eq', value: ana.id }
  expect(read(await crm.ws.post('/tasks/export', { filter: ofAna, fields: ['title'] }))).toEqual(['title', 'Call'])
  const meetings = [`${links}`, `"[""Bo; \\""x\\"""",""ana@example.com""]","[""A; B""]",D1`]
  expect(await exported(`/activities/export?activity_type=meeting&fields=${links}`)).toEqual(meetings)
  expect(await exported(`/activities/export?contact_id=${bo.id}&fields=${links}`)).toEqual(meetings)
  const notes = { field: 'activity_type', op: 'eq', value: 'note' }
  expect(read(await crm.ws.post('/activities/export', { filter: notes, fields: ['body', 'contact'] }))).toEqual([
    'body,contact',
    'x,ana@example.com',
  ])

  const narrow = await crm.ws.key({ scopes: ['activities:read', 'companies:read'] })
  expect(read(await narrow.get(`/activities/export?activity_type=meeting&fields=${links}`))[1]).toBe(
    `"${bo.id}; ${ana.id}","[""A; B""]",${deal.id}`,
  )
  expect(await narrow.get('/tasks/export')).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
  const has = { has: 'contacts', where: { field: 'email', op: 'eq', value: 'ana@example.com' } }
  expect(await narrow.post('/activities/export', { filter: has })).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
})

test('a meeting is imported with all of its contacts, and an update changes the main one only', async () => {
  const [ana, bo, cy] = [
    await crm.contact({ email: 'ana@example.com' }),
    await crm.contact({ email: 'bo@example.com' }),
    await crm.contact({ email: 'cy@example.com' }),
  ]
  const file =
    'activity_type,subject,contact\nmeeting,Walk,bo@example.com; ana@example.com;BO@example.com\nmeeting,Lost,ana@example.com; ' +
    'no@example.com\n'
  const run = await imported(file)
  expect(run).toMatchObject({ object: 'activities', progress: { created: 1, failed: 1 } })
  const [meeting] = found(await crm.ws.get('/activities'))
  expect(meeting).toMatchObject({ contact_id: bo.id, contact_ids: [bo.id, ana.id] })
  const update = await uploaded(`id,activity_type,contact\n${meeting?.id},meeting,cy@example.com; ana@example.com\n`, {
    object: 'activities',
    mode: 'update',
    match_by: 'id',
  })
  expect((await act(update.id, 'start')).progress).toMatchObject({ updated: 1, warned: 1 })
  const [line] = await rows(update.id)
  expect(line?.warnings).toMatchObject([{ field: 'contact', message: expect.stringContaining('only the main one') }])
  expect(found(await crm.ws.get('/activities'))).toMatchObject([{ contact_id: cy.id, contact_ids: [cy.id, ana.id] }])
})

test('nobody is reminded of an imported task whose reminder is past', async () => {
  await imported('title,due_at,reminder_at,recurrence\nOld,2024-03-31,2024-03-30,\nNew,2090-03-31,2090-03-30,"{""frequency"":""daily""}"\n')
  await crm.app.cron('* * * * *')
  expect(found(await crm.ws.get('/tasks?sort=created_at'))).toMatchObject([
    { title: 'Old', reminder_at: '2024-03-30T00:00:00.000Z', recurrence: null },
    { title: 'New', recurrence: { frequency: 'daily', interval: 1 } },
  ])
  const events = found(await crm.ws.get('/events?type=task.reminder')) as Row[]
  expect(events).toEqual([])
})
