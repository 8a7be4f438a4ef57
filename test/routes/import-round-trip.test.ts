import { expect, test } from 'vitest'
import { drawOf, TEXTS } from '../contract/odd.ts'
import { proving } from '../proof.ts'
import { limit } from '../speed.ts'
import type { TestWorkspace } from '../workspace.ts'
import { created, found, type Row, useCrm } from './crm.ts'
import { useImports } from './importing.ts'

const crm = useCrm()
const { upload } = useImports(crm)

const SEED = Number(process.env.FUZZ_SEED ?? 20_261_123)
const KINDS = ['companies', 'contacts', 'products', 'opportunities', 'tasks', 'activities'] as const
/** Records of each kind. PROVE_ROWS chooses another number of rows in all than the largest. */
const COUNT = proving ? Math.round(Number(process.env.PROVE_ROWS ?? 249_000) / KINDS.length) : 20
/** The most characters of a file: an import has at most 25 MB, of which a character may be four. */
const MOST_CHARACTERS = 6_000_000
/** What the database assigns. */
const ASSIGNED = ['id', 'created_at', 'updated_at']

const TYPES = ['number', 'date', 'boolean', 'multi_select', 'long_text'] as const

/** What a workspace has to offer before records can refer to it. */
async function prepare(ws: TestWorkspace): Promise<void> {
  for (const object of ['contact', 'company', 'opportunity', 'product', 'task', 'activity'])
    for (const type of TYPES)
      created(
        await ws.post('/custom-fields', {
          object,
          key: `own_${type}`,
          label: type,
          type,
          ...(type === 'multi_select' && { options: ['North', 'South; East'] }),
        }),
      )
  created(await ws.post('/lead-sources', { name: 'Trade fair' }))
}

type Draw = ReturnType<typeof drawOf>
const odd = (draw: Draw) => draw(TEXTS.filter((text) => text.length < 2000 && text.trim() !== '' && !/[\0\uD800-\uDFFF]/.test(text)))
const maybe = <Value>(draw: Draw, value: Value) => (draw([true, false]) ? { value } : { value: undefined })
const metadata = (draw: Draw) => ({
  own_number: maybe(draw, draw([0, -1.5, 1e9, 0.1])).value,
  own_date: maybe(draw, '2024-02-29').value,
  own_boolean: maybe(draw, draw([true, false])).value,
  own_multi_select: maybe(draw, draw([['North'], ['North', 'South; East']])).value,
  own_long_text: maybe(draw, `${odd(draw)}.`).value,
})

/**
 * Of ten records the last one is archived. Of twenty, it has the name and the address of the active one before it, for which these stand.
 */
const isArchived = (n: number) => n % 10 === 9
const hasTwin = (n: number) => n % 20 >= 18
const isNamed = (n: number) => !(hasTwin(n) && isArchived(n))

type Ids = Record<(typeof KINDS)[number], string[]> & { source: string; stages: Row }
const records = (draw: Draw, kind: (typeof KINDS)[number], n: number, ids: Ids): Row => {
  if (kind === 'products') return product(draw, n)
  if (kind === 'tasks') return task(draw, n, ids)
  if (kind === 'activities') return activity(draw, n, ids)
  const shared = {
    external_id: maybe(draw, `${kind}-${n}`).value,
    notes: maybe(draw, `${odd(draw)}.`).value,
    tags: maybe(draw, [{ name: draw(['VIP', 'Old; new', '=1+1']) }]).value,
    metadata: metadata(draw),
  }
  const customer_id = maybe(draw, draw(ids.companies)).value
  if (kind === 'companies')
    return {
      ...shared,
      name: hasTwin(n) ? `Twin ${Math.floor(n / 20)}` : `Company ${n} ${draw(['Ltd', '"GmbH", Köln', "O'Neill", '=x', '北京'])}`,
      annual_revenue: maybe(draw, draw([0.1, 1250.5, 4_821_000])).value,
      parent_company_id: n % 7 === 6 ? draw(ids.companies) : undefined,
      country: draw(['Australia', 'New Zealand', 'Germany']),
    }
  if (kind === 'contacts')
    return {
      ...shared,
      first_name: `${draw(['Ana', 'Zoë', '-dash', "'quoted"])} ${n}`,
      last_name: maybe(draw, draw(['Lee', 'de la Cruz', '=1+1'])).value,
      email: hasTwin(n) ? `twin${Math.floor(n / 20)}@example.com` : maybe(draw, `p${n}@example.com`).value,
      phone: maybe(draw, `+6141${String(n).padStart(7, '0')}`).value,
      alternate_emails: maybe(draw, [`q${n}@example.com`, `r${n}@example.com`]).value,
      date_of_birth: maybe(draw, '1980-02-29').value,
      customer_id,
      source_id: maybe(draw, ids.source).value,
      relationship_started_at: '2024-07-01T09:30:00.123Z',
      sms_unsubscribed: draw([true, false]),
    }
  const stage = draw(Object.keys(ids.stages))
  return {
    ...shared,
    name: `Deal ${n} ${draw(['', 'a;b', '- dash', '+1'])}`.trim(),
    value: draw([0, 12.5, 999_999.99]),
    customer_id,
    stage_id: ids.stages[stage],
    opened_at: '2023-01-31T00:00:00.000Z',
    closed_at: ['Won', 'Lost'].includes(stage) ? '2024-05-05T10:00:00.000Z' : undefined,
    expected_close_date: maybe(draw, '2027-01-31').value,
    contacts: maybe(draw, stakeholders(draw, ids)).value,
    products: maybe(draw, lineItems(draw, ids)).value,
  }
}

const stakeholders = (draw: Draw, { contacts }: Ids): Row[] =>
  [...new Set([draw(contacts), draw(contacts)])].map((contact_id, n) => ({ contact_id, is_primary: n === 0 }))
const lineItems = (draw: Draw, { products }: Ids): Row[] => [
  { product_id: draw(products), unit_price: 12.5, quantity: draw([1, 0.25]) },
  { name: draw(['Delivery; "express"', '=1+1']), description: maybe(draw, `${odd(draw)}.`).value, discount_percent: 10, tax_percent: 2.5 },
]

const product = (draw: Draw, n: number): Row => ({
  external_id: maybe(draw, `product-${n}`).value,
  name: `Desk ${n} ${draw(['oak', '"B"; large', '=1'])}`,
  sku: maybe(draw, `=D${n}`).value,
  category: maybe(draw, 'Desks; old').value,
  description: maybe(draw, `${odd(draw)}.`).value,
  price: draw([0, 12.5, 4821]),
  cost: maybe(draw, 3.25).value,
  currency: draw(['AUD', 'EUR']),
  unit: maybe(draw, 'm²').value,
  tax_percent: draw([0, 10, 7.5]),
  is_active: draw([true, false]),
  metadata: metadata(draw),
})

const task = (draw: Draw, n: number, ids: Ids): Row => {
  const due_at = maybe(draw, draw(['2024-03-31T13:00:00.000Z', '2090-03-31T00:00:00.000Z', '2090-04-01T09:30:00.123Z'])).value
  const recurrence = due_at && draw([undefined, { frequency: 'weekly', interval: 2, weekdays: ['monday'], count: 4 }])
  return {
    external_id: maybe(draw, `task-${n}`).value,
    title: `${draw(['Call', '-call', 'Send "it"; now'])} ${n}`,
    description: maybe(draw, `${odd(draw)}.`).value,
    task_type: draw(['to_do', 'call', 'follow_up']),
    status: draw(recurrence ? ['open'] : ['open', 'in_progress', 'completed']),
    priority: draw(['low', 'urgent']),
    due_at,
    all_day: draw([true, false]),
    reminder_at: maybe(draw, '2024-03-30T09:00:00.000Z').value,
    recurrence,
    contact_id: maybe(draw, draw(ids.contacts)).value,
    customer_id: maybe(draw, draw(ids.companies)).value,
    opportunity_id: maybe(draw, draw(ids.opportunities)).value,
    metadata: metadata(draw),
  }
}

const activity = (draw: Draw, n: number, ids: Ids): Row => {
  const activity_type = draw(['call', 'meeting', 'note'])
  return {
    activity_type,
    subject: maybe(draw, `${draw(['Quote', '@quote'])} ${n}`).value,
    body: activity_type === 'note' ? `${odd(draw)}.` : maybe(draw, `${odd(draw)}.`).value,
    direction: activity_type === 'call' ? draw(['inbound', 'outbound']) : undefined,
    duration_seconds: activity_type === 'note' ? undefined : 420,
    outcome: activity_type === 'note' ? undefined : maybe(draw, 'Left; "voicemail"').value,
    occurred_at: draw(['2024-03-31T00:00:00.000Z', '2025-04-01T09:30:00.123Z']),
    contact_ids: maybe(draw, [...new Set([draw(ids.contacts), draw(ids.contacts)])]).value,
    customer_id: maybe(draw, draw(ids.companies)).value,
    deal_id: draw(ids.opportunities),
    metadata: metadata(draw),
  }
}

/** The files of a kind: what they are imported as, and the text. Notes are imported by themselves. */
async function filesOf(ws: TestWorkspace, kind: (typeof KINDS)[number]): Promise<[object: string, file: string][]> {
  const path = `/${kind}/export`
  if (kind !== 'activities') return [[kind, (await ws.get(`${path}?archived=all`)).body]]
  const type = (...value: string[]) => ({ filter: { field: 'activity_type', op: 'in', value } })
  const fields = [
    'id',
    'body',
    'subject',
    'occurred_at',
    'contact',
    'company',
    'opportunity',
    ...TYPES.map((type) => `metadata.own_${type}`),
  ]
  const note = type('note')
  return [
    ['activities', (await ws.post(path, type('call', 'meeting'))).body],
    ['notes', (await ws.post(path, { ...note, fields })).body],
  ]
}

/** A file in parts that an import accepts, each with the header. A line break within quotes is part of a value. */
function partsOf(file: string): string[] {
  const lines = file.split('\r\n')
  const header = lines[0] as string
  const parts: string[] = []
  let [part, isQuoted] = [header, false]
  for (const line of lines.slice(1)) {
    if (!isQuoted && part.length > MOST_CHARACTERS) {
      parts.push(part)
      part = header
    }
    part += `\r\n${line}`
    if ((line.split('"').length - 1) % 2 === 1) isQuoted = !isQuoted
  }
  return [...parts, part]
}

/** The lines of an export without the columns that the database assigns, in order. */
async function linesOf(ws: TestWorkspace, kind: string): Promise<string[]> {
  const listed = (await ws.get(`/${kind}/export?limit=1&bom=false`)).body as string
  const columns = (listed.split('\r\n')[0] as string).split(',').filter((name) => !ASSIGNED.includes(name))
  const all = columns.includes('archived') ? '&archived=all' : ''
  const { status, body } = await ws.get(`/${kind}/export?bom=false&format=jsonl&fields=${columns.join(',')}${all}`)
  expect(status).toBe(200)
  return body.trimEnd().split('\n').sort()
}

async function archive(kind: string, results: Row[]): Promise<void> {
  const records = results.filter((_, n) => isArchived(n)).map(({ id }) => ({ id, archived: true }))
  if (records.length === 0) return
  if (kind === 'products') for (const { id } of records) found(await crm.ws.patch(`/${kind}/${id}`, { archived: true }))
  else expect(found(await crm.ws.post(`/${kind}/bulk-update`, { records })).errors).toEqual([])
}

/** Creates a hundred records, and archives some of them. */
async function create(draw: Draw, kind: (typeof KINDS)[number], from: number, ids: Ids): Promise<void> {
  const sent = Array.from({ length: Math.min(100, COUNT - from) }, (_, n) => records(draw, kind, from + n, ids))
  const { results, errors } = found(
    await crm.ws.post(`/${kind}/bulk-create`, { records: JSON.parse(JSON.stringify(sent)) }),
  ) as unknown as Row
  expect(errors).toEqual([])
  ids[kind].push(...results.filter((_: Row, n: number) => isNamed(n)).map(({ id }: Row) => id))
  if (kind !== 'activities') await archive(kind, results)
}

test(`an export of ${COUNT} records of each kind, imported into an empty workspace, is exported again unchanged`, {
  timeout: proving ? 7_200_000 : limit(120_000),
}, async () => {
  await prepare(crm.ws)
  const { stages } = await crm.firstPipeline()
  const [source] = found(await crm.ws.get('/lead-sources'))
  const ids = {
    companies: [await crm.company('First & only')],
    contacts: [],
    opportunities: [],
    products: [],
    tasks: [],
    activities: [],
  } as never as Ids
  Object.assign(ids, { source: source?.id, stages })
  const draw = drawOf(SEED)
  for (const kind of KINDS)
    for (let from = 0; from < COUNT; from += 200)
      await Promise.all([from, from + 100].filter((at) => at < COUNT).map((at) => create(draw, kind, at, ids)))
  if (proving) console.log(`created at ${new Date().toISOString()}`)
  // The next tasks of their series.
  const recurring = found(await crm.ws.get('/tasks?limit=100')).filter(({ recurrence }) => recurrence !== null)
  found(await crm.ws.post('/tasks/bulk-complete', { ids: recurring.slice(0, 3).map(({ id }) => id) }))
  const other = await crm.app.workspace()
  await prepare(other)
  for (const kind of KINDS) {
    const original = await linesOf(crm.ws, kind)
    const files = await filesOf(crm.ws, kind)
    for (const [object, part] of files.flatMap(([object, file]) => partsOf(file).map((part) => [object, part] as const))) {
      const { id } = created(await upload(part, `?object=${object}`, other))
      found(await other.patch(`/imports/${id}`, { unknown_companies: 'placeholder' }))
      found(await other.post(`/imports/${id}/start`))
      for (let waits = 0; waits < 200; waits++) if ((await crm.app.drain().catch((error: unknown) => error)) === undefined) break
      const run = found(await other.get(`/imports/${id}`))
      const failures = found(await other.get(`/imports/${id}/rows?status=failed&limit=3`))
      expect(failures).toEqual([])
      expect(run).toMatchObject({ state: 'finished', progress: { failed: 0, warned: 0 } })
    }
    expect(await linesOf(other, kind)).toEqual(original)
    if (proving) console.log(`${kind}: the same at ${new Date().toISOString()}`)
  }
})
