import { afterAll, beforeAll } from 'vitest'
import { type Harness, start } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import { created, found, type Row } from './crm.ts'

const CUSTOM = [
  { object: 'contact', key: 'tier', label: 'Tier', type: 'select', options: ['Gold', 'Silver'] },
  { object: 'contact', key: 'score', label: 'Score', type: 'number' },
  { object: 'contact', key: 'since', label: 'Since', type: 'date' },
  { object: 'contact', key: 'vip', label: 'VIP', type: 'boolean' },
  { object: 'contact', key: 'likes', label: 'Likes', type: 'multi_select', options: ['Red', 'Blue', 'Green'] },
  { object: 'contact', key: 'code', label: 'Code', type: 'text' },
  { object: 'contact', key: 'mobile', label: 'Mobile', type: 'phone' },
  { object: 'contact', key: 'story', label: 'Story', type: 'long_text' },
  { object: 'opportunity', key: 'region', label: 'Region', type: 'text' },
]

/** One harness a file, and a workspace with a few records of everything that a filter can ask about; beside it another with the like. */
export function useFilterSample() {
  let app: Harness
  let ws: TestWorkspace
  const id: Record<string, string> = {}

  const add = async (path: string, name: string, fields: Row, workspace = ws) => {
    const row = created(await workspace.post(path, fields))
    if (workspace === ws) id[name] = row.id
  }
  const company = (name: string, fields: Row = {}) => add('/companies', name, { name, ...fields })
  const contact = (name: string, fields: Row = {}, workspace = ws) => add('/contacts', name, { first_name: name, ...fields }, workspace)
  const deal = (name: string, fields: Row = {}, workspace = ws) => add('/opportunities', name, { name, ...fields }, workspace)
  const activity = (name: string, fields: Row) => add('/activities', name, { activity_type: 'note', ...fields })

  /** Behind every trigger's back. */
  const backdate = async (table: string, name: string, fields: Row) => {
    const client = await app.owner.connect()
    const sets = Object.keys(fields).map((column, index) => `${column} = $${index + 2}`)
    await client.query('begin; set local session_replication_role = replica')
    await client.query(`update ${table} set ${sets} where id = $1`, [id[name], ...Object.values(fields)])
    await client.query('commit')
    client.release()
  }

  beforeAll(async () => {
    app = await start()
    const other = await app.workspace()
    ws = await app.workspace()
    for (const workspace of [ws, other]) for (const definition of CUSTOM) created(await workspace.post('/custom-fields', definition))
    await company('Acme', { industry: 'Construction', annual_revenue: 1000000.5, employee_count: 10, founded_year: 1998 })
    await company('Bolt', { industry: 'Retail', parent_company_id: id.Acme })
    await contact('Ana', {
      last_name: 'O’Brien 100%',
      city: 'Sydney',
      email: 'ana@x.co',
      alternate_emails: ['ana@home.co'],
      alternate_phones: ['0498 765 432'],
      phone: '0412 345 678',
      contact_type: 'Customer',
      date_of_birth: '1990-05-01',
      is_referrer: true,
      customer_id: id.Acme,
      metadata: {
        tier: 'Gold',
        score: 10,
        since: '2026-01-15',
        vip: true,
        likes: ['Red', 'Blue'],
        code: 'A_1',
        mobile: '+61 (400) 111-222',
        story: 'Long',
      },
    })
    await contact('Ben', {
      city: 'SYDNEY',
      contact_type: 'Lead',
      source: 'api',
      customer_id: id.Bolt,
      metadata: { tier: 'Silver', score: -3.5, since: '2026-03-01', vip: false, likes: ['Blue'], code: 'Axb', free: 'x' },
    })
    await contact('Cleo', { notes: 'Perth or Hobart', metadata: { score: 1e12 } })
    await contact('Dan', { city: 'Perth' })
    found(await ws.patch(`/contacts/${id.Dan}`, { archived: true }))
    await deal('Deck', {
      value: 1000.1,
      customer_id: id.Acme,
      contacts: [{ contact_id: id.Ana }],
      tags: [{ name: 'VIP' }, { name: 'Hot, very' }],
      expected_close_date: '2026-06-30',
      metadata: { region: 'North' },
    })
    await deal('Roof', { value: 50, customer_id: id.Bolt, contacts: [{ contact_id: id.Ana }], tags: [{ name: 'cold' }] })
    await deal('Shed', { value: 0, contacts: [{ contact_id: id.Ben }] })
    found(await ws.patch(`/opportunities/${id.Shed}`, { archived: true }))
    const [pipeline] = found(await ws.get('/pipelines'))
    const won = (pipeline as Row).stages.find((stage: Row) => stage.kind === 'won')
    found(await ws.post(`/opportunities/${id.Roof}/move`, { stage_id: won.id }))
    await activity('call', { contact_id: id.Ana, activity_type: 'call', occurred_at: '2026-01-10T00:00:00Z' })
    await activity('note', { contact_id: id.Ben, deal_id: id.Deck, occurred_at: '2026-03-01T00:00:00Z' })
    await backdate('contacts', 'Ana', { created_at: '2026-03-31T13:30:00Z', relationship_started_at: '2026-03-31T12:30:00Z' })
    await backdate('contacts', 'Ben', { created_at: '2026-04-02T00:00:00Z', relationship_started_at: null })
    await contact('Eve', { city: 'Sydney', email: 'ana@x.co', metadata: { tier: 'Gold', score: 10, vip: true, code: 'A_1' } }, other)
    await deal('Elsewhere', { value: 1000.1, tags: [{ name: 'VIP' }] }, other)
  })
  afterAll(() => app.close())

  return {
    get app() {
      return app
    },
    get ws() {
      return ws
    },
    id,
    contact,
    search: (object: Searched, body: unknown) => ws.post(`/${object}/search`, body),
    /** What the records are called that a filter picks, archived ones among them. */
    async names(object: Searched, filter: unknown, more: Row = {}): Promise<string[]> {
      const rows = found(await ws.post(`/${object}/search`, { filter, archived: 'all', ...more }))
      return rows.map((row: Row) => row.first_name ?? row.name).sort()
    },
  }
}
export type Searched = 'contacts' | 'companies' | 'opportunities'

export const is = (field: string, op: string, value?: unknown) => ({ field, op, value })
