import { Hono } from 'hono'
import * as v from 'valibot'
import { createFeed, deleteFeed, listFeeds } from '../../src/features/work-orders/plans/feeds.ts'
import { IssuedFeed, NewFeed, WorkOrderFeed } from '../../src/features/work-orders/schemas/work-orders.ts'
import { created, listOf, scopes } from '../../src/http/modes.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Deleted } from '../../src/schemas/common.ts'
import { Id, pageQuery } from '../../src/schemas/fields.ts'
import { CRM } from '../paths.ts'

/** The addresses at which calendars read the work orders of members. */
export const workOrderFeedsRouter = new Hono<App>()
export const workOrderFeedsApi = endpoints(workOrderFeedsRouter, { path: CRM.workOrderFeeds, tag: 'Work Orders' })

workOrderFeedsApi.get(
  '',
  {
    id: 'listWorkOrderFeeds',
    summary: 'List the calendar feeds of work orders',
    access: scopes('work-orders:read'),
    query: v.strictObject(pageQuery),
    returns: listOf(WorkOrderFeed),
  },
  ({ query }) => listFeeds(query),
)
workOrderFeedsApi.post(
  '',
  {
    id: 'createWorkOrderFeed',
    summary: "Create the calendar feed of a member's work orders",
    description:
      'Calendars read the work orders at the secret path of the response: those from a month ago to a year ahead. ' +
      'Another call for the member replaces the path.',
    access: scopes('work-orders:read', 'work-orders:write'),
    body: NewFeed,
    returns: created(IssuedFeed),
    errors: ['FORBIDDEN'],
  },
  ({ ctx, body }) => createFeed(ctx, body),
)
workOrderFeedsApi.delete(
  '/:feed_id',
  {
    id: 'deleteWorkOrderFeed',
    summary: 'Revoke a calendar feed of work orders',
    access: scopes('work-orders:write'),
    params: v.object({ feed_id: Id }),
    returns: Deleted,
    errors: ['NOT_FOUND', 'FORBIDDEN'],
  },
  ({ params }) => deleteFeed(params.feed_id),
)
