import { ACTIVITY_TYPES, DIRECTIONS } from '../../features/activities/rules/activities.ts'
import { INVOICE_STATUSES } from '../../features/billing/rules/invoices.ts'
import { CONTACT_SOURCES } from '../../features/contacts/rules/types.ts'
import { BOOKING_STATUSES } from '../../features/scheduling/rules/states.ts'
import { PRIORITIES, TASK_STATUSES, TASK_TYPES } from '../../features/tasks/rules/tasks.ts'
import type { Catalogue, Field, ObjectName, RootName } from './types.ts'

const text: Field = { kind: 'text' }
const exact: Field = { kind: 'text', exact: true }
const email: Field = { kind: 'text', exact: true, reads: 'email' }
const phone: Field = { kind: 'text', exact: true, reads: 'phone' }
const number: Field = { kind: 'number' }
const date: Field = { kind: 'date' }
const instant: Field = { kind: 'instant' }
const boolean: Field = { kind: 'boolean' }
const id: Field = { kind: 'id' }
const list: Field = { kind: 'list' }
const membership: Field = { kind: 'membership' }
const choice = (...options: string[]): Field => ({ kind: 'choice', options })

const address = { address_line1: text, address_line2: text, city: text, state: text, postal_code: text, country: text }
const record = { external_id: exact, created_at: instant, updated_at: instant, archived: boolean }
/** The members who follow the record: `eq` and `in` mean any of them. */
const followedBy: Field = { kind: 'id' }
const lastActivity: Field = { kind: 'instant', from: 'activities' }

/** The fields that a filter can use, by object. Validation, compilation and the description for clients all derive from it. */
export const CATALOGUE = {
  contacts: {
    fields: {
      id,
      name: text,
      first_name: text,
      last_name: text,
      email,
      alternate_emails: { kind: 'list', reads: 'email' },
      phone,
      alternate_phones: { kind: 'list', reads: 'phone' },
      landline: phone,
      job_title: text,
      contact_type: exact,
      date_of_birth: date,
      notes: text,
      source: choice(...CONTACT_SOURCES),
      source_id: id,
      ...address,
      timezone: exact,
      is_primary: boolean,
      relationship_started_at: instant,
      email_unsubscribed: boolean,
      sms_unsubscribed: boolean,
      voice_unsubscribed: boolean,
      whatsapp_unsubscribed: boolean,
      is_referrer: boolean,
      referrer_category: text,
      referrer_opportunity_id: id,
      customer_id: id,
      assigned_to: id,
      tags: list,
      followed_by: followedBy,
      last_activity_at: lastActivity,
      list: membership,
      ...record,
    },
    relations: { company: 'companies', companies: 'companies', opportunities: 'opportunities', activities: 'activities', tasks: 'tasks' },
  },
  companies: {
    fields: {
      id,
      name: text,
      description: text,
      email,
      phone,
      website_url: { ...text, reads: 'website' },
      domains: { kind: 'list', reads: 'domain' },
      industry: exact,
      account_type: exact,
      abn: text,
      ...address,
      timezone: exact,
      founded_year: number,
      annual_revenue: number,
      employee_count: number,
      parent_company_id: id,
      assigned_to: id,
      tags: list,
      notes: text,
      followed_by: followedBy,
      last_activity_at: lastActivity,
      list: membership,
      ...record,
    },
    relations: {
      contacts: 'contacts',
      opportunities: 'opportunities',
      parent: 'companies',
      subsidiaries: 'companies',
      activities: 'activities',
      tasks: 'tasks',
    },
  },
  opportunities: {
    fields: {
      id,
      name: text,
      description: text,
      value: number,
      currency: exact,
      pipeline_id: id,
      stage_id: id,
      stage_entered_at: instant,
      days_in_stage: { kind: 'number', computed: true },
      is_rotting: { kind: 'boolean', computed: true },
      status: choice('open', 'won', 'lost'),
      probability: number,
      assigned_to: id,
      customer_id: id,
      opportunity_type: text,
      lead_source: exact,
      lost_reasons: list,
      won_reasons: list,
      tags: list,
      notes: text,
      opened_at: instant,
      expected_close_date: date,
      closed_at: instant,
      next_action_type: text,
      next_action_note: text,
      next_action_at: instant,
      followed_by: followedBy,
      last_activity_at: lastActivity,
      list: membership,
      ...record,
    },
    relations: { company: 'companies', contacts: 'contacts', activities: 'activities', tasks: 'tasks' },
  },
  activities: {
    fields: {
      id,
      activity_type: choice(...ACTIVITY_TYPES),
      subject: text,
      body: text,
      direction: choice(...DIRECTIONS),
      duration_seconds: number,
      outcome: text,
      occurred_at: instant,
      created_by: id,
      contact_id: id,
      customer_id: id,
      deal_id: id,
      created_at: instant,
      updated_at: instant,
    },
    relations: { contacts: 'contacts', company: 'companies', opportunity: 'opportunities' },
  },
  tasks: {
    fields: {
      id,
      title: text,
      description: text,
      task_type: choice(...TASK_TYPES),
      status: choice(...TASK_STATUSES),
      priority: choice(...PRIORITIES),
      due_at: instant,
      all_day: boolean,
      overdue: { kind: 'boolean', computed: true },
      reminder_at: instant,
      is_recurring: boolean,
      series_id: id,
      occurrence: number,
      completed_at: instant,
      assigned_to: id,
      created_by: id,
      contact_id: id,
      customer_id: id,
      opportunity_id: id,
      ...record,
    },
    relations: { contact: 'contacts', company: 'companies', opportunity: 'opportunities' },
  },
} as const satisfies Record<ObjectName, Catalogue>

const times = { created_at: instant, updated_at: instant }
/** The same for the objects that are only exported. */
const EXPORTED = {
  products: {
    fields: {
      id,
      name: text,
      sku: exact,
      category: exact,
      description: text,
      price: number,
      cost: number,
      currency: exact,
      unit: text,
      tax_percent: number,
      is_active: boolean,
      ...record,
    },
    relations: {},
  },
  line_items: {
    fields: {
      id,
      opportunity_id: id,
      product_id: id,
      bucket_id: id,
      name: text,
      description: text,
      quantity: number,
      unit_price: number,
      discount_percent: number,
      tax_percent: number,
      subtotal: number,
      total: number,
      ...times,
    },
    relations: { opportunity: 'opportunities' },
  },
  invoices: {
    fields: {
      id,
      invoice_number: exact,
      status: choice(...INVOICE_STATUSES),
      customer_id: id,
      opportunity_id: id,
      currency: exact,
      total: number,
      amount_paid: number,
      amount_due: number,
      issue_date: date,
      due_date: date,
      notes: text,
      external_id: exact,
      ...times,
    },
    relations: { company: 'companies', opportunity: 'opportunities' },
  },
  bookings: {
    fields: {
      id,
      event_type_id: id,
      status: choice(...BOOKING_STATUSES),
      starts_at: instant,
      ends_at: instant,
      duration_minutes: number,
      host_id: id,
      contact_id: id,
      deal_id: id,
      name: text,
      email,
      phone,
      source: choice('api', 'voice', 'page'),
      cancelled_at: instant,
      ...times,
    },
    relations: { contact: 'contacts', opportunity: 'opportunities' },
  },
  work_orders: {
    fields: {
      id,
      deal_product_id: id,
      deal_id: id,
      title: text,
      description: text,
      status: text,
      status_id: id,
      schedule_date: date,
      duration_minutes: number,
      assigned_to: id,
      address: text,
      notes: text,
      completed_at: instant,
      ...times,
    },
    relations: { opportunity: 'opportunities' },
  },
} as const satisfies Record<Exclude<RootName, ObjectName>, Catalogue>

const ALL: Record<RootName, Catalogue> = { ...CATALOGUE, ...EXPORTED }
export const catalogueOf = (object: RootName): Catalogue => ALL[object]
