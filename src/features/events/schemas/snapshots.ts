import * as v from 'valibot'
import { hasSnapshot, isChange } from '../../../domain/events.ts'
import { isoInstant } from '../../../lib/instants.ts'
import { timestamps } from '../../../schemas/common.ts'
import { Id } from '../../../schemas/fields.ts'
import { withMoney } from '../../../schemas/money.ts'
import { partsOf } from '../../../schemas/pipes.ts'
import { ApiKey } from '../../access/schemas/keys.ts'
import { Role } from '../../access/schemas/roles.ts'
import { Activity } from '../../activities/schemas/activities.ts'
import { Agent } from '../../agents/schemas/agents.ts'
import { AutoQueue, AutoQueueStep } from '../../auto-queues/schemas/auto-queues.ts'
import { AutoResponder } from '../../auto-responders/schemas/auto-responders.ts'
import { Automation } from '../../automations/schemas/automations.ts'
import { BillingParty, Invoice } from '../../billing/schemas/billing.ts'
import { CalendarConnection } from '../../calendars/schemas/calendars.ts'
import { EmailCampaignDetails } from '../../campaigns/schemas/campaigns.ts'
import { Company } from '../../companies/schemas/companies.ts'
import { ComponentInstance, ProductComponent } from '../../components/schemas/components.ts'
import { Contact, Employer } from '../../contacts/schemas/contacts.ts'
import { Conversation } from '../../conversations/schemas/conversations.ts'
import { DocumentTemplate, SectionRecord } from '../../documents/schemas/document-templates.ts'
import { Document } from '../../documents/schemas/documents.ts'
import { EmailConfig } from '../../email/schemas/email-configs.ts'
import { EmailDraft } from '../../email/schemas/email-drafts.ts'
import { EmailTemplate } from '../../email/schemas/email-templates.ts'
import { EmailThread } from '../../email/schemas/emails.ts'
import { ExportTemplate, ExportView } from '../../exports/schemas/export-templates.ts'
import { Attachment } from '../../files/schemas/attachments.ts'
import { StoredFile } from '../../files/schemas/files.ts'
import { Import } from '../../imports/schemas/imports.ts'
import { KnowledgeBase, KnowledgeEntry } from '../../knowledge/schemas/knowledge.ts'
import { LeadInitiative, LeadInitiativeStep } from '../../lead-gen/schemas/initiatives.ts'
import { LeadResult } from '../../lead-gen/schemas/results.ts'
import { List } from '../../lists/schemas/lists.ts'
import { Mailbox } from '../../mailboxes/schemas/mailboxes.ts'
import { Member, WorkspacePreferences, WorkspaceProfile } from '../../members/schemas/members.ts'
import { Memory } from '../../memory/schemas/memory.ts'
import { Dismissed } from '../../merges/schemas/duplicates.ts'
import { Message } from '../../messages/schemas/messages.ts'
import { Suppression } from '../../messages/schemas/suppressions.ts'
import { Skill } from '../../models/schemas/skills.ts'
import { Notepad } from '../../notepads/schemas/notepads.ts'
import { NotetakerRecord } from '../../notetakers/schemas/notetakers.ts'
import { LineItem, LinkedContact, LinkedUser, Opportunity } from '../../opportunities/schemas/opportunities.ts'
import { Bucket, ProductCost } from '../../opportunities/schemas/opportunity-details.ts'
import { OrderForm, PaymentSettingRow } from '../../orders/schemas/order-forms.ts'
import { PhoneAddress, PhoneBundle } from '../../phone/schemas/phone.ts'
import { PhoneNumber } from '../../phone/schemas/phone-numbers.ts'
import { ExchangeRate } from '../../pipelines/schemas/exchange-rates.ts'
import { Pipeline, Stage } from '../../pipelines/schemas/pipelines.ts'
import { Portal } from '../../portals/schemas/portals.ts'
import { Product } from '../../products/schemas/products.ts'
import { ReputationCaseStudy, ReputationProfile, ReputationReview } from '../../reputation/schemas/reputation.ts'
import { ReviewRequest } from '../../reputation/schemas/review-requests.ts'
import { ApprovalPolicy } from '../../requests/schemas/approval-policies.ts'
import { Approval } from '../../requests/schemas/approvals.ts'
import { AutoSchedule } from '../../schedules/schemas/schedules.ts'
import { Availability, HolidayCalendar, TimeOff } from '../../scheduling/schemas/availability.ts'
import { Booking } from '../../scheduling/schemas/bookings.ts'
import { ScheduledEventType } from '../../scheduling/schemas/event-types.ts'
import { WaitingListEntry } from '../../scheduling/schemas/waiting-list.ts'
import { ServiceRequest, ServiceRequestNote } from '../../service-requests/schemas/service-requests.ts'
import { CustomField, CustomFieldSettings } from '../../settings/schemas/custom-fields.ts'
import { BirthdayMessage, CrmSettings, LeadSource, PaletteTag } from '../../settings/schemas/settings.ts'
import { Workspace } from '../../settings/schemas/workspace.ts'
import {
  DealStakeholder,
  StakeholderMember,
  StakeholderType,
  TaskStakeholder,
  WorkOrderStakeholder,
} from '../../stakeholders/schemas/stakeholders.ts'
import { SupplierCatalogEntry } from '../../supplier-catalog/schemas/supplier-catalog.ts'
import { Task } from '../../tasks/schemas/tasks.ts'
import { CardRecord, TrainingCanvas } from '../../training/schemas/training.ts'
import { Transcript } from '../../transcripts/schemas/transcripts.ts'
import { IncomingWebhook } from '../../webhooks/schemas/incoming-webhooks.ts'
import { Webhook } from '../../webhooks/schemas/webhooks.ts'
import { WhatsAppConversation, WhatsAppGroup, WhatsAppPairingRecord } from '../../whatsapp/schemas/whatsapp.ts'
import { Whiteboard } from '../../whiteboards/schemas/whiteboards.ts'
import { WorkOrder, WorkOrderStatus } from '../../work-orders/schemas/work-orders.ts'

type Snapshot = v.ObjectSchema<v.ObjectEntries, undefined>

/** The fields of a response without those that are computed, and with stored ones that this response lacks. */
function snapshot<Entries extends v.ObjectEntries>(
  { entries }: { entries: Entries },
  computed: (keyof Entries & string)[] = [],
  more: v.ObjectEntries = {},
): Snapshot {
  return v.object({ ...Object.fromEntries(Object.entries(entries).filter(([name]) => !computed.includes(name))), ...more })
}

const person = ['first_name', 'last_name', 'email', 'phone'] as const
const { version, updated_at } = timestamps
const ofDeal = { id: Id, opportunity_id: Id, ...timestamps }

/**
 * The snapshot of each kind of record that events carry: its stored fields, as responses show them. A field that a response computes when
 * it is read, also from other records, is not stored. A test compares them with the columns of the tables.
 */
export const SNAPSHOTS: Record<string, Snapshot> = {
  activity: snapshot(Activity),
  api_key: snapshot(ApiKey, ['last_used_at']),
  approval: snapshot(Approval, ['request', 'changes', 'original', 'proposal', 'response_body']),
  approval_policy: snapshot(ApprovalPolicy),
  auto_schedule: snapshot(AutoSchedule, ['run_count', 'next_run_at']),
  attachment: snapshot(Attachment, [], { contact_id: v.nullable(Id), customer_id: v.nullable(Id), opportunity_id: v.nullable(Id) }),
  automation: snapshot(Automation),
  availability: snapshot(Availability),
  auto_queue: snapshot(AutoQueue),
  auto_queue_step: snapshot(AutoQueueStep),
  billing_party: snapshot(BillingParty, ['name', 'email'], ofDeal),
  booking: snapshot(Booking),
  company: snapshot(Company),
  component_instance: snapshot(ComponentInstance),
  product_component: snapshot(ProductComponent),
  portal: snapshot(Portal, ['last_viewed_at']),
  service_request: snapshot(ServiceRequest, ['notes', 'message_reference']),
  service_request_note: snapshot(ServiceRequestNote, ['content']),
  whiteboard: snapshot(Whiteboard),
  work_order: snapshot(WorkOrder, ['status']),
  work_order_status: snapshot(WorkOrderStatus),
  work_order_stakeholder: snapshot(WorkOrderStakeholder, [...person], { id: Id, version, updated_at }),
  contact: snapshot(Contact),
  conversation: snapshot(Conversation, ['direction', 'snippet', 'unread', 'message_count', 'last_message_at']),
  crm_settings: snapshot(CrmSettings, ['custom_fields', 'lead_sources'], {
    birthday_messages: v.array(BirthdayMessage),
    tag_palette: v.array(PaletteTag),
    custom_fields_strict: CustomFieldSettings.entries.strict,
  }),
  custom_field: snapshot(CustomField, ['index_status', 'index_progress', 'index_error']),
  deal_stakeholder: snapshot(DealStakeholder, [...person, 'bucket_name'], { version, updated_at }),
  dismissed_duplicate: snapshot(Dismissed),
  document: snapshot(Document),
  document_template: snapshot(DocumentTemplate),
  document_template_section: snapshot(SectionRecord),
  email_campaign: snapshot(EmailCampaignDetails, ['stats', 'ab_result']),
  email_config: snapshot(EmailConfig),
  email_draft: snapshot(EmailDraft),
  email_template: snapshot(EmailTemplate),
  export_template: snapshot(ExportTemplate),
  export_view: snapshot(ExportView),
  knowledge_base: snapshot(KnowledgeBase),
  knowledge_entry: snapshot(KnowledgeEntry, ['synced_at']),
  notepad: snapshot(Notepad),
  transcript: snapshot(Transcript),
  skill: snapshot(Skill, ['is_own']),
  lead_result: snapshot(LeadResult),
  lead_initiative: snapshot(LeadInitiative),
  lead_initiative_step: snapshot(LeadInitiativeStep, ['fired_count', 'reply_count']),
  auto_responder: snapshot(AutoResponder, ['error']),
  reputation_profile: snapshot(ReputationProfile, ['overall_rating', 'total_reviews', 'case_study_counts']),
  reputation_review: snapshot(ReputationReview, ['verified']),
  reputation_case_study: snapshot(ReputationCaseStudy),
  review_request: snapshot(ReviewRequest),
  training_canvas: snapshot(TrainingCanvas),
  training_card: snapshot(CardRecord),
  email_thread: snapshot(EmailThread, ['participants', 'contacts', 'deals', 'customers']),
  file: snapshot(StoredFile, ['url', 'record_type', 'record_id']),
  follower: v.object({
    id: Id,
    contact_id: v.nullable(Id),
    customer_id: v.nullable(Id),
    opportunity_id: v.nullable(Id),
    user_id: Id,
    ...timestamps,
  }),
  employer: snapshot(Employer, ['company_name', 'is_main'], { id: Id, version, updated_at }),
  exchange_rate: snapshot(ExchangeRate),
  import: snapshot(Import, ['progress']),
  incoming_webhook: snapshot(IncomingWebhook, ['is_signed']),
  invoice: snapshot(Invoice, ['is_overdue']),
  lead_source: snapshot(LeadSource),
  list: snapshot(List),
  member: snapshot(Member, ['email', 'full_name', 'avatar_url', 'invitation'], {
    ...WorkspaceProfile.entries,
    default_pipeline_id: WorkspacePreferences.entries.default_pipeline_id,
  }),
  memory: snapshot(Memory, ['is_current', 'contradicts']),
  message: snapshot(Message, ['attempts']),
  calendar_connection: snapshot(CalendarConnection, ['last_synced_at']),
  mailbox: snapshot(Mailbox, ['synced_at', 'sync_error', 'watch_expires_at']),
  notetaker: snapshot(NotetakerRecord),
  opportunity: snapshot(Opportunity, ['weighted_value', 'days_in_stage', 'is_rotting']),
  opportunity_bucket: snapshot(Bucket, ['line_items']),
  opportunity_contact: snapshot(LinkedContact, [...person], ofDeal),
  opportunity_product: snapshot(LineItem),
  opportunity_user: snapshot(LinkedUser, ['full_name', 'email'], ofDeal),
  order_form: snapshot(OrderForm),
  payment_setting: snapshot(PaymentSettingRow),
  phone_address: snapshot(PhoneAddress),
  phone_bundle: snapshot(PhoneBundle),
  phone_number: snapshot(PhoneNumber, ['voice_provider_last_synced_at', 'voice_provider_last_sync_error']),
  voice_agent_config: snapshot(Agent),
  pipeline: snapshot(Pipeline, ['stages']),
  product: snapshot(Product),
  product_cost: snapshot(ProductCost, ['line_item']),
  role: snapshot(Role, ['members']),
  scheduled_event_type: snapshot(ScheduledEventType),
  stage: snapshot(Stage),
  stakeholder_member: snapshot(StakeholderMember, [...person], { version, updated_at }),
  stakeholder_type: snapshot(StakeholderType),
  supplier_catalog_entry: snapshot(SupplierCatalogEntry),
  suppression: snapshot(Suppression),
  task: snapshot(Task),
  time_off: snapshot(TimeOff),
  holiday_calendar: snapshot(HolidayCalendar),
  task_stakeholder: snapshot(TaskStakeholder, [...person], { id: Id, version, updated_at }),
  waiting_list_entry: snapshot(WaitingListEntry),
  webhook: snapshot(Webhook, ['failing_since', 'last_delivered_at', 'last_failed_at', 'replay_id']),
  whatsapp_conversation: snapshot(WhatsAppConversation),
  whatsapp_group: snapshot(WhatsAppGroup, ['members_updated_at', 'snippet']),
  whatsapp_pairing: snapshot(WhatsAppPairingRecord, ['qr_number', 'qr_expires_at']),
  workspace: snapshot(Workspace),
}

type Node = { wrapped?: v.GenericSchema; pipe?: Node[]; metadata?: { format?: string } }
function isInstant(schema: v.GenericSchema): boolean {
  const { wrapped, pipe = [] } = partsOf<Node>(schema)
  return wrapped ? isInstant(wrapped) : holdsInstant(pipe)
}
const holdsInstant = (pipe: Node[]): boolean =>
  pipe.some(({ metadata, pipe: inner = [] }) => metadata?.format === 'date-time' || holdsInstant(inner))

const instants = new Map<string, string[]>()
function instantsOf(entity: string, { entries }: Snapshot): string[] {
  const known = instants.get(entity) ?? Object.keys(entries).filter((name) => isInstant(entries[name] as v.GenericSchema))
  instants.set(entity, known)
  return known
}

/** A stored snapshot as responses show the record: with null for what it leaves out. One that was erased, or may not be read, is empty. */
export function readSnapshot(entity: string, id: string, stored: Record<string, unknown>): Record<string, unknown> {
  const shape = SNAPSHOTS[entity]
  if (!shape || Object.keys(stored).length === 0) return {}
  const record: Record<string, unknown> = {}
  for (const name of Object.keys(shape.entries)) record[name] = name === 'id' ? id : (stored[name] ?? null)
  for (const name of instantsOf(entity, shape)) if (typeof record[name] === 'string') record[name] = isoInstant(record[name])
  return withMoney(shape, record) as Record<string, unknown>
}

type Stored = { type: string; entity: string; entity_id: string; payload: Record<string, unknown> }
/**
 * A stored event as all who get it see it: GET /events, webhooks and automations. The change of a record has its snapshot, a deletion none.
 */
export function shownEvent<Event extends Stored>(event: Event): Event {
  const { type, entity, entity_id, payload } = event
  if (!isChange(type)) return event
  return { ...event, payload: hasSnapshot(type) ? readSnapshot(entity, entity_id, payload) : {} }
}
