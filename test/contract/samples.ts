import { randomUUID } from 'node:crypto'
import { allEndpoints } from '../../routes/index.ts'
import type { Endpoint } from '../../src/http/endpoint.ts'
import { exampleOf } from '../../src/http/openapi/examples.ts'
import { type JsonSchema, schemasOf } from '../../src/http/openapi/schemas.ts'
import { proving } from '../proof.ts'
import { OVER, unique } from './sample-values.ts'
import { AGENCY_OF_CALLS } from './seed-agency.ts'
import { GROWTH_OF_CALLS } from './seed-growth.ts'
import { DRAFTS_OF_CALLS } from './seed-mailbox.ts'
import { MEDIA_OF_CALLS } from './seed-media.ts'
import { COMPLIANCE_OF_CALLS } from './seed-phone.ts'

const endpoints = await allEndpoints()

/** Ids of records, by the name of their path parameter; of rows below a record also with the name of the record before it. */
export type Ids = Record<string, string>
export type Operation = { name: string; endpoint: Endpoint; params: JsonSchema; query: JsonSchema; body: JsonSchema | undefined }
export type Place = (string | number)[]

/** Alternative names of the path parameter of a record's id. */
const ALSO_CALLED: Record<string, string> = {
  exclude_list_id: 'list_id',
  assigned_to: 'user_id',
  bucket_id: 'type_id',
  created_by: 'user_id',
  customer_id: 'company_id',
  deal_id: 'opportunity_id',
  deal_product_id: 'line_item_id',
  default_pipeline_id: 'pipeline_id',
  host_id: 'user_id',
  knowledge_base_id: 'kb_id',
  related_id: 'other_service_request_id',
  inbound_voice_agent_config_id: 'voice_agent_config_id',
  outbound_voice_agent_config_id: 'voice_agent_config_id',
  manager_user_id: 'user_id',
  parent_company_id: 'company_id',
  parent_component_id: 'product_component_id',
  referrer_opportunity_id: 'opportunity_id',
  requested_by: 'user_id',
  requester_key_id: 'api_key_id',
  source_id: 'lead_source_id',
  supplier_id: 'company_id',
  catalog_entry_id: 'supplier_catalog_entry_id',
  userId: 'user_id',
}

/** Fields that must refer to another record of the same kind. */
const ANOTHER: Record<string, Ids> = {
  'GET /voice-agent-templates/:slug': { slug: 'template_slug' },
  'POST /voice-agent-templates/:slug/create-agent': { slug: 'template_slug' },
  'DELETE /scheduled-event-types/:event_type_id': { event_type_id: 'idle_event_type_id' },
  'DELETE /files/:file_id': { file_id: 'idle_file_id' },
  'POST /portals/:portal_id/revoke': { portal_id: 'closing_portal_id' },
  'POST /tasks/:task_id/reopen': { task_id: 'completed_task_id' },
  'POST /tasks/:task_id/skip': { task_id: 'recurring_task_id' },
  'DELETE /contacts/duplicates/dismissed/:dismissal_id': { dismissal_id: 'contact_dismissal_id' },
  'DELETE /companies/duplicates/dismissed/:dismissal_id': { dismissal_id: 'company_dismissal_id' },
  'DELETE /customers/duplicates/dismissed/:dismissal_id': { dismissal_id: 'company_dismissal_id' },
  'DELETE /opportunities/duplicates/dismissed/:dismissal_id': { dismissal_id: 'opportunity_dismissal_id' },
  'DELETE /deals/duplicates/dismissed/:dismissal_id': { dismissal_id: 'opportunity_dismissal_id' },
  'POST /company/users/:userId/resend-invitation': { userId: 'invited_user_id' },
  ...ofMerges('/contacts', 'contact'),
  ...ofMerges('/companies', 'company'),
  ...ofMerges('/customers', 'company'),
  ...ofMerges('/opportunities', 'opportunity'),
  ...ofMerges('/deals', 'opportunity'),
  ...ofDeleted(),
  ...DRAFTS_OF_CALLS,
  ...MEDIA_OF_CALLS,
  ...COMPLIANCE_OF_CALLS,
  ...AGENCY_OF_CALLS,
  ...GROWTH_OF_CALLS,
  ...Object.fromEntries(
    Object.entries({ send: 'ready', schedule: 'scheduled', unschedule: 'scheduled', pause: 'sending', resume: 'paused' }).map(
      ([verb, state]) => [`POST /email-campaigns/:email_campaign_id/${verb}`, { email_campaign_id: `${state}_email_campaign_id` }],
    ),
  ),
  'GET /email-campaigns/:email_campaign_id/links/:link_id/recipients': { email_campaign_id: 'sending_email_campaign_id' },
  'GET /order-forms/:order_form_id/logs': { order_form_id: 'sold_order_form_id' },
  'DELETE /automations/:automation_id': { automation_id: 'idle_automation_id' },
  'POST /automations/:automation_id/pause': { automation_id: 'published_automation_id' },
  'POST /automations/:automation_id/resume': { automation_id: 'paused_automation_id' },
  'GET /automations/:automation_id/versions/:number': { automation_id: 'published_automation_id' },
  'POST /automation-runs/:run_id/cancel': { run_id: 'waiting_run_id' },
  'POST /automation-runs/:run_id/replay': { run_id: 'ended_run_id' },
  ...Object.fromEntries(
    ['/auto-queues', '/event-queues'].flatMap((path): [string, Ids][] => [
      [`POST ${path}/:auto_queue_id/activate`, { auto_queue_id: 'draft_queue_id' }],
      [`POST ${path}/:auto_queue_id/deactivate`, { auto_queue_id: 'closing_queue_id' }],
      [`POST ${path}/:auto_queue_id/steps/reorder`, { auto_queue_id: 'draft_queue_id' }],
      [`POST ${path}/:auto_queue_id/enrolments/:enrolment_id/remove`, { enrolment_id: 'waiting_enrolment_id' }],
      [`POST ${path}/:auto_queue_id/enrolments/:enrolment_id/resume`, { enrolment_id: 'paused_enrolment_id' }],
      [`POST ${path}/:auto_queue_id/enrolments/:enrolment_id/retry`, { enrolment_id: 'failed_enrolment_id' }],
    ]),
  ),
  'GET /scheduling-bookings/:booking_id/calendar-copies': { booking_id: 'confirmed_booking_id' },
  'POST /scheduling-bookings/:booking_id/notices/:notice_id/resend': { booking_id: 'confirmed_booking_id' },
  'POST /imports/:import_id/cancel': { import_id: 'running_import_id' },
  'POST /imports/:import_id/undo': { import_id: 'finished_import_id' },
}

/** The merges of all kinds use the same parameter. */
function ofMerges(path: string, entity: string): Record<string, Ids> {
  const named = { merge_id: `${entity}_merge_id` }
  return { [`GET ${path}/merges/:merge_id`]: named, [`POST ${path}/merges/:merge_id/undo`]: named }
}

/** The record that a restore brings back: one that is deleted. */
function ofDeleted(): Record<string, Ids> {
  const restores = endpoints.filter(({ path }) => path.endsWith('/restore'))
  return Object.fromEntries(restores.map(({ path }) => [`POST ${path}`, { [restoredParameter(path)]: `deleted_${restoredId(path)}` }]))
}

/** The parameter of the restored record, and a name that says which record it is, whatever its parameter is called. */
export function restoredParameter(path: string): string {
  return /:(\w+)\/restore$/.exec(path)?.[1] as string
}
export function restoredId(path: string): string {
  return path.replace(/\W+restore$/, '').replace(/\W+/g, '_')
}

/** A day since 2000, another one each time. */
let unusedDay = Math.floor(Math.random() * 9000)

/** Unique values, generated for each body. */
const UNIQUE: Record<string, (example: string) => string> = {
  name: (name) => `${name} ${unique()}`,
  sku: () => `SKU-${unique()}`,
  external_id: () => `ext-${unique()}`,
  email: () => `${unique()}@example.com`,
  invoice_number: () => `INV-${unique()}`,
  slug: () => `slug-${unique()}`,
  effective_on: () => new Date(Date.UTC(2000, 0, unusedDay++)).toISOString().slice(0, 10),
}

/** Fields with ids whose record is not checked. */
export const NO_REFERENCE = ['skip_action_ids', 'trigger']

const { parts, components } = schemasOf(endpoints)
const EMPTY: JsonSchema = { type: 'object', properties: {} }

/** Every endpoint with its parts as JSON Schema. */
export const operations: Operation[] = endpoints.map((endpoint, index) => {
  const { params = EMPTY, query = EMPTY, body } = parts[index] as (typeof parts)[number]
  return { name: `${endpoint.method} ${endpoint.path}`, endpoint, params, query, body }
})

/** The endpoints that the slow matrices call. A deprecated path leads to the same endpoint as the current one, so only proofs call both. */
export const probed: Operation[] = proving ? operations : operations.filter(({ endpoint }) => !endpoint.successor)

/**
 * What one of the slowest matrices calls in a usual run: two thirds of the endpoints that are written by hand, and a third of those that
 * are generated. Each matrix leaves out others, by `turn`; a proof calls all in each. Rights and tenancy are always tried of all.
 */
export const inTurn = (all: Operation[], turn: 0 | 1 | 2): Operation[] =>
  proving ? all : all.filter(({ endpoint }, index) => (index % 3 === turn) === Boolean(endpoint.helper))

export { components }

const parametersOf = ({ path }: Endpoint): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as string)

/** Several kinds of records have rows with the same parameter: `attachment_id` below `:contact_id` is `contact_attachment_id`. */
export const belowRecord = (endpoint: Endpoint, parameter: string): string =>
  `${(parametersOf(endpoint)[0] ?? '').replace(/_id$/, '')}_${parameter}`

/** The ids of records with which the endpoint can be called. */
export function idsFor({ name, endpoint }: Operation, ids: Ids): Ids {
  const [, ...below] = parametersOf(endpoint)
  if (below.length === 0 && !ANOTHER[name]) return ids
  const own = Object.fromEntries(below.map((parameter) => [parameter, ids[belowRecord(endpoint, parameter)]]))
  return {
    ...ids,
    ...given(own),
    ...given(Object.fromEntries(Object.entries(ANOTHER[name] ?? {}).map(([parameter, known]) => [parameter, ids[known]]))),
  }
}

/** The path below /v1 with its parameters filled in. An unknown parameter gets a random UUID. */
export function pathOf({ path }: Endpoint, ids: Ids): string {
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(idFor(name, ids) ?? randomUUID()))
}

/** The required query parameters of a valid call. */
export function queryOf({ name, query }: Operation, ids: Ids): Record<string, string> {
  const required = Object.entries(query.properties as Record<string, JsonSchema>).filter(([field]) => query.required?.includes(field))
  const entries = required.map(([field, schema]) => [
    field,
    isId(schema) ? (idFor(field, ids) ?? randomUUID()) : String(exampleOf(schema, components)),
  ])
  return given({ ...Object.fromEntries(entries), ...OVER[name]?.(ids).query })
}

/** The documented example, with the ids of existing records and unused names. */
export function bodyOf({ name, endpoint, body }: Operation, ids: Ids, fields?: number): Record<string, unknown> | undefined {
  // The content of bytes is declared by hand.
  if (!body) return OVER[name]?.(ids).body
  const example = fresh(exampleOf(body, components, fields)) as Record<string, unknown>
  for (const place of placesOfIds(body)) {
    if (valueAt(example, place) !== undefined) setAt(example, place, idAt(endpoint, place, ids) ?? randomUUID())
  }
  return given({ ...example, ...OVER[name]?.(ids).body })
}

const given = <Value>(fields: Record<string, Value | undefined>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Record<string, Value>

function fresh(value: unknown, field = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => fresh(item))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, fresh(part, name)]))
  return typeof value === 'string' && UNIQUE[field] ? UNIQUE[field](value) : value
}

const knownPlaces = new WeakMap<JsonSchema, Place[]>()

/** The places of the body that may contain the id of another record. */
export function placesOfIds(schema: JsonSchema): Place[] {
  const places = knownPlaces.get(schema) ?? placesIn(schema, [])
  knownPlaces.set(schema, places)
  return places
}

function placesIn(schema: JsonSchema, at: Place): Place[] {
  if (schema.$ref) return placesIn(components[schema.$ref.split('/').at(-1)] as JsonSchema, at)
  if (isId(schema)) return NO_REFERENCE.some((name) => at.includes(name)) ? [] : [at]
  const inside = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).flatMap(([name, part]) =>
    placesIn(part, [...at, name]),
  )
  const either = ((schema.anyOf ?? schema.oneOf ?? []) as JsonSchema[]).flatMap((part) => placesIn(part, at))
  return [...inside, ...either, ...(schema.items ? placesIn(schema.items, [...at, 0]) : [])]
}

export const isId = (schema: JsonSchema): boolean => schema.format === 'uuid'

/** The id for a field such as `stage_id`, `stage_ids` or `assigned_to`. */
export function idFor(field: string, ids: Ids): string | undefined {
  const name = field.replace(/_ids$/, '_id')
  return ids[name] ?? ids[ALSO_CALLED[name] ?? '']
}

/** The id for a place in a body; `id` and `ids` are those of the path's resource. */
export function idAt(endpoint: Endpoint, place: Place, ids: Ids): string | undefined {
  const field = place.findLast((step) => typeof step === 'string') as string
  return field === 'id' || field === 'ids' ? ids[ownParameter(endpoint)] : idFor(field, ids)
}

/** The resource of `/contacts/bulk-delete` and `/contacts` is `contact_id`, because `/contacts/:contact_id` exists. */
export function ownParameter({ path }: Endpoint): string {
  const name = ownParameters.get(path) ?? findOwnParameter(path)
  ownParameters.set(path, name)
  return name
}

const ownParameters = new Map<string, string>()

function findOwnParameter(path: string): string {
  for (const base of [path, path.replace(/\/[^/]+$/, '')]) {
    const below = endpoints.find((other) => other.path.startsWith(`${base}/:`))
    if (below) return below.path.slice(base.length + 2).split('/')[0] as string
  }
  return ''
}

export const valueAt = (value: unknown, place: Place): unknown =>
  place.reduce((at: unknown, step) => (at as Record<string | number, unknown> | undefined)?.[step], value)

/** Sets a value in an example, and creates missing objects around it. */
export function setAt(example: unknown, place: Place, value: unknown): void {
  let at = example as Record<string | number, unknown>
  place.slice(0, -1).forEach((step, index) => {
    if (typeof at[step] !== 'object' || at[step] === null) at[step] = typeof place[index + 1] === 'number' ? [] : {}
    at = at[step] as Record<string | number, unknown>
  })
  at[place.at(-1) as string] = value
}
