import { afterAll, beforeAll, expect, test } from 'vitest'
import { measureDue } from '../../bench/due-workspaces.ts'
import { type Harness, start } from '../harness.ts'

let app: Harness
beforeAll(async () => {
  app = await start({ ownServer: true })
})
afterAll(() => app.close())

test('the measurement of workspaces with due work runs', async () => {
  const { rows } = await app.owner.query('select current_database() as name')
  const vars = { DATABASE_JOBS_URL: `postgres://jobs:jobs@db.local/${rows[0].name}`, NEON_PROXY: app.proxy.url }
  expect(await measureDue(app.owner, vars, 30, 3)).toMatchObject({ ticks: 1, inOrder: true, left: 0 })
})
