import { sql } from 'drizzle-orm'
import { LEAST_SIMILARITY, MAX_COMPARED, MAX_SIMILAR } from '../rules/search.ts'
import type { CreatedServiceRequest, ServiceRequest } from '../schemas/service-requests.ts'

/** What is read with a request. */
export const computed = {
  notes: sql<
    ServiceRequest['notes']
  >`(select coalesce(json_agg(json_build_object('id', n.id, 'user_id', n.user_id, 'by_agency', n.by_agency,
    'content', n.content, 'created_at', iso(n.created_at), 'edited_at', iso(n.edited_at)) order by n.id), '[]') from service_request_notes n
    where n.workspace_id = service_requests.workspace_id and n.request_id = service_requests.id)`.as('notes'),
  message_reference: sql<ServiceRequest['message_reference']>`(select m.message_reference from service_request_notices m
    where m.workspace_id = service_requests.workspace_id and m.request_id = service_requests.id and m.request_version = 1
      and m.recipient = 'engineering')`.as('message_reference'),
}

const limits = sql.raw([LEAST_SIMILARITY, MAX_COMPARED, MAX_SIMILAR].join(', '))
/** What is read with a new one: similar requests, for a caller who may read them. */
export const computedOfNew = {
  ...computed,
  similar: sql<CreatedServiceRequest['similar']>`(case when has_scopes('{service-requests:read}') then (select coalesce(json_agg(
    json_build_object('id', o.id, 'title', o.title, 'status', o.status, 'similarity', s.similarity) order by s.similarity desc, o.id), '[]')
    from similar_service_requests(service_requests.id, ${limits}) s join service_requests o on o.id = s.id) else '[]' end)`.as('similar'),
}
