import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { createWorkspace } from '../dev/workspace.ts'
import { MERGE_CATEGORIES } from '../src/features/merges/rules/categories.ts'
import { MOST_ROWS, UNDO_DAYS } from '../src/features/merges/rules/merges.ts'
import { cpuOf, startStack } from './stack.ts'

/** Measures the cost of merging opportunities and of undoing it, by the number of opportunities and of rows that belong to each. */

const { values: flags } = parseArgs({ options: { sizes: { type: 'string', default: '1x50,10x50,100x50,100x5,100x140' } } })
/** The number of losers, and of the rows of each. */
const SIZES = flags.sizes.split(',').map((size) => size.split('x').map(Number) as [number, number])

const stack = await startStack()
try {
  const { workspace_id } = await createWorkspace(stack.owner, { name: 'Merges', ownerEmail: 'owner@example.com', ownerName: 'Owner' })
  await stack.owner.query("select set_config('app.workspace_id', $1, false)", [workspace_id])
  const client = await stack.app.connect()
  await client.query("select set_config('app.workspace_id', $1, false)", [workspace_id])
  const { rows } = await client.query('select pg_backend_pid() as pid')
  const timed = async (name: string, call: string, body: object) => {
    const [begun, cpu] = [performance.now(), cpuOf(rows[0].pid)]
    await client.query(call, [JSON.stringify(body)])
    console.log(`  ${name.padEnd(6)} ${Math.round(performance.now() - begun)} ms, CPU ${cpuOf(rows[0].pid) - cpu} ms`)
  }

  for (const [losers, children] of SIZES) {
    const made = await client.query("insert into opportunities (name) select 'Deal ' || n from generate_series(0, $1) n returning id", [
      losers,
    ])
    const [winner_id, ...loser_ids] = made.rows.map(({ id }) => id)
    for (const [columns, values] of [
      ['tasks (title, opportunity_id)', "'Task', o"],
      ['activities (activity_type, deal_id)', "'note', o"],
      ['opportunity_products (name, opportunity_id, position)', "'Line', o, n"],
      ['opportunity_buckets (name, opportunity_id, position)', "'Bucket ' || n, o, n"],
      ['attachments (name, opportunity_id, content_type, size, sha256)', "'File', o, 'text/plain', 1, ''"],
    ])
      await client.query(`insert into ${columns} select ${values} from unnest($1::uuid[]) o, generate_series(1, $2) n`, [
        loser_ids,
        children / 5,
      ])
    await stack.owner.query('vacuum analyze')
    console.log(`${losers} losers, ${losers * children} rows`)
    const of = { merge_id: randomUUID(), entity: 'opportunity', table: 'opportunities', what: 'opportunity' }
    const how = { categories: MERGE_CATEGORIES.opportunity, opted_out: [], most: MOST_ROWS }
    await timed('merge', 'select merge_records($1)', { ...of, ...how, winner_id, loser_ids })
    await timed('undo', 'select unmerge_records($1)', { ...of, days: UNDO_DAYS })
  }
  client.release()
} finally {
  await stack.stop()
}
