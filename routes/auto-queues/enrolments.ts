import * as v from 'valibot'
import {
  changeEnrolment,
  enrol,
  enrolList,
  enrolMany,
  getEnrolment,
  getListEnrolment,
  listEnrolmentSteps,
  listEnrolments,
  listListEnrolments,
  skipStep,
} from '../../src/features/auto-queues/plans/enrolments.ts'
import { Enrolled, Enrolment, enrolmentFilters, ListEnrolment, NewEnrolment } from '../../src/features/auto-queues/schemas/auto-queues.ts'
import { AutomationStep } from '../../src/features/automations/schemas/automation-runs.ts'
import { created, listOf, scopes } from '../../src/http/modes.ts'
import type { Api } from '../../src/http/router.ts'
import { bulkOf } from '../../src/schemas/bulk.ts'
import { bulkResult } from '../../src/schemas/common.ts'
import { describe, Id, pageQuery } from '../../src/schemas/fields.ts'

const params = v.object({ auto_queue_id: Id })
const ofOne = v.object({ auto_queue_id: Id, enrolment_id: Id })
/** Enrolments are about contacts and opportunities. */
const read = scopes('auto-queues:read', 'contacts:read', 'opportunities:read')
const write = scopes('auto-queues:write', 'contacts:read', 'opportunities:read')
const path = '/:auto_queue_id/enrolments' as const

const lists = '/:auto_queue_id/list-enrolments' as const

/** Registers the enrolments of auto queues: one by one, in bulk, and by list. */
export function registerEnrolments(api: Api): void {
  registerReads(api)
  registerChanges(api)
  registerLists(api)
}

function registerReads(api: Api): void {
  api.post(
    path,
    {
      id: 'enrolInAutoQueue',
      summary: 'Enrol a contact or an opportunity in an auto queue',
      description:
        'A record that is enrolled, or that the rule of the queue does not allow again, is a CONFLICT. ' +
        '`details.reason` says which, and `details.id` is its enrolment.',
      access: write,
      params,
      body: NewEnrolment,
      returns: created(Enrolment),
      errors: ['NOT_FOUND', 'CONFLICT', 'INVALID_STATE'],
    },
    ({ ctx, params, body }) => enrol(ctx, params.auto_queue_id, body),
  )
  api.post(
    `${path}/bulk-create`,
    {
      id: 'bulkEnrolInAutoQueue',
      summary: 'Enrol up to 100 contacts and opportunities in an auto queue',
      access: write,
      params,
      body: v.strictObject({ records: bulkOf(NewEnrolment) }),
      returns: bulkResult(Enrolled),
      errors: ['NOT_FOUND', 'INVALID_STATE'],
    },
    ({ ctx, params, body }) => enrolMany(ctx, params.auto_queue_id, body.records),
  )
  api.get(
    path,
    {
      id: 'listAutoQueueEnrolments',
      summary: "List an auto queue's enrolments, newest first",
      access: read,
      params,
      query: v.strictObject({ ...pageQuery, ...enrolmentFilters }),
      returns: listOf(Enrolment),
      errors: ['NOT_FOUND'],
    },
    ({ params, query }) => listEnrolments(params.auto_queue_id, query),
  )
  api.get(
    `${path}/:enrolment_id`,
    {
      id: 'getAutoQueueEnrolment',
      summary: "Get an auto queue's enrolment",
      access: read,
      params: ofOne,
      returns: Enrolment,
      errors: ['NOT_FOUND'],
    },
    ({ params }) => getEnrolment(params.auto_queue_id, params.enrolment_id),
  )
  api.get(
    `${path}/:enrolment_id/steps`,
    {
      id: 'listAutoQueueEnrolmentSteps',
      summary: 'List the waits and actions that an enrolment has taken, in order',
      access: read,
      params: ofOne,
      query: v.strictObject(pageQuery),
      returns: listOf(AutomationStep),
      errors: ['NOT_FOUND'],
    },
    ({ params, query }) => listEnrolmentSteps(params.auto_queue_id, params.enrolment_id, query),
  )
}

function registerChanges(api: Api): void {
  /** An endpoint that changes the state of an enrolment. */
  const change = (verb: 'pause' | 'resume' | 'remove' | 'retry', summary: string, description: string) =>
    api.post(
      `${path}/:enrolment_id/${verb}`,
      {
        id: `${verb}AutoQueueEnrolment`,
        summary,
        description,
        access: write,
        params: ofOne,
        returns: Enrolment,
        errors: ['NOT_FOUND', 'CONFLICT', 'INVALID_STATE'],
      },
      ({ params }) => changeEnrolment(params.auto_queue_id, params.enrolment_id, `${verb}_enrolment`),
    )
  change('pause', 'Pause an enrolment', 'It takes no step until it is resumed. Exits still end it.')
  change(
    'resume',
    'Resume an enrolment that is paused',
    'It goes on with what is left of its wait. A wait whose end has passed meanwhile is over.',
  )
  change('remove', 'Remove an enrolment from its queue', 'It takes no more steps. What its steps have done stays.')
  change('retry', 'Continue an enrolment whose step failed', 'It goes on with the step that failed, as the step is now.')
  api.post(
    `${path}/:enrolment_id/skip`,
    {
      id: 'skipAutoQueueEnrolmentStep',
      summary: "Skip an enrolment's next step",
      description: 'The wait for it ends, and the delay of the step after it begins. After the last step the enrolment is complete.',
      access: write,
      params: ofOne,
      body: v.strictObject({
        step_id: v.optional(describe(Id, 'The step that should be next. If another one is, the request is a CONFLICT.')),
      }),
      returns: Enrolment,
      errors: ['NOT_FOUND', 'CONFLICT', 'INVALID_STATE'],
    },
    ({ params, body }) => skipStep(params.auto_queue_id, params.enrolment_id, body.step_id),
  )
}

function registerLists(api: Api): void {
  api.post(
    lists,
    {
      id: 'enrolListInAutoQueue',
      summary: 'Enrol the members of a list in an auto queue',
      description:
        'Enrols them in the background, a few thousand at a time. It waits while the queue is not active. ' +
        'Of a live list, those are enrolled that its filter finds with the rights of the key, and that are not archived.',
      access: scopes('auto-queues:write', 'contacts:read', 'opportunities:read', 'lists:read'),
      params,
      body: v.strictObject({ list_id: describe(Id, 'A list of contacts or opportunities.') }),
      returns: created(ListEnrolment),
      errors: ['NOT_FOUND', 'INVALID_STATE'],
    },
    ({ params, body }) => enrolList(params.auto_queue_id, body.list_id),
  )
  api.get(
    lists,
    {
      id: 'listAutoQueueListEnrolments',
      summary: 'List the enrolments of lists in an auto queue, newest first',
      access: scopes('auto-queues:read'),
      params,
      query: v.strictObject(pageQuery),
      returns: listOf(ListEnrolment),
      errors: ['NOT_FOUND'],
    },
    ({ params, query }) => listListEnrolments(params.auto_queue_id, query),
  )
  api.get(
    `${lists}/:list_enrolment_id`,
    {
      id: 'getAutoQueueListEnrolment',
      summary: 'Get the enrolment of a list in an auto queue',
      description: 'Shows how many members were enrolled until now, and how many were not, by reason.',
      access: scopes('auto-queues:read'),
      params: v.object({ auto_queue_id: Id, list_enrolment_id: Id }),
      returns: ListEnrolment,
      errors: ['NOT_FOUND'],
    },
    ({ params }) => getListEnrolment(params.auto_queue_id, params.list_enrolment_id),
  )
}
