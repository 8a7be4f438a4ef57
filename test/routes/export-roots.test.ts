import { beforeEach, describe, expect, test } from 'vitest'
import { created, failed, found, type Row, refused, useCrm } from './crm.ts'
import { columns, TEMPLATES as T, useTemplates } from './exporting.ts'

const crm = useCrm()
const { template, preview, csv } = useTemplates(crm)
const CATALOG = '/exports/field-catalog?root_entity='

/** A key with only exports:read, whose owner has a role with these scopes. */
async function ofRole(...scopes: string[]) {
  const role = created(await crm.ws.post('/roles', { name: 'Exporter', scopes: ['exports:read', ...scopes] }))
  const member = await crm.ws.key({ scopes: ['exports:read'] })
  found(await crm.ws.patch(`/company/users/${member.userId}/workspace-user-roles`, { role: role.key }))
  return member
}
const rowsOf = async (root: string, paths: string[], fields: Row = {}) =>
  (await preview((await template(paths, { root_entity: root, sort: 'created_at', ...fields })).id)).rows

describe('the other root entities', () => {
  let ids: { contact: string; company: string; deal: string; product: string; items: string[] }
  beforeEach(async () => {
    created(await crm.ws.post('/custom-fields', { object: 'product', key: 'shelf', label: 'Shelf', type: 'text' }))
    const company = await crm.company('Acme')
    const contact = (await crm.contact({ first_name: 'Ana', last_name: 'Lee', customer_id: company })).id
    const deal = (await crm.opportunity({ name: 'Roof', customer_id: company, currency: 'AUD' })).id
    const product = created(await crm.ws.post('/products', { name: 'Tile', sku: '007', price: 2.5, metadata: { shelf: '0012' } })).id
    const items = []
    for (const [quantity, unit_price] of [
      [4, 2.5],
      [1, 100],
    ])
      items.push(created(await crm.ws.post(`/opportunities/${deal}/products`, { product_id: product, quantity, unit_price })).id)
    ids = { contact, company, deal, product, items }
  })

  test('products, with their custom fields and line items', async () => {
    const paths = ['name', 'sku', 'price', 'metadata.shelf', 'line_items.count', 'line_items.quantity.sum', 'line_items.total.sum']
    expect(await rowsOf('products', [...paths, 'opportunities.count', 'opportunities.name.list'])).toEqual([
      ['Tile', '007', 2.5, '0012', 2, 5, 110, 1, 'Roof'],
    ])
    const usd = (await crm.opportunity({ name: 'Deck', currency: 'USD' })).id
    created(await crm.ws.post(`/opportunities/${usd}/products`, { product_id: ids.product, quantity: 1, unit_price: 5 }))
    expect(await rowsOf('products', paths.slice(4))).toEqual([[3, 6, null]])
    const shelf = (value: string) => ({ filters: { field: 'metadata.shelf', op: 'eq', value }, sort: 'name' })
    expect(await rowsOf('products', ['name'], shelf('0012'))).toEqual([['Tile']])
    expect(await rowsOf('products', ['name'], shelf('x'))).toEqual([])
    found(await crm.ws.patch(`/products/${ids.product}`, { archived: true }))
    expect(await rowsOf('products', ['name'])).toEqual([])
    expect(await rowsOf('products', ['name'], { filters: { field: 'archived', op: 'eq', value: true } })).toEqual([['Tile']])
  })

  test('line items, with their opportunity, its company, and the product', async () => {
    const paths = ['quantity', 'total', 'opportunity', 'opportunity.company.name', 'product', 'product.sku', 'work_orders.count']
    const filters = {
      all: [
        { field: 'total', op: 'gt', value: 50 },
        { has: 'opportunity', where: { field: 'name', op: 'eq', value: 'Roof' } },
      ],
    }
    expect(await rowsOf('line_items', paths)).toEqual([
      [4, 10, 'Roof', 'Acme', 'Tile', '007', 0],
      [1, 100, 'Roof', 'Acme', 'Tile', '007', 0],
    ])
    expect(await rowsOf('line_items', ['total'], { filters })).toEqual([[100]])
    expect(await rowsOf('line_items', ['total'], { filters: { field: 'name', op: 'starts_with', value: 'TI' } })).toHaveLength(2)
    expect(await rowsOf('opportunities', ['line_items.count', 'line_items.total.sum', 'line_items.name.first'])).toEqual([[2, 110, 'Tile']])
  })

  test('invoices, and those of a company', async () => {
    for (const [invoice_number, total] of [
      ['00042', 10.5],
      ['00043', 20],
    ])
      created(
        await crm.ws.post('/invoices', {
          invoice_number,
          total,
          currency: 'AUD',
          customer_id: ids.company,
          opportunity_id: ids.deal,
          due_date: '2026-12-24',
        }),
      )
    const { id } = await template(['invoice_number', 'total', 'due_date', 'company', 'opportunity.status'], { root_entity: 'invoices' })
    expect(await csv(id)).toEqual([
      'invoice_number,total,due_date,company,opportunity.status',
      '00042,10.5,2026-12-24,Acme,open',
      '00043,20,2026-12-24,Acme,open',
    ])
    expect(await csv(id, { filters: { field: 'total', op: 'gte', value: 20 }, columns: columns('invoice_number') })).toHaveLength(2)
    expect(await rowsOf('companies', ['invoices.count', 'invoices.total.sum', 'invoices.invoice_number.list'])).toEqual([
      [2, 30.5, '00042; 00043'],
    ])
  })

  test('bookings, with their host, and none of what opens their page', async () => {
    // As they are stored, without what follows from a booking.
    const client = await crm.app.owner.connect()
    try {
      await client.query('begin')
      await client.query('set local session_replication_role = replica')
      await client.query(
        `with type as (insert into scheduled_event_types (workspace_id, name, slug) values ($1, 'Visit', 'visit') returning id),
          host as (select user_id as id from memberships where workspace_id = $1 limit 1)
        insert into bookings (workspace_id, event_type_id, starts_at, ends_at, duration_minutes, timezone, wall_start, host_id, host_ids,
          contact_id, deal_id, name, uid)
          select $1, type.id, '2026-12-01T09:30:00Z', '2026-12-01T10:00:00Z', 30, 'UTC', '2026-12-01 09:30', host.id, array[host.id], $2,
            $3, 'Ana', 'u1' from type, host`,
        [crm.ws.id, ids.contact, ids.deal],
      )
      await client.query('commit')
    } finally {
      client.release()
    }
    const paths = ['name', 'starts_at', 'event_type', 'host', 'contact', 'opportunity.name', 'attendees']
    const [row] = await rowsOf('bookings', paths, { sort: 'starts_at' })
    expect(row).toEqual(['Ana', '2026-12-01T09:30:00.000Z', 'Visit', expect.stringContaining('@'), 'Ana Lee', 'Roof', []])
    expect(await rowsOf('contacts', ['bookings.count', 'bookings.starts_at.last'])).toEqual([[1, '2026-12-01T09:30:00.000Z']])
    const { column_fields } = found(await crm.ws.get(`${CATALOG}bookings`)) as Row
    expect(column_fields.filter(({ path }: Row) => path.includes('token'))).toEqual([])
  })

  test('work orders, with their status and whom they are shared with', async () => {
    const order = created(
      await crm.ws.post('/work-orders', {
        deal_product_id: ids.items[0],
        title: 'Lay',
        schedule_date: '2026-12-02',
        schedule_time: '09:30',
      }),
    )
    const paths = [
      'title',
      'status',
      'schedule_date',
      'schedule_time',
      'opportunity',
      'line_item.total',
      'line_item.product.sku',
      'contacts.count',
    ]
    expect(await rowsOf('work_orders', paths)).toEqual([['Lay', order.status, '2026-12-02', '09:30:00', 'Roof', 10, '007', 0]])
    expect(await rowsOf('work_orders', ['title'], { filters: { field: 'status', op: 'eq', value: order.status.toUpperCase() } })).toEqual([
      ['Lay'],
    ])
    expect(await rowsOf('work_orders', ['title'], { filters: { field: 'status', op: 'not_eq', value: order.status } })).toEqual([])
    expect(await rowsOf('opportunities', ['work_orders.count', 'work_orders.title.list'])).toEqual([[1, 'Lay']])
  })
})

test('what such a root entity lacks is refused', async () => {
  const create = (root_entity: string, fields: Row) => crm.ws.post(T, { name: 'X', root_entity, columns: columns('id'), ...fields })
  for (const [root, fields, path] of [
    ['invoices', { columns: columns('metadata.tier') }, 'columns.0.path'],
    ['invoices', { columns: columns('opportunity.company.name', 'opportunity.invoices.count') }, 'columns.1.path'],
    ['line_items', { columns: columns('opportunity.line_items.total.sum') }, 'columns.0.path'],
    ['work_orders', { columns: columns('line_item.opportunity.company.parent.name') }, 'columns.0.path'],
    ['invoices', { filters: { field: 'total', op: 'contains', value: '1' } }, 'filters.op'],
    ['invoices', { filters: { field: 'metadata.tier', op: 'eq', value: '1' } }, 'filters.field'],
    ['line_items', { sort: 'name' }, 'sort'],
    ['bookings', { columns: columns('management_token') }, 'columns.0.path'],
  ] as const)
    expect([root, fields, await create(root, fields)]).toMatchObject([root, fields, refused(path)])
})

describe('rights', () => {
  const LACKING: [root: string, scopes: string[], path: string, missing: string][] = [
    ['products', ['products:read'], 'line_items.count', 'opportunities:read'],
    ['line_items', ['opportunities:read'], 'product.name', 'products:read'],
    ['invoices', ['invoices:read'], 'company.name', 'companies:read'],
    ['bookings', ['company:read'], 'contact.name', 'contacts:read'],
    ['work_orders', ['work-orders:read'], 'line_item.name', 'opportunities:read'],
    ['contacts', ['contacts:read'], 'bookings.count', 'company:read'],
  ]
  test.each(LACKING)('a role that reads no more than %s (%s) gets no column of other records', async (root, scopes, path, missing) => {
    const some = await ofRole(...scopes)
    const own = await template(['id'], { root_entity: root })
    found(await some.post(`${T}/${own.id}/preview`, {}))
    const more = await template(['id', path], { root_entity: root })
    const refusal = await some.post(`${T}/${more.id}/run`, {})
    expect(refusal).toMatchObject(failed(403, 'FORBIDDEN'))
    expect(refusal.body.error.details).toMatchObject({ columns: [path], missing_scopes: [missing] })
    const catalogue = found(await some.get(CATALOG + root)) as Row
    const offered = catalogue.column_fields.map(({ path }: Row) => path)
    expect(offered).toContain('id')
    expect(offered).not.toContain(path.replace(/\.(count|sum)$/, ''))
    for (const other of ['tasks', ...LACKING.map(([other]) => other).filter((other) => other !== root)])
      expect(await some.get(CATALOG + other)).toMatchObject(failed(403, 'FORBIDDEN'))
  })

  test('emails in the mailbox of a member are in no file of a colleague', async () => {
    const contact = (await crm.contact({ first_name: 'Ana' })).id
    const member = await crm.ws.key({ scopes: ['exports:read'] })
    await crm.app.owner.query(
      `insert into activities (workspace_id, activity_type, subject, contact_id, occurred_at, private_to)
        values ($1, 'email', 'Secret', $2, now(), $3), ($1, 'note', 'Open', $2, now(), null)`,
      [crm.ws.id, contact, member.userId],
    )
    expect(await rowsOf('contacts', ['activities.count', 'activities.subject.list'])).toEqual([[1, 'Open']])
    const all = await ofRole('*:read')
    const { id } = await template(['subject', 'contact.name'], { root_entity: 'activities' })
    expect((found(await all.post(`${T}/${id}/preview`, {})) as Row).rows).toEqual([['Open', 'Ana']])
  })
})
