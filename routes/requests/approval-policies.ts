import { Hono } from 'hono'
import * as v from 'valibot'
import { approvalPolicies } from '../../schema/index.ts'
import { assertPolicy, createPolicy, deletePolicy, updatePolicy } from '../../src/features/requests/plans/approval-policies.ts'
import { ApprovalPolicy, ApprovalPolicyPatch, NewApprovalPolicy } from '../../src/features/requests/schemas/approval-policies.ts'
import { created } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Deleted } from '../../src/schemas/common.ts'
import { Id } from '../../src/schemas/fields.ts'
import { WORKSPACE } from '../paths.ts'

export const approvalPoliciesRouter = new Hono<App>()
export const approvalPoliciesApi = endpoints(approvalPoliciesRouter, { path: WORKSPACE.approvalPolicies, tag: 'Approvals' })

const params = v.object({ approval_policy_id: Id })

resource(approvalPoliciesApi, {
  name: 'approval_policy',
  plural: 'approval-policies',
  table: approvalPolicies,
  returns: ApprovalPolicy,
  list: { sorts: ['created_at', 'name'] },
  get: {},
  restore: { admin: true, guards: (id) => [assertPolicy(id)] },
  history: true,
})
approvalPoliciesApi.post(
  '',
  {
    id: 'createApprovalPolicy',
    summary: 'Create an approval policy',
    description:
      'From then on a write that the policy matches is answered with 202 and an approval, whatever the level of its key. ' +
      'A policy matches what a write does: the events that it causes, the scopes that it needs, the number of records and the value of ' +
      'opportunities. It holds bulk calls, upserts, merges, imports and steps of automations alike. ' +
      'A write that cannot wait, such as an upload, is refused (FORBIDDEN). No policy is about the decisions of approvals.',
    access: { scopes: ['approval-policies:write'], admin: true },
    body: NewApprovalPolicy,
    returns: created(ApprovalPolicy),
    errors: ['CONFLICT'],
  },
  ({ body }) => createPolicy(body),
)
approvalPoliciesApi.patch(
  '/:approval_policy_id',
  {
    id: 'updateApprovalPolicy',
    summary: 'Update an approval policy',
    description: 'The change applies to the next writes. An approval is checked against the policies again when it is executed.',
    access: { scopes: ['approval-policies:write'], admin: true },
    params,
    body: ApprovalPolicyPatch,
    returns: ApprovalPolicy,
    errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) => updatePolicy(ctx, params.approval_policy_id, body),
)
approvalPoliciesApi.delete(
  '/:approval_policy_id',
  {
    id: 'deleteApprovalPolicy',
    summary: 'Delete an approval policy',
    description: 'Approvals that it holds stay pending, and whoever may approve them without it may then do so.',
    access: { scopes: ['approval-policies:delete'], admin: true },
    params,
    returns: Deleted,
    errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => deletePolicy(ctx, params.approval_policy_id),
)
