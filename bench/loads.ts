import { BOOKINGS } from './booking-loads.ts'
import { CHANNEL_LOADS } from './channel-loads.ts'
import { CONNECTIONS, COPIES } from './copy-loads.ts'
import { DELIVERY } from './delivery-loads.ts'
import { MAILBOXES } from './gmail-loads.ts'
import { GROWTH } from './growth-loads.ts'
import { KNOWLEDGE } from './knowledge-loads.ts'
import { NOTICES } from './notice-loads.ts'
import { AUTO_QUEUES } from './queue-loads.ts'
import {
  companies,
  fixed,
  half,
  id,
  LEAD_SOURCES,
  type Load,
  money,
  name,
  OWNERS,
  one,
  oneOf,
  STAKEHOLDER_TYPES,
  some,
  text,
  word,
} from './values.ts'
import { WAITING } from './waiting-loads.ts'

const vip = `case when random() < 0.2 then '[{"name": "VIP", "color": "#ff0000"}]' else '[]' end::jsonb`

/** The rows of a workspace of some size, as SQL: each column in terms of the row's number `n` and its time `created`. */
export const LOADS: Load[] = [
  {
    table: 'companies',
    count: companies,
    columns: {
      ...fixed({
        id: id('company', 'n'),
        name: `${word} || ' ' || ${word}`,
        email: some(0.8, `'office' || n || '@example.com'`),
        phone: some(0.8, `'+612' || (10000000 + floor(random() * 89999999)::int)`),
        website_url: some(0.7, `'https://example.com/' || n`),
        industry: oneOf('Building', 'Retail', 'Health', 'Law', 'Farming', 'Transport'),
        account_type: oneOf('Customer', 'Prospect', 'Partner'),
        country: `'Australia'`,
        annual_revenue: some(0.5, money),
        assigned_to: some(0.9, one('user', OWNERS)),
        tags: vip,
        external_id: some(0.5, `'company-' || n`),
        archived: 'random() < 0.03',
      }),
      parent_company_id: (size) => some(0.1, one('company', companies(size))),
    },
  },
  {
    table: 'contacts',
    count: (size) => size,
    columns: {
      ...fixed({
        id: id('contact', 'n'),
        first_name: name,
        last_name: some(0.95, word),
        email: some(0.9, `'person' || n || '@example.com'`),
        phone: some(0.7, `'+614' || (10000000 + floor(random() * 89999999)::int)`),
        job_title: some(0.5, oneOf('Director', 'Buyer', 'Head of Operations', 'Engineer')),
        contact_type: some(0.8, oneOf('Customer', 'Lead', 'Supplier', 'Partner', 'Press', 'Other')),
        notes: some(0.3, text),
        date_of_birth: some(0.5, `date '1950-01-01' + floor(random() * 20000)::int`),
        source: `case when random() < 0.6 then 'manual' else ${oneOf('form_submission', 'voice_call', 'import', 'api')} end`,
        source_id: some(0.6, one('leadSource', LEAD_SOURCES)),
        address_line1: some(0.4, `'12 ' || ${word} || ' Street'`),
        city: some(0.6, oneOf('Sydney', 'Newcastle', 'Perth', 'Hobart')),
        state: some(0.6, oneOf('NSW', 'WA', 'TAS', 'VIC')),
        metadata: `jsonb_build_object('tier', ${oneOf('gold', 'silver', 'none')}, 'score', floor(random() * 100))`,
        is_referrer: 'random() < 0.02',
        assigned_to: some(0.5, one('user', OWNERS)),
        tags: vip,
        external_id: some(0.5, `'contact-' || n`),
        archived: 'random() < 0.03',
      }),
      customer_id: (size) => some(0.7, one('company', companies(size))),
    },
  },
  {
    table: 'opportunities',
    count: (size) => size,
    columns: {
      ...fixed({
        id: id('opportunity', 'n'),
        name: `${word} || ' ' || ${oneOf('renewal', 'fit-out', 'supply', 'repair', 'project')}`,
        description: some(0.3, text),
        value: money,
        pipeline_id: '(select id from pipelines where workspace_id = current_workspace() limit 1)',
        stage_id:
          '(select array_agg(id order by position) from stages where workspace_id = current_workspace())[1 + floor(random() * 5)::int]',
        stage_entered_at: 'created',
        status: oneOf('open', 'open', 'open', 'won', 'lost'),
        probability: 'floor(random() * 100)',
        assigned_to: one('user', OWNERS),
        opportunity_type: oneOf('New business', 'Renewal'),
        lead_source: some(0.7, oneOf('Newsletter', 'Fair', 'Referral', 'Web', 'Phone')),
        tags: vip,
        metadata: `jsonb_build_object('region', ${oneOf('north', 'south')})`,
        opened_at: 'created',
        expected_close_date: some(0.8, `(created + interval '200 days' * random())::date`),
        external_id: some(0.5, `'deal-' || n`),
        archived: 'random() < 0.03',
      }),
      customer_id: (size) => some(0.8, one('company', companies(size))),
    },
  },
  {
    table: 'products',
    count: companies,
    columns: fixed({
      id: id('product', 'n'),
      name: `${word} || ' ' || ${word}`,
      sku: `'SKU-' || n`,
      category: oneOf('Desks', 'Chairs', 'Screens', 'Service'),
      price: money,
      is_active: 'random() < 0.9',
      external_id: some(0.5, `'product-' || n`),
      archived: 'random() < 0.03',
    }),
  },
  {
    table: 'invoices',
    count: companies,
    columns: {
      ...fixed({
        id: id('invoice', 'n'),
        invoice_number: `'INV-' || lpad(n::text, 7, '0')`,
        status: oneOf('draft', 'sent', 'paid', 'paid', 'paid', 'overdue'),
        total: money,
        external_id: some(0.5, `'invoice-' || n`),
      }),
      customer_id: (size) => some(0.9, one('company', companies(size))),
      opportunity_id: (size) => some(0.9, one('opportunity', size)),
    },
  },
  BOOKINGS,
  NOTICES,
  WAITING,
  CONNECTIONS,
  MAILBOXES,
  COPIES,
  {
    table: 'opportunity_contacts',
    count: (size) => size,
    columns: {
      ...fixed({
        id: id('link', 'n'),
        opportunity_id: id('opportunity', 'n'),
        role: some(0.5, oneOf('buyer', 'user')),
        is_primary: 'true',
      }),
      contact_id: (size) => one('contact', size),
    },
  },
  {
    table: 'tasks',
    count: (size) => size,
    columns: {
      ...fixed({
        id: id('task', 'n'),
        title: `${oneOf('Call', 'Visit', 'Invoice', 'Quote for', 'Follow up with')} || ' ' || ${name} || ' ' || ${word}`,
        description: some(0.3, text),
        status: oneOf('open', 'in_progress', 'completed', 'completed', 'completed'),
        priority: oneOf('low', 'normal', 'normal', 'normal', 'high', 'urgent'),
        due_at: some(0.8, `created + interval '40 days' * random()`),
        assigned_to: some(0.9, one('user', OWNERS)),
        created_by: one('user', OWNERS),
        external_id: some(0.3, `'task-' || n`),
        archived: 'random() < 0.03',
      }),
      contact_id: (size) => some(0.5, one('contact', size)),
      customer_id: (size) => some(0.3, one('company', companies(size))),
      opportunity_id: (size) => some(0.4, one('opportunity', size)),
    },
  },
  {
    table: 'activities',
    count: (size) => size,
    columns: {
      ...fixed({
        id: id('activity', 'n'),
        activity_type: oneOf('note', 'call', 'email', 'meeting'),
        subject: some(0.8, `${word} || ' ' || ${word}`),
        body: some(0.5, text),
        occurred_at: `created - interval '3 days' * random()`,
        created_by: one('user', OWNERS),
      }),
      contact_id: (size) => one('contact', size),
      customer_id: (size) => some(0.5, one('company', companies(size))),
      deal_id: (size) => some(0.4, one('opportunity', size)),
    },
  },
  ...CHANNEL_LOADS,
  ...AUTO_QUEUES,
  {
    table: 'deal_stakeholders',
    count: companies,
    columns: {
      id: () => id('stakeholder', 'n'),
      deal_id: (size) => one('opportunity', size),
      contact_id: (size) => one('contact', size),
      bucket_id: () => one('stakeholderType', STAKEHOLDER_TYPES),
      role: () => some(0.5, oneOf('installer', 'referrer')),
    },
  },
  {
    table: 'stakeholder_members',
    count: companies,
    columns: {
      id: () => id('member', 'n'),
      type_id: () => one('stakeholderType', STAKEHOLDER_TYPES),
      contact_id: () => id('contact', 'n'),
    },
  },
  {
    table: 'opportunity_users',
    count: half,
    columns: fixed({ id: id('teamMember', 'n'), opportunity_id: id('opportunity', 'n'), user_id: one('user', OWNERS) }),
  },
  {
    table: 'opportunity_buckets',
    count: half,
    columns: fixed({ id: id('bucket', 'n'), opportunity_id: id('opportunity', 'n'), name: `'Hardware'`, position: '0' }),
  },
  {
    table: 'opportunity_products',
    count: half,
    columns: {
      ...fixed({
        id: id('lineItem', 'n'),
        opportunity_id: id('opportunity', 'n'),
        name: word,
        unit_price: money,
        bucket_id: id('bucket', 'n'),
      }),
      product_id: (size) => some(0.8, one('product', companies(size))),
    },
  },
  {
    table: 'product_costs',
    count: half,
    columns: fixed({ id: id('cost', 'n'), opportunity_id: id('opportunity', 'n'), line_item_id: id('lineItem', 'n'), unit_cost: money }),
  },
  {
    table: 'billing_parties',
    count: half,
    columns: {
      ...fixed({ id: id('billingParty', 'n'), opportunity_id: id('opportunity', 'n') }),
      customer_id: (size) => one('company', companies(size)),
    },
  },
  {
    table: 'attachments',
    count: half,
    columns: fixed({
      id: id('attachment', 'n'),
      opportunity_id: id('opportunity', 'n'),
      name: `'offer.pdf'`,
      content_type: `'application/pdf'`,
      size: '1000',
      sha256: `md5(n::text)`,
      uploaded_by: one('user', OWNERS),
    }),
  },
  ...DELIVERY,
  ...GROWTH,
  ...KNOWLEDGE,
  {
    table: 'approvals',
    count: companies,
    columns: {
      ...fixed({
        id: id('approval', 'n'),
        status: oneOf('executed', 'executed', 'rejected', 'expired'),
        resource: `'contacts'`,
        method: `'PATCH'`,
        path: `'/contacts/:contact_id'`,
        request: `jsonb_build_object('params', jsonb_build_object('contact_id', ${id('contact', 'n')}), 'query', '{}'::jsonb,
          'body', jsonb_build_object('email', 'person' || n || '@example.com'))`,
        changes: `jsonb_build_array(jsonb_build_object('entity', 'contact', 'entity_id', ${id('contact', 'n')}, 'action', 'updated',
          'version', 2, 'fields', '{}'::jsonb))`,
        key_id: id('user', 'n'),
        requested_by: one('user', OWNERS),
        request_id: id('request', 'n'),
        expires_at: `created + interval '30 days'`,
      }),
    },
  },
  {
    table: 'dismissed_duplicates',
    count: companies,
    columns: fixed({ id: id('dismissal', 'n'), object: `'contact'`, first_id: id('contact', 'n'), second_id: id('contact', 'n + 1') }),
  },
]
