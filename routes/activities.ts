import { Hono } from 'hono'
import * as v from 'valibot'
import { activities } from '../schema/index.ts'
import {
  createActivities,
  createActivity,
  createDealActivity,
  getDealActivity,
  updateActivity,
} from '../src/features/activities/plans/activities.ts'
import {
  ACTIVITY_ORDER,
  ACTIVITY_SORTS,
  activityFilters,
  activityLinks,
  listActivities,
  listActivitiesOf,
} from '../src/features/activities/plans/activity-lists.ts'
import { Activity, ActivityPatch, NewActivity, NewDealActivity } from '../src/features/activities/schemas/activities.ts'
import { RELATIONS } from '../src/features/lists/plans/relations.ts'
import { bulk } from '../src/http/bulk.ts'
import { listBelow } from '../src/http/children.ts'
import { listQuery } from '../src/http/lists.ts'
import { created, scopes } from '../src/http/modes.ts'
import { resource } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { Id } from '../src/schemas/fields.ts'
import { companiesApi } from './companies.ts'
import { contactsApi } from './contacts.ts'
import { registerListExports } from './exports.ts'
import { opportunitiesApi } from './opportunities/index.ts'
import { COMPANY, CONTACT, OPPORTUNITY } from './parents.ts'
import { CRM } from './paths.ts'
import { registerWorkSearch } from './search/work-search.ts'

export const activitiesRouter = new Hono<App>()
export const activitiesApi = endpoints(activitiesRouter, { path: CRM.activities, tag: 'Activities' })

registerWorkSearch(activitiesApi, 'activities', Activity)
registerListExports(
  activitiesApi,
  'activities',
  listQuery(activities, { ...activityFilters, ...activityLinks }, ACTIVITY_SORTS, ACTIVITY_ORDER),
)

const ofOpportunity = v.object({ opportunity_id: Id })

resource(activitiesApi, {
  name: 'activity',
  plural: 'activities',
  table: activities,
  returns: Activity,
  list: {
    summary: 'List activities, latest first',
    relations: RELATIONS.activities,
    filters: { ...activityFilters, ...activityLinks },
    sorts: ACTIVITY_SORTS,
    order: ACTIVITY_ORDER,
    plan: listActivities,
  },
  get: {},
  create: {
    summary: 'Log an activity',
    description:
      'An activity is linked to contacts, a company or an opportunity (deal_id), or to several of them. ' +
      'Of several contacts one is the main one (contact_id).',
    body: NewActivity,
    errors: [],
    plan: (_ctx, input) => createActivity(input),
  },
  update: {
    description: 'An activity must keep at least one link. Activities of type email cannot be changed.',
    body: ActivityPatch,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'PRECONDITION_FAILED'],
    plan: updateActivity,
  },
  remove: { action: 'write', errors: ['NOT_FOUND', 'PRECONDITION_FAILED'] },
  history: true,
})

bulk(activitiesApi, {
  plural: 'activities',
  returns: Activity,
  create: { body: NewActivity, plan: (_ctx, records) => createActivities(records) },
})

const ofRecord = {
  path: '/activities',
  relations: RELATIONS.activities,
  name: 'activity',
  plural: 'activities',
  query: listQuery(activities, activityFilters, ACTIVITY_SORTS, ACTIVITY_ORDER),
  returns: Activity,
} as const
listBelow(contactsApi, {
  ...ofRecord,
  parent: CONTACT,
  access: scopes('contacts:read', 'activities:read'),
  list: (id, query) => listActivitiesOf('contact', id, query),
})
listBelow(companiesApi, {
  ...ofRecord,
  parent: COMPANY,
  access: scopes('companies:read', 'activities:read'),
  list: (id, query) => listActivitiesOf('company', id, query),
})
listBelow(opportunitiesApi, {
  ...ofRecord,
  parent: OPPORTUNITY,
  access: scopes('opportunities:read', 'activities:read'),
  list: (id, query) => listActivitiesOf('opportunity', id, query),
})
opportunitiesApi.post(
  '/:opportunity_id/activities',
  {
    id: 'createOpportunityActivity',
    summary: 'Log an activity on an opportunity',
    access: scopes('opportunities:write', 'activities:write'),
    params: ofOpportunity,
    body: NewDealActivity,
    returns: created(Activity),
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params, body }) => createDealActivity(ctx, params.opportunity_id, body),
)
opportunitiesApi.get(
  '/:opportunity_id/activities/:activity_id',
  {
    id: 'getOpportunityActivity',
    summary: "Get an opportunity's activity",
    access: scopes('opportunities:read', 'activities:read'),
    params: v.object({ opportunity_id: Id, activity_id: Id }),
    returns: Activity,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getDealActivity(params.opportunity_id, params.activity_id),
)
