import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'
import { proving } from '../proof.ts'
import type { TestWorkspace } from '../workspace.ts'
import { costNow, startCounting } from './blocks.ts'

/**
 * Counts and usages in a small and in a large workspace, after every twentieth record was changed, so that entries of indexes must be
 * looked up in the tables. All companies share a domain, an email address, a phone number and the words of their names.
 */

const SIZES = proving ? [10_000, 100_000] : [500, 6_000]
const SOURCES = 20

let app: Harness
const workspaces: { ws: TestWorkspace; source: string; company: string }[] = []
const results: string[] = []

beforeAll(async () => {
  app = await start({ sessions: 1, vars: { REQUEST_LOG_MILLISECONDS: '1' } })
  await startCounting(app)
  for (const size of SIZES) workspaces.push(await filled(size))
  // Without it, the commits of these rows may not be written yet, and then no page is visible to all.
  await app.owner.query('checkpoint')
  await app.owner.query('vacuum analyze')
  for (const table of ['contacts', 'companies', 'opportunities', 'tasks'])
    await app.owner.query(
      `begin; set local session_replication_role = replica; update ${table} set updated_at = now() where ` +
        'get_byte(uuid_send(id), 15) % 20 = 0; commit',
    )
}, 600_000)
afterAll(async () => {
  if (proving) console.log(['', ...results, ''].join('\n'))
  await app.close()
})

async function filled(size: number) {
  const ws = await app.workspace()
  await ws.patch('/company/settings/tag-palette', [{ name: 'Often', color: '#1a73e8' }])
  const at = `now() - n * interval '1 minute'`
  const tags = `case when n % 4 = 0 then '[{"name": "Often", "color": null}]' else '[]' end::jsonb`
  const owner = `case when n % 3 = 0 then '${ws.userId}'::uuid end`
  await app.owner.query(`begin; set local session_replication_role = replica; select set_config('app.workspace_id', '${ws.id}', true);
    insert into lead_sources (name) select 'Source ' || n from generate_series(1, ${SOURCES}) n;
    insert into contacts (first_name, contact_type, source_id, created_at, tags, assigned_to)
      select 'Name' || md5(n::text), 'Lead', s.id, ${at}, ${tags}, ${owner} from generate_series(1, ${size}) n
      join lead_sources s on s.workspace_id = '${ws.id}' and s.name = 'Source ' || 1 + n % ${SOURCES};
    insert into companies (name, email, phone, website_url, domains, created_at, tags, assigned_to)
      select 'Acme Group ' || n, 'info@acme.test', '+61298765432', 'https://acme.test', '{acme.test}', ${at}, ${tags}, ${owner}
      from generate_series(1, ${size}) n;
    insert into opportunities (name, lead_source, created_at, tags, assigned_to)
      select 'Deal' || md5(n::text), 'Source ' || 1 + n % ${SOURCES}, ${at}, ${tags}, ${owner} from generate_series(1, ${size}) n;
    insert into tasks (title, created_at, assigned_to) select 'Call', ${at}, ${owner} from generate_series(1, ${size}) n;
    select order_links('${ws.id}'), recount_records('${ws.id}');
    commit`)
  const { rows } = await app.owner.query(
    `select (select id from lead_sources where workspace_id = $1 order by name limit 1) as source,
      (select id from companies where workspace_id = $1 order by created_at limit 1) as company`,
    [ws.id],
  )
  return { ws, ...rows[0] } as { ws: TestWorkspace; source: string; company: string }
}

/** The cost of a call in each workspace. */
async function costs(pathOf: (of: { ws: TestWorkspace; source: string; company: string }) => string) {
  const all = []
  for (const of of workspaces) {
    const path = pathOf(of)
    // The first request compiles the statement. A session that the database has just opened reads the catalogue once more.
    await of.ws.get(path)
    const measured = [await costNow(app.owner, () => of.ws.get(path)), await costNow(app.owner, () => of.ws.get(path))]
    const { result, ...cost } = measured.toSorted((a, b) => a.blocks - b.blocks)[0]!
    expect(result.status, JSON.stringify(result.body)).toBe(200)
    all.push({ ...cost, body: result.body })
  }
  results.push(
    `| \`${pathOf(workspaces[0]!).replace(/[0-9a-f-]{36}/g, '…')}\` | ` +
      `${all.map(({ blocks }) => blocks.toLocaleString('en')).join(' | ')} |`,
  )
  return all
}

const owned = ({ ws }: { ws: TestWorkspace }) => `assigned_to=${ws.userId}`
/** The counted lists, and which share of the records they have. */
const COUNTED: [name: string, query: (of: (typeof workspaces)[number]) => string, share: number][] = [
  ...['contacts', 'companies', 'opportunities', 'tasks'].flatMap((kind): typeof COUNTED => [
    [`all ${kind}`, () => `/${kind}?`, 1],
    [`${kind} of an owner`, (of) => `/${kind}?${owned(of)}&`, 1 / 3],
  ]),
  ...['contacts', 'companies', 'opportunities'].map((kind): (typeof COUNTED)[number] => [
    `${kind} with a tag`,
    () => `/${kind}?tag=often&`,
    1 / 4,
  ]),
  ['contacts of a lead source', ({ source }) => `/contacts?source_id=${source}&`, 1 / SOURCES],
  ['contacts of a source', () => '/contacts?source=manual&archived=all&', 1],
  ['opportunities of a lead source', () => '/opportunities?lead_source=Source%203&', 1 / SOURCES],
  ['contacts by name', () => '/contacts?sort=name&', 1],
]

test.each(COUNTED)('the count of %s costs the same in a large workspace, and is exact', async (_, query, share) => {
  const [small, large] = await costs((of) => `${query(of)}count=true&limit=1`)
  expect(small!.body.page).toMatchObject({ count: Math.floor(SIZES[0]! * share), count_exact: true })
  expect(large!.body.page).toMatchObject({ count: Math.floor(SIZES[1]! * share), count_exact: true })
  expect(large!.blocks > Math.max(small!.blocks + 12, 1.2 * small!.blocks) || large!.blocks > 60 ? large : {}).toEqual({})
})

test('the usage of lead sources and of tags costs the same in a large workspace', async () => {
  for (const path of ['/lead-sources/usage?limit=20', '/company/settings/tag-palette/usage']) {
    const [small, large] = await costs(() => path)
    expect(large!.blocks > Math.max(small!.blocks + 12, 1.2 * small!.blocks) || large!.blocks > 250 ? large : {}).toEqual({})
    expect(large!.body.data.every((row: { more?: boolean; contacts: { count: number } }) => row.more ?? row.contacts.count > 0)).toBe(true)
  }
})

test('the duplicates of a company keep their bound, however many companies share its values', async () => {
  const [, large] = await costs(({ company }) => `/companies/${company}/duplicates`)
  expect(large!.body.data.length).toBeGreaterThan(0)
  expect(large!.blocks > 2_000 ? large : {}).toEqual({})
})
