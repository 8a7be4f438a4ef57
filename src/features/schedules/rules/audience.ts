import { parseFilter } from '../../../domain/filters/parse.ts'
import type { Filter, Issue, ObjectName } from '../../../domain/filters/types.ts'
import type { AudienceType } from './limits.ts'

/** The filter of an audience, as it is sent and stored. Which keys it has depends on the type of the audience. */
export type AudienceFilter = {
  roles?: string[] | undefined
  user_ids?: string[] | undefined
  statuses?: string[] | undefined
  include_overdue_only?: boolean | undefined
  max_tasks_per_user?: number | undefined
  contact_type?: string | undefined
  has_email?: boolean | undefined
  status?: string | undefined
  stale_days?: number | undefined
  pipeline_id?: string | undefined
  stage_ids?: string[] | undefined
  list_id?: string | undefined
  filter?: Record<string, unknown> | undefined
  limit?: number | undefined
}

const KEYS: Record<AudienceType, readonly (keyof AudienceFilter)[]> = {
  users: ['roles', 'user_ids'],
  tasks_by_assignee: ['statuses', 'include_overdue_only', 'max_tasks_per_user', 'filter'],
  contacts: ['contact_type', 'has_email', 'list_id', 'filter', 'limit'],
  deals: ['status', 'stale_days', 'pipeline_id', 'stage_ids', 'list_id', 'filter', 'limit'],
}

/** The records that `filter` is about. */
const OBJECTS: Record<AudienceType, ObjectName | undefined> = {
  users: undefined,
  tasks_by_assignee: 'tasks',
  contacts: 'contacts',
  deals: 'opportunities',
}
export const objectOf = (type: AudienceType): ObjectName | undefined => OBJECTS[type]

/** The scope that reading an audience needs. */
export const AUDIENCE_SCOPES: Record<AudienceType, string[]> = {
  users: ['users:read'],
  tasks_by_assignee: ['tasks:read', 'users:read'],
  contacts: ['contacts:read'],
  deals: ['opportunities:read'],
}

/** What is wrong with the filter of an audience of this type; paths begin with `audience_filter`. */
export function audienceIssues(type: AudienceType, sent: AudienceFilter): Issue[] {
  const foreign = (Object.keys(sent) as (keyof AudienceFilter)[])
    .filter((key) => sent[key] !== undefined && !KEYS[type].includes(key))
    .map((key) => ({ path: `audience_filter.${key}`, message: `is not for the audience ${type}, which takes ${KEYS[type].join(', ')}` }))
  const object = OBJECTS[type]
  const inner = object && sent.filter ? parseFilter(object, sent.filter).issues : []
  return [...foreign, ...inner.map(({ path, message }) => ({ path: `audience_filter.filter${path}`, message }))]
}

const is = (field: string, values: (string | boolean)[]): Filter => ({ type: 'field', field, test: { is: 'in', values }, not: false })

/**
 * The keys of an audience filter as conditions of the filter language; `at` is the instant of the fire in milliseconds. Undefined if it has
 * none. Members of the list come first, with the path `.list_id`. A deal is stale if neither it has changed nor an activity was logged for
 * so many days.
 */
export function conditionsOf(type: AudienceType, sent: AudienceFilter, at: number): Filter | undefined {
  const object = OBJECTS[type]
  const { contact_type, has_email, status, stale_days, pipeline_id, stage_ids, list_id } = sent
  const inner = object && sent.filter ? parseFilter(object, sent.filter).filter : undefined
  const all: Filter[] = [
    ...(list_id === undefined ? [] : [{ type: 'list', list: list_id, at: '.list_id', not: false } as const]),
    ...(contact_type === undefined ? [] : [is('contact_type', [contact_type])]),
    ...(has_email === undefined ? [] : [{ type: 'field', field: 'email', test: { is: 'empty' }, not: has_email } as const]),
    ...(status === undefined ? [] : [is('status', [status])]),
    ...(pipeline_id === undefined ? [] : [is('pipeline_id', [pipeline_id])]),
    ...(stage_ids === undefined ? [] : [is('stage_id', stage_ids)]),
    ...(stale_days === undefined ? [] : staleFor(at - stale_days * 86_400_000)),
    ...(inner ? [inner] : []),
  ]
  return all.length > 0 ? { type: 'all', of: all } : undefined
}

function staleFor(since: number): Filter[] {
  const low = { at: { instant: new Date(since).toISOString() }, open: false }
  return ['updated_at', 'last_activity_at'].map((field) => ({ type: 'field', field, test: { is: 'times', low }, not: true }))
}
