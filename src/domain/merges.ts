import type { RecordEntity } from './records.ts'

/** What a merge does to a row: losers are `merged`; `adjusted` rows changed otherwise; `kept` is the winner when a merge is undone. */
export const MERGE_ACTIONS = ['merged', 'moved', 'dropped', 'unlinked', 'deleted', 'adjusted', 'kept'] as const

/** The most rows that can belong to the losers of one merge, so that it finishes within seconds. */
export const MOST_ROWS = 25_000

/** The number of days during which a merge can be undone. */
export const UNDO_DAYS = 30

/** The related rows that a merge moves, by the foreign key to the record. The names are those of `transfer` and of the responses. */
export const MERGE_CATEGORIES: Record<RecordEntity, Record<string, string>> = {
  contact: {
    'activities.contact_id': 'activities',
    'activity_contacts.contact_id': 'activity_participations',
    'attachments.contact_id': 'attachments',
    'automation_runs.contact_id': 'automation_runs',
    'birthday_deliveries.contact_id': 'birthday_messages',
    'booking_notices.contact_id': 'bookings',
    'booking_transcripts.contact_id': 'booking_transcripts',
    'bookings.contact_id': 'bookings',
    'waiting_list_entries.contact_id': 'waiting_list_entries',
    'call_logs.contact_id': 'call_logs',
    'campaign_recipients.contact_id': 'campaigns',
    'deal_stakeholders.contact_id': 'stakeholders',
    'documents.contact_id': 'documents',
    'email_drafts.contact_id': 'email_drafts',
    'form_orders.contact_id': 'orders',
    'order_form_logs.contact_id': 'orders',
    'email_messages.contact_id': 'email_messages',
    'email_thread_links.contact_id': 'email_threads',
    'email_threads.contact_id': 'email_threads',
    'employers.contact_id': 'companies',
    'followers.contact_id': 'followers',
    'list_members.contact_id': 'lists',
    'messages.contact_id': 'messages',
    'opportunity_contacts.contact_id': 'opportunities',
    'sms_consents.contact_id': 'sms_consents',
    'sms_conversations.contact_id': 'sms_conversations',
    'stakeholder_members.contact_id': 'stakeholder_types',
    'task_stakeholders.contact_id': 'task_stakeholders',
    'tasks.contact_id': 'tasks',
    'unsubscribes.contact_id': 'unsubscribes',
    'whatsapp_conversations.contact_id': 'whatsapp_conversations',
    'whatsapp_messages.contact_id': 'whatsapp_messages',
  },
  company: {
    'activities.customer_id': 'activities',
    'attachments.customer_id': 'attachments',
    'automation_runs.customer_id': 'automation_runs',
    'billing_parties.customer_id': 'billing_parties',
    'companies.parent_company_id': 'subsidiaries',
    'contacts.customer_id': 'contacts',
    'documents.customer_id': 'documents',
    'email_drafts.customer_id': 'email_drafts',
    'email_thread_links.customer_id': 'email_threads',
    'employers.customer_id': 'contacts',
    'followers.customer_id': 'followers',
    'invoices.customer_id': 'invoices',
    'list_members.customer_id': 'lists',
    'messages.customer_id': 'messages',
    'opportunities.customer_id': 'opportunities',
    'supplier_catalog_entries.supplier_id': 'supplier_catalog',
    'tasks.customer_id': 'tasks',
    'whatsapp_groups.linked_customer_id': 'whatsapp_groups',
  },
  opportunity: {
    'activities.deal_id': 'activities',
    'attachments.opportunity_id': 'attachments',
    'automation_runs.opportunity_id': 'automation_runs',
    'billing_parties.opportunity_id': 'billing_parties',
    'bookings.deal_id': 'bookings',
    'contacts.referrer_opportunity_id': 'referrers',
    'deal_stakeholders.deal_id': 'stakeholders',
    'documents.opportunity_id': 'documents',
    'email_drafts.deal_id': 'email_drafts',
    'form_orders.opportunity_id': 'orders',
    'order_form_logs.opportunity_id': 'orders',
    'email_thread_links.deal_id': 'email_threads',
    'followers.opportunity_id': 'followers',
    'invoices.opportunity_id': 'invoices',
    'list_members.opportunity_id': 'lists',
    'messages.deal_id': 'messages',
    'opportunity_buckets.opportunity_id': 'buckets',
    'opportunity_contacts.opportunity_id': 'contacts',
    'opportunity_products.opportunity_id': 'products',
    'opportunity_users.opportunity_id': 'users',
    'product_costs.opportunity_id': 'product_costs',
    'stage_moves.opportunity_id': 'stage_history',
    'tasks.opportunity_id': 'tasks',
    'whatsapp_groups.linked_deal_id': 'whatsapp_groups',
  },
}

export const categoriesOf = (entity: RecordEntity): string[] => [...new Set(Object.values(MERGE_CATEGORIES[entity]))].sort()
