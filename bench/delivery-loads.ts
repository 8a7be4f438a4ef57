import { companies, fixed, half, id, type Load, OWNERS, one, oneOf, some, word } from './values.ts'

const STATUSES = 4

/** Components, their instances, work orders, stakeholders and portals of a workspace (see LOADS). */
export const DELIVERY: Load[] = [
  {
    table: 'product_components',
    count: half,
    columns: {
      ...fixed({ id: id('component', 'n'), label: word, type: oneOf('hardware', 'fixing', 'service') }),
      product_id: (size) => one('product', companies(size)),
    },
  },
  {
    table: 'component_instances',
    count: half,
    columns: {
      ...fixed({
        id: id('instance', 'n'),
        label: word,
        status: oneOf('ordered', 'installed', 'returned'),
        line_item_id: id('lineItem', 'n'),
      }),
      product_id: (size) => one('product', companies(size)),
      opportunity_id: (size) => one('opportunity', size),
    },
  },
  {
    table: 'work_order_statuses',
    count: () => STATUSES,
    columns: fixed({ id: id('workStatus', 'n'), label: `'Status ' || n`, is_done: `n = ${STATUSES}`, sort_order: 'n' }),
  },
  {
    table: 'work_orders',
    count: half,
    columns: fixed({
      id: id('workOrder', 'n'),
      deal_product_id: id('lineItem', 'n'),
      deal_id: id('opportunity', 'n'),
      title: `${word} || ' the roof'`,
      status_id: one('workStatus', STATUSES),
      schedule_date: some(0.9, `(created + interval '20 days')::date`),
      schedule_time: some(0.5, `'09:30'::time`),
      assigned_to: some(0.8, one('user', OWNERS)),
      completed_at: some(0.95, 'created'),
    }),
  },
  {
    table: 'work_order_stakeholders',
    count: half,
    columns: {
      ...fixed({ id: id('workStakeholder', 'n'), work_order_id: id('workOrder', 'n') }),
      contact_id: (size) => one('contact', size),
    },
  },
  {
    table: 'task_stakeholders',
    count: half,
    columns: {
      ...fixed({ id: id('taskStakeholder', 'n'), task_id: id('task', 'n') }),
      contact_id: (size) => one('contact', size),
    },
  },
  {
    table: 'portals',
    count: companies,
    columns: fixed({
      id: id('portal', 'n'),
      kind: `'work_status'`,
      deal_id: id('opportunity', 'n'),
      contact_id: id('contact', 'n'),
      token_hash: `sha256(n::text::bytea || current_workspace()::text::bytea)`,
      pin_hash: `'\\x00'::bytea`,
      token_seed: 'gen_random_uuid()',
      pin_seed: 'gen_random_uuid()',
      expires_at: `created + interval '180 days'`,
    }),
  },
]
