import { expect, test } from 'vitest'
import { found, useCrm } from '../routes/crm.ts'
import { useImports } from '../routes/importing.ts'
import { costOf, startCounting } from './blocks.ts'

const crm = useCrm({ ownServer: true, sessions: 1 })
const { upload } = useImports(crm)

test('an import reads as much among 1,000 and among 9,000 companies without an external id, of which no statistics are known', async () => {
  await startCounting(crm.app)
  const work = async (from: number) => {
    const lines = Array.from({ length: 10 }, (_, n) => `e${from + n},Company ${from + n}`)
    const { body } = await upload(['external_id,name', ...lines].join('\n'), '?object=companies')
    found(await crm.ws.post(`/imports/${body.data.id}/start`))
  }
  // The session compiles the functions.
  await work(0)
  await crm.app.drain()
  const beside = (count: number) =>
    crm.app.owner.query(
      `begin; set local session_replication_role = replica;
        insert into companies (workspace_id, name) select '${crm.ws.id}', 'Other ' || n from generate_series(1, ${count}) n; commit`,
    )
  await beside(1000)
  const few = await costOf(crm.app, () => work(100))
  await beside(8000)
  const many = await costOf(crm.app, () => work(200))
  expect(many.blocks, many.statements.join('\n')).toBeLessThan(few.blocks * 1.2)
})
