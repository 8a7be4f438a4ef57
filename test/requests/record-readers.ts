// biome-ignore-all lint/suspicious/noExplicitAny: responses of every shape
import { expect } from 'vitest'
import type { TestWorkspace } from '../workspace.ts'
import { leadReaders } from './lead-readers.ts'

type Row = Record<string, any>
type Read = (record: Row) => Promise<Row | undefined>

/** How the API returns a record of each kind: by its path, or in the list that it is part of. */
export function readersOf(ws: TestWorkspace): Record<string, Read> {
  const get = async (path: string): Promise<any> => {
    const { status, body } = await ws.get(path)
    if (status === 404) return undefined
    expect(status, `${path} ${JSON.stringify(body)}`).toBe(200)
    return body.data
  }
  const one =
    (plural: string): Read =>
    ({ id }) =>
      get(`/${plural}/${id}`)
  const among =
    (path: (record: Row) => string, ...keys: string[]): Read =>
    async (record) =>
      ((await get(`${path(record)}?limit=100`)) as Row[] | undefined)?.find((other) => keys.every((key) => other[key] === record[key]))
  const ofDeal = (part: string, key: string) => among(({ opportunity_id }) => `/opportunities/${opportunity_id}/${part}`, key)
  const inDeal =
    (part: string): Read =>
    ({ id, opportunity_id }) =>
      get(`/opportunities/${opportunity_id}/${part}/${id}`)
  return {
    calendar_connection: one('calendar-connections'),
    email_config: one('email/configs'),
    email_draft: one('email/drafts'),
    email_template: one('email-templates'),
    mailbox: one('mailboxes'),
    // The API returns the latest one of a booking.
    notetaker: async (record) => {
      const latest = (await get(`/scheduling-bookings/${record.booking_id}/notetaker`)) as Row | undefined
      return latest?.id === record.id ? latest : record
    },
    phone_address: among(() => '/phone/addresses', 'id'),
    phone_bundle: one('phone/bundles'),
    voice_agent_config: one('agents'),
    transcript: one('transcripts'),
    review_request: one('reputation/review-requests'),
    email_thread: one('email/threads'),
    phone_number: one('phone/numbers'),
    conversation: one('conversations'),
    waiting_list_entry: one('scheduling-waiting-list'),
    whatsapp_conversation: one('whatsapp/conversations'),
    whatsapp_group: one('whatsapp/groups'),
    whatsapp_pairing: () => get('/whatsapp/pairing'),
    activity: one('activities'),
    api_key: one('api-keys'),
    approval: one('approvals'),
    auto_queue: one('auto-queues'),
    auto_queue_step: ({ id, auto_queue_id }) => get(`/auto-queues/${auto_queue_id}/steps/${id}`),
    auto_schedule: one('auto-schedules'),
    automation: one('automations'),
    availability: ({ id, user_id }) => get(`/scheduling/availability${user_id ? `-schedules/${id}` : ''}`),
    booking: one('scheduling-bookings'),
    incoming_webhook: one('incoming-webhooks'),
    scheduled_event_type: one('scheduled-event-types'),
    time_off: one('scheduling/time-off'),
    holiday_calendar: one('scheduling/holiday-calendars'),
    webhook: one('webhooks'),
    attachment: ({ id, opportunity_id: deal, contact_id, customer_id }) =>
      get(`/${deal ? `opportunities/${deal}` : contact_id ? `contacts/${contact_id}` : `companies/${customer_id}`}/attachments/${id}`),
    billing_party: ofDeal('billing-parties', 'customer_id'),
    company: one('companies'),
    contact: one('contacts'),
    crm_settings: async () => ({
      ...(await get('/company/crm-settings')),
      birthday_messages: await get('/company/birthday-messages'),
      tag_palette: await get('/company/settings/tag-palette'),
      custom_fields_strict: (await get('/custom-field-settings')).strict,
    }),
    custom_field: one('custom-fields'),
    deal_stakeholder: one('deal-stakeholders'),
    dismissed_duplicate: among(
      ({ object }) => `/${object === 'company' ? 'companies' : object === 'contact' ? 'contacts' : 'opportunities'}/duplicates/dismissed`,
      'id',
    ),
    email_campaign: one('email-campaigns'),
    follower: ({ contact_id, customer_id, opportunity_id, user_id }) =>
      get(
        `/${opportunity_id ? `opportunities/${opportunity_id}` : contact_id ? `contacts/${contact_id}` : `companies/${customer_id}`}\
/followers`,
      ).then((all) => (all as Row[] | undefined)?.find((one) => one.user_id === user_id)),
    employer: among(({ contact_id }) => `/contacts/${contact_id}/employers`, 'customer_id'),
    approval_policy: one('approval-policies'),
    exchange_rate: one('company/exchange-rates'),
    import: one('imports'),
    invoice: one('invoices'),
    knowledge_base: one('knowledge-bases'),
    knowledge_entry: one('knowledge-entries'),
    lead_source: one('lead-sources'),
    list: one('lists'),
    memory: one('memory'),
    message: one('messages'),
    member: async ({ id }) => {
      const member = await get(`/company/users/${id}`)
      if (!member) return undefined
      const profile = await get(`/company/users/${id}/workspace-user-profile`)
      return { ...member, ...profile, ...(await get(`/company/users/${id}/workspace-user-preferences`)) }
    },
    opportunity: one('opportunities'),
    opportunity_bucket: inDeal('buckets'),
    opportunity_contact: ofDeal('contacts', 'contact_id'),
    opportunity_product: inDeal('products'),
    opportunity_user: ofDeal('users', 'user_id'),
    pipeline: one('pipelines'),
    product: one('products'),
    product_cost: inDeal('product-costs'),
    role: one('roles'),
    stage: ({ id, pipeline_id }) => get(`/pipelines/${pipeline_id}/stages/${id}`),
    stakeholder_member: among(({ type_id }) => `/stakeholder-types/${type_id}/members`, 'contact_id'),
    stakeholder_type: one('stakeholder-types'),
    suppression: one('suppressions'),
    task: one('tasks'),
    component_instance: one('component-instances'),
    ...Object.fromEntries(['document', 'file', 'notepad', 'portal', 'whiteboard'].map((entity) => [entity, one(`${entity}s`)])),
    document_template: one('document-templates'),
    export_template: one('exports/templates'),
    export_view: ({ id, template_id }) => get(`/exports/templates/${template_id}/views/${id}`),
    document_template_section: ({ id, template_id }) => get(`/document-templates/${template_id}/sections/${id}`),
    skill: one('skills'),
    training_canvas: one('training-canvases'),
    training_card: one('training-cards'),
    service_request_note: ({ id, request_id }) => get(`/service-requests/${request_id}/notes/${id}`),
    auto_responder: one('auto-responders'),
    service_request: one('service-requests'),
    ...leadReaders(get),
    reputation_profile: () => get('/reputation/profile'),
    reputation_review: one('reputation/reviews'),
    reputation_case_study: one('reputation/case-studies'),
    order_form: one('order-forms'),
    payment_setting: () => get('/company/payment-settings'),
    product_component: one('product-components'),
    supplier_catalog_entry: one('supplier-catalog'),
    work_order: one('work-orders'),
    work_order_stakeholder: among(({ work_order_id }) => `/work-orders/${work_order_id}/stakeholders`, 'contact_id'),
    work_order_status: one('work-order-statuses'),
    task_stakeholder: among(({ task_id }) => `/tasks/${task_id}/stakeholders`, 'contact_id'),
    workspace: () => get('/company'),
  }
}
