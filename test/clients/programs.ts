/**
 * Programs that a client developer would write against each generated client. They are text, because the clients exist only after generation;
 * the test compiles them under strict and runs them. Each returns what it has seen.
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
