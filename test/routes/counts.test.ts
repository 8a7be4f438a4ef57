import { expect, test } from 'vitest'
import { found, type Row, useCrm } from './crm.ts'

const crm = useCrm()
const page = async (path: string) => {
  const answer = await crm.ws.get(path)
  expect(answer).toMatchObject({ status: 200 })
  return answer.body as { data: Row[]; page: Row }
}
const people = async (...first_names: string[]) => {
  for (const first_name of first_names) await crm.contact({ first_name })
}

test('count is the number of matching records on the first page, whatever follows', async () => {
  await people('Ana', 'Bo', 'Cy')
  const first = await page('/contacts?count=true&limit=2')
  expect(first.page).toMatchObject({ count: 3, count_exact: true })
  await people('Di')
  const second = await page(`/contacts?count=true&limit=2&after=${first.page.next}`)
  expect([second.data.length, second.page.count]).toEqual([1, 3])
  expect((await page('/contacts?count=true&archived=all&email=nobody@example.com')).page).toMatchObject({ count: 0, count_exact: true })
  expect((await page('/approvals?count=true')).page).toMatchObject({ count: 0, count_exact: true })
})

test('a search is counted too, in every way of asking for it', async () => {
  const word = `Kestrel${Date.now()}`
  await people(`${word} Ana`, `${word} Bo`, `${word} Cy`)
  const [ana] = (await page(`/contacts?search=${word}+ana`)).data
  found(await crm.ws.patch(`/contacts/${ana!.id}`, { tags: [{ name: 'Counted' }] }))
  const exact = (count: number) => ({ count, count_exact: true })
  const searched = async (body: object) => (await crm.ws.post('/contacts/search', { count: true, limit: 1, ...body })).body.page
  expect((await page(`/contacts?count=true&limit=1&search=${word}`)).page).toMatchObject(exact(3))
  expect((await page(`/contacts?count=true&limit=1&search=${word}&sort=name`)).page).toMatchObject(exact(3))
  expect((await page(`/contacts?count=true&limit=1&search=${word}&sort=last_activity_at`)).page).toMatchObject(exact(3))
  expect((await page(`/contacts?count=true&search=${word}&tag=Counted&archived=all`)).page).toMatchObject(exact(1))
  expect((await page('/contacts?count=true&tag=Counted')).page).toMatchObject(exact(1))
  expect(await searched({ search: word })).toMatchObject(exact(3))
  expect(await searched({ filter: { field: 'tags', op: 'contains', value: 'Counted' } })).toMatchObject(exact(1))
  expect(await searched({ search: word, filter: { not: { field: 'tags', op: 'contains', value: 'Counted' } } })).toMatchObject(exact(2))
  expect(await searched({ search: word, sort: 'last_activity_at' })).toMatchObject(exact(3))
})

test('a count of thousands is a lower bound, and says so', async () => {
  await crm.app.owner.query(
    `insert into contacts (workspace_id, first_name, last_name) select $1, 'Plover', 'N' || n from generate_series(1, 4100) n`,
    [crm.ws.id],
  )
  for (const search of ['plover', 'pl']) {
    const { count, count_exact } = (await page(`/contacts?count=true&limit=1&search=${search}`)).page
    expect([count_exact, count > 3_900, count <= 4_100]).toEqual([false, true, true])
  }
})

test('count stops at 10,000', async () => {
  await crm.app.owner.query(`insert into lead_sources (workspace_id, name) select $1, 'Fair ' || n from generate_series(1, 10001) n`, [
    crm.ws.id,
  ])
  expect((await page('/lead-sources?count=true&limit=1')).page).toMatchObject({ count: 10_000, count_exact: false })
})
