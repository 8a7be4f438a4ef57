import { Hono } from 'hono'
import * as v from 'valibot'
import { autoQueues } from '../../schema/index.ts'
import { activateQueue, countQueue, createQueue, deactivateQueue, updateQueue } from '../../src/features/auto-queues/plans/queues.ts'
import { createStep, queueSteps, removeStep, reorderSteps, updateStep } from '../../src/features/auto-queues/plans/steps.ts'
import { AUTO_QUEUE_STATES } from '../../src/features/auto-queues/rules/auto-queues.ts'
import {
  AutoQueue,
  AutoQueuePatch,
  AutoQueueStep,
  NewAutoQueue,
  NewQueueStep,
  QueueCounts,
  QueueStepPatch,
  StepChange,
  StepOrder,
  StepRemoval,
} from '../../src/features/auto-queues/schemas/auto-queues.ts'
import { checkRequestsWith } from '../../src/features/automations/plans/requests.ts'
import { children } from '../../src/http/children.ts'
import { created, scopes } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Enum, Id, Ids } from '../../src/schemas/fields.ts'
import { endpointFor } from '../index.ts'
import { AUTOMATION } from '../paths.ts'
import { registerEnrolments } from './enrolments.ts'

export const autoQueuesRouter = new Hono<App>()
export const eventQueuesRouter = new Hono<App>()
export const autoQueuesApi = endpoints(autoQueuesRouter, {
  path: AUTOMATION.autoQueues,
  tag: 'Auto Queues',
  legacy: { router: eventQueuesRouter, path: AUTOMATION.eventQueues, tag: 'Event Queues (legacy)' },
})

const checkRequests = checkRequestsWith(endpointFor)
const params = v.object({ auto_queue_id: Id })
const ofStep = v.object({ auto_queue_id: Id, step_id: Id })
const write = scopes('auto-queues:write')
const PARENT = { name: 'auto_queue', param: 'auto_queue_id', scope: 'auto-queues' }

resource(autoQueuesApi, {
  name: 'auto_queue',
  plural: 'auto-queues',
  table: autoQueues,
  returns: AutoQueue,
  list: { filters: { state: v.optional(Enum(AUTO_QUEUE_STATES, 'Only queues in this state.')) }, sorts: ['created_at', 'updated_at'] },
  get: {},
  create: {
    description: 'Creates a draft: add steps, and activate it before anyone is enrolled.',
    body: NewAutoQueue,
    plan: (_, input) => createQueue(input),
  },
  update: {
    description: 'Exits and rules of re-enrolment apply at once, also to those in the queue.',
    body: AutoQueuePatch,
    plan: updateQueue,
  },
  remove: {
    description:
      'Its enrolments and those of lists are deleted with it. A queue that is restored has its steps and no enrolments, ' +
      'and one that was active is inactive.',
  },
  history: true,
})

autoQueuesApi.post(
  '/:auto_queue_id/activate',
  {
    id: 'activateAutoQueue',
    summary: 'Activate an auto queue',
    description:
      'From then on it takes enrolments, and those in it go on. The caller becomes its publisher, as does everyone who changes its ' +
      'steps while it is active: the steps have the rights that the member and the key have at the time of each step. ' +
      'With a key of level approval, each step waits for approval.',
    access: write,
    params,
    returns: AutoQueue,
    errors: ['NOT_FOUND', 'CONFLICT', 'INVALID_STATE', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => activateQueue(ctx, params.auto_queue_id),
)
autoQueuesApi.post(
  '/:auto_queue_id/deactivate',
  {
    id: 'deactivateAutoQueue',
    summary: 'Deactivate an auto queue',
    description:
      'It takes no enrolments, and those in it wait until it is activated. Steps that are due by then are taken at once. ' +
      'Exits still end enrolments.',
    access: write,
    params,
    returns: AutoQueue,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => deactivateQueue(ctx, params.auto_queue_id),
)
autoQueuesApi.get(
  '/:auto_queue_id/counts',
  {
    id: 'getAutoQueueCounts',
    summary: 'Count the enrolments of an auto queue, by state and by step',
    access: scopes('auto-queues:read'),
    params,
    returns: QueueCounts,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => countQueue(params.auto_queue_id),
)

autoQueuesApi.post(
  '/:auto_queue_id/steps',
  {
    id: 'createAutoQueueStep',
    summary: 'Create a step on an auto queue',
    description:
      'A step waits for its delay and its window, and then acts or starts an automation. ' +
      'Enrolments of an active queue that have not come to its place take it.',
    access: write,
    params,
    body: NewQueueStep,
    returns: created(StepChange),
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  ({ ctx, params, body }) => createStep(ctx, params.auto_queue_id, body, checkRequests(ctx)),
)
autoQueuesApi.post(
  '/:auto_queue_id/steps/reorder',
  {
    id: 'reorderAutoQueueSteps',
    summary: "Reorder an auto queue's steps",
    description: 'Enrolments stay at the step for which they wait, and then take those that follow it in the new order.',
    access: write,
    params,
    body: v.strictObject({ step_ids: Ids(100) }),
    returns: StepOrder,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params, body }) => reorderSteps(ctx, params.auto_queue_id, body.step_ids),
)
children(autoQueuesApi, {
  parent: PARENT,
  path: '/steps',
  name: 'step',
  key: 'step_id',
  rows: queueSteps,
  returns: AutoQueueStep,
  list: {},
  get: {},
})
autoQueuesApi.patch(
  '/:auto_queue_id/steps/:step_id',
  {
    id: 'updateAutoQueueStep',
    summary: "Update an auto queue's step",
    description:
      'Enrolments that wait for the step keep the end of their wait, and then take it as it is by then. ' +
      'A new delay applies to all that come to it later.',
    access: write,
    params: ofStep,
    body: QueueStepPatch,
    returns: StepChange,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) => updateStep(ctx, params.auto_queue_id, params.step_id, body, checkRequests(ctx)),
)
autoQueuesApi.delete(
  '/:auto_queue_id/steps/:step_id',
  {
    id: 'deleteAutoQueueStep',
    summary: "Delete an auto queue's step",
    description: 'Enrolments that wait for it go to the next step when that wait ends; the delay of the next step begins then.',
    access: scopes('auto-queues:delete'),
    params: ofStep,
    returns: StepRemoval,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => removeStep(ctx, params.auto_queue_id, params.step_id),
)

registerEnrolments(autoQueuesApi)
