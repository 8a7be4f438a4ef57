import { expect, test } from 'vitest'
import { MAX_COMPANY_LEVELS } from '../../src/domain/limits.ts'
import { found, refused, useCrm } from './crm.ts'

const crm = useCrm()

test('a company comes to have fewer than fifty above it on every path that moves it, and no more', async () => {
  const { rows } = await crm.app.owner.query(
    `with made as (select n, uuidv7() as id from generate_series(1, $2::int) n)
      insert into companies (workspace_id, id, name, external_id, parent_company_id)
      select $1, m.id, 'Level ' || m.n, 'level-' || m.n, (select p.id from made p where p.n = m.n - 1) from made m order by m.n
      returning id`,
    [crm.ws.id, MAX_COMPANY_LEVELS],
  )
  const [above, deepest] = rows.slice(-2).map(({ id }) => id)
  const id = await crm.company('Moved')
  const parentOf = async () => found(await crm.ws.get(`/companies/${id}`)).parent_company_id
  const paths = {
    patch: (parent_company_id: string) => crm.ws.patch(`/companies/${id}`, { parent_company_id }),
    bulk: (parent_company_id: string) => crm.ws.post('/companies/bulk-update', { records: [{ id, parent_company_id }] }),
    upsert: (parent_company_id: string) => crm.ws.post('/companies/upsert', { name: 'Moved', external_id: 'moved', parent_company_id }),
  }
  found(await crm.ws.patch(`/companies/${id}`, { external_id: 'moved' }))
  for (const [name, move] of Object.entries(paths)) {
    found(await crm.ws.patch(`/companies/${id}`, { parent_company_id: null }))
    const { body, status } = await move(deepest)
    const issues = (body.data?.errors?.[0]?.error ?? body.error)?.details.issues
    expect([name, issues?.[0]?.path, status === 400 || name === 'bulk']).toEqual([name, 'parent_company_id', true])
    expect([name, await parentOf()]).toEqual([name, null])
    found(await move(above))
    expect([name, await parentOf()]).toEqual([name, above])
  }
  const named = async (name: string) => found(await crm.ws.get(`/companies?search=${name}`)).length
  for (const parent_company_id of [deepest, above]) {
    const isDeep = parent_company_id === deepest
    expect(await crm.ws.post('/companies', { name: 'Made', parent_company_id })).toMatchObject(isDeep ? refused('parent_company_id') : {})
    await crm.ws.post('/companies/bulk-create', { records: [{ name: 'Together', parent_company_id }] })
    expect([await named('Made'), await named('Together')]).toEqual(isDeep ? [0, 0] : [1, 1])
  }
  // What is as deep as it may be can be sent back as it was read.
  found(await crm.ws.patch(`/companies/${deepest}`, { parent_company_id: above }))
  expect(await crm.ws.patch(`/companies/${rows[0]?.id}`, { parent_company_id: deepest })).toMatchObject(refused('parent_company_id'))
})
