import * as v from 'valibot'
import { activities } from '../schema/index.ts'
import { group } from '../src/http/endpoint.ts'
import { listQuery } from '../src/http/lists.ts'
import { resource } from '../src/http/resource.ts'
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

export const activitiesApi = group('/activities', 'Activities')

const params = v.object({ activity_id: Id })
const ofOpportunity = v.object({ opportunity_id: Id })
const within = listQuery(activities, activityFilters, ACTIVITY_SORTS, ACTIVITY_ORDER)

activitiesApi.get(
  '',
  {
    id: 'listActivities',
    summary: 'List activities, latest first',
    scopes: ['activities:read'],
    query: listQuery(activities, { ...activityFilters, ...activityLinks }, ACTIVITY_SORTS, ACTIVITY_ORDER),
    returns: Activity,
    list: true,
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
    scopes: ['activities:write'],
    body: NewActivity,
    returns: Activity,
    status: 201,
  },
  ({ body }) => createActivity(body),
)
activitiesApi.patch(
  '/:activity_id',
  {
    id: 'updateActivity',
    summary: 'Update an activity',
    description: 'At least one link stays. An email cannot be changed.',
    scopes: ['activities:write'],
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
    scopes: ['activities:write'],
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
    scopes: ['contacts:read', 'activities:read'],
    params: v.object({ contact_id: Id }),
    query: within,
    returns: Activity,
    list: true,
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listActivitiesOf('contact', params.contact_id, query),
)
companiesApi.get(
  '/:company_id/activities',
  {
    id: 'listCompanyActivities',
    summary: "List a company's activities",
    scopes: ['companies:read', 'activities:read'],
    params: v.object({ company_id: Id }),
    query: within,
    returns: Activity,
    list: true,
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listActivitiesOf('company', params.company_id, query),
)
opportunitiesApi.get(
  '/:opportunity_id/activities',
  {
    id: 'listOpportunityActivities',
    summary: "List an opportunity's activities",
    scopes: ['opportunities:read', 'activities:read'],
    params: ofOpportunity,
    query: within,
    returns: Activity,
    list: true,
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listActivitiesOf('opportunity', params.opportunity_id, query),
)
opportunitiesApi.post(
  '/:opportunity_id/activities',
  {
    id: 'createOpportunityActivity',
    summary: 'Log an activity on an opportunity',
    scopes: ['opportunities:write', 'activities:write'],
    params: ofOpportunity,
    body: NewDealActivity,
    returns: Activity,
    status: 201,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params, body }) => createDealActivity(ctx, params.opportunity_id, body),
)
opportunitiesApi.get(
  '/:opportunity_id/activities/:activity_id',
  {
    id: 'getOpportunityActivity',
    summary: "Get an opportunity's activity",
    scopes: ['opportunities:read', 'activities:read'],
    params: v.object({ opportunity_id: Id, activity_id: Id }),
    returns: Activity,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getDealActivity(params.opportunity_id, params.activity_id),
)
