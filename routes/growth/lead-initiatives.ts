import { Hono } from 'hono'
import * as v from 'valibot'
import { leadInitiatives } from '../../schema/index.ts'
import { checkRequestsWith, rightsWith } from '../../src/features/automations/plans/requests.ts'
import { runDispatcher } from '../../src/features/lead-gen/plans/dispatch.ts'
import { enrolLeads, listEnrolments, setEnrolment } from '../../src/features/lead-gen/plans/enrol.ts'
import { createInitiative, deleteInitiative, getInitiative, updateInitiative } from '../../src/features/lead-gen/plans/initiatives.ts'
import { createStep, deleteStep, updateStep } from '../../src/features/lead-gen/plans/steps.ts'
import {
  Dispatched,
  EnrolLeads,
  enrolmentFilters,
  InitiativePatch,
  LeadEnrolment,
  LeadEnrolments,
  LeadInitiative,
  LeadInitiativeDetails,
  LeadInitiativeStep,
  LeadStepPatch,
  NewInitiative,
  NewLeadStep,
} from '../../src/features/lead-gen/schemas/initiatives.ts'
import { created, listOf, one, scopes } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Deleted } from '../../src/schemas/common.ts'
import { Id, pageQuery, QueryBool } from '../../src/schemas/fields.ts'
import { endpointFor } from '../index.ts'
import { GROWTH } from '../paths.ts'

export const leadInitiativesRouter = new Hono<App>()
export const leadInitiativesApi = endpoints(leadInitiativesRouter, { path: GROWTH.leadInitiatives, tag: 'Lead Gen Initiatives' })
const api = leadInitiativesApi

const [read, write, remove] = [scopes('lead-gen:read'), scopes('lead-gen:write'), scopes('lead-gen:delete')]
const params = v.object({ initiative_id: Id })
const ofStep = v.object({ initiative_id: Id, step_id: Id })
const ofEnrolment = v.object({ initiative_id: Id, lead_enrolment_id: Id })
const checkRequests = checkRequestsWith(endpointFor)

api.post(
  '/dispatcher/run',
  {
    id: 'runLeadDispatcher',
    summary: 'Fire the steps of initiatives that are due',
    description:
      'Fires at most 100 pending tasks whose time has come, as the background does by itself. ' +
      'A task waits outside the window of its initiative, in the quiet hours of its person, and after the daily cap or ' +
      'within the gap of emails.',
    access: write,
    returns: Dispatched,
  },
  ({ ctx }) => runDispatcher(ctx),
)
resource(api, {
  name: 'lead_initiative',
  plural: 'lead_initiatives',
  param: 'initiative_id',
  scope: 'lead-gen',
  table: leadInitiatives,
  returns: LeadInitiative,
  list: { filters: { is_active: v.optional(QueryBool) } },
  create: { description: 'It takes no step before it is active.', body: NewInitiative, plan: createInitiative, errors: [] },
  update: {
    description: 'Writes only the fields that are sent. A new cadence holds at once.',
    body: InitiativePatch,
    plan: updateInitiative,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  history: true,
})
api.get(
  '/:initiative_id',
  {
    id: 'getLeadInitiative',
    summary: 'Get a lead initiative, with its steps and their automations',
    access: read,
    params,
    returns: one(LeadInitiativeDetails),
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getInitiative(params.initiative_id),
)
api.delete(
  '/:initiative_id',
  {
    id: 'deleteLeadInitiative',
    summary: 'Delete a lead initiative',
    description:
      'Its steps and enrolments go with it, and the automations that steps in quick mode have made. ' +
      'Automations that were linked stay. It cannot be restored.',
    access: remove,
    params,
    returns: Deleted,
    errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => deleteInitiative(ctx, params.initiative_id),
)
api.post(
  '/:initiative_id/steps',
  {
    id: 'createLeadInitiativeStep',
    summary: 'Create a step of a lead initiative',
    description:
      'In quick mode (`action_type`, `action_config`) the step gets an automation of its own, which acts with the rights of the ' +
      'caller. With `automation_id` it starts one that the caller may start.',
    access: write,
    params,
    body: NewLeadStep,
    returns: created(LeadInitiativeStep),
    errors: ['NOT_FOUND', 'FORBIDDEN'],
  },
  ({ ctx, params, body }) => createStep(params.initiative_id, body, checkRequests(ctx), rightsWith(endpointFor)),
)
api.patch(
  '/:initiative_id/steps/:step_id',
  {
    id: 'updateLeadInitiativeStep',
    summary: "Update a lead initiative's step",
    description: 'People who wait for the step keep their time. A new delay applies to those who come to it later.',
    access: write,
    params: ofStep,
    body: LeadStepPatch,
    returns: one(LeadInitiativeStep),
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) => updateStep(ctx, params.initiative_id, params.step_id, body),
)
api.delete(
  '/:initiative_id/steps/:step_id',
  {
    id: 'deleteLeadInitiativeStep',
    summary: "Delete a lead initiative's step",
    description: 'People who wait for it go to the next step at the same time. An automation that it has made goes with it.',
    access: remove,
    params: ofStep,
    returns: Deleted,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => deleteStep(ctx, params.initiative_id, params.step_id),
)
api.post(
  '/:initiative_id/enrol',
  {
    id: 'enrolInLeadInitiative',
    summary: 'Enrol lead results in a lead initiative',
    description:
      'Each result is linked to the contact of its address or number, or to a new one, and its first step is scheduled. ' +
      'A person is in one initiative at a time. A suppressed address, and a person in a country that asks for consent without a basis, ' +
      'are errors. A reply, a bounce, an unsubscription, a booking or the conversion ends an enrolment.',
    access: write,
    params,
    body: EnrolLeads,
    returns: LeadEnrolments,
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  ({ ctx, params, body }) => enrolLeads(ctx, params.initiative_id, body.lead_result_ids),
)
api.get(
  '/:initiative_id/enrolments',
  {
    id: 'listLeadEnrolments',
    summary: "List a lead initiative's enrolments, newest first",
    access: read,
    params,
    query: v.strictObject({ ...pageQuery, ...enrolmentFilters }),
    returns: listOf(LeadEnrolment),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listEnrolments(params.initiative_id, query),
)
for (const [verb, to, summary] of [
  ['pause', 'paused', 'Pause an enrolment in a lead initiative'],
  ['resume', 'active', 'Resume an enrolment in a lead initiative'],
] as const)
  api.post(
    `/:initiative_id/enrolments/:lead_enrolment_id/${verb}`,
    {
      id: `${verb}LeadEnrolment`,
      summary,
      access: write,
      params: ofEnrolment,
      returns: one(LeadEnrolment),
      errors: ['NOT_FOUND', 'INVALID_STATE'],
    },
    ({ params }) => setEnrolment(params.initiative_id, params.lead_enrolment_id, to),
  )
