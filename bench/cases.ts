import { allEndpoints } from '../routes/index.ts'
import { type Endpoint, isList } from '../src/http/endpoint.ts'
import { fromBase64Url, toBase64Url } from '../src/lib/base64.ts'
import { crc32 } from '../src/lib/crc.ts'

const endpoints = await allEndpoints()

export type Kind = 'alone' | 'search' | 'few' | 'linked' | 'counted' | 'walked' | 'totalled' | 'related' | 'timed'
const CHOICES = new Set(['sort', 'archived'])
/** Lists that look up a row of another table for each of their rows, which costs a few levels of its index. */
const LINKED = new Set([
  // Lists whose pages read shared rows from several partitions.
  '/requests',
  '/memory',
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
  '/work-orders/:work_order_id/stakeholders',
  // The label of each status.
  '/work-orders',
  '/deal-stakeholders',
  // The notes of each request, and the reference to its message.
  '/service-requests',
  '/company/users',
  '/scheduling-bookings',
  // The attachments of each message, and its entry in the send ledger.
  '/email/threads/:thread_id/messages',
  // The entry of each message in the send ledger.
  '/sms/conversations/:sms_conversation_id/messages',
  '/conversations/:conversation_id/messages',
  // The conversation is read for the scope of its channel.
  '/conversations/:conversation_id/history',
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
  /**
   * What determines the cost: one filter or sort; words; a filter over few archived records; another table; a count of uses; a walk;
   * `count=true`; related records; or the order of a time that is computed from what is linked to a record.
   */
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
  if (/last_activity_at|next_task_due_at/.test(query.sort ?? '')) return 'timed'
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

/** The cursor of a response, set to another row. */
export function cursorAt(cursor: string, key: unknown, id: string): string {
  const text = fromBase64Url(cursor)
  const [signature] = JSON.parse(text.slice(text.indexOf('.') + 1)) as [string]
  const json = JSON.stringify([signature, String(key), id])
  return toBase64Url(`${crc32(json).toString(36)}.${json}`)
}
