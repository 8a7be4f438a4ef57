import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../../dev/settings.ts'
import { createWorkspace } from '../../dev/workspace.ts'
import { createDatabase, type Database, dropDatabase, openPool } from '../database.ts'

let database: Database
let workspace: string
beforeAll(async () => {
  database = await createDatabase()
  const pool = openPool(database.url)
  workspace = (await createWorkspace(pool, { name: 'Paid', ownerEmail: 'owner@example.com', ownerName: 'Owner' })).workspace_id
  await pool.end()
})
afterAll(() => dropDatabase(database))

function credits(...args: string[]) {
  const run = spawnSync(process.execPath, ['dev/credits.ts', ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, DATABASE_ADMIN_URL: database.url },
  })
  return { code: run.status, output: (run.stdout + run.stderr).trim() }
}

test('an operator adds credits to a workspace, once for each reference', () => {
  expect(credits(workspace, '500', 'invoice 1')).toEqual({ code: 0, output: 'balance  500' })
  expect(credits(workspace, '500', 'invoice 1')).toEqual({ code: 0, output: 'balance  500' })
  expect(credits(workspace, '20', 'invoice 2')).toEqual({ code: 0, output: 'balance  520' })
})

test.each([
  [[], 'Usage: npm run credits'],
  [['not-an-id', '5', 'x'], 'Usage: npm run credits'],
  [['01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d', '0', 'x'], 'a whole number from 1'],
  [[randomUUID(), '5', 'x'], 'There is no workspace'],
])('%j is refused with the remedy', (args, message) => {
  const { code, output } = credits(...args)
  expect(code).toBe(1)
  expect(output).toContain(message)
})
