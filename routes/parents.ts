import type { ParentRecord } from '../src/http/children.ts'

/** The records that have collections below them. */
export const CONTACT: ParentRecord = { name: 'contact', param: 'contact_id', scope: 'contacts' }
export const COMPANY: ParentRecord = { name: 'company', param: 'company_id', scope: 'companies' }
export const OPPORTUNITY: ParentRecord = { name: 'opportunity', param: 'opportunity_id', scope: 'opportunities' }
export const TASK: ParentRecord = { name: 'task', param: 'task_id', scope: 'opportunities' }
export const WORK_ORDER: ParentRecord = { name: 'work_order', param: 'work_order_id', scope: 'opportunities' }
export const PIPELINE: ParentRecord = { name: 'pipeline', param: 'pipeline_id', scope: 'pipelines' }
export const SERVICE_REQUEST: ParentRecord = { name: 'service_request', param: 'service_request_id', scope: 'service-requests' }
export const STAKEHOLDER_TYPE: ParentRecord = { name: 'stakeholder_type', param: 'type_id', scope: 'contacts' }
