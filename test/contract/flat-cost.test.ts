import { afterAll, beforeAll, expect, test } from 'vitest'
import { fill, prepare } from '../../bench/fill.ts'
import { isWrite } from '../../src/http/endpoint.ts'
import { type Harness, start } from '../harness.ts'
import { proving } from '../proof.ts'
import type { TestWorkspace } from '../workspace.ts'
import { type Cost, costOf, startCounting } from './blocks.ts'
import { type Ids, type Operation, operations } from './samples.ts'
import { seed } from './seed.ts'
import { sendSample } from './send.ts'

const SIZES = proving ? [1_000, 100_000, 1_000_000] : [500, 20_000]

type Measured = { ws: TestWorkspace; ids: Ids }
let app: Harness
let measured: Measured[]
const table: string[] = []

beforeAll(async () => {
  app = await start({ sessions: 1 })
  await startCounting(app)
  const client = await app.owner.connect()
  const workspaces: TestWorkspace[] = []
  for (const size of [100, ...SIZES]) {
    const ws = await app.workspace()
    await prepare(client, ws.id, `Of ${size} `)
    await fill(client, ws.id, 0, size)
    workspaces.push(ws)
  }
  const beside = await app.workspace()
  await prepare(client, beside.id, 'Beside')
  await fill(client, beside.id, 0, SIZES.at(-1)!)
  await client.query('vacuum analyze')
  client.release()
  measured = []
  for (const ws of workspaces) measured.push({ ws, ids: await seed(app, ws) })
}, 3_600_000)
afterAll(async () => {
  console.log(table.join('\n'))
  await app.close()
})

const deletes = ({ endpoint }: Operation) => Number(endpoint.method === 'DELETE' || endpoint.path.includes('delete'))
const inOrder = operations.filter(({ endpoint }) => !endpoint.successor).toSorted((a, b) => Number(isWrite(a.endpoint)) - Number(isWrite(b.endpoint)) || deletes(a) - deletes(b))

test.each(inOrder)('$name', async (operation) => {
  const costs: Cost[] = []
  for (const { ws, ids } of measured) {
    const cost = await costOf(app, () => sendSample(app, ws, operation, ids))
    costs.push(cost)
    table.push(`${cost.result.status} ${operation.name} ${cost.blocks} ${cost.result.status > 299 ? JSON.stringify(cost.result.body) : ''}`)
  }
  const [, small, ...others] = costs
  for (const other of others) {
    if (other.blocks > small!.blocks * 1.2 && other.blocks > small!.blocks + 12) table.push(`GROWS ${operation.name} ${costs.map(({ blocks }) => blocks)} ${other.statements.join('\n     ')}`)
  }
})
