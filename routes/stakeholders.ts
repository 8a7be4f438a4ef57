import { Hono } from 'hono'
import * as v from 'valibot'
import { stakeholderTypes } from '../schema/index.ts'
import { typeMembers } from '../src/features/stakeholders/plans/stakeholder-types.ts'
import {
  addDealStakeholder,
  getDealStakeholder,
  listDealStakeholders,
  removeDealStakeholder,
  restoreDealStakeholder,
  sharedWith,
  workSharedWith,
} from '../src/features/stakeholders/plans/stakeholders.ts'
import {
  DealStakeholder,
  NewDealStakeholder,
  NewStakeholderType,
  OfContact,
  StakeholderMember,
  StakeholderType,
  StakeholderTypePatch,
  TaskStakeholder,
  WorkOrderStakeholder,
} from '../src/features/stakeholders/schemas/stakeholders.ts'
import { children } from '../src/http/children.ts'
import { created, listOf, one, scopes } from '../src/http/modes.ts'
import { resource } from '../src/http/resource.ts'
import { registerRestore } from '../src/http/restore.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { Deleted } from '../src/schemas/common.ts'
import { describe, Id, pageQuery } from '../src/schemas/fields.ts'
import { STAKEHOLDER_TYPE, TASK, WORK_ORDER } from './parents.ts'
import { CRM } from './paths.ts'
import { tasksApi } from './tasks.ts'
import { workOrdersApi } from './work-orders/work-orders.ts'

export const stakeholderTypesRouter = new Hono<App>()
export const stakeholderTypesApi = endpoints(stakeholderTypesRouter, { path: CRM.stakeholderTypes, tag: 'Stakeholders' })
export const dealStakeholdersRouter = new Hono<App>()
export const dealStakeholdersApi = endpoints(dealStakeholdersRouter, { path: CRM.dealStakeholders, tag: 'Stakeholders' })

const ofAttachment = v.object({ deal_stakeholder_id: Id })

resource(stakeholderTypesApi, {
  name: 'stakeholder_type',
  plural: 'stakeholder_types',
  param: 'type_id',
  scope: 'contacts',
  table: stakeholderTypes,
  returns: StakeholderType,
  list: { sorts: ['created_at', 'name'] },
  get: {},
  create: {
    description: 'Only name is required. The permissions of members are off by default.',
    body: NewStakeholderType,
  },
  update: {
    description: 'A permission that is switched off applies to new stakeholders. Tasks keep their existing ones.',
    body: StakeholderTypePatch,
  },
  remove: {
    summary: 'Delete a stakeholder type and its memberships',
    description: 'Its members remain contacts, and remain stakeholders of their opportunities without a type.',
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  history: true,
})
children(stakeholderTypesApi, {
  parent: STAKEHOLDER_TYPE,
  path: '/members',
  name: 'member',
  key: 'member_id',
  rows: typeMembers,
  returns: StakeholderMember,
  list: {},
  create: {
    id: 'addStakeholderTypeMember',
    summary: 'Add a contact to a stakeholder type',
    description: 'Adding a member again changes nothing and returns the existing membership.',
    body: OfContact,
    again: true,
  },
  remove: {
    id: 'removeStakeholderTypeMember',
    summary: 'Remove a member from a stakeholder type',
    description: 'member_id is the id of the membership. The contact remains a stakeholder wherever it is one already.',
  },
})

dealStakeholdersApi.get(
  '',
  {
    id: 'listDealStakeholders',
    summary: "List an opportunity's stakeholders",
    access: scopes('opportunities:read'),
    query: v.strictObject({ deal_id: describe(Id, 'The opportunity.'), ...pageQuery }),
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
    description: 'A contact can be a stakeholder of an opportunity once per stakeholder type (bucket_id) and once without a type.',
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

registerRestore(dealStakeholdersApi, {
  id: 'restoreDealStakeholder',
  summary: 'Restore a stakeholder that was removed from an opportunity',
  path: '/:deal_stakeholder_id',
  params: ['deal_stakeholder_id'],
  access: scopes('opportunities:write', 'opportunities:delete'),
  returns: one(DealStakeholder),
  plan: ({ deal_stakeholder_id }) => restoreDealStakeholder(deal_stakeholder_id as string),
})

children(tasksApi, {
  parent: TASK,
  path: '/stakeholders',
  name: 'stakeholder',
  key: 'contact_id',
  rows: sharedWith,
  returns: TaskStakeholder,
  list: {},
  create: {
    id: 'addTaskStakeholder',
    summary: 'Add a stakeholder to a task',
    description: 'The contact must be a member of a stakeholder type with assignable_to_work_orders. Adding it again changes nothing.',
    body: OfContact,
    again: true,
  },
  remove: { id: 'removeTaskStakeholder', summary: 'Remove a stakeholder from a task' },
})
children(workOrdersApi, {
  parent: WORK_ORDER,
  path: '/stakeholders',
  name: 'stakeholder',
  key: 'contact_id',
  rows: workSharedWith,
  returns: WorkOrderStakeholder,
  list: {},
  create: {
    id: 'addWorkOrderStakeholder',
    summary: 'Add a stakeholder to a work order',
    description:
      'The contact must be a member of a stakeholder type with assignable_to_work_orders. ' +
      'The work order then appears in the portal of the stakeholder. Adding it again changes nothing.',
    body: OfContact,
    again: true,
  },
  remove: { id: 'removeWorkOrderStakeholder', summary: 'Remove a stakeholder from a work order' },
})
