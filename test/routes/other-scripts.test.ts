import { expect, test } from 'vitest'
import { found, type Row, useCrm } from './crm.ts'

const crm = useCrm()

const titles = async (q: string) =>
  (found(await crm.ws.get(`/search?q=${encodeURIComponent(q)}`)) as Row).contacts.map(({ title }: Row) => title)
const listed = async (search: string) =>
  (found(await crm.ws.get(`/contacts?search=${encodeURIComponent(search)}`)) as Row[]).map(
    ({ first_name, last_name }) => `${first_name} ${last_name}`,
  )

test.each([
  ['Cyrillic', ['Дмитрий', 'Иванов'], ['Дмитрий', 'Ивоанов'], ['Наталья', 'Смирнова']],
  ['Greek', ['Ελένη', 'Παπαδοπούλου'], ['Ελένη', 'Παπαδοπόλου'], ['Μαρία', 'Γεωργίου']],
] as const)('names in %s are similar, and are found by words, their parts and with a typing error', async (_, one, alike, other) => {
  for (const [first_name, last_name] of [one, alike, other]) await crm.contact({ first_name, last_name })
  const { rows } = await crm.app.owner.query('select similarity(norm($1), norm($2)) as alike, similarity(norm($1), norm($3)) as other', [
    one.join(' '),
    alike.join(' '),
    other.join(' '),
  ])
  expect(rows[0].alike).toBeGreaterThan(0.6)
  expect(rows[0].other).toBeLessThan(0.2)

  const pairs = found(await crm.ws.get('/contacts/duplicates')) as Row[]
  expect(pairs).toHaveLength(1)
  expect([pairs[0]!.record.name, pairs[0]!.candidates[0].record.name].sort()).toEqual([one.join(' '), alike.join(' ')].sort())

  expect(await titles(one[1])).toContain(one.join(' '))
  expect(await titles(one[1].toUpperCase())).toContain(one.join(' '))
  expect((await titles(alike[1])).sort()).toEqual([one.join(' '), alike.join(' ')].sort())
  expect(await listed(one[1].slice(0, 4))).toContain(one.join(' '))
  expect(await listed(other[1])).toEqual([other.join(' ')])
})
