import { describe, expect, test } from 'vitest'
import type { ApiResponse } from '../workspace.ts'
import { failed, found, held, ids, nobody, type Row, useCrm, uuid } from './crm.ts'
import { everythingOf, merge, undo } from './merging.ts'

const crm = useCrm()

const deals = (winner: string, losers: string[], how: Row = {}) => merge(crm, 'opportunities', winner, losers, how)
const deal = async (fields: Row = {}) => (await crm.opportunity(fields)).id as string
const asking = (winner_id: string, ...loser_ids: string[]) => ({ winner_id, loser_ids })

describe('an old id', () => {
  const paths: [string, string, unknown?][] = [
    ['GET', ''],
    ['PATCH', '', { name: 'B' }],
    ['DELETE', ''],
    ['POST', '/move', { stage_id: nobody }],
    ['GET', '/products'],
    ['POST', '/products', { name: 'Desk' }],
    ['GET', '/timeline'],
    ['POST', '/tags', { name: 'VIP' }],
    ['GET', '/stage-history'],
  ]
  test.each(paths)('%s /opportunities/:id%s answers with the winner’s', async (method, rest, body) => {
    const [winner, loser] = [await deal(), await deal()]
    await deals(winner, [loser])
    for (const plural of ['opportunities', 'deals']) {
      const answer = await crm.ws.call(method, `/${plural}/${loser}${rest}`, body)
      expect(answer).toMatchObject({ ...failed(404, 'NOT_FOUND'), body: { error: { details: { merged_into: winner } } } })
      expect(answer.body.error.message).toContain(winner)
    }
  })

  test.each([
    ['contacts', 'first_name', ['', '/deals']],
    ['companies', 'name', ['', '/contacts', '/subsidiaries']],
  ] as const)('of %s does so too', async (plural, name, reads) => {
    const make = async () => (await crm.ws.post(`/${plural}`, { [name]: 'A' })).body.data.id as string
    const [winner, loser] = [await make(), await make()]
    await merge(crm, plural, winner, [loser])
    const answers = [
      ...(await Promise.all(reads.map((path) => crm.ws.get(`/${plural}/${loser}${path}`)))),
      await crm.ws.patch(`/${plural}/${loser}`, { [name]: 'B' }),
      await crm.ws.delete(`/${plural}/${loser}`),
    ]
    for (const answer of answers) expect(answer).toMatchObject({ status: 404, body: { error: { details: { merged_into: winner } } } })
  })

  test('in a bulk call is reported record by record', async () => {
    const [winner, loser] = [await deal(), await deal()]
    await deals(winner, [loser])
    const error = { index: 0, id: loser, error: { code: 'NOT_FOUND', details: { merged_into: winner } } }
    const update = await crm.ws.post('/opportunities/bulk-update', {
      records: [
        { id: loser, name: 'B' },
        { id: nobody, name: 'B' },
      ],
    })
    expect(update.body.data.errors).toMatchObject([error, { index: 1, error: { code: 'NOT_FOUND' } }])
    expect(update.body.data.errors[1].error).not.toHaveProperty('details')
    expect((await crm.ws.post('/opportunities/bulk-delete', { ids: [loser] })).body.data.errors).toMatchObject([error])
  })

  test('says so nowhere else, and to nobody else', async () => {
    const [winner, loser] = [await deal(), await deal()]
    await deals(winner, [loser])
    const answer = await (await crm.app.workspace()).get(`/opportunities/${loser}`)
    expect(answer).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(JSON.stringify(answer.body)).not.toContain(winner)
    expect((await crm.ws.get(`/opportunities/${nobody}`)).body.error).not.toHaveProperty('details')
    const again = await crm.ws.post('/opportunities/merge', asking(winner, loser))
    expect(again.body.error.details.issues).toEqual([{ path: 'loser_ids.0', message: expect.stringContaining(winner) }])
  })
})

describe('merges', () => {
  test('are listed, newest first, by winner, by loser and by whether they were undone', async () => {
    const made = [await deal(), await deal(), await deal(), await deal(), await deal()] as [string, string, string, string, string]
    const [a, b, c, d, e] = made
    const first = (await deals(a, [b])).merge_id
    const second = (await deals(a, [c])).merge_id
    const third = (await deals(d, [e])).merge_id
    await undo(crm, 'opportunities', second)
    const list = async (query: string) => ids(found(await crm.ws.get(`/deals/merges${query}`)))
    expect(await list('')).toEqual([third, second, first])
    expect(await list(`?winner_id=${a}`)).toEqual([second, first])
    expect(await list(`?loser_id=${c}`)).toEqual([second])
    expect(await list('?undone=true')).toEqual([second])
    expect(await list(`?undone=false&winner_id=${a}`)).toEqual([first])
    expect(ids(await crm.walk('/opportunities/merges?limit=1'))).toEqual([third, second, first])
    expect(found(await crm.ws.get('/contacts/merges'))).toEqual([])
    expect(found(await crm.ws.get(`/opportunities/merges/${first}`))).toMatchObject({
      id: first,
      winner_id: a,
      losers: [{ id: b }],
      merged_by: crm.ws.userId,
      request_id: uuid,
      undone: false,
      undone_at: null,
      changed_since: [],
    })
  })

  test('are in the history of all that they changed, and tell one event with the losers', async () => {
    const [winner, loser] = [await deal({ name: 'A' }), await deal({ description: 'Told' })]
    const task = (await crm.ws.post('/tasks', { title: 'Call', opportunity_id: loser })).body.data.id
    const answer = await crm.ws.post('/opportunities/merge', asking(winner, loser))
    const request_id = answer.headers.get('x-request-id')
    const latest = async (path: string) => found(await crm.ws.get(`${path}/history`))[0]
    expect(await latest(`/opportunities/${winner}`)).toMatchObject({
      action: 'updated',
      request_id,
      fields: { description: { after: 'Told' } },
    })
    expect(await latest(`/opportunities/${loser}`)).toMatchObject({
      action: 'deleted',
      request_id,
      fields: { description: { before: 'Told' } },
    })
    expect(await latest(`/tasks/${task}`)).toMatchObject({ request_id, fields: { opportunity_id: { before: loser, after: winner } } })
    const [merged] = (await crm.events(winner)).filter(({ type }) => type === 'opportunity.merged')
    expect(merged).toMatchObject({ payload: { merge_id: answer.body.data.merge_id, loser_ids: [loser] }, request_id })
    const timeline = found(await crm.ws.get(`/opportunities/${winner}/timeline`))
    expect(timeline.filter(({ data }) => data.entity_id === task)).toHaveLength(1)

    await undo(crm, 'opportunities', answer.body.data.merge_id)
    const [restored, deleted, first] = found(await crm.ws.get(`/opportunities/${loser}/history`))
    expect([restored?.action, deleted?.action, first?.action]).toEqual(['created', 'deleted', 'created'])
    expect([restored?.version, deleted?.version, first?.version]).toEqual([3, 2, 1])
    const types = [...(await crm.events(winner)), ...(await crm.events(loser))].map(({ type }) => type)
    expect(types.filter((type) => /merged|moved|won|lost/.test(type))).toEqual(['opportunity.merged', 'opportunity.unmerged'])
  })

  test('happen once for one Idempotency-Key, and are answered again', async () => {
    const [winner, loser] = [await deal(), await deal()]
    const key = { 'idempotency-key': crypto.randomUUID() }
    const [first, second] = [
      await crm.ws.post('/opportunities/merge', asking(winner, loser), key),
      await crm.ws.post('/opportunities/merge', asking(winner, loser), key),
    ]
    expect(second.body).toEqual(first.body)
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    expect(found(await crm.ws.get('/opportunities/merges'))).toHaveLength(1)
  })
})

describe('a key that has to ask', () => {
  test('previews at once, and its merge waits, runs as it was tried, and its undo too', async () => {
    const [winner, loser] = [await deal(), await deal({ description: 'Told' })]
    const agent = await crm.ws.key({ level: 'approval' })
    const before = await everythingOf(crm)
    expect((await agent.post('/opportunities/merge', { ...asking(winner, loser), preview: true })).body.data).toMatchObject({
      merge_id: null,
      field_changes: { description: { after: 'Told' } },
    })
    const pending = await agent.post('/opportunities/merge', asking(winner, loser))
    expect(pending).toMatchObject(held)
    expect(found(await crm.ws.get(`/approvals/${pending.body.approval_id}`)).changes).toContainEqual(
      expect.objectContaining({ entity: 'opportunity', entity_id: loser, action: 'deleted' }),
    )
    found(await crm.ws.post(`/approvals/${pending.body.approval_id}/approve`, {}))
    await crm.app.drain()
    const { status, response_body } = found(await crm.ws.get(`/approvals/${pending.body.approval_id}`))
    expect([status, response_body.data.winner.description]).toEqual(['executed', 'Told'])
    const again = await agent.post(`/opportunities/merges/${response_body.data.merge_id}/undo`)
    expect(again).toMatchObject(held)
    found(await crm.ws.post(`/approvals/${again.body.approval_id}/approve`, {}))
    await crm.app.drain()
    expect(await everythingOf(crm)).toEqual(before)
  })

  test('is not believed when a record has changed meanwhile', async () => {
    const [winner, loser] = [await deal(), await deal()]
    const task = (await crm.ws.post('/tasks', { title: 'Call', opportunity_id: loser })).body.data.id
    const pending = await crm.ws.post('/opportunities/merge', { ...asking(winner, loser), require_approval: true })
    found(await crm.ws.patch(`/tasks/${task}`, { opportunity_id: null }))
    expect(await crm.ws.post(`/approvals/${pending.body.approval_id}/approve`, {})).toMatchObject(failed(409, 'APPROVAL_STALE'))
    found(await crm.ws.get(`/opportunities/${loser}`))
  })
})

describe('at once', () => {
  const statuses = (answers: ApiResponse[]) => answers.map(({ status }) => status).sort()

  test('of merges that share a loser one succeeds, and the others get merged_into', async () => {
    const winners = await Promise.all(Array.from({ length: 12 }, () => deal()))
    const loser = await deal({ products: [{ name: 'Desk' }] })
    const answers = await Promise.all(winners.map((winner) => crm.ws.post('/opportunities/merge', asking(winner, loser))))
    expect(statuses(answers)).toEqual([200, ...Array(11).fill(400)])
    const winner = answers.find(({ status }) => status === 200)?.body.data.winner.id
    for (const { body } of answers.filter(({ status }) => status === 400))
      expect(body.error.details.issues).toEqual([{ path: 'loser_ids.0', message: expect.stringContaining(winner) }])
    expect(await crm.count('opportunity_products')).toBe(1)
  })

  test('merges into one another: no record is lost but the losers', async () => {
    const all = await Promise.all(Array.from({ length: 10 }, async (_, i) => deal({ products: [{ name: `Desk ${i}` }] })))
    const pairs = all.flatMap((winner, i) => [
      [winner, all[(i + 1) % 10] as string],
      [winner, all[(i + 9) % 10] as string],
    ]) as [string, string][]
    const answers = await Promise.all(pairs.map(([winner, loser]) => crm.ws.post('/opportunities/merge', asking(winner, loser))))
    expect(new Set(statuses(answers))).toEqual(new Set([200, 400]))
    const left = found(await crm.ws.get('/opportunities'))
    expect(left).toHaveLength(10 - answers.filter(({ status }) => status === 200).length)
    expect(await crm.count('opportunity_products')).toBe(10)
    for (const id of all.filter((id) => !ids(left).includes(id)))
      expect(ids(left)).toContain((await crm.ws.get(`/opportunities/${id}`)).body.error.details.merged_into)
  })

  test('a merge concurrent with changes to its loser and the related records: none is lost, and late ones get merged_into', async () => {
    const [winner, loser, other] = [await deal(), await deal(), await deal()]
    const tasks = await Promise.all(
      Array.from({ length: 8 }, async () => (await crm.ws.post('/tasks', { title: 'A', opportunity_id: loser })).body.data.id as string),
    )
    const [merged, ...answers] = await Promise.all([
      crm.ws.post('/opportunities/merge', asking(winner, loser)),
      ...Array.from({ length: 8 }, (_, i) => crm.ws.patch(`/opportunities/${loser}`, { value: i })),
      ...tasks.map((id) => crm.ws.patch(`/tasks/${id}`, { opportunity_id: other })),
    ])
    expect(merged?.status).toBe(200)
    for (const { status, body } of answers.slice(0, 8))
      expect([200, winner]).toContain(status === 200 ? 200 : body.error.details.merged_into)
    expect(answers.slice(8).map(({ status }) => status)).toEqual(Array(8).fill(200))
    for (const id of tasks) expect(found(await crm.ws.get(`/tasks/${id}`)).opportunity_id).toBe(other)
  })

  test('a merge, its undo twice, and changes of all it touches', async () => {
    const person = (await crm.contact()).id
    const [winner, loser] = [await crm.company('W'), await crm.company('L')]
    const people = await Promise.all(Array.from({ length: 8 }, () => crm.contact({ customer_id: loser })))
    const [done] = await Promise.all([
      crm.ws.post('/companies/merge', asking(winner, loser)),
      ...people.map(({ id }) => crm.ws.patch(`/contacts/${id}`, { is_primary: true })),
      crm.ws.post(`/contacts/${person}/employers/${winner}`),
    ])
    expect(done?.status).toBe(200)
    expect(found(await crm.ws.get(`/companies/${winner}/contacts`)).filter(({ is_primary }) => is_primary).length).toBeLessThanOrEqual(1)
    const path = `/companies/merges/${done?.body.data.merge_id}/undo`
    expect(statuses(await Promise.all([crm.ws.post(path), crm.ws.post(path)]))).toEqual([200, 409])
    expect(found(await crm.ws.get(`/companies/${loser}/contacts`))).toHaveLength(8)
  })
})
