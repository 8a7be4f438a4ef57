import { Hono } from 'hono'
import * as v from 'valibot'
import { stakeholderTypes } from '../schema/index.ts'
import { children } from '../src/http/children.ts'
import { created, listOf, scopes } from '../src/http/modes.ts'
import { resource } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { Deleted } from '../src/schemas/common.ts'
import { describe, Id, pageQuery } from '../src/schemas/fields.ts'
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
import { typeMembers } from '../src/services/stakeholders/stakeholder-types.ts'
import {
  addDealStakeholder,
  getDealStakeholder,
  listDealStakeholders,
  removeDealStakeholder,
  sharedWith,
} from '../src/services/stakeholders/stakeholders.ts'
import { STAKEHOLDER_TYPE, TASK } from './parents.ts'
import { CRM } from './paths.ts'
import { tasksApi } from './tasks.ts'

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
    description: 'Only name is required. What its members may do is off unless it is switched on.',
    body: NewStakeholderType,
  },
  update: {
    description: 'What is switched off holds for new stakeholders; tasks keep those they have.',
    body: StakeholderTypePatch,
  },
  remove: {
    summary: 'Delete a stakeholder type and its memberships',
    description: 'Its members stay contacts; opportunities keep them as stakeholders, without a type.',
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
    description: 'Once more changes nothing and answers the membership there is.',
    body: OfContact,
    again: true,
  },
  remove: {
    id: 'removeStakeholderTypeMember',
    summary: 'Remove a member from a stakeholder type',
    description: 'member_id is the id of the membership. What the contact is a stakeholder of by then stays so.',
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
    description: 'The contact must be in a stakeholder type with assignable_to_work_orders. Once more changes nothing.',
    body: OfContact,
    again: true,
  },
  remove: { id: 'removeTaskStakeholder', summary: 'Remove a stakeholder from a task' },
})
