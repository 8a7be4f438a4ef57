import type pg from 'pg'
import { allEndpoints } from '../routes/index.ts'
import { type Endpoint, isList } from '../src/http/endpoint.ts'
import { fromBase64Url, toBase64Url } from '../src/lib/base64.ts'
import { crc32 } from '../src/lib/crc.ts'

const endpoints = await allEndpoints()

export type Kind = 'alone' | 'search' | 'few' | 'linked' | 'counted' | 'walked' | 'totalled' | 'related'
const CHOICES = new Set(['sort', 'archived'])
/** Lists that look up a row of another table for each of their rows, which costs a few levels of its index. */
const LINKED = new Set([
  // Lists whose pages read shared rows from several partitions.
  '/requests',
  '/contacts/:contact_id/employers',
  '/contacts/:contact_id/deals',
  '/companies/:company_id/contacts',
  '/opportunities/:opportunity_id/contacts',
  '/opportunities/:opportunity_id/users',
  '/opportunities/:opportunity_id/invoices',
  // Whether an opportunity is rotting depends on its stage.
  '/opportunities',
  '/companies/:company_id/opportunities',
  '/contacts/:contact_id/deals',
  '/contacts/:contact_id/timeline',
  '/companies/:company_id/timeline',
  '/opportunities/:opportunity_id/timeline',
  '/stakeholder-types/:type_id/members',
  '/tasks/:task_id/stakeholders',
  '/deal-stakeholders',
  '/company/users',
  '/scheduling-bookings',
  // The attachments of each message, and its entry in the send ledger.
  '/email/threads/:thread_id/messages',
  // The entry of each message in the send ledger.
  '/sms/conversations/:sms_conversation_id/messages',
  // Whether each contact is suppressed, and has got a message this year.
  '/company/birthday-messages/preview',
])

/** Lists that count, for each row, the records that use it: members, or at most a thousand records. */
const COUNTED = new Set(['/roles', '/lead-sources/usage'])

/**
 * Lists that read thousands of entries and compare hundreds of records for a page that may be short. The request log does so for a filter
 * without an index.
 */
const WALKED = /\/duplicates$/

/** One request for a page: the endpoint of a list, and its parameters. */
export interface Case {
  label: string
  endpoint: Endpoint
  params: Record<string, string>
  query: Record<string, string>
  /** What determines the cost: one filter or sort; words; a filter over few archived records; another table; a count of uses; a walk; `count=true`; or related records. */
  kind: Kind
  /** Whether the page begins in the middle of the results instead of at their beginning. */
  middle?: boolean
}

type Entries = Record<string, { type: string; wrapped?: { options?: string[]; pipe?: { options?: string[] }[] } }>

/** Returns the cases of each list endpoint: without parameters, with each sort, with each filter, and from the middle of these. */
export function casesFor(samples: Record<string, string>, only?: string): { cases: Case[]; unknown: string[] } {
  const unknown: string[] = []
  const lists = endpoints.filter(
    (endpoint) => isList(endpoint) && endpoint.method === 'GET' && !endpoint.successor && (!only || endpoint.path === only),
  )
  const cases = lists.flatMap((endpoint) => {
    const params = Object.fromEntries([...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => [name!, samples[name!] ?? '']))
    const entries = ((endpoint.query as { entries?: Entries } | undefined)?.entries ?? {}) as Entries
    const { limit: _, after: __, sort, ...filters } = entries
    const missing = [...Object.keys(params), ...Object.keys(filters).filter((name) => name !== 'archived')].filter(
      (name) => !askedValue(name, endpoint.path, samples),
    )
    unknown.push(...missing.map((name) => `${endpoint.path} ${name}`))
    if (Object.keys(params).some((name) => missing.includes(name))) return []
    const always = Object.fromEntries(
      Object.keys(filters)
        .filter((name) => filters[name]!.type !== 'optional')
        .map((name) => [name, askedValue(name, endpoint.path, samples)!]),
    )
    const queries: Record<string, string>[] = [
      {},
      ...optionsOf(sort).map((sort) => ({ sort })),
      ...('archived' in filters
        ? ['true', 'all'].flatMap((archived) => [{ archived }, ...optionsOf(sort).map((sort) => ({ archived, sort }))])
        : []),
      ...Object.keys(filters)
        .filter((name) => name !== 'archived' && !(name in always) && !missing.includes(name))
        .map((name) => ({ [name]: askedValue(name, endpoint.path, samples)! })),
    ]
    const filtered = queries.filter((query) => Object.keys(query).some((name) => !CHOICES.has(name)))
    if ('archived' in filters)
      queries.push(...filtered.filter((query) => !('deleted' in query)).map((query) => ({ ...query, archived: 'true' })))
    return queries.flatMap((query) => {
      const shown = Object.entries(query).map(([name, value]) => (CHOICES.has(name) ? `${name}=${value}` : name))
      const kind = kindOf(endpoint.path, query)
      const made = { label: [endpoint.path, ...shown].join(' '), endpoint, params, query: { ...always, ...query }, kind }
      return [made, { ...made, label: `${made.label} (middle)`, middle: true }]
    })
  })
  return { cases, unknown }
}

/** The members of a list are those that a search finds, and the lists of a record those of which it is found to be one. */
const OF_LISTS = /^\/lists\/:list_id\/members$|^\/\w+\/:\w+\/lists$/

function kindOf(path: string, query: Record<string, string>): Kind {
  if (WALKED.test(path) || (path === '/requests' && 'user_id' in query)) return 'walked'
  // A page of events reads up to MOST_READ of them to find those that match.
  if (path === '/events' && Object.keys(query).some((name) => name !== 'order')) return 'walked'
  // Each thread has its contacts, deals, companies and participants.
  if (path === '/email/threads' && !('count' in query)) return 'related'
  // No index of tags has the order of a list.
  if ('search' in query || 'tag' in query) return 'search'
  // The members of a live list are counted by a search.
  if (OF_LISTS.test(path)) return 'count' in query ? 'walked' : 'search'
  if ('count' in query) return 'totalled'
  if ('include' in query) return 'related'
  if (COUNTED.has(path)) return 'counted'
  // When there are few members, the plan looks up all that match and sorts them.
  if (path === '/company/users' && 'updated_after' in query) return 'counted'
  if (LINKED.has(path)) return 'linked'
  return query.archived && Object.keys(query).some((name) => !CHOICES.has(name)) ? 'few' : 'alone'
}

const optionsOf = (sort?: Entries[string]) => sort?.wrapped?.options ?? sort?.wrapped?.pipe?.find(({ options }) => options)?.options ?? []
const askedValue = (name: string, path: string, samples: Record<string, string>) => samples[`${path} ${name}`] ?? samples[name]

/** Returns a frequent value for each filter, and the id of a record for each parameter. */
export async function samplesOf(client: pg.PoolClient): Promise<Record<string, string>> {
  const usual = (table: string, column: string) =>
    `(select ${column}::text from ${table} where workspace_id = current_workspace() and ${column} is not null group by 1 order by count(*) desc, 1 limit 1)`
  const any = (table: string, column: string) =>
    `(select ${column}::text from ${table} where workspace_id = current_workspace() and ${column} is not null order by id limit 1)`
  const moment = (share: number) =>
    `(select to_char(percentile_disc(${share}) within group (order by created_at), 'YYYY-MM-DD"T"HH24:MI:SS"Z"') from contacts where workspace_id = current_workspace())`
  const requested = (share: number) =>
    `(select to_char(percentile_disc(${share}) within group (order by at), 'YYYY-MM-DD"T"HH24:MI:SS"Z"') from requests where workspace_id = current_workspace())`
  const values: Record<string, string> = {
    contact_id: usual('opportunity_contacts', 'contact_id'),
    company_id: usual('contacts', 'customer_id'),
    opportunity_id: any('opportunities', 'id'),
    pipeline_id: any('pipelines', 'id'),
    stage_id: usual('opportunities', 'stage_id'),
    product_id: any('products', 'id'),
    invoice_id: any('invoices', 'id'),
    lead_source_id: any('lead_sources', 'id'),
    userId: usual('opportunities', 'assigned_to'),
    deal_id: any('opportunities', 'id'),
    user_id: usual('opportunities', 'assigned_to'),
    assigned_to: usual('opportunities', 'assigned_to'),
    customer_id: usual('contacts', 'customer_id'),
    parent_company_id: usual('companies', 'parent_company_id'),
    source_id: usual('contacts', 'source_id'),
    contact_type: usual('contacts', 'contact_type'),
    source: usual('contacts', 'source'),
    industry: usual('companies', 'industry'),
    account_type: usual('companies', 'account_type'),
    category: usual('products', 'category'),
    sku: any('products', 'sku'),
    lead_source: usual('opportunities', 'lead_source'),
    invoice_number: any('invoices', 'invoice_number'),
    entity_id: any('contacts', 'id'),
    request_id: any('requests', 'id'),
    created_after: moment(0.3),
    created_before: moment(0.7),
    updated_after: moment(0.3),
    updated_before: moment(0.7),
    ids: `(select string_agg(id::text, ',') from (select id from contacts where workspace_id = current_workspace() order by id limit 50) chosen)`,
    fields: `'id'`,
    count: `'true'`,
    deleted: `'true'`,
    '/contacts include': `'company,lead_source'`,
    '/companies include': `'owner,parent_company'`,
    '/opportunities include': `'company,owner,pipeline,stage,contacts,products'`,
    '/tasks include': `'owner,contact,company,opportunity'`,
    '/activities include': `'contact,company,opportunity'`,
    '/invoices include': `'company,opportunity'`,
    channel: `'email'`,
    purpose: `'birthday'`,
    '/messages status': `'sent'`,
    '/email-campaigns status': `'sent'`,
    campaign_id: any('email_campaigns', 'id'),
    '/messages contact_id': usual('messages', 'contact_id'),
    thread_id: any('email_threads', 'id'),
    direction: `'inbound'`,
    is_read: `'false'`,
    participant: usual('email_participants', 'email'),
    '/email/threads status': `'active'`,
    '/email/threads contact_id': usual('email_thread_links', 'contact_id'),
    '/email/logs status': `'sent'`,
    '/email/logs type': `'birthday'`,
    '/email/logs contact_id': usual('messages', 'contact_id'),
    provider: `'postmark'`,
    sms_conversation_id: any('sms_conversations', 'id'),
    phone_number: usual('sms_conversations', 'phone_number'),
    '/sms/conversations external_phone_number': any('sms_conversations', 'external_phone_number'),
    unread: `'true'`,
    '/sms/conversations contact_id': usual('sms_conversations', 'contact_id'),
    '/billing/credits/entries kind': `'settle'`,
    conversation_id: any('whatsapp_conversations', 'id'),
    group_id: any('whatsapp_groups', 'id'),
    '/whatsapp/conversations external_phone_number': any('whatsapp_conversations', 'external_phone_number'),
    unlinked: `'true'`,
    linked_deal_id: usual('whatsapp_groups', 'linked_deal_id'),
    linked_customer_id: any('companies', 'id'),
    '/whatsapp/conversations status': `'active'`,
    '/whatsapp/conversations contact_id': usual('whatsapp_conversations', 'contact_id'),
    reason: `'hard_bounce'`,
    address: any('suppressions', 'address'),
    date: `'2026-03-15'`,
    day: `(select max(day)::text from birthday_deliveries where workspace_id = current_workspace())`,
    list_id: any('lists', 'id'),
    '/automations state': `'draft'`,
    '/automation-runs state': `'completed'`,
    '/lists object': `'contacts'`,
    visibility: `'shared'`,
    owner_id: usual('opportunities', 'assigned_to'),
    '/lists kind': `'live'`,
    task_id: any('tasks', 'id'),
    event_type_id: any('scheduled_event_types', 'id'),
    booking_id: any('bookings', 'id'),
    host_id: usual('bookings', 'host_id'),
    series_id: any('scheduled_event_types', 'id'),
    starts_after: moment(0.3),
    starts_before: moment(0.7),
    '/scheduling-bookings status': usual('bookings', 'status'),
    '/scheduling-bookings contact_id': usual('bookings', 'contact_id'),
    '/scheduling-bookings deal_id': usual('bookings', 'deal_id'),
    '/scheduling/time-off user_id': usual('opportunities', 'assigned_to'),
    activity_id: any('activities', 'id'),
    type_id: any('stakeholder_types', 'id'),
    activity_type: `'call'`,
    created_by: usual('tasks', 'created_by'),
    occurred_after: moment(0.3),
    occurred_before: moment(0.7),
    due_after: moment(0.3),
    due_before: moment(0.7),
    overdue: `'true'`,
    mine: `'true'`,
    status: `'open'`,
    priority: `'urgent'`,
    external_id: any('tasks', 'external_id'),
    kinds: `'task'`,
    tag: `'VIP'`,
    object: `'contact'`,
    type: `'text'`,
    key_id: usual('requests', 'key_id'),
    method: `'PATCH'`,
    path: `'/contacts/:contact_id'`,
    queue: `'imports'`,
    created_from: moment(0.3),
    created_to: moment(0.7),
    from: requested(0.3),
    to: requested(0.7),
    built_in: `'true'`,
    role_id: any('roles', 'id'),
    is_referrer: `'true'`,
    is_active: `'true'`,
    base_currency: `'EUR'`,
    quote_currency: `'AUD'`,
    search: `'ana'`,
    role: `'client_editor'`,
    requested_by: any('memberships', 'user_id').replace('order by id', 'order by 1'),
    '/approvals status': `'pending'`,
    resource: `'contacts'`,
    '/contacts email': any('contacts', 'email'),
    '/contacts phone': any('contacts', 'phone'),
    '/contacts external_id': any('contacts', 'external_id'),
    '/companies email': any('companies', 'email'),
    '/companies external_id': any('companies', 'external_id'),
    '/opportunities external_id': any('opportunities', 'external_id'),
    '/products external_id': any('products', 'external_id'),
    '/invoices external_id': any('invoices', 'external_id'),
    '/opportunities status': usual('opportunities', 'status'),
    '/invoices status': usual('invoices', 'status'),
    '/invoices opportunity_id': usual('invoices', 'opportunity_id'),
    '/company/users status': `'active'`,
    '/requests status': `'4xx'`,
    '/imports object': `'contacts'`,
    '/events type': `'contact.created'`,
    '/events entity': `'contact'`,
    '/events order': `'asc'`,
    '/events wait': `'0'`,
    '/event-types type': `'contact.created'`,
  }
  const { rows } = await client.query(
    `select ${Object.values(values)
      .map((value, i) => `${value} as v${i}`)
      .join(', ')}`,
  )
  return Object.fromEntries(
    Object.keys(values).flatMap((name, i) => (rows[0][`v${i}`] === null ? [] : [[name, rows[0][`v${i}`] as string]])),
  )
}

/** The cursor of a response, set to another row. */
export function cursorAt(cursor: string, key: unknown, id: string): string {
  const text = fromBase64Url(cursor)
  const [signature] = JSON.parse(text.slice(text.indexOf('.') + 1)) as [string]
  const json = JSON.stringify([signature, String(key), id])
  return toBase64Url(`${crc32(json).toString(36)}.${json}`)
}
