import type { RecordEntity } from '../../../domain/records.ts'
import { AppError } from '../../../errors.ts'
import type { Channel } from '../../messages/rules/messages.ts'
import type { Subjects } from '../rules/about.ts'
import { asText } from '../rules/templates.ts'
import type { Step } from '../rules/types.ts'
import type { RunError } from './engine/types.ts'

/** A request of this API: what a step does. */
export type StepRequest = { method: string; path: string; params: Record<string, string>; body: Record<string, unknown> }

const BASE: Record<RecordEntity, { path: string; param: string; subject: keyof Subjects }> = {
  contact: { path: '/contacts', param: 'contact_id', subject: 'contact_id' },
  company: { path: '/companies', param: 'company_id', subject: 'customer_id' },
  opportunity: { path: '/opportunities', param: 'opportunity_id', subject: 'opportunity_id' },
}
type Fields = Record<string, unknown>

/** The record that a step is about. @throws VALIDATION_ERROR when the run has none of the kind. */
function recordOf({ record_id }: Step, entity: RecordEntity, subjects: Subjects): string {
  const id = record_id === undefined ? subjects[BASE[entity].subject] : String(record_id ?? '')
  if (!id) throw new AppError('VALIDATION_ERROR', `The run is about no ${entity}: send record_id with the step`)
  return id
}

const create = (entity: RecordEntity, step: Step): StepRequest => ({
  method: 'POST',
  path: BASE[entity].path,
  params: {},
  body: step.fields as Fields,
})
const change = (entity: RecordEntity, id: string, body: Fields): StepRequest => {
  const { path, param } = BASE[entity]
  return { method: 'PATCH', path: `${path}/:${param}`, params: { [param]: id }, body }
}
const update = (entity: RecordEntity, step: Step, subjects: Subjects) =>
  change(entity, recordOf(step, entity, subjects), step.fields as Fields)

/** Fields about the records of the run, unless the step names records itself. */
function about(fields: Fields, links: Fields): Fields {
  const names = Object.keys(links)
  return names.some((name) => fields[name] !== undefined)
    ? fields
    : { ...Object.fromEntries(names.filter((name) => links[name]).map((name) => [name, links[name]])), ...fields }
}

const tags = (step: Step, subjects: Subjects, body: (names: string[]) => Fields): StepRequest => {
  const entity = step.record as RecordEntity
  return {
    method: 'POST',
    path: `${BASE[entity].path}/bulk-tags`,
    params: {},
    body: { ids: [recordOf(step, entity, subjects)], ...body(step.tags as string[]) },
  }
}
const membership = (step: Step, subjects: Subjects, verb: string): StepRequest => ({
  method: 'POST',
  path: `/lists/:list_id/members${verb}`,
  params: { list_id: step.list_id as string },
  body: { ids: [recordOf(step, step.record as RecordEntity, subjects)] },
})

/** The content of a message. A template may have given something else than text. */
const content = ({ subject, text, html }: Step): Fields => ({
  ...(subject !== undefined && { subject: asText(subject) }),
  text: asText(text),
  ...(html !== undefined && { html: asText(html) }),
})
const message =
  (channel: Channel): Build =>
  (step, subjects) => ({
    method: 'POST',
    path: '/messages',
    params: {},
    body: { contact_id: recordOf(step, 'contact', subjects), channel, ...content(step) },
  })

type Build = (step: Step, subjects: Subjects, turn: number) => StepRequest
const REQUESTS: Record<string, Build> = {
  create_contact: (step) => create('contact', step),
  update_contact: (step, subjects) => update('contact', step, subjects),
  create_company: (step) => create('company', step),
  update_company: (step, subjects) => update('company', step, subjects),
  create_opportunity: (step) => create('opportunity', step),
  update_opportunity: (step, subjects) => update('opportunity', step, subjects),
  create_task: ({ fields }, { contact_id, customer_id, opportunity_id }) => ({
    method: 'POST',
    path: '/tasks',
    params: {},
    body: about(fields as Fields, { contact_id, customer_id, opportunity_id }),
  }),
  create_activity: ({ fields }, { contact_id, customer_id, opportunity_id }) => ({
    method: 'POST',
    path: '/activities',
    params: {},
    body: about(fields as Fields, { contact_id, customer_id, deal_id: opportunity_id }),
  }),
  add_tags: (step, subjects) => tags(step, subjects, (names) => ({ add: names.map((name) => ({ name })) })),
  remove_tags: (step, subjects) => tags(step, subjects, (remove) => ({ remove })),
  add_to_list: (step, subjects) => membership(step, subjects, ''),
  remove_from_list: (step, subjects) => membership(step, subjects, '/remove'),
  move_stage: (step, subjects) => {
    const { stage_id, lost_reasons, won_reasons } = step
    return {
      method: 'POST',
      path: '/opportunities/:opportunity_id/move',
      params: { opportunity_id: recordOf(step, 'opportunity', subjects) },
      body: { stage_id, ...(lost_reasons !== undefined && { lost_reasons }), ...(won_reasons !== undefined && { won_reasons }) },
    }
  },
  assign: (step, subjects, turn) => {
    const entity = step.record as RecordEntity
    const users = step.user_ids as string[]
    return change(entity, recordOf(step, entity, subjects), { assigned_to: users[turn % users.length] })
  },
  send_email: message('email'),
  send_sms: message('sms'),
  send_whatsapp: message('whatsapp'),
  notify: (step, subjects) => {
    const { user_ids, role, ...of } = step as {
      user_ids?: string[]
      role?: string
      assignee_of?: RecordEntity
      followers_of?: RecordEntity
    }
    const record = (entity?: RecordEntity) => entity && { [BASE[entity].subject]: recordOf(step, entity, subjects) }
    const [assignee, followed] = [record(of.assignee_of), record(of.followers_of)]
    return {
      method: 'POST',
      path: '/messages/notify',
      params: {},
      body: {
        ...(user_ids && { user_ids }),
        ...(role && { role }),
        ...(assignee && { assignee_of: assignee }),
        ...(followed && { followers_of: followed }),
        ...content(step),
      },
    }
  },
  start_automation: ({ automation_id }, { contact_id, customer_id, opportunity_id }) => ({
    method: 'POST',
    path: '/automations/:automation_id/start',
    params: { automation_id: automation_id as string },
    body: about({}, opportunity_id ? { opportunity_id, contact_id } : { contact_id, customer_id }),
  }),
  http_request: ({ method, url, headers, body, webhook_id }) => ({
    method: 'POST',
    path: '/outgoing-requests',
    params: {},
    body: {
      method,
      url,
      ...(headers !== undefined && { headers }),
      ...(body !== undefined && { body }),
      ...(webhook_id !== undefined && { webhook_id }),
    },
  }),
  api_request: ({ method, path, params, body }) => ({
    method: method as string,
    path: (path as string).replaceAll(/\{(\w+)\}/g, ':$1'),
    params: (params ?? {}) as Record<string, string>,
    body: (body ?? {}) as Fields,
  }),
}
export const ACTIONS = Object.keys(REQUESTS)

/** The request by which a step takes effect, with its templates filled in. `turn` counts the assignments of the step before. */
export function requestOf(step: Step, subjects: Subjects, turn: number): StepRequest {
  const request = (REQUESTS[step.type] as Build)(step, subjects, turn)
  return step.require_approval === true ? { ...request, body: { ...request.body, require_approval: true } } : request
}

/** The parts of the request of a step, as its endpoint takes them. */
export function inputOf({ method, params, body }: StepRequest) {
  const isDelete = method === 'DELETE'
  const query: Record<string, string> = isDelete && body.require_approval === true ? { require_approval: 'true' } : {}
  return { params, query, body: isDelete ? undefined : body }
}

/** Steps that send their one record to an endpoint for many, whose response has what was refused. */
const FOR_MANY = ['add_tags', 'remove_tags', 'add_to_list', 'remove_from_list']

/** Why such a step has changed nothing: its record was refused. */
export const refusedIn = ({ type }: Step, output: unknown): RunError | undefined =>
  FOR_MANY.includes(type) ? (output as { errors?: { error: RunError }[] } | null)?.errors?.[0]?.error : undefined
