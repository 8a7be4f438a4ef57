import { expect, test } from 'vitest'
import { isAboutSatisfaction } from '../../../src/features/reputation/rules/review-audience.ts'
import { MAX_ASKED_AUDIENCE } from '../../../src/features/reputation/rules/review-requests.ts'
import { created, failed, found, type Row, refused, useCrm } from '../crm.ts'
import { asking } from './asking.ts'

const crm = useCrm()
const { ready, person, ask } = asking(crm)
const namesOf = (bulk: Row) => bulk.results.map(({ contact_id }: Row) => contact_id).toSorted()

test('an audience has the contacts of tags, of lists and of a filter', async () => {
  await ready()
  const [ana, bo, cy] = [
    await person({ tags: [{ name: 'June' }], city: 'Perth' }),
    await person({ tags: [{ name: 'June' }] }),
    await person({ city: 'Perth' }),
  ]
  await person()
  const list = created(await crm.ws.post('/lists', { name: 'Chosen', object: 'contacts', kind: 'static' }))
  found(await crm.ws.post(`/lists/${list.id}/members`, { ids: [cy.id] }))
  const inPerth = { field: 'city', op: 'eq', value: 'Perth' }
  expect(namesOf(found(await ask({ audience: { tags: ['june'], filter: inPerth } })))).toEqual([ana.id])
  expect(namesOf(found(await ask({ audience: { list_ids: [list.id] } })))).toEqual([cy.id])
  const rest = found(await ask({ audience: { tags: ['June'] } }))
  expect(namesOf(rest)).toEqual([bo.id])
  expect(rest.skipped).toMatchObject([{ id: ana.id }])
})

test('an audience by satisfaction is refused, however it is named, and the answer says why', async () => {
  await ready()
  const { id } = await person({ tags: [{ name: 'Happy customers' }] })
  created(await crm.ws.post('/custom-fields', { object: 'contact', key: 'nps_score', label: 'NPS', type: 'number' }))
  const filter = {
    all: [
      { field: 'city', op: 'eq', value: 'Perth' },
      { field: 'metadata.nps_score', op: 'gte', value: 9 },
    ],
  }
  const live = created(
    await crm.ws.post('/lists', {
      name: 'June',
      object: 'contacts',
      kind: 'live',
      filter: { field: 'tags', op: 'in', value: ['Promoters'] },
    }),
  )
  const named = created(await crm.ws.post('/lists', { name: '5 stars only', object: 'contacts', kind: 'static' }))
  for (const [audience, path] of [
    [{ tags: ['June', 'Happy customers'] }, 'audience.tags.1'],
    [{ filter }, 'audience.filter.all.1.field'],
    [{ filter: { field: 'tags', op: 'in', value: ['satisfied'] } }, 'audience.filter.value'],
    [{ list_ids: [live.id] }, 'audience.list_ids.0'],
    [{ list_ids: [named.id] }, 'audience.list_ids.0'],
    [{ filter: { field: 'list', op: 'in', value: live.id } }, 'audience.filter'],
  ] as const) {
    const answer = await ask({ audience })
    expect(answer, JSON.stringify(audience)).toMatchObject(refused(path))
    expect(answer.body.error.details.issues[0].message).toContain('forbid')
  }
  for (const key of ['min_rating', 'rating', 'satisfaction'])
    expect(await ask({ audience: { tags: ['June'], [key]: 4 } })).toMatchObject(refused(`audience.${key}`))
  expect(await crm.count('review_requests')).toBe(0)
  expect(found(await ask({ contact_ids: [id] })).results).toHaveLength(1)
})

test.each([
  ['Rating', true],
  ['minRating', true],
  ['CSAT 2026', true],
  ['Zufriedene Kunden', true],
  ['Très satisfait', true],
  ['unhappy', true],
  ['operating', false],
  ['Generating sets', false],
  ['starter', false],
  ['June', false],
])('%s is about satisfaction: %s', (name, is) => {
  expect(isAboutSatisfaction(name)).toBe(is)
})

test('an audience is bounded, and a filter that does not exist is refused at its place', async () => {
  await ready()
  await crm.app.owner.query(
    `insert into contacts (workspace_id, first_name, email) select $1, 'N', 'n' || n || '@many.example' from generate_series(1, $2::int) n`,
    [crm.ws.id, MAX_ASKED_AUDIENCE + 1],
  )
  const all = { field: 'first_name', op: 'eq', value: 'N' }
  expect(await ask({ audience: { filter: all } })).toMatchObject(refused('audience'))
  expect(await ask({ audience: { filter: { field: 'cty', op: 'eq', value: 'x' } } })).toMatchObject(refused('audience.filter.field'))
  expect(await ask({ audience: { filter: { field: 'metadata.unknown', op: 'eq', value: 'x' } } })).toMatchObject({ status: 400 })
  await crm.app.owner.query("delete from contacts where workspace_id = $1 and email = 'n1@many.example'", [crm.ws.id])
  expect(found(await ask({ audience: { filter: all } })).results).toHaveLength(MAX_ASKED_AUDIENCE)
}, 60_000)

test('an audience needs the scope to read contacts', async () => {
  await ready()
  const { id } = await person({ tags: [{ name: 'June' }] })
  const ws = await crm.ws.key({ scopes: ['reputation:write'] })
  expect(await ws.post('/reputation/review-requests', { channel: 'email', audience: { tags: ['June'] } })).toMatchObject(
    failed(403, 'INSUFFICIENT_SCOPE'),
  )
  expect(found(await ws.post('/reputation/review-requests', { channel: 'email', contact_ids: [id] })).results).toHaveLength(1)
})
