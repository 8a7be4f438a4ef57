import { Hono } from 'hono'
import * as v from 'valibot'
import { activities } from '../schema/index.ts'
import { listQuery } from '../src/http/lists.ts'
import { created, listOf, scopes } from '../src/http/modes.ts'
import { resource } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { Activity, ActivityPatch, NewActivity, NewDealActivity } from '../src/schemas/activities.ts'
import { Deleted } from '../src/schemas/common.ts'
import { Id } from '../src/schemas/fields.ts'
import {
  ACTIVITY_ORDER,
  ACTIVITY_SORTS,
  activityFilters,
  activityLinks,
  createActivity,
  createDealActivity,
  deleteActivity,
  getDealActivity,
  listActivities,
  listActivitiesOf,
  updateActivity,
} from '../src/services/activities/activities.ts'
import { companiesApi } from './companies.ts'
import { contactsApi } from './contacts.ts'
import { opportunitiesApi } from './opportunities.ts'
import { CRM } from './paths.ts'

export const activitiesRouter = new Hono<App>()
export const activitiesApi = endpoints(activitiesRouter, { path: CRM.activities, tag: 'Activities' })

const params = v.object({ activity_id: Id })
const ofOpportunity = v.object({ opportunity_id: Id })
const within = listQuery(activities, activityFilters, ACTIVITY_SORTS, ACTIVITY_ORDER)

activitiesApi.get(
  '',
  {
    id: 'listActivities',
    summary: 'List activities, latest first',
    access: scopes('activities:read'),
    query: listQuery(activities, { ...activityFilters, ...activityLinks }, ACTIVITY_SORTS, ACTIVITY_ORDER),
    returns: listOf(Activity),
  },
  ({ query }) => listActivities(query),
)
resource(activitiesApi, {
  name: 'activity',
  plural: 'activities',
  table: activities,
  returns: Activity,
  body: {},
  only: ['get', 'history'],
})
activitiesApi.post(
  '',
  {
    id: 'createActivity',
    summary: 'Log an activity',
    description: 'Linked to a contact, a company or an opportunity (deal_id), or to several of them.',
    access: scopes('activities:write'),
    body: NewActivity,
    returns: created(Activity),
  },
  ({ body }) => createActivity(body),
)
activitiesApi.patch(
  '/:activity_id',
  {
    id: 'updateActivity',
    summary: 'Update an activity',
    description: 'At least one link stays. An email cannot be changed.',
    access: scopes('activities:write'),
    params,
    body: ActivityPatch,
    returns: Activity,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) => updateActivity(ctx, params.activity_id, body),
)
activitiesApi.delete(
  '/:activity_id',
  {
    id: 'deleteActivity',
    summary: 'Delete an activity',
    access: scopes('activities:write'),
    params,
    returns: Deleted,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => deleteActivity(ctx, params.activity_id),
)

contactsApi.get(
  '/:contact_id/activities',
  {
    id: 'listContactActivities',
    summary: "List a contact's activities",
    access: scopes('contacts:read', 'activities:read'),
    params: v.object({ contact_id: Id }),
    query: within,
    returns: listOf(Activity),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listActivitiesOf('contact', params.contact_id, query),
)
companiesApi.get(
  '/:company_id/activities',
  {
    id: 'listCompanyActivities',
    summary: "List a company's activities",
    access: scopes('companies:read', 'activities:read'),
    params: v.object({ company_id: Id }),
    query: within,
    returns: listOf(Activity),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listActivitiesOf('company', params.company_id, query),
)
opportunitiesApi.get(
  '/:opportunity_id/activities',
  {
    id: 'listOpportunityActivities',
    summary: "List an opportunity's activities",
    access: scopes('opportunities:read', 'activities:read'),
    params: ofOpportunity,
    query: within,
    returns: listOf(Activity),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listActivitiesOf('opportunity', params.opportunity_id, query),
)
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
