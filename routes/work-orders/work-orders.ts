import { Hono } from 'hono'
import * as v from 'valibot'
import { workOrders } from '../../schema/index.ts'
import { RELATIONS } from '../../src/features/lists/plans/relations.ts'
import { rescheduleWorkOrders } from '../../src/features/work-orders/plans/reschedule.ts'
import { listClashes, listWorkOrders, WORK_ORDER_ORDER, WORK_ORDER_SORTS } from '../../src/features/work-orders/plans/work-order-lists.ts'
import { fields } from '../../src/features/work-orders/plans/work-order-rows.ts'
import { createWorkOrder, makeWorkOrders, updateWorkOrder } from '../../src/features/work-orders/plans/work-orders.ts'
import {
  Clash,
  clashQuery,
  FromLineItem,
  MadeWorkOrders,
  NewWorkOrder,
  Reschedules,
  scheduleFilters,
  WorkOrder,
  WorkOrderPatch,
  workOrderFilters,
} from '../../src/features/work-orders/schemas/work-orders.ts'
import { listQuery } from '../../src/http/lists.ts'
import { listOf, scopes } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { bulkResult } from '../../src/schemas/common.ts'
import { CRM } from '../paths.ts'

export const workOrdersRouter = new Hono<App>()
export const workOrdersApi = endpoints(workOrdersRouter, { path: CRM.workOrders, tag: 'Work Orders' })

workOrdersApi.get(
  '',
  {
    id: 'listWorkOrders',
    summary: 'List work orders',
    description: 'When sorted by schedule_date, work orders without a date come last, by -schedule_date first.',
    access: scopes('work-orders:read'),
    query: listQuery(workOrders, { ...workOrderFilters, ...scheduleFilters }, WORK_ORDER_SORTS, WORK_ORDER_ORDER),
    returns: listOf(WorkOrder, { table: workOrders, entity: 'work_order' }, RELATIONS.work_orders),
  },
  ({ ctx, query }) => listWorkOrders(ctx, query),
)
workOrdersApi.get(
  '/clashes',
  {
    id: 'listWorkOrderClashes',
    summary: "List the clashes of a member's work orders",
    description:
      'Work orders of the same member clash if their times overlap and they are not done. Work without a duration takes an hour; ' +
      'work without a time clashes with nothing.',
    access: scopes('work-orders:read'),
    query: clashQuery,
    returns: v.object({
      clashes: v.pipe(v.array(Clash), v.description('The work orders that overlap others, in the order of time: at most 200.')),
    }),
  },
  ({ query }) => listClashes(query),
)
resource(workOrdersApi, {
  name: 'work_order',
  plural: 'work_orders',
  scope: 'work-orders',
  table: workOrders,
  returns: WorkOrder,
  computed: { status: fields.status },
  get: {},
  create: {
    description:
      'Only deal_product_id is required. A clash with other work of the member is reported in `_warnings`, ' +
      'and so is a time that the clocks skip.',
    body: NewWorkOrder,
    plan: createWorkOrder,
  },
  update: {
    description: 'Without a day there is no time either: schedule_date null also clears schedule_time.',
    body: WorkOrderPatch,
    plan: updateWorkOrder,
  },
  remove: { action: 'write' },
  history: true,
})
workOrdersApi.post(
  '/bulk-reschedule',
  {
    id: 'bulkRescheduleWorkOrders',
    summary: 'Reschedule up to 100 work orders',
    access: scopes('work-orders:write'),
    body: Reschedules,
    returns: bulkResult(WorkOrder),
  },
  ({ ctx, body }) => rescheduleWorkOrders(ctx, body.records),
)
workOrdersApi.post(
  '/from-components',
  {
    id: 'makeWorkOrders',
    summary: "Make work orders from a line item's components",
    description: 'Each component of the product of the line item gets a work order, unless it has one for this line item: at most 500.',
    access: scopes('work-orders:write', 'products:read'),
    body: FromLineItem,
    returns: MadeWorkOrders,
  },
  ({ body }) => makeWorkOrders(body),
)
