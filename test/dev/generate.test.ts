import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { completeMigration, entityOf, type Snapshot, type Table } from '../../dev/generate/complete.ts'
import { root } from '../../dev/settings.ts'
import { type Harness, start } from '../harness.ts'
import { limit } from '../speed.ts'

/** A copy of what the generator reads and writes, inside the project so that its imports are found. */
const FOLDER = join(root, `dist/test/generate-${process.pid}`)
const inCopy = (file: string) => readFileSync(join(FOLDER, file), 'utf8')

const TABLES = `
import { index, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { contacts } from './contacts.ts'
import { identity, reference, tenant, timestamps } from './columns.ts'
import { memberships } from './workspaces.ts'

export const siteVisits = pgTable('site_visits', { ...identity, contact_id: uuid().notNull(), host_id: uuid(), place: text().notNull(), \
...timestamps }, (t) => [
  primaryKey({ columns: [t.workspace_id, t.id] }),
  index('site_visits_by_contact').on(t.workspace_id, t.contact_id, t.id),
  reference(t.contact_id, contacts, 'cascade'),
  reference(t.host_id, memberships, 'set null'),
])

export const visitLog = pgTable('visit_log', { ...tenant, id: uuid().notNull(), note: jsonb().notNull(), extra: jsonb() }, (t) => [
  primaryKey({ columns: [t.workspace_id, t.id] }),
])
`

const FEATURE = `export const feature = { tables: { site_visits: { readers: ['contacts:read'], timeline: ['contact_id'] } } }`

/** Adds the tables with their feature, or takes them away. */
function setTables(text?: string): void {
  for (const file of ['schema/visits.ts', 'src/features/visits']) rmSync(join(FOLDER, file), { recursive: true, force: true })
  if (!text) return
  mkdirSync(join(FOLDER, 'src/features/visits'))
  writeFileSync(join(FOLDER, 'schema/visits.ts'), text)
  writeFileSync(join(FOLDER, 'src/features/visits/feature.ts'), FEATURE)
}

let app: Harness
beforeAll(async () => {
  mkdirSync(FOLDER, { recursive: true })
  for (const part of [
    'dev/generate',
    'dev/generate.ts',
    'dev/migrations.ts',
    'dev/program.ts',
    'dev/registrations.ts',
    'dev/settings.ts',
    'dev/sql-text.ts',
    'schema',
    'src/domain',
    'src/features',
    'src/http/openapi',
    'src/lib',
    'drizzle.config.ts',
    'package.json',
  ])
    cpSync(join(root, part), join(FOLDER, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(FOLDER, 'node_modules'), 'junction')
  app = await start()
})
afterAll(async () => {
  rmSync(FOLDER, { recursive: true, force: true })
  await app.close()
})

function generate(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['dev/generate.ts', ...args], { cwd: FOLDER, encoding: 'utf8' })
  return { status, stdout, stderr }
}

describe('npm run generate', { timeout: limit(120_000) }, () => {
  test('writes nothing while the tables agree with the migrations', () => {
    expect(generate('nothing')).toMatchObject({ status: 0, stdout: expect.stringContaining('No migration is needed.') })
  })

  test.each([[[]], [['two', 'names']], [['Upper Case']]])('explains what is wrong with the arguments %j', (args) => {
    expect(generate(...args)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/npm run generate -- <name>|use lower-case letters/),
    })
  })

  test('writes a migration with tenancy, references, history, events and indexes, and one that takes all of it back', async () => {
    const migrations = () =>
      JSON.parse(inCopy('schema/migrations/meta/_journal.json')).entries as { idx: number; tag: string; when: number }[]
    const lists = ['constants-tables.sql', '../../src/domain/registered.ts', '../index.ts'].map((name) => `schema/functions/${name}`)
    const [before, newest] = [lists.map(inCopy), migrations().at(-1)!]
    setTables(TABLES)
    const { status, stdout, stderr } = generate('visits')
    expect({ status, stderr }).toMatchObject({ status: 0 })
    expect(stdout).toContain('Merges move the rows of site_visits under this name')

    const entry = migrations().at(-1)!
    expect(entry).toMatchObject({ idx: newest.idx + 1, when: newest.when + 1000 })
    const after = lists.map(inCopy)
    expect(after[0]).toContain("('site_visits', 'site_visit', 'id')")
    expect(after[0]).toContain("('site_visit', '{contacts:read}')")
    expect(after[0]).toContain("when 'site_visit' then '{site_visits,contact_id}'")
    expect(after.slice(1)).toEqual([expect.stringContaining("  'site_visit',\n"), expect.stringContaining("export * from './visits.ts'\n")])
    expect(inCopy('src/features/merges/rules/categories.ts')).toContain("'site_visits.contact_id': 'site_visits'")
    for (const statement of inCopy(`schema/migrations/${entry.tag}.sql`).split('--> statement-breakpoint')) await app.owner.query(statement)
    await app.owner.query("call tracked_table('site_visits', 'site_visit')")
    await app.owner.query('call remember_catalog()')

    const { rows: secured } = await app.owner.query(
      `select relname as name from pg_class where relforcerowsecurity and relname in ('site_visits', 'visit_log') order by 1`,
    )
    expect(secured).toEqual([{ name: 'site_visits' }, { name: 'visit_log' }])
    const { rows: references } = await app.owner.query(
      `select pg_get_constraintdef(oid) as text from pg_constraint where conname like 'site\\_visits.%' order by conname`,
    )
    expect(references.map(({ text }) => text)).toEqual([
      'FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts(workspace_id, id) ON DELETE CASCADE',
      'FOREIGN KEY (workspace_id, host_id) REFERENCES memberships(workspace_id, user_id) ON DELETE SET NULL (host_id)',
    ])
    const { rows: logs } = await app.owner.query(`select has_mentions from log_tables() where name = 'visit_log'::regclass`)
    expect(logs).toEqual([{ has_mentions: true }])
    const ws = await app.workspace()
    const contact = (await ws.post('/contacts', { first_name: 'Ana' })).body.data
    await app.owner.query(`insert into site_visits (workspace_id, contact_id, place) values ($1, $2, 'Perth')`, [ws.id, contact.id])
    const { rows: changes } = await app.owner.query(`select entity, action from changes where entity = 'site_visit'`)
    expect(changes).toEqual([{ entity: 'site_visit', action: 'created' }])

    setTables()
    expect(generate('no_visits')).toMatchObject({ status: 0 })
    expect(lists.map(inCopy)).toEqual(before)
    expect(existsSync(join(FOLDER, `schema/migrations/meta/${entry.tag.slice(0, 4)}_snapshot.json`))).toBe(false)
  })

  test('leaves no file behind when a table breaks a rule', () => {
    const before = inCopy('schema/migrations/meta/_journal.json')
    const without = TABLES.replace(/ {2}index\('site_visits_by_contact'.*\n/, '')
    setTables(without.replace('index, jsonb', 'jsonb'))
    const { status, stderr } = generate('visits')
    expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining("add index('site_visits_by_contact')") })
    expect(inCopy('schema/migrations/meta/_journal.json')).toBe(before)
  })

  test('asks for the feature of a table with a history, and for the scopes of its readers', () => {
    const before = inCopy('schema/migrations/meta/_journal.json')
    setTables(TABLES)
    rmSync(join(FOLDER, 'src/features/visits'), { recursive: true })
    const { status, stderr } = generate('visits')
    expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining('site_visits has a history: name it in') })
    expect(inCopy('schema/migrations/meta/_journal.json')).toBe(before)
  })
})

describe('a migration', () => {
  test('that indexes a table with rows builds the index concurrently, outside of the transaction of the rest', () => {
    const before = table({})
    const sql = `ALTER TABLE "visits" ADD COLUMN "place" text;--> statement-breakpoint
CREATE UNIQUE INDEX "visits_by_place" ON "visits" USING btree ("workspace_id","place");--> statement-breakpoint
CREATE INDEX "changes_by_place" ON "changes" USING btree ("workspace_id","id");`
    const known = { tables: { ...before.tables, 'public.changes': { ...before.tables['public.visits']!, name: 'changes' } } }
    const completed = completeMigration(sql, known, known)
    expect(completed.sql).toBe(`ALTER TABLE "visits" ADD COLUMN "place" text;
--> statement-breakpoint
CREATE INDEX "changes_by_place" ON "changes" USING btree ("workspace_id","id");
`)
    expect(completed.indexes).toBe(`-- Outside a transaction: each statement can be repeated.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "visits_by_place" ON "visits" USING btree ("workspace_id","place");
`)
    expect(completeMigration(sql, { tables: {} }, before).indexes).toBe('')
  })

  const table = (change: Partial<Table>): Snapshot => ({
    tables: {
      'public.visits': {
        name: 'visits',
        columns: { workspace_id: { name: 'workspace_id', type: 'uuid', notNull: true, default: 'current_workspace()' } },
        indexes: {},
        compositePrimaryKeys: { pk: { columns: ['workspace_id', 'id'] } },
        foreignKeys: {},
        ...change,
      },
    },
  })
  const foreign = { name: 'visits_contact_id_fk', tableFrom: 'visits', tableTo: 'contacts', columnsFrom: ['contact_id'] }

  test.each<[string, Partial<Table>, RegExp]>([
    ['without a workspace', { columns: {} }, /visits has no workspace_id: spread/],
    [
      'with a workspace that the session does not set',
      { columns: { workspace_id: { name: 'workspace_id', type: 'uuid', notNull: true } } },
      /visits\.workspace_id has no default/,
    ],
    ['with a key of its own', { compositePrimaryKeys: {} }, /primary key of visits does not begin with workspace_id/],
    ['with a reference across workspaces', { foreignKeys: { fk: foreign } }, /"visits_contact_id_fk" is not limited to the workspace/],
  ])('is refused for a table %s', (_, change, message) => {
    expect(() => completeMigration('', { tables: {} }, table(change))).toThrow(message)
  })

  test('notes a column that looks like a reference', () => {
    const columns = { ...table({}).tables['public.visits']!.columns, thing_id: { name: 'thing_id', type: 'uuid', notNull: false } }
    expect(completeMigration('', { tables: {} }, table({ columns })).notes).toEqual([
      expect.stringContaining('visits.thing_id refers to no table'),
    ])
  })

  test.each([
    ['price_lists', 'price_list'],
    ['categories', 'category'],
    ['addresses', 'address'],
    ['stock', 'stock'],
  ])('records changes of %s as those of a %s', (plural, one) => expect(entityOf(plural)).toBe(one))
})
