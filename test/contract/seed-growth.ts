import type { TestWorkspace } from '../workspace.ts'
import type { Ids } from './samples.ts'

const of = (path: string, parameter: string, verbs: Record<string, string>): Record<string, Ids> =>
  Object.fromEntries(Object.entries(verbs).map(([verb, id]) => [`POST ${path}/:${parameter}/${verb}`, { [parameter]: id }]))

/** The reviews and case studies whose state a call can change. */
export const GROWTH_OF_CALLS: Record<string, Ids> = {
  ...of('/reputation/reviews', 'review_id', { publish: 'approved_review_id', unpublish: 'published_review_id' }),
  ...of('/reputation/case-studies', 'case_study_id', {
    approve: 'draft_case_study_id',
    publish: 'approved_case_study_id',
    unpublish: 'published_case_study_id',
  }),
  ...Object.fromEntries(
    ['PATCH', 'DELETE'].map((method) => [`${method} /lead-gen/initiatives/:initiative_id/steps/:step_id`, { step_id: 'lead_step_id' }]),
  ),
  ...of('/reputation/review-requests', 'review_request_id', { cancel: 'cancelling_review_request_id' }),
  ...of('/lead-gen/initiatives/:initiative_id/enrolments', 'lead_enrolment_id', { resume: 'paused_lead_enrolment_id' }),
}

export const GROWTH_OVER: Record<string, (ids: Ids) => { body?: Record<string, unknown> }> = {
  'POST /reputation/case-studies/reorder': ({ all_case_study_ids = '' }) => ({ body: { case_study_ids: all_case_study_ids.split(',') } }),
  'POST /reputation/profile': () => ({ body: { is_published: true } }),
  'POST /reputation/review-requests': ({ contact_id }) => ({ body: { contact_ids: [contact_id], audience: undefined } }),
  'POST /service-requests/:service_request_id/links': ({ other_service_request_id }) => ({
    body: { add: [other_service_request_id], remove: undefined },
  }),
}

export const GROWTH_KEYS: Record<string, string> = {
  reputation_reviews_form_key: 'a form that is sent again is the same review',
  review_requests_token: 'a hash of random bytes',
  reputation_profiles_key: 'a workspace has one profile, which every request sets',
  lead_enrolments_active_key: 'a person who is in an initiative is skipped',
  reputation_slugs_slug_key: 'the trigger that keeps a slug reports it; growth/reputation.test.ts',
}

/** A step, and two people who are enrolled, one of them paused. */
async function addLeads(ws: TestWorkspace, ids: Ids): Promise<void> {
  const path = `/lead-gen/initiatives/${ids.initiative_id}`
  const action_config = { fields: { title: 'Call' } }
  ids.lead_step_id = (await ws.post(`${path}/steps`, { action_type: 'create_task', action_config, delay: 1440 })).body.data.id
  for (const name of ['lead_enrolment_id', 'paused_lead_enrolment_id']) {
    const email = `${crypto.randomUUID()}@leads.example`
    const lead = (await ws.post('/lead-gen/results', { name: 'Enrolled', email, consent_basis: 'consent' })).body.data
    const { results } = (await ws.post(`${path}/enrol`, { lead_result_ids: [lead.id] })).body.data
    ids[name] = results[0].id
  }
  await ws.post(`${path}/enrolments/${ids.paused_lead_enrolment_id}/pause`)
}

/** Requests to two contacts for a review, of which a call cancels the second. */
async function addReviewRequests(ws: TestWorkspace, ids: Ids): Promise<void> {
  for (const name of ['review_request_id', 'cancelling_review_request_id']) {
    const { data } = (await ws.post('/contacts', { first_name: 'Ana', email: `${crypto.randomUUID()}@reviewers.example` })).body
    const answer = await ws.post('/reputation/review-requests', { channel: 'email', contact_ids: [data.id] })
    ids[name] = answer.body.data.results[0].id
  }
}

/** Leads, another service request, a review and a case study in each state, and the ids for a new order. */
export async function addGrowth(ws: TestWorkspace, ids: Ids): Promise<void> {
  if (ids.service_request_id) ids.other_service_request_id = (await ws.post('/service-requests', { title: 'Another one' })).body.data.id
  if (ids.initiative_id) await addLeads(ws, ids)
  if (!ids.profile_id) return
  await addReviewRequests(ws, ids)
  const words = { reviewer_name: 'Ana', rating: 5, testimonial_text: 'Good', title: undefined }
  for (const [path, name, fields] of [
    ['/reputation/reviews', 'review', words],
    ['/reputation/case-studies', 'case_study', { title: 'A roof' }],
  ] as const) {
    for (const state of ['draft', 'approved', 'published']) {
      const { id } = (await ws.post(path, { profile_id: ids.profile_id, ...fields })).body.data
      if (state !== 'draft') await ws.post(`${path}/${id}/approve`)
      if (state === 'published') await ws.post(`${path}/${id}/publish`)
      ids[`${state}_${name}_id`] = id
    }
  }
  ids.all_case_study_ids = (await ws.get('/reputation/case-studies')).body.data.map(({ id }: { id: string }) => id).join()
}
