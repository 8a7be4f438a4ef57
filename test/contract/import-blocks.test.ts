import { beforeAll, expect, test } from 'vitest'
import { found, useCrm } from '../routes/crm.ts'
import { useImports } from '../routes/importing.ts'
import { costOf, startCounting } from './blocks.ts'

const crm = useCrm({ ownServer: true, sessions: 1 })
const { upload } = useImports(crm)
beforeAll(() => startCounting(crm.app))

test('an import reads as much among 1,000 and among 9,000 companies without an external id, of which no statistics are known', async () => {
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

test('an import of preferred prices reads as much among 1,000 as among 9,000 prices, when it creates and when it updates', async () => {
  const supplier = await crm.company('Northern')
  await Promise.all(Array.from({ length: 10 }, (_, n) => crm.product({ sku: `K${n}` })))
  const work = async (from: number, price: number) => {
    const lines = Array.from({ length: 10 }, (_, n) => `price-${from + n},Northern,K${n},${price},yes`)
    const { body } = await upload(['external_id,supplier,product,price,preferred', ...lines].join('\n'), '?object=supplier_catalog_entries')
    found(await crm.ws.post(`/imports/${body.data.id}/start`))
  }
  // The session compiles the functions.
  for (const price of [1, 2]) {
    await work(0, price)
    await crm.app.drain()
  }
  const beside = (count: number) =>
    crm.app.owner.query(
      `begin; set local session_replication_role = replica;
        insert into supplier_catalog_entries (workspace_id, supplier_id, supplier_price)
          select '${crm.ws.id}', '${supplier}', n from generate_series(1, ${count}) n; commit; analyze supplier_catalog_entries`,
    )
  await beside(1000)
  const few = [await costOf(crm.app, () => work(100, 1)), await costOf(crm.app, () => work(100, 2))]
  await beside(8000)
  const many = [await costOf(crm.app, () => work(200, 1)), await costOf(crm.app, () => work(200, 2))]
  expect(
    found(await crm.ws.get('/supplier-catalog?is_preferred=true'))
      .map(({ external_id }) => external_id)
      .toSorted(),
  ).toEqual(Array.from({ length: 10 }, (_, n) => `price-${200 + n}`))
  for (const [n, { blocks, statements }] of many.entries()) expect(blocks, statements.join('\n')).toBeLessThan((few[n]?.blocks ?? 0) * 1.2)
})

test('an import of leads reads as much among 1,000 and among 9,000 results, of which no statistics are known', async () => {
  const work = async (from: number) => {
    const lines = Array.from({ length: 10 }, (_, n) => `Lead ${from + n},l${from + n}@leads.example,,lead-${from + n}.example,Perth`)
    const { body } = await upload(['name,email,phone,website,city', ...lines].join('\n'), '?object=lead_results')
    found(await crm.ws.post(`/imports/${body.data.id}/start`))
  }
  // The session compiles the functions.
  await work(0)
  await crm.app.drain()
  const beside = (count: number) =>
    crm.app.owner.query(
      `begin; set local session_replication_role = replica;
        insert into lead_results (workspace_id, name, email, city)
          select '${crm.ws.id}', 'Other ' || n, 'o' || n || '@others.example', 'Perth' from generate_series(1, ${count}) n; commit`,
    )
  await beside(1000)
  const few = await costOf(crm.app, () => work(100))
  await beside(8000)
  const many = await costOf(crm.app, () => work(200))
  expect(many.blocks, many.statements.join('\n')).toBeLessThan(few.blocks * 1.2)
})
