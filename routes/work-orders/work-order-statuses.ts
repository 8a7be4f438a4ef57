import { Hono } from 'hono'
import * as v from 'valibot'
import { workOrderStatuses } from '../../schema/index.ts'
import { createStatus, deleteStatus, reorderStatuses } from '../../src/features/work-orders/plans/statuses.ts'
import {
  deleteStatusQuery,
  NewStatus,
  StatusDeleted,
  StatusOrder,
  StatusPatch,
  WorkOrderStatus,
} from '../../src/features/work-orders/schemas/work-orders.ts'
import { listOf, scopes } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Id } from '../../src/schemas/fields.ts'
import { CRM } from '../paths.ts'

export const workOrderStatusesRouter = new Hono<App>()
export const workOrderStatusesApi = endpoints(workOrderStatusesRouter, { path: CRM.workOrderStatuses, tag: 'Work Order Statuses' })

workOrderStatusesApi.post(
  '/reorder',
  {
    id: 'reorderWorkOrderStatuses',
    summary: 'Reorder the work order statuses',
    access: scopes('work-orders:write'),
    body: StatusOrder,
    returns: listOf(WorkOrderStatus),
  },
  ({ body }) => reorderStatuses(body.status_ids),
)
resource(workOrderStatusesApi, {
  name: 'work_order_status',
  plural: 'work_order_statuses',
  param: 'status_id',
  scope: 'work-orders',
  table: workOrderStatuses,
  returns: WorkOrderStatus,
  list: { sorts: ['sort_order'], order: 'sort_order' },
  get: {},
  create: { description: 'A workspace begins with four statuses, and has at most 50.', body: NewStatus, plan: createStatus },
  update: {
    description: 'Another label is shown by all work orders with the status. is_done can be changed only while no work order has it.',
    body: StatusPatch,
  },
  history: true,
})
workOrderStatusesApi.delete(
  '/:status_id',
  {
    id: 'deleteWorkOrderStatus',
    summary: 'Delete a work order status',
    description:
      'A status that work orders have can only be deleted with replacement_id, which they get. ' +
      'One call changes at most 1,000 work orders; repeat it while `more` is true.',
    access: scopes('work-orders:write'),
    params: v.object({ status_id: Id }),
    query: deleteStatusQuery,
    returns: StatusDeleted,
    errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, query }) => deleteStatus(ctx, params.status_id, query.replacement_id),
)
