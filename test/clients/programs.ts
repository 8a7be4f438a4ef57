/**
 * Programs that a client developer would write against each generated client. They are text, because the clients exist only after
 * generation; the test compiles them under strict and runs them. Each returns what it has seen.
 */
export const PROGRAMS = {
  'hey-api': `
import { createContact, deleteContact, getContact, listContacts, updateContact } from './hey-api'
import type { Contact, EventType } from './hey-api'
import { createClient } from './hey-api/client'

export async function run(baseUrl: string, key: string) {
  const client = createClient({ baseUrl, auth: () => key })
  const created = await createContact({ client, body: { first_name: 'Ana', email: 'ana@example.com', metadata: {} } })
  if (!created.data || !('data' in created.data)) throw new Error('The contact was not created')
  const contact: Contact = created.data.data
  const path = { contact_id: contact.id }
  const updated = await updateContact({ client, path, headers: { 'If-Match': '"1"' }, body: { last_name: 'Lee' } })
  const stale = await updateContact({ client, path, headers: { 'If-Match': '"1"' }, body: { last_name: 'Li' } })
  const tried = await createContact({ client, query: { dry_run: true }, body: { first_name: 'Bo' } })
  const held = await createContact({ client, body: { first_name: 'Cy', require_approval: true } })
  const refused = await createContact({ client, body: { first_name: '' } })
  const listed = await listContacts({ client, query: { sort: '-updated_at', limit: 10 } })
  await deleteContact({ client, path })
  const missing = await getContact({ client, path })

  const event: EventType[] = tried.data && 'dry_run' in tried.data ? tried.data.dry_run.events.map(({ type }) => type) : []
  // @ts-expect-error A field that the API does not know.
  void (() => createContact({ client, body: { first_name: 'Ana', nickname: 'A' } }))
  // @ts-expect-error A sort that the API does not offer.
  void (() => listContacts({ client, query: { sort: 'shoe_size' } }))
  return {
    version: updated.data && 'data' in updated.data ? updated.data.data.version : null,
    current: stale.error?.error.code === 'PRECONDITION_FAILED' ? stale.error.error.details.version : null,
    event,
    held: held.data && 'approval_id' in held.data ? held.data.status : null,
    refused: refused.error?.error.code === 'VALIDATION_ERROR' ? refused.error.error.details.issues.map(({ path }) => path) : null,
    names: listed.data?.data.map(({ last_name }) => last_name),
    next: listed.data?.page.next,
    missing: missing.error?.error.code,
  }
}
`,
  'openapi-typescript': `
import createClient from 'openapi-fetch'
import type { components, paths } from './schema'

type Contact = components['schemas']['Contact']
type EventType = components['schemas']['EventType']

export async function run(baseUrl: string, key: string) {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: 'Bearer ' + key } })
  const created = await client.POST('/contacts', { body: { first_name: 'Ana', email: 'ana@example.com', metadata: {} } })
  if (!created.data || !('data' in created.data)) throw new Error('The contact was not created')
  const contact: Contact = created.data.data
  const path = { contact_id: contact.id }
  const params = { path, header: { 'If-Match': '"1"' } }
  const updated = await client.PATCH('/contacts/{contact_id}', { params, body: { last_name: 'Lee' } })
  const stale = await client.PATCH('/contacts/{contact_id}', { params, body: { last_name: 'Li' } })
  const tried = await client.POST('/contacts', { params: { query: { dry_run: true } }, body: { first_name: 'Bo' } })
  const held = await client.POST('/contacts', { body: { first_name: 'Cy', require_approval: true } })
  const refused = await client.POST('/contacts', { body: { first_name: '' } })
  const listed = await client.GET('/contacts', { params: { query: { sort: '-updated_at', limit: 10 } } })
  await client.DELETE('/contacts/{contact_id}', { params: { path } })
  const missing = await client.GET('/contacts/{contact_id}', { params: { path } })

  const event: EventType[] = tried.data && 'dry_run' in tried.data ? tried.data.dry_run.events.map(({ type }) => type) : []
  // @ts-expect-error A field without which there is no contact.
  void (() => client.POST('/contacts', { body: { last_name: 'Lee' } }))
  // @ts-expect-error A sort that the API does not offer.
  void (() => client.GET('/contacts', { params: { query: { sort: 'shoe_size' } } }))
  return {
    version: updated.data && 'data' in updated.data ? updated.data.data.version : null,
    current: stale.error?.error.code === 'PRECONDITION_FAILED' ? stale.error.error.details.version : null,
    event,
    held: held.data && 'approval_id' in held.data ? held.data.status : null,
    refused: refused.error?.error.code === 'VALIDATION_ERROR' ? refused.error.error.details.issues.map(({ path }) => path) : null,
    names: listed.data?.data.map(({ last_name }) => last_name),
    next: listed.data?.page.next,
    missing: missing.error?.error.code,
  }
}
`,
}

/** The guard that the guide to clients shows: its first block of TypeScript. */
export const guardOf = (guide: string): string => /```ts\n(\/\*\*[\s\S]*?)```/.exec(guide)?.[1] as string

/**
 * A newcomer's first twelve calls with each client, most of them writes, whose types are unions with the pending approval. They use only
 * the guard of the guide. Each returns what it has seen.
 */
export const FIRST_CALLS: typeof PROGRAMS = {
  'hey-api': `
import * as api from './hey-api'
import { createClient } from './hey-api/client'

export async function run(baseUrl: string, key: string) {
  const client = createClient({ baseUrl, auth: () => key })
  const me = await api.getCurrentKey({ client })
  const company = written(await api.createCompany({ client, body: { name: 'Harbour' } }))
  const contact = written(await api.createContact({ client, body: { first_name: 'Ana', customer_id: company.id } }))
  const deal = written(await api.createOpportunity({ client, body: { name: 'Kitchen', value: 100, customer_id: company.id } }))
  const pipelines = await api.listPipelines({ client })
  const stage_id = pipelines.data?.data[0]?.stages.find(({ kind }) => kind === 'won')?.id ?? ''
  const moved = written(await api.moveOpportunity({ client, path: { opportunity_id: deal.id }, body: { stage_id } }))
  const task = written(await api.createTask({ client, body: { title: 'Call Ana', contact_id: contact.id } }))
  const updated = written(await api.updateContact({ client, path: { contact_id: contact.id }, body: { city: 'Perth' } }))
  const bulk = written(await api.bulkCreateContacts({ client, body: { records: [{ first_name: 'Bo' }, { first_name: 'Cy' }] } }))
  const found = await api.searchContacts({ client, body: { filter: { field: 'city', op: 'eq', value: 'Perth' } } })
  const events = await api.listEvents({ client, query: { type: 'contact.created', limit: 5 } })
  const held = await api.updateContact({ client, path: { contact_id: contact.id }, body: { city: 'Broome', require_approval: true } })
  // @ts-expect-error Without the guard the id may not be there, because the write may wait for an approval.
  void (async () => (await api.createContact({ client, body: { first_name: 'Ana' } })).data.data.id)
  return {
    level: me.data?.data.key.level, status: moved.status, title: task.title, city: updated.city, bulk: bulk.results.length,
    found: found.data?.data.map(({ first_name }) => first_name), events: events.data?.data.length,
    held: held.data && 'approval_id' in held.data ? held.data.status : null,
  }
}
`,
  'openapi-typescript': `
import createClient from 'openapi-fetch'
import type { paths } from './schema'

export async function run(baseUrl: string, key: string) {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: 'Bearer ' + key } })
  const me = await client.GET('/me')
  const company = written(await client.POST('/companies', { body: { name: 'Harbour' } }))
  const contact = written(await client.POST('/contacts', { body: { first_name: 'Ana', customer_id: company.id } }))
  const deal = written(await client.POST('/opportunities', { body: { name: 'Kitchen', value: 100, customer_id: company.id } }))
  const pipelines = await client.GET('/pipelines')
  const stage_id = pipelines.data?.data[0]?.stages.find(({ kind }) => kind === 'won')?.id ?? ''
  const opportunity = { params: { path: { opportunity_id: deal.id } } }
  const moved = written(await client.POST('/opportunities/{opportunity_id}/move', { ...opportunity, body: { stage_id } }))
  const task = written(await client.POST('/tasks', { body: { title: 'Call Ana', contact_id: contact.id } }))
  const params = { path: { contact_id: contact.id } }
  const updated = written(await client.PATCH('/contacts/{contact_id}', { params, body: { city: 'Perth' } }))
  const bulk = written(await client.POST('/contacts/bulk-create', { body: { records: [{ first_name: 'Bo' }, { first_name: 'Cy' }] } }))
  const found = await client.POST('/contacts/search', { body: { filter: { field: 'city', op: 'eq', value: 'Perth' } } })
  const events = await client.GET('/events', { params: { query: { type: 'contact.created', limit: 5 } } })
  const held = await client.PATCH('/contacts/{contact_id}', { params, body: { city: 'Broome', require_approval: true } })
  // @ts-expect-error Without the guard the id may not be there, because the write may wait for an approval.
  void (async () => (await client.POST('/contacts', { body: { first_name: 'Ana' } })).data.data.id)
  return {
    level: me.data?.data.key.level, status: moved.status, title: task.title, city: updated.city, bulk: bulk.results.length,
    found: found.data?.data.map(({ first_name }) => first_name), events: events.data?.data.length,
    held: held.data && 'approval_id' in held.data ? held.data.status : null,
  }
}
`,
}
