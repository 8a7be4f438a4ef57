import { Hono } from 'hono'
import * as v from 'valibot'
import { approvals } from '../../schema/index.ts'
import { APPROVAL_STATUSES } from '../../src/domain/access.ts'
import { approvalFields, approve, editApproval, getApproval, reject } from '../../src/features/requests/plans/approvals.ts'
import { decideAll } from '../../src/features/requests/plans/decisions.ts'
import {
  Approval,
  Approve,
  BulkApprove,
  BulkReject,
  Decision,
  EditApproval,
  Reject,
} from '../../src/features/requests/schemas/approvals.ts'
import { forEachId } from '../../src/http/bulk-ids.ts'
import { scopes } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { bulkResult } from '../../src/schemas/common.ts'
import { describe, Enum, Id, SingleLine } from '../../src/schemas/fields.ts'
import { WORKSPACE } from '../paths.ts'

export const approvalsRouter = new Hono<App>()
export const approvalsApi = endpoints(approvalsRouter, { path: WORKSPACE.approvals, tag: 'Approvals' })

const params = v.object({ approval_id: Id })
const VALUES =
  'Changes of records that the key may not read (such as contacts without `contacts:read`) have field names without values. ' +
  'The query and body of the request, and the response, are included only if the key may read every kind of record that the request ' +
  'changes and each resource in `required_scopes`.'

resource(approvalsApi, {
  name: 'approval',
  plural: 'approvals',
  table: approvals,
  returns: Approval,
  computed: approvalFields,
  list: {
    sorts: ['created_at'],
    filters: {
      status: v.optional(Enum(APPROVAL_STATUSES)),
      resource: v.optional(describe(SingleLine(60), 'The first part of the path, such as contacts.', 'contacts')),
      requested_by: v.optional(describe(Id, 'The user whose key made the request.')),
    },
  },
  history: true,
})
approvalsApi.get(
  '/:approval_id',
  {
    id: 'getApproval',
    summary: 'Get an approval with the changes it would make',
    description: VALUES,
    access: scopes('approvals:read'),
    params,
    returns: Approval,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getApproval(params.approval_id),
)
approvalsApi.patch(
  '/:approval_id',
  {
    id: 'updateApproval',
    summary: 'Edit a request that is pending approval',
    description:
      'Replaces the parts of the request that are sent: path parameters, query or body, each as a whole. ' +
      'The new request is checked as its endpoint would check it, by a dry run with the editing key, which needs the scopes and the ' +
      'role that the request needs. `original` keeps the first version. When the request is executed, the rights of the requesting, ' +
      'the editing and the approving key are combined: it can do what all of them may.',
    access: { scopes: ['approvals:write'], direct: true },
    params,
    body: EditApproval,
    returns: Approval,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) =>
    // Loaded late, because the registry imports this file.
    editApproval(ctx, params.approval_id, body, (held, request) =>
      import('../index.ts').then(({ endpointFor }) => endpointFor(held)).then((endpoint) => ctx.rehearse(endpoint, request)),
    ),
)
approvalsApi.post(
  '/:approval_id/approve',
  {
    id: 'approveRequest',
    summary: 'Approve a request',
    description:
      'The request is then executed once, with the rights that the requesting and the approving key share. ' +
      'Its response is stored in response_status and response_body. An approval is stale if another request has changed, since then, ' +
      'a field that the request changes, or a record that it deletes. The approving key needs the scopes in `required_scopes`, ' +
      'and the role client_admin if `requires_admin` is true. Both keys are checked again when the request is executed; ' +
      'it fails if one of them was revoked or lost a right.',
    access: { scopes: ['approvals:write'], direct: true },
    params,
    body: Approve,
    returns: Approval,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'APPROVAL_STALE'],
  },
  ({ params, body }) => approve(params.approval_id, body),
)
approvalsApi.post(
  '/:approval_id/reject',
  {
    id: 'rejectRequest',
    summary: 'Reject a request',
    access: { scopes: ['approvals:write'], direct: true },
    params,
    body: Reject,
    returns: Approval,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
  },
  ({ params, body }) => reject(params.approval_id, body.reason),
)
const bulkDecision = { access: { ...scopes('approvals:write'), direct: true }, returns: bulkResult(Decision) }
approvalsApi.post(
  '/bulk-approve',
  {
    id: 'bulkApproveRequests',
    summary: 'Approve up to 100 requests',
    description:
      'Decides about each as the call for a single one does. What cannot be approved is reported in `errors` and does not stop the others.',
    ...bulkDecision,
    body: BulkApprove,
  },
  ({ body: { ids, ...decision } }) => forEachId(ids, (valid) => decideAll(valid, 'approved', decision)),
)
approvalsApi.post(
  '/bulk-reject',
  {
    id: 'bulkRejectRequests',
    summary: 'Reject up to 100 requests',
    description: 'What cannot be rejected is reported in `errors` and does not stop the others.',
    ...bulkDecision,
    body: BulkReject,
  },
  ({ body: { ids, ...decision } }) => forEachId(ids, (valid) => decideAll(valid, 'rejected', decision)),
)
