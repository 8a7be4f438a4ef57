import { describe, expect, test } from 'vitest'
import { availableFields } from '../../src/features/exports/plans/exportable.ts'
import { drawOf } from '../contract/odd.ts'
import { proving } from '../proof.ts'
import { limit } from '../speed.ts'
import { created, found, type Row, useCrm } from './crm.ts'
import { useImports } from './importing.ts'

const crm = useCrm()
const { upload, rows, imported } = useImports(crm)

const OBJECTS = ['companies', 'contacts', 'products', 'opportunities', 'tasks', 'activities'] as const
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_124)

/** One record of each kind with a value in most fields, and one with few. */
async function fill(): Promise<void> {
  for (const object of ['contact', 'company', 'opportunity', 'product', 'task', 'activity'])
    created(await crm.ws.post('/custom-fields', { object, key: 'tier', label: 'Tier', type: 'text' }))
  const source_id = created(await crm.ws.post('/lead-sources', { name: 'Trade fair' })).id
  const common = { metadata: { tier: 'Gold; old' }, external_id: 'x-1' }
  const place = {
    address_line1: '1 Hunter St',
    city: 'Newcastle',
    state: 'NSW',
    postal_code: '2300',
    country: 'Australia',
    timezone: 'Australia/Sydney',
  }
  const shared = { ...common, assigned_to: crm.ws.userId, tags: [{ name: 'VIP' }, { name: 'A, b' }], notes: 'One\ntwo' }
  const make = async (path: string, ...records: Row[]) => {
    for (const one of records) created(await crm.ws.post(path, one))
    return found(await crm.ws.get(`${path}?sort=created_at`)).map(({ id }) => id)
  }
  const [customer_id, parent] = await make(
    '/companies',
    {
      ...shared,
      ...place,
      name: 'Acme',
      phone: '02 4900 1000',
      website_url: 'https://acme.example',
      industry: 'Retail',
      employee_count: 3,
      annual_revenue: 10.5,
      founded_year: 1999,
    },
    { name: 'Top; Co' },
  )
  found(await crm.ws.patch(`/companies/${customer_id}`, { parent_company_id: parent }))
  const [contact_id] = await make(
    '/contacts',
    {
      ...shared,
      ...place,
      source_id,
      customer_id,
      first_name: 'Ana',
      last_name: 'Lee',
      email: 'ana@example.com',
      phone: '0412 345 678',
      alternate_emails: ['b@example.com'],
      alternate_phones: ['0412 345 679'],
      date_of_birth: '1980-02-29',
      email_unsubscribed: true,
      is_primary: true,
    },
    { first_name: 'Bo' },
  )
  await make('/products', { ...common, name: 'Desk', sku: 'D1', price: 12.5, currency: 'EUR' }, { name: 'Chair', price: 1 })
  const other = created(
    await crm.ws.post('/pipelines', {
      name: 'Partners',
      stages: [{ name: 'New' }, { name: 'Won', kind: 'won' }, { name: 'Lost', kind: 'lost' }],
    }),
  )
  const stages = found(await crm.ws.get(`/pipelines/${other.id}`)).stages as Row[]
  const inStage = (name: string) => ({ stage_id: stages.find((one) => one.name === name)?.id })
  const [opportunity_id] = await make(
    '/opportunities',
    {
      ...shared,
      ...inStage('New'),
      name: 'Deal',
      value: 12.5,
      currency: 'EUR',
      customer_id,
      contacts: [{ contact_id, is_primary: true }],
      expected_close_date: '2027-01-31',
      next_action_type: 'call',
    },
    { name: 'Won deal', ...inStage('Won') },
    { name: 'Lost deal', ...inStage('Lost'), external_id: 'x-3' },
    { name: 'Plain' },
  )
  await make(
    '/tasks',
    { ...common, title: 'Call', due_at: '2090-03-31T09:30:00Z', priority: 'low', contact_id, customer_id, opportunity_id },
    { title: 'Write' },
  )
  await make(
    '/activities',
    {
      activity_type: 'call',
      subject: 'Quote',
      direction: 'inbound',
      duration_seconds: 7,
      occurred_at: '2025-03-31T09:30:00Z',
      contact_id,
      deal_id: opportunity_id,
      metadata: { tier: 'A' },
    },
    { activity_type: 'note', body: 'One\ntwo', occurred_at: '2024-03-31T09:30:00Z', customer_id },
  )
}

/** Columns that once changed or refused something by themselves. */
const TELLING = ['status', 'stage', 'pipeline', 'created_at', 'tags', 'source_id']

/** Each column by itself and with another one (when proving; otherwise the telling ones), and random subsets. */
function subsetsOf(columns: string[]): string[][] {
  const draw = drawOf(SEED)
  const pairs = columns.map((name) => [name, draw(columns.filter((other) => other !== name))])
  const subsets = Array.from({ length: proving ? 20 : 1 }, () => columns.filter(() => draw([true, false])))
  const singles = columns.filter((name) => proving || TELLING.includes(name)).map((name) => [name])
  return [...singles, ...(proving ? pairs : pairs.slice(0, 1)), ...subsets, columns]
}

describe('an export of any columns, imported again', () => {
  test.each(OBJECTS)('changes none of the %s, and has no error', { timeout: proving ? 900_000 : limit(120_000) }, async (object) => {
    await fill()
    const all = [...availableFields(object), 'metadata.tier']
    const text = async (fields: string[]) => (await crm.ws.get(`/${object}/export?bom=false&fields=${fields.join(',')}`)).body as string
    const compared = all.filter((name) => !['updated_at', 'version'].includes(name))
    const before = await text(compared)
    for (const subset of subsetsOf(all.filter((name) => name !== 'id'))) {
      const { id } = created(await upload(await text(['id', ...subset]), `?object=${object}`))
      // What a check says of a few columns, a run does.
      const action = subset.length === 1 || subset.length > 10 ? 'start' : 'check'
      const answer = await crm.ws.post(`/imports/${id}/${action}`)
      expect([subset, answer.status, answer.body.error?.message]).toEqual([subset, 200, undefined])
      await crm.app.drain()
      const { progress } = found(await crm.ws.get(`/imports/${id}`))
      const failures = (await rows(id, '&status=failed')).map(({ errors }) => errors)
      expect([subset, failures, progress.created, progress.updated]).toEqual([subset, [], 0, progress.total])
    }
    expect(await text(compared)).toBe(before)
  })
})

test('an error names the column that is wrong, of several that fill a field', async () => {
  const run = await imported(
    `First Name,Email,Email 2,Mobile,Other Phone
Ana,ana@example.com,nonsense@,0412 345 678,
Bo,nonsense@,bo@example.com,0412 345 678,
Cy,cy@example.com,,0412 345 678,12
`,
    {
      mapping: [
        ['First Name', 'first_name'],
        ['Email', 'email'],
        ['Email 2', 'email'],
        ['Mobile', 'phone'],
        ['Other Phone', 'phone'],
      ].map(([column, field]) => ({ column, field })),
    },
  )
  expect(run.progress.failed).toBe(3)
  expect((await rows(run.id)).map(({ errors }) => errors.map(({ field, column, value }: Row) => [field, column, value]))).toEqual([
    [['email', 'Email 2', 'nonsense@']],
    [['email', 'Email', 'nonsense@']],
    [['phone', 'Other Phone', '12']],
  ])
})

test('a status that differs moves, and a pipeline needs a stage to', async () => {
  await fill()
  const text = (await crm.ws.get('/opportunities/export?bom=false&fields=id,name,status,pipeline')).body as string
  const [plain] = found(await crm.ws.get('/opportunities?search=Plain')) as [Row]
  expect((await imported(`id,status\n${plain.id},won\n`, {})).progress).toMatchObject({ updated: 1, failed: 0 })
  expect(found(await crm.ws.get(`/opportunities/${plain.id}`))).toMatchObject({ status: 'won' })
  const moved = await imported(`id,pipeline\n${plain.id},Partners\n`)
  expect((await rows(moved.id))[0]).toMatchObject({ status: 'failed', errors: [{ field: 'pipeline', column: 'pipeline' }] })
  expect(text).toContain('Partners')
})
