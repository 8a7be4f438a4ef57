import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { IMPORT_STATES, IMPORT_TRANSITIONS } from '../../src/features/imports/rules/states.ts'
import { type Harness, start } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'

let app: Harness
let ws: TestWorkspace
let role: pg.Client

beforeAll(async () => {
  app = await start()
  ws = await app.workspace()
  const { rows } = await app.owner.query('select current_database() as name')
  const { hostname: host, port } = new URL(inject('postgresUrl'))
  role = new pg.Client({ host, port: Number(port), user: 'app', password: 'app', database: rows[0].name })
  await role.connect()
})
afterAll(async () => {
  await role?.end()
  await app.close()
})

test('the database refuses every change of an import’s state that its table does not have', async () => {
  await role.query("select set_config('app.workspace_id', $1, false)", [ws.id])
  const { rows } = await role.query(
    `insert into imports (object, file_name, size, sha256, mapping, date_format) values ('contacts', 'a.csv', 1, '', '[]', 'dmy')
      returning id`,
  )
  const { id } = rows[0]
  const steps = Object.values(IMPORT_TRANSITIONS).flatMap((transition) => Object.entries(transition))
  for (const from of IMPORT_STATES) {
    await app.owner.query(
      `begin; set local session_replication_role = replica; update imports set state = '${from}' where id = '${id}'; commit`,
    )
    for (const to of IMPORT_STATES.filter((state) => state !== from)) {
      await role.query('begin')
      const outcome = await role.query('update imports set state = $2 where id = $1', [id, to]).then(
        () => 'changed',
        (error: pg.DatabaseError) => error.code,
      )
      await role.query('rollback')
      expect([from, to, outcome]).toEqual([from, to, steps.some(([a, b]) => a === from && b === to) ? 'changed' : 'WK000'])
    }
  }
})
