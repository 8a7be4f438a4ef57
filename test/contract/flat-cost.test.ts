import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fill, prepare, withoutIndexes } from '../../bench/fill.ts'
import { blocksOf } from '../../bench/plans.ts'
import { type Harness, start } from '../harness.ts'
import { proving } from '../proof.ts'
import type { TestWorkspace } from '../workspace.ts'
import { type Cost, costOf, startCounting } from './blocks.ts'
import { type Call, ROUNDS } from './flat-calls.ts'
import { EXCEPTIONS } from './flat-exceptions.ts'
import type { Ids } from './samples.ts'
import { seed } from './seed.ts'
import { sendSample } from './send.ts'

/**
 * Every endpoint costs the same in a small and a large workspace. Each call is made once in a workspace beside them, so that the session has
 * compiled it, and then once in each: the records that it is about are as many everywhere, only their neighbours are more.
 */

const SIZES = proving ? [1_000, 100_000, 1_000_000] : [500, 20_000]
/** A larger workspace may cost so many times as much as the smallest, or so many blocks more. */
const GROWTH = 1.2
const SMALL = 12
/** A call reads no table from end to end: also not one that is as long in every workspace, because it has the rows of all of them. */
const MOST = 1_000

let app: Harness
let workspaces: TestWorkspace[] = []
let ids: Ids[]
const results: string[] = []

beforeAll(async () => {
  app = await start({ sessions: 1 })
  await startCounting(app)
  const client = await app.owner.connect()
  workspaces = await Promise.all([200, ...SIZES, SIZES.at(-1)].map(() => app.workspace()))
  await withoutIndexes(client, async () => {
    for (const [at, size] of [200, ...SIZES, SIZES.at(-1)!].entries()) {
      const { id } = workspaces[at] as TestWorkspace
      await prepare(client, id, `Number ${at} of `)
      await fill(client, id, 0, size)
    }
  })
  await client.query('vacuum analyze')
  client.release()
  workspaces.pop()
}, 7_200_000)
afterAll(async () => {
  if (proving) console.log(`Blocks at ${SIZES.join(', ')} rows\n${results.join('\n')}`)
  await app.close()
})

for (const [round, { calls, former }] of ROUNDS.entries())
  describe(`round ${round + 1}`, () => {
    // What is served under a former path too has run already.
    const beside = former ? 1 : 0
    beforeAll(async () => {
      ids = []
      for (const ws of workspaces.slice(beside)) ids.push(await seed(app, ws))
    }, 600_000)

    // Not test.each, which cuts long names.
    for (const call of calls)
      test(call.name, async () => {
        const costs: Cost[] = []
        for (const [at, ws] of workspaces.slice(beside).entries()) costs.push(await cost(call, ws, ids[at] as Ids))
        const measured = costs.slice(1 - beside)
        results.push(`${call.name}: ${measured.map(({ blocks }) => blocks).join(', ')}`)
        const most = mostOf(call.name, measured[0] as Cost)
        expect(measured.filter(({ blocks }) => blocks > most)).toEqual([])
      })
  })

/** What cron looks for in every workspace together; with nothing due it finds that in an index. */
test.each([
  'expire_approvals()',
  'waiting_approvals(100)',
  'waiting_imports(100)',
  'expire_merge_undo(30)',
  'files_after($1, $1, 100)',
  'imports_after($1, $1, 100)',
])('the sweep %s reads no table from end to end', async (sweep) => {
  const client = await app.owner.connect()
  await client.query('begin; set local role app')
  const none = '00000000-0000-0000-0000-000000000000'
  const params = sweep.includes('$1') ? [none] : []
  const { rows } = await client.query(`explain (analyze, buffers, format json) select * from ${sweep}`, params)
  await client.query('rollback')
  client.release()
  expect(blocksOf(rows[0]['QUERY PLAN'][0].Plan)).toBeLessThan(250)
})

const mostOf = (name: string, { blocks }: Cost): number =>
  EXCEPTIONS[name]?.most ?? Math.min(MOST, Math.max(blocks * GROWTH, blocks + SMALL))

async function cost({ name, operation, prepare }: Call, ws: TestWorkspace, ids: Ids): Promise<Cost> {
  const change = await prepare({ app, ws, ids })
  const { result, ...cost } = await costOf(app, () => sendSample(app, ws, operation, ids, change))
  expect(result.status, `${name} was refused: see flat-calls.ts\n${JSON.stringify(result.body)}`).toBeLessThan(300)
  return cost
}
