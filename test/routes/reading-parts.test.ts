import { expect, test } from 'vitest'
import { allEndpoints } from '../../routes/index.ts'
import { created, found, type Row, refused, tripsOf, useCrm } from './crm.ts'

const crm = useCrm()

test('a single record and a search send the requested fields and related records, in one round trip', async () => {
  const company = await crm.company('Acme')
  const contact = await crm.contact({ customer_id: company })
  const [whole] = found(await crm.ws.get('/companies'))
  const answers: Row[] = []
  const trips = await tripsOf(crm.app, async () => {
    answers.push(
      found(await crm.ws.get(`/contacts/${contact.id}?include=company&fields=first_name`)),
      ...found(await crm.ws.post('/contacts/search', { fields: ['first_name'], include: ['company'] })),
    )
  })
  expect(trips).toBe(2)
  const expected = { id: contact.id, first_name: contact.first_name, company: whole }
  expect(answers).toEqual([expected, expected])
  const { metadata } = found(await crm.ws.get(`/companies/${company}?fields=metadata`))
  expect(metadata).toEqual({})
  // By a custom field the rows are found in another way.
  created(await crm.ws.post('/custom-fields', { object: 'contact', key: 'size', label: 'Size', type: 'number' }))
  const sorted = await crm.ws.post('/contacts/search', { fields: ['first_name'], include: ['company'], sort: 'metadata.size' })
  expect(found(sorted)).toEqual([expected])
  // With a related record, the content can change without a new version.
  const path = `/companies/${company}?include=parent_company`
  expect((await crm.ws.get(path, { 'if-none-match': '"1"' })).status).toBe(200)
  expect((await crm.ws.get(`/companies/${company}?fields=name`, { 'if-none-match': '"1"' })).status).toBe(304)
  expect(await crm.ws.get(`/contacts/${crypto.randomUUID()}?include=company&fields=city`)).toMatchObject({ status: 404 })
  const reader = await crm.ws.key({ scopes: ['contacts:read'] })
  for (const answer of [
    await reader.get(`/contacts/${contact.id}?include=company`),
    await reader.post('/contacts/search', { include: ['company'] }),
  ])
    expect(answer).toMatchObject({ status: 403, body: { error: { details: { required_scopes: ['companies:read'] } } } })
  expect(await crm.ws.get(`/contacts/${contact.id}?fields=first_nam`)).toMatchObject(refused('fields.0'))
  expect(await crm.ws.post('/contacts/search', { include: ['compnay'] })).toMatchObject(refused('include.0'))
})

test('every relation of every record and search can be included, and every field named', async () => {
  const opportunity = await crm.opportunity({ customer_id: await crm.company() })
  const ids: Row = { contact_id: (await crm.contact()).id, company_id: opportunity.customer_id, opportunity_id: opportunity.id }
  ids.task_id = created(await crm.ws.post('/tasks', { title: 'Call' })).id
  ids.activity_id = created(await crm.ws.post('/activities', { activity_type: 'call', subject: 'Call', contact_id: ids.contact_id })).id
  const related = (await allEndpoints()).filter(({ returns, method, path }) => {
    const isSingle = method === 'GET' && returns.as === 'one'
    return (isSingle || path.endsWith('/search')) && (returns as { relations?: unknown }).relations && !path.includes('invoice')
  })
  expect(related.length).toBeGreaterThan(7)
  for (const { path, method, returns } of related) {
    const include = (returns as { relations: { name: string }[] }).relations.map(({ name }) => name)
    const fields = Object.keys((returns.schema as unknown as { entries: object }).entries)
    const at = path.replace(/:(\w+)/g, (_, name: string) => ids[name])
    const answer =
      method === 'GET' ? await crm.ws.get(`${at}?include=${include}&fields=${fields}`) : await crm.ws.post(at, { include, fields })
    const record = [found(answer)].flat()[0] as Row
    expect(Object.keys(record).toSorted(), path).toEqual([...new Set([...fields, ...include])].toSorted())
  }
})
