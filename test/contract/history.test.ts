import { afterAll, beforeAll, expect, test } from 'vitest'
import { readRegistrations } from '../../dev/registrations.ts'
import { allEndpoints } from '../../routes/index.ts'
import { TRACKED_RECORDS } from '../../src/domain/events.ts'
import { pascal } from '../../src/lib/nouns.ts'
import { type Harness, start } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import { operations, pathOf } from './samples.ts'
import { seed } from './seed.ts'

/** The operations that return a kind of record, where it is not get…, create… or list… with its name. */
const RETURNED_BY: Record<string, string[]> = {
  attachment: ['getOpportunityAttachment', 'getContactAttachment', 'getCompanyAttachment'],
  billing_party: ['listOpportunityBillingParties'],
  export_view: ['getExportTemplateView'],
  dismissed_duplicate: ['dismissDuplicateContacts', 'listDismissedDuplicateContacts'],
  employer: ['listContactEmployers'],
  follower: ['listContactFollowers', 'listCompanyFollowers', 'listOpportunityFollowers'],
  payment_setting: ['getPaymentSettings'],
  member: ['getMember', 'getMemberPreferences', 'getMemberProfile'],
  product_cost: ['getOpportunityProductCost'],
  stage: ['getPipelineStage'],
  voice_agent_config: ['getAgent'],
  stakeholder_member: ['listStakeholderTypeMembers', 'addStakeholderTypeMember'],
}

/** Columns that an endpoint of their own returns as a whole. */
const RETURNED_WHOLE: Record<string, string> = {
  'crm_settings.birthday_messages': 'getBirthdayMessages',
  'crm_settings.custom_fields_strict': 'getCustomFieldSettings',
  'crm_settings.tag_palette': 'getTagPalette',
}

/** Secrets that the specification has in a response to who may read the record. They are in no stored response. */
const SHOWN_SECRETS: Record<string, string[]> = { management_token: ['GET /scheduling-bookings', 'GET /scheduling-bookings/:booking_id'] }

type Tracked = { name: string; entity: string; key: string; columns: string[] }
type Unrecorded = { table_name: string; column_name: string; kind: 'hidden' | 'derived' | 'secret' }

let app: Harness
let ws: TestWorkspace
let tracked: Tracked[]
let unrecorded: Unrecorded[]
let renamed: { table_name: string; column_name: string; api_name: string }[]
const endpoints = await allEndpoints()

beforeAll(async () => {
  app = await start({ own: true })
  ws = await app.workspace()
  await seed(app, ws)
  await app.drain()
  // The arguments of a trigger are separated by zero bytes.
  tracked = (
    await app.owner.query<Tracked>(
      `select tgrelid::regclass::text as name, split_part(encode(tgargs, 'escape'), '\\000', 1) as entity,
        split_part(encode(tgargs, 'escape'), '\\000', 2) as key,
        array(select attname::text from pg_attribute where attrelid = tgrelid and attnum > 0 and not attisdropped
          order by attnum) as columns
      from pg_trigger where tgname = 'record_insert' and tgparentid = 0 order by 1`,
    )
  ).rows
  unrecorded = (await app.owner.query<Unrecorded>('select * from unrecorded_columns()')).rows
  renamed = (await app.owner.query('select * from renamed_columns()')).rows
})
afterAll(() => app.close())

/** The names of the fields that a response schema has at any depth of options and lists. */
// biome-ignore lint/suspicious/noExplicitAny: valibot schemas of every kind
function fieldsOf(schema: any): string[] {
  if (!schema) return []
  if (schema.entries) return Object.keys(schema.entries)
  if (schema.options) return schema.options.flatMap(fieldsOf)
  return fieldsOf(schema.wrapped ?? schema.item ?? (schema.pipe?.[0] === schema ? undefined : schema.pipe?.[0]))
}

const plural = (name: string) => (name.endsWith('y') ? `${name.slice(0, -1)}ies` : `${name}s`)
/** The fields of a kind of record, with those that name the record that it belongs to: they are parameters of its path. */
function publicFieldsOf(entity: string): string[] {
  const name = pascal(entity)
  const ids = RETURNED_BY[entity] ?? [`get${name}`, `create${name}`, `add${name}`, `list${plural(name)}`]
  return endpoints.filter(({ id }) => ids.includes(id)).flatMap(({ returns, params }) => [...fieldsOf(returns.schema), ...fieldsOf(params)])
}

const isUnrecorded = (table: string, column: string) =>
  unrecorded.some(({ table_name, column_name }) => [table, '*'].includes(table_name) && column_name === column)
const apiName = (table: string, column: string) =>
  renamed.find(({ table_name, column_name }) => table_name === table && column_name === column)?.api_name ?? column

test('every column of a tracked table is public under its name in the API, or declared hidden or secret', () => {
  expect(tracked.length).toBeGreaterThan(30)
  const undeclared = tracked.flatMap(({ name, entity, key, columns }) => {
    const known = publicFieldsOf(entity)
    expect(known, `${entity}: name the operations that return it in RETURNED_BY`).not.toEqual([])
    return columns
      .filter((column) => column !== key && column !== 'id' && !isUnrecorded(name, column))
      .filter((column) => !known.includes(apiName(name, column)))
      .map((column) => `${name}.${column}`)
  })
  expect(undeclared.sort(), 'the feature of the table declares what the history leaves out').toEqual(Object.keys(RETURNED_WHOLE))
  const missing = Object.values(RETURNED_WHOLE).filter((id) => !endpoints.some((endpoint) => endpoint.id === id))
  expect(missing).toEqual([])
})

test('the tables with a history are those that features register', async () => {
  expect(tracked.map(({ entity }) => entity).sort()).toEqual(TRACKED_RECORDS)
  const { features } = await readRegistrations()
  const reasons = features.flatMap(({ tables = {} }) =>
    Object.values(tables).flatMap(({ hidden, derived, secret }) => Object.values({ ...hidden, ...derived, ...secret })),
  )
  expect(reasons.length).toBeGreaterThan(100)
  expect(reasons.filter((reason) => reason.length < 8)).toEqual([])
})

test('every declaration names a column that exists, once; no secret column has a name that the API uses', () => {
  const names = unrecorded.map(({ table_name, column_name }) => `${table_name}.${column_name}`)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  for (const { table_name, column_name } of [...unrecorded, ...renamed]) {
    const tables = table_name === '*' ? tracked : tracked.filter(({ name }) => name === table_name)
    expect(
      tables.some(({ columns }) => columns.includes(column_name)),
      `${table_name}.${column_name}`,
    ).toBe(true)
  }
  const secrets = unrecorded.filter(({ kind }) => kind === 'secret').map(({ column_name }) => column_name)
  expect(secrets).toContain('key_hash')
  const shown = operations.flatMap(({ name, endpoint }) => fieldsOf(endpoint.returns.schema).map((field) => ({ name, field })))
  expect(shown.filter(({ name, field }) => secrets.includes(field) && !SHOWN_SECRETS[field]?.includes(name))).toEqual([])
})

test('the history of every kind of record has public fields only, and no stored text contains a secret', async () => {
  const { rows } = await app.owner.query<{ entity: string; fields: string[] }>(
    `select entity, array_agg(distinct k order by k) as fields from changes, jsonb_object_keys(fields) k
      where workspace_id = $1 group by entity`,
    [ws.id],
  )
  expect(rows.length).toBeGreaterThan(25)
  for (const { entity, fields } of rows) {
    const table = tracked.find((one) => one.entity === entity)!
    const allowed = table.columns.filter((column) => !isUnrecorded(table.name, column)).map((column) => apiName(table.name, column))
    expect(
      fields.filter((field) => !allowed.includes(field)),
      entity,
    ).toEqual([])
  }
  for (const { table_name, column_name } of unrecorded.filter(({ kind }) => kind === 'secret')) {
    const { rows: secrets } = await app.owner.query(
      `select replace(${column_name}::text, '\\x', '') as secret from ${table_name} where workspace_id = $1 and ${column_name} is not null`,
      [ws.id],
    )
    // No key of the sample was rotated.
    expect(secrets.length > 0 || /previous|^signature/.test(column_name), column_name).toBe(true)
    for (const log of ['changes', 'outbox', 'requests', 'approvals', 'idempotency']) {
      const { rows: found } = await app.owner.query(
        `select to_jsonb(l) as row from ${log} l
          where workspace_id = $1 and exists (select from unnest($2::text[]) s where position(s in l::text) > 0)`,
        [ws.id, secrets.map(({ secret }) => secret)],
      )
      expect(found, `${log} has a value of ${table_name}.${column_name}`).toEqual([])
    }
  }
})

test('what one table hides, another shows: a column named answer is in the history of its table', async () => {
  const name = 'surveys'
  await app.owner.query(`create table ${name} (workspace_id uuid not null, id uuid not null default uuidv7(), answer text,
    request jsonb, changes int,
    version int not null default 1, created_at timestamptz not null default now(), updated_at timestamptz not null default now())`)
  await app.owner.query(`call tracked_table('${name}', 'survey')`)
  await app.owner.query(`insert into ${name} (workspace_id, answer, request, changes) values ($1, 'Yes', '{"a": 1}', 2)`, [ws.id])
  await app.owner.query(`update ${name} set answer = 'No' where workspace_id = $1`, [ws.id])
  const { rows } = await app.owner.query(
    "select action, version, fields - 'id' as fields from changes where workspace_id = $1 and entity = 'survey' order by id",
    [ws.id],
  )
  expect(rows).toEqual([
    { action: 'created', version: 1, fields: { answer: { after: 'Yes' }, request: { after: { a: 1 } }, changes: { after: 2 } } },
    { action: 'updated', version: 2, fields: { answer: { before: 'Yes', after: 'No' } } },
  ])
})

test('a renamed column has its name in the API in the history', async () => {
  const role = (await ws.post('/roles', { name: 'Auditor', key: 'auditor', scopes: ['contacts:read'] })).body.data
  const [made] = (await ws.get(`/roles/${role.id}/history`)).body.data
  expect(made.fields.key).toEqual({ after: 'auditor' })
  expect(Object.keys(made.fields)).not.toContain('role_key')
})

test('the history of an unknown id is 404', async () => {
  const histories = operations.filter(({ endpoint: { method, path } }) => method === 'GET' && /:.*\/history$/.test(path))
  expect(histories.length).toBeGreaterThan(10)
  for (const { endpoint } of histories) {
    const answer = await ws.get(pathOf(endpoint, {}))
    expect(answer, endpoint.path).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } })
  }
})
