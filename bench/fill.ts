import type pg from 'pg'
import { createWorkspace, type NewWorkspace } from '../dev/workspace.ts'

const OWNERS = 200
const LEAD_SOURCES = 20
const STAKEHOLDER_TYPES = 5
const KINDS = {
  user: 1,
  leadSource: 2,
  company: 3,
  contact: 4,
  opportunity: 5,
  link: 6,
  product: 7,
  change: 8,
  invoice: 9,
  employer: 10,
  task: 11,
  activity: 12,
  stakeholder: 13,
  stakeholderType: 14,
  member: 15,
  request: 16,
} as const

/** The id of the n-th record of its kind: in the order of creation, as UUIDs of version 7 are. */
const id = (kind: keyof typeof KINDS, n: string) => `pg_temp.nth_id(${KINDS[kind]}, ${n})`
const one = (kind: keyof typeof KINDS, count: number) => id(kind, `1 + floor(random() * ${count})::bigint`)
const oneOf = (...texts: string[]) => `(array['${texts.join("','")}'])[1 + floor(random() * ${texts.length})::int]`
/** The value for this share of the rows, null for the others. */
const some = (share: number, value: string) => `case when random() < ${share} then ${value} end`
const name = `initcap(${oneOf('ana', 'ben', 'chloe', 'dara', 'emil', 'fay', 'gus', 'hana', 'ivo', 'june', 'kai', 'lena')})`
const word = `initcap(substr(translate(md5(random()::text), '0123456789', 'aeioulnrst'), 1, 4 + floor(random() * 6)::int))`
const text = `repeat(${word} || ' met us at the fair and asked for prices. ', 1 + floor(random() * 6)::int)`
const money = `round((exp(5 + random() * 6))::numeric, 2)`

/** Rows are made evenly over three years, the `last` one now; one in three was changed since. */
const stamps = (last: number) => `now() - interval '3 years' * (1 - n / ${last}::float8)`
const changed = `case when random() < 0.33 then created + (now() - created) * random() else created end`

type Load = { table: string; count(size: number): number; columns: Record<string, (size: number) => string> }

const fixed = (columns: Record<string, string>) =>
  Object.fromEntries(Object.entries(columns).map(([column, value]) => [column, () => value]))
const companies = (size: number) => Math.max(20, size / 10)

const LOADS: Load[] = [
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
        source: `case when random() < 0.6 then 'manual' else ${oneOf('form_submission', 'voice_call', 'import', 'api')} end`,
        source_id: some(0.6, one('leadSource', LEAD_SOURCES)),
        address_line1: some(0.4, `'12 ' || ${word} || ' Street'`),
        city: some(0.6, oneOf('Sydney', 'Newcastle', 'Perth', 'Hobart')),
        state: some(0.6, oneOf('NSW', 'WA', 'TAS', 'VIC')),
        metadata: `jsonb_build_object('tier', ${oneOf('gold', 'silver', 'none')}, 'score', floor(random() * 100))`,
        is_referrer: 'random() < 0.02',
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
        tags: `case when random() < 0.2 then '[{"name": "VIP", "color": "#ff0000"}]' else '[]' end::jsonb`,
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
]

/** What the triggers would have written: each record's creation, one after the other, and the link of a contact to its company. */
const traces = (made: string) => {
  const entity = `(array['contact', 'opportunity'])[1 + i]`
  const entityId = `case i when 0 then ${id('contact', 'n')} else ${id('opportunity', 'n')} end`
  const each = `from added, generate_series(0, 1) i order by n, i`
  return [
    `insert into changes (id, entity, entity_id, action, fields, version, request_id, at) select ${id('change', 'n * 2 + i')}, ${entity}, ${entityId}, 'created', '{"name": {"after": "x"}}', 1, ${id('request', 'n')}, ${made} ${each}`,
    `insert into outbox (id, type, entity, entity_id, payload, request_id, at, delivered_at) select ${id('change', 'n * 2 + i')}, ${entity} || '.created', ${entity}, ${entityId}, '{}', ${id('request', 'n')}, ${made}, ${made} ${each}`,
    `insert into requests (id, key_id, user_id, method, path, endpoint, status, outcome, duration_ms) select ${id('request', 'n')}, ${one('user', 20)}, ${one('user', OWNERS)},
      ${oneOf('GET', 'GET', 'POST', 'PATCH')}, '/contacts/' || n % 5000, '/contacts/:contact_id', case when random() < 0.05 then 404 else 200 end, 'done', 20 from added`,
    `insert into employers (id, contact_id, customer_id) select ${id('employer', 'n')}, c.id, c.customer_id from added join contacts c on c.id = ${id('contact', 'n')} and c.workspace_id = current_workspace() where c.customer_id is not null`,
  ]
}

/** Two workspaces that grow beside each other; the first is the one to measure. */
export async function createWorkspaces(client: pg.PoolClient, labels = ['Measured', 'Beside']): Promise<NewWorkspace[]> {
  const made = []
  for (const label of labels) {
    const workspace = await createWorkspace(client, { name: label, ownerEmail: `${label}@example.com`, ownerName: label })
    await enter(client, workspace.workspace_id)
    await client.query(
      `insert into users (id, email, full_name) select ${id('user', 'n')}, '${label}' || n || '@example.com', ${name} || ' ' || ${word} from generate_series(1, ${OWNERS}) n`,
    )
    await client.query(`insert into memberships (user_id) select ${id('user', 'n')} from generate_series(1, ${OWNERS}) n`)
    await client.query(
      `insert into lead_sources (id, name) select ${id('leadSource', 'n')}, 'Source ' || n from generate_series(1, ${LEAD_SOURCES}) n`,
    )
    await client.query(
      `insert into stakeholder_types (id, name) select ${id('stakeholderType', 'n')}, 'Kind ' || n from generate_series(1, ${STAKEHOLDER_TYPES}) n`,
    )
    made.push(workspace)
  }
  await client.query('reset session_replication_role')
  return made
}

/**
 * Fills a workspace that has the rows up to `from` up to `size`, set by set, with no trigger and no foreign key asked. Rows are
 * as old as if it grew steadily to the size `last` now. With `tables` only these are filled.
 */
export async function fill(
  client: pg.PoolClient,
  workspaceId: string,
  from: number,
  size: number,
  last = size,
  tables?: string[],
): Promise<void> {
  await enter(client, workspaceId)
  for (const { table, count, columns } of LOADS.filter(({ table }) => !tables || tables.includes(table))) {
    const names = Object.keys(columns)
    const values = names.map((column) => columns[column]!(size))
    const stamped = `select n, ${stamps(count(last))} as created from generate_series(${from ? count(from) + 1 : 1}, ${count(size)}) n`
    await client.query(
      `insert into ${table} (${names.join(', ')}, created_at, updated_at) select ${values.join(', ')}, created, ${changed} from (${stamped}) rows`,
    )
  }
  for (const statement of tables ? [] : traces(stamps(last)))
    await client.query(`with added as (select n from generate_series(${from + 1}, ${size}) n) ${statement}`)
  await client.query('reset session_replication_role')
  await client.query('select recount_opportunities($1)', [workspaceId])
}

/** Statements of this session belong to the workspace, and run no trigger. */
async function enter(client: pg.PoolClient, workspaceId: string): Promise<void> {
  await client.query(
    `select set_config('app.workspace_id', $1, false), set_config('session_replication_role', 'replica', false), setseed(0.5)`,
    [workspaceId],
  )
  // Twelve hexadecimal digits of time, the version, and a tail of its own for each workspace.
  const tail = workspaceId.replaceAll('-', '').slice(-15)
  await client.query(`create or replace function pg_temp.nth_id(kind int, n bigint) returns uuid immutable language sql return
    (lpad(to_hex(1700000000000 + n * 100), 12, '0') || '7' || lpad(to_hex(kind), 3, '0') || '8' || '${tail}')::uuid`)
}
