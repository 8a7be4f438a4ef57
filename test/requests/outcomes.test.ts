import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Harness, start } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import { LOOKUPS } from './lookup-cases.ts'
import { lockedTables, savepoint } from './neighbours.ts'
import { NAMED, SETTLED } from './outcome-cases.ts'
import { REOPENED } from './reopen-cases.ts'
import { STATES } from './state-cases.ts'
import { TEXTS } from './text-cases.ts'
import { insertRows } from './work-items.ts'
import { collectWrites, expectWritten, plain, reportWrites, textsOf } from './written-rows.ts'

/** What functions write, lock, return and refuse: those that settle something, for each outcome. */
let app: Harness
let ws: TestWorkspace
beforeAll(async () => {
  app = await start({ own: true })
  ws = await app.workspace()
  await reportWrites(app.owner, true)
})
afterAll(() => app.close())

const NAMES = new Map(NAMED.map((id, n) => [id, `row ${n + 1}`]))
const written: Record<string, string[]> = {}

describe('each outcome is recorded, of', () => {
  test.each(Object.entries({ ...SETTLED, ...LOOKUPS, ...TEXTS, ...STATES, ...REOPENED }))('%s', async (name, { rows, calls }) => {
    const client = await app.owner.connect()
    const found = collectWrites(client)
    const filled = (text: string) => text.replaceAll('$ws', `'${ws.id}'`).replaceAll('$user', ws.userId)
    try {
      await client.query(`begin; set local session_replication_role = replica; select set_config('app.workspace_id', '${ws.id}', true)`)
      for (const [table, all] of Object.entries(rows))
        for (const row of all) await insertRows(client, table, [{ workspace_id: ws.id, ...JSON.parse(filled(JSON.stringify(row))) }])
      const { rows: times } = await client.query("select to_json(now()) #>> '{}' as now")
      for (const [what, call] of Object.entries(calls)) {
        found.length = 0
        const since = await savepoint(client)
        const answer = await client.query(filled(call)).then(
          ({ rows: results }) => `returns ${plain(Object.values(results[0] ?? {})[0] ?? null, times[0].now, NAMES)}`,
          ({ code, message, detail }) => {
            if (!code?.startsWith('WK')) throw new Error(`${message}: ${call}`)
            return `refuses ${code} ${message} ${detail ?? ''}`
          },
        )
        const locked = answer.startsWith('refuses') ? [] : await lockedTables(client, since)
        await client.query('rollback to savepoint called')
        written[`${name} ${what}`] = [...textsOf(found, NAMES), answer, ...locked.map((table) => `locks ${table}`)].sort()
      }
    } finally {
      client.removeAllListeners('notice')
      await client.query('rollback')
      client.release()
    }
  })
})

test('each writes, returns and refuses what is recorded of it (WRITTEN=write records it)', () => {
  expectWritten('outcomes.txt', written)
})
