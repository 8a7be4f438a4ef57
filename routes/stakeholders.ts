import { Hono } from 'hono'
import * as v from 'valibot'
import { stakeholderTypes } from '../schema/index.ts'
import { listQuery } from '../src/http/lists.ts'
import { created, listOf, scopes } from '../src/http/modes.ts'
import { history } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { Deleted } from '../src/schemas/common.ts'
import { about, Id, pageQuery } from '../src/schemas/fields.ts'
import {
  DealStakeholder,
  NewDealStakeholder,
  NewStakeholderType,
  OfContact,
  StakeholderMember,
  StakeholderType,
  StakeholderTypePatch,
  TaskStakeholder,
} from '../src/schemas/stakeholders.ts'
import {
  addTypeMember,
  createType,
  deleteType,
  getType,
  listTypeMembers,
  listTypes,
  removeTypeMember,
  TYPE_SORTS,
  updateType,
} from '../src/services/stakeholders/stakeholder-types.ts'
import {
  addDealStakeholder,
  addTaskStakeholder,
  getDealStakeholder,
  listDealStakeholders,
  listTaskStakeholders,
  removeDealStakeholder,
  removeTaskStakeholder,
} from '../src/services/stakeholders/stakeholders.ts'
import { CRM } from './paths.ts'
import { tasksApi } from './tasks.ts'

export const stakeholderTypesRouter = new Hono<App>()
export const stakeholderTypesApi = endpoints(stakeholderTypesRouter, { path: CRM.stakeholderTypes, tag: 'Stakeholders' })
export const dealStakeholdersRouter = new Hono<App>()
export const dealStakeholdersApi = endpoints(dealStakeholdersRouter, { path: CRM.dealStakeholders, tag: 'Stakeholders' })

const ofType = v.object({ type_id: Id })
const ofMember = v.object({ type_id: Id, member_id: Id })
const ofTask = v.object({ task_id: Id })
const ofAttachment = v.object({ deal_stakeholder_id: Id })

stakeholderTypesApi.get(
  '',
  {
    id: 'listStakeholderTypes',
    summary: 'List stakeholder types',
    access: scopes('contacts:read'),
    query: listQuery(stakeholderTypes, {}, TYPE_SORTS),
    returns: listOf(StakeholderType),
  },
  ({ query }) => listTypes(query),
)
stakeholderTypesApi.get(
  '/:type_id',
  {
    id: 'getStakeholderType',
    summary: 'Get a stakeholder type',
    access: scopes('contacts:read'),
    params: ofType,
    returns: StakeholderType,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getType(params.type_id),
)
stakeholderTypesApi.post(
  '',
  {
    id: 'createStakeholderType',
    summary: 'Create a stakeholder type',
    description: 'Only name is required. What its members may do is off unless it is switched on.',
    access: scopes('contacts:write'),
    body: NewStakeholderType,
    returns: created(StakeholderType),
    errors: ['CONFLICT'],
  },
  ({ body }) => createType(body),
)
stakeholderTypesApi.patch(
  '/:type_id',
  {
    id: 'updateStakeholderType',
    summary: 'Update a stakeholder type',
    description: 'What is switched off holds for new stakeholders; tasks keep those they have.',
    access: scopes('contacts:write'),
    params: ofType,
    body: StakeholderTypePatch,
    returns: StakeholderType,
    errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) => updateType(ctx, params.type_id, body),
)
stakeholderTypesApi.delete(
  '/:type_id',
  {
    id: 'deleteStakeholderType',
    summary: 'Delete a stakeholder type and its memberships',
    description: 'Its members stay contacts; opportunities keep them as stakeholders, without a type.',
    access: scopes('contacts:delete'),
    params: ofType,
    returns: Deleted,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => deleteType(ctx, params.type_id),
)
history(stakeholderTypesApi, '/:type_id/history', {
  entity: 'stakeholder_type',
  table: stakeholderTypes,
  param: 'type_id',
  scopes: ['contacts:read'],
})

stakeholderTypesApi.get(
  '/:type_id/members',
  {
    id: 'listStakeholderTypeMembers',
    summary: "List a stakeholder type's members",
    access: scopes('contacts:read'),
    params: ofType,
    query: v.strictObject(pageQuery),
    returns: listOf(StakeholderMember),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listTypeMembers(params.type_id, query),
)
stakeholderTypesApi.post(
  '/:type_id/members',
  {
    id: 'addStakeholderTypeMember',
    summary: 'Add a contact to a stakeholder type',
    description: 'Once more changes nothing and answers the membership there is.',
    access: scopes('contacts:write'),
    params: ofType,
    body: OfContact,
    returns: StakeholderMember,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params, body }) => addTypeMember(ctx, params.type_id, body.contact_id),
)
stakeholderTypesApi.delete(
  '/:type_id/members/:member_id',
  {
    id: 'removeStakeholderTypeMember',
    summary: 'Remove a member from a stakeholder type',
    description: 'member_id is the id of the membership. What the contact is a stakeholder of by then stays so.',
    access: scopes('contacts:delete'),
    params: ofMember,
    returns: Deleted,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => removeTypeMember(ctx, params.type_id, params.member_id),
)

dealStakeholdersApi.get(
  '',
  {
    id: 'listDealStakeholders',
    summary: "List an opportunity's stakeholders",
    access: scopes('opportunities:read'),
    query: v.strictObject({ deal_id: about(Id, 'The opportunity.'), ...pageQuery }),
    returns: listOf(DealStakeholder),
    errors: ['NOT_FOUND'],
  },
  ({ query }) => listDealStakeholders(query),
)
dealStakeholdersApi.get(
  '/:deal_stakeholder_id',
  {
    id: 'getDealStakeholder',
    summary: "Get an opportunity's stakeholder",
    access: scopes('opportunities:read'),
    params: ofAttachment,
    returns: DealStakeholder,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getDealStakeholder(params.deal_stakeholder_id),
)
dealStakeholdersApi.post(
  '',
  {
    id: 'createDealStakeholder',
    summary: 'Add a stakeholder to an opportunity',
    description: 'Once in each stakeholder type (bucket_id), and once without one.',
    access: scopes('opportunities:write'),
    body: NewDealStakeholder,
    returns: created(DealStakeholder),
    errors: ['CONFLICT'],
  },
  ({ body }) => addDealStakeholder(body),
)
dealStakeholdersApi.delete(
  '/:deal_stakeholder_id',
  {
    id: 'deleteDealStakeholder',
    summary: 'Remove a stakeholder from an opportunity',
    access: scopes('opportunities:delete'),
    params: ofAttachment,
    returns: Deleted,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => removeDealStakeholder(ctx, params.deal_stakeholder_id),
)

tasksApi.get(
  '/:task_id/stakeholders',
  {
    id: 'listTaskStakeholders',
    summary: "List a task's stakeholders",
    access: scopes('opportunities:read'),
    params: ofTask,
    query: v.strictObject(pageQuery),
    returns: listOf(TaskStakeholder),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listTaskStakeholders(params.task_id, query),
)
tasksApi.post(
  '/:task_id/stakeholders',
  {
    id: 'addTaskStakeholder',
    summary: 'Add a stakeholder to a task',
    description: 'The contact must be in a stakeholder type with assignable_to_work_orders. Once more changes nothing.',
    access: scopes('opportunities:write'),
    params: ofTask,
    body: OfContact,
    returns: TaskStakeholder,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params, body }) => addTaskStakeholder(ctx, params.task_id, body.contact_id),
)
tasksApi.delete(
  '/:task_id/stakeholders/:contact_id',
  {
    id: 'removeTaskStakeholder',
    summary: 'Remove a stakeholder from a task',
    access: scopes('opportunities:delete'),
    params: v.object({ task_id: Id, contact_id: Id }),
    returns: v.object({ task_id: Id, contact_id: Id, deleted: v.literal(true) }),
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params }) => removeTaskStakeholder(ctx, params.task_id, params.contact_id),
)
