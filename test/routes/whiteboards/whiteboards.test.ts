import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing'
import { describe, expect, test } from 'vitest'
import { created, failed, found, ids, nobody, type Row, refused, useCrm } from '../crm.ts'
import { merge } from '../merging.ts'
import { box, boxes, idsOf, useBoards } from './drawing.ts'

const crm = useCrm()
const { board, get, put, add, versions } = useBoards(crm)

describe('a whiteboard', () => {
  test('is created empty, found by opportunity and name, updated, deleted and restored with its drawing', async () => {
    const { id: opportunity_id } = await crm.opportunity()
    const made = await board({ name: 'Kitchen sketch', description: 'From the meeting', opportunity_id })
    await board({ name: 'Organisation' })
    expect(made).toMatchObject({ name: 'Kitchen sketch', opportunity_id, element_count: 0, content_sha256: null, version: 1 })
    expect(ids(found(await crm.ws.get(`/whiteboards?opportunity_id=${opportunity_id}`)))).toEqual([made.id])
    const [listed] = found(await crm.ws.get('/whiteboards?search=kitch'))
    expect(listed).toEqual(made)
    expect((found(await crm.ws.get('/whiteboards?sort=name')) as Row[]).map(({ name }) => name)).toEqual(['Kitchen sketch', 'Organisation'])

    found(await put(made.id, [box('a')], { appState: { viewBackgroundColor: '#fafafa' } }))
    found(await crm.ws.patch(`/whiteboards/${made.id}`, { name: 'Kitchen', description: null, opportunity_id: null }))
    const whole = await get(made.id)
    expect(whole).toMatchObject({ name: 'Kitchen', description: null, opportunity_id: null, element_count: 1, version: 3 })
    expect(whole).toMatchObject({ appState: { viewBackgroundColor: '#fafafa' }, files: {} })
    found(await crm.ws.delete(`/whiteboards/${made.id}`))
    expect(await crm.ws.get(`/whiteboards/${made.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await put(made.id, [])).toMatchObject(failed(404, 'NOT_FOUND'))
    found(await crm.ws.post(`/whiteboards/${made.id}/restore`))
    expect((await get(made.id)).elements).toEqual(whole.elements)
  })

  test('stays without its opportunity when that is deleted, and moves with it in a merge', async () => {
    const [winner, loser] = [await crm.opportunity(), await crm.opportunity()]
    const { id } = await board({ opportunity_id: loser.id })
    await merge(crm, 'opportunities', winner.id, [loser.id])
    expect(await get(id)).toMatchObject({ opportunity_id: winner.id })
    found(await crm.ws.delete(`/opportunities/${winner.id}`))
    expect(await get(id)).toMatchObject({ opportunity_id: null })
  })

  test('is on the timeline of its opportunity, for those who may read boards; what is drawn is not', async () => {
    const { id: opportunity_id } = await crm.opportunity()
    const { id } = await board({ opportunity_id })
    found(await put(id, [box('a')]))
    const path = `/opportunities/${opportunity_id}/timeline`
    const entries = (answer: Row[]) => JSON.stringify(answer).match(/"entity":"whiteboard"/g)?.length ?? 0
    expect(entries(found(await crm.ws.get(path)))).toBe(1)
    const seller = await crm.ws.key({ scopes: ['opportunities:read'] })
    expect(entries(found(await seller.get(path)))).toBe(0)
  })

  test('goes for ever with a purge of its opportunity', async () => {
    const { id: opportunity_id } = await crm.opportunity()
    const { id } = await board({ opportunity_id })
    found(await put(id, [box('a')]))
    found(await crm.ws.delete(`/opportunities/${opportunity_id}?purge=true`))
    expect(await crm.ws.get(`/whiteboards/${id}`)).toMatchObject({ status: 404 })
    expect([await crm.count('whiteboard_elements'), await crm.count('whiteboard_scenes')]).toEqual([0, 0])
  })

  test('that was deleted keeps its content until its deletion expires, and a restored one keeps it then', async () => {
    const expire = () => crm.app.owner.query('delete from deleted_rows where workspace_id = $1', [crm.ws.id])
    const [gone, back] = [await board(), await board()]
    for (const { id } of [gone, back]) {
      found(await put(id, [box('a')]))
      found(await crm.ws.delete(`/whiteboards/${id}`))
    }
    expect(await crm.count('whiteboard_elements')).toBe(2)
    found(await crm.ws.post(`/whiteboards/${back.id}/restore`))
    await expire()
    expect([await crm.count('whiteboard_elements'), await crm.count('whiteboard_scenes')]).toEqual([1, 1])
    expect(idsOf(await get(back.id))).toEqual(['a'])
  })

  test('history and events have the length and the digest of the content, not the content', async () => {
    const { id } = await board()
    const { content_length, content_sha256 } = found(await put(id, [box('hidden-place')]))
    expect(content_length).toBe(JSON.stringify((await get(id)).elements).length + '{}{}'.length)
    const [change] = found(await crm.ws.get(`/whiteboards/${id}/history`))
    expect(change?.fields).toMatchObject({ element_count: { after: 1 }, content_sha256: { before: null, after: content_sha256 } })
    const events = await crm.events(id)
    expect(events.map(({ type }) => type)).toEqual(['whiteboard.created', 'whiteboard.updated'])
    expect(events[1]?.payload).toMatchObject({ id, content_length, content_sha256, element_count: 1 })
    expect(JSON.stringify([change, events, found(await crm.ws.get('/requests?limit=5'))])).not.toContain('hidden-place')
  })

  test('is duplicated with its content and without its versions', async () => {
    const { id } = await board({ name: 'Plan', description: 'Rooms' })
    found(await put(id, [box('old')]))
    found(await put(id, [box('a'), box('b')], { appState: { gridSize: 20 } }))
    found(await add(id, [box('c')]))
    const copy = created(await crm.ws.post(`/whiteboards/${id}/duplicate`, {}))
    expect(copy).toMatchObject({ name: 'Copy of Plan', description: 'Rooms', element_count: 3 })
    expect(await get(copy.id)).toMatchObject({ elements: (await get(id)).elements, appState: { gridSize: 20 } })
    expect(await versions(copy.id)).toEqual([])
    found(await add(copy.id, [box('d')]))
    expect([idsOf(await get(copy.id)), idsOf(await get(id))]).toEqual([
      ['a', 'b', 'c', 'd'],
      ['a', 'b', 'c'],
    ])
    expect(created(await crm.ws.post(`/whiteboards/${id}/duplicate`, { name: 'Mine' }))).toMatchObject({ name: 'Mine' })
    expect(await crm.ws.post(`/whiteboards/${nobody}/duplicate`, {})).toMatchObject(failed(404, 'NOT_FOUND'))
  })

  test('needs the scopes of whiteboards, and nobody of another workspace reaches it', async () => {
    const { id } = await board()
    const reader = await crm.ws.key({ scopes: ['whiteboards:read'] })
    expect((await reader.get(`/whiteboards/${id}`)).status).toBe(200)
    expect(await reader.put(`/whiteboards/${id}/content`, { elements: [] })).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
    const writer = await crm.ws.key({ scopes: ['whiteboards:write'] })
    expect(await writer.delete(`/whiteboards/${id}`)).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
    const stranger = await crm.app.workspace()
    for (const call of [
      stranger.get(`/whiteboards/${id}`),
      stranger.put(`/whiteboards/${id}/content`, { elements: [] }),
      stranger.post(`/whiteboards/${id}/elements`, { elements: [box('x')] }),
      stranger.post(`/whiteboards/${id}/elements`, { elements: [{ type: 'arrow', start: { id: 'a' } }] }),
      stranger.get(`/whiteboards/${id}/versions`),
    ])
      expect(await call).toMatchObject(failed(404, 'NOT_FOUND'))
  })
})

test('the database counts indices on as the editor does', async () => {
  const { rows } = await crm.app.owner.query('select fraction_key(n) as key from generate_series(0, 5000) n')
  expect(rows.map(({ key }) => key)).toEqual(generateNKeysBetween(null, null, 5001))
  const large = await crm.app.owner.query('select fraction_key(242233) as last, fraction_key(242234) as next')
  expect(large.rows[0]).toEqual({ last: 'czzz', next: generateKeyBetween('czzz', null) })
})

describe('versions', () => {
  test('are the last 20 contents that were replaced, with what was added to them', async () => {
    const { id } = await board()
    found(await put(id, [box('same')]))
    const [same] = (await get(id)).elements
    for (let n = 1; n < 22; n++) found(await put(id, [same, box(`of-${n}`)]))
    found(await add(id, [box('added')]))
    found(await put(id, []))
    const kept = await versions(id)
    expect(kept).toHaveLength(20)
    expect(kept[0]).toMatchObject({ element_count: 3, replaced_by: crm.ws.userId, whiteboard_id: id })
    found(await crm.ws.post(`/whiteboards/${id}/versions/${kept[0]?.id}/revert`))
    expect(idsOf(await get(id))).toEqual(['same', 'of-21', 'added'])
    const [replaced, ...earlier] = await versions(id)
    expect(replaced).toMatchObject({ element_count: 0 })
    found(await crm.ws.post(`/whiteboards/${id}/versions/${earlier.at(-1)?.id}/revert`))
    expect(idsOf(await get(id))).toEqual(['same', 'of-3'])
    // 20 boxes of their own, the one that all have, and what is current.
    expect(await crm.count('whiteboard_elements')).toBeLessThan(26)
  })

  test('of one board have their own times and counts, and leave those of another board as they are', async () => {
    const [one, other] = [await board(), await board()]
    for (const name of ['a', 'b', 'c']) found(await put(other.id, [box(name)]))
    const before = await versions(other.id)
    const counts = Array.from({ length: 25 }, (_, n) => (n % 5) + 1)
    for (const count of counts) found(await put(one.id, boxes(count)))
    const kept = await versions(one.id)
    expect(kept.map(({ element_count }: Row) => element_count)).toEqual(counts.slice(4, -1).toReversed())
    expect(new Set(kept.map(({ replaced_at }: Row) => replaced_at)).size).toBe(20)
    expect(await versions(other.id)).toEqual(before)
    found(await crm.ws.post(`/whiteboards/${other.id}/versions/${before.at(-1)?.id}/revert`))
    expect(idsOf(await get(other.id))).toEqual(['a'])
  })

  test('one has its elements as they were, also after arrows were bound to them', async () => {
    const { id } = await board()
    found(await put(id, [box('a'), box('b', { x: 400 })], { appState: { gridSize: 5 } }))
    const before = await get(id)
    found(await put(id, [...before.elements], { appState: { gridSize: 10 } }))
    found(await add(id, [{ id: 'arrow', type: 'arrow', start: { id: 'a' }, end: { id: 'b' } }]))
    const [version] = await versions(id)
    const restored = found(await crm.ws.post(`/whiteboards/${id}/versions/${version?.id}/revert`))
    expect(restored.content_sha256).toBe(before.content_sha256)
    expect(await get(id)).toMatchObject({ elements: before.elements, appState: { gridSize: 5 } })
    found(await add(id, [box('c')]))
    expect(idsOf(await get(id))).toEqual(['a', 'b', 'c'])
  })

  test('one of another board, and an unknown one, is NOT_FOUND; the board must have the version that If-Match names', async () => {
    const [one, two] = [await board(), await board()]
    for (const { id } of [one, two]) for (const name of ['a', 'b']) found(await put(id, [box(name)]))
    const [version] = await versions(one.id)
    expect(await crm.ws.post(`/whiteboards/${two.id}/versions/${version?.id}/revert`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await crm.ws.post(`/whiteboards/${one.id}/versions/${nobody}/revert`)).toMatchObject(failed(404, 'NOT_FOUND'))
    const stale = await crm.ws.post(`/whiteboards/${one.id}/versions/${version?.id}/revert`, undefined, { 'if-match': '"1"' })
    expect(stale).toMatchObject(failed(412, 'PRECONDITION_FAILED'))
    expect(await crm.ws.get(`/whiteboards/${nobody}/versions`)).toMatchObject(failed(404, 'NOT_FOUND'))
  })
})

describe('writing the content', () => {
  test('with If-Match only replaces what the caller has seen', async () => {
    const { id } = await board()
    const seen = await crm.ws.get(`/whiteboards/${id}`)
    const etag = seen.headers.get('etag') as string
    found(await add(id, [box('of-others')]))
    expect(await put(id, [box('mine')], {}, { 'if-match': etag })).toMatchObject(failed(412, 'PRECONDITION_FAILED'))
    expect(idsOf(await get(id))).toEqual(['of-others'])
    expect(await put(id, [box('mine')], {}, { 'if-match': 'W/"other-board"' })).toMatchObject(refused('If-Match'))
    const now = (await crm.ws.get(`/whiteboards/${id}`)).headers.get('etag') as string
    found(await put(id, [box('mine')], {}, { 'if-match': now }))
    found(await put(id, [box('again')]))
    expect(idsOf(await get(id))).toEqual(['again'])
  })

  test('40 callers who add at the same time keep all elements, each with an index of its own', async () => {
    const { id } = await board()
    found(await put(id, [box('first')]))
    const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => add(id, [box(`n-${n}`), box(`m-${n}`)])))
    for (const answer of answers) found(answer)
    const whole = await get(id)
    expect(new Set(idsOf(whole)).size).toBe(81)
    expect(whole.element_count).toBe(81)
    const indices = whole.elements.map(({ index }: Row) => index)
    expect(indices.toSorted()).toEqual(indices)
    expect(new Set(indices).size).toBe(81)
    expect(whole.elements[0].id).toBe('first')
  })

  test('arrows added at the same time to one element are all bound to it', async () => {
    const { id } = await board()
    found(await put(id, [box('hub')]))
    const spokes = Array.from({ length: 10 }, (_, n) =>
      add(id, [{ id: `arrow-${n}`, type: 'arrow', x: 500, y: n * 50, end: { id: 'hub' } }]),
    )
    for (const answer of await Promise.all(spokes)) found(answer)
    const [hub] = (await get(id)).elements
    expect(hub.boundElements.map(({ id }: Row) => id).toSorted()).toEqual(Array.from({ length: 10 }, (_, n) => `arrow-${n}`))
    expect(hub.version).toBe(11)
  })

  test('of two who add the same id at the same time, one is refused', async () => {
    const { id } = await board()
    const answers = await Promise.all([add(id, [box('same')]), add(id, [box('same')])])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400])
    expect(answers.find(({ status }) => status === 400)).toMatchObject(refused('elements.0.id'))
  })

  test('an addition is refused as a whole: an id of the board, an arrow to nothing, one element too many', async () => {
    const [{ id }, other] = [await board(), await board()]
    found(await put(id, boxes(4999)))
    found(await add(other.id, [box('box-7')]))
    expect(await add(id, [box('new'), box('box-7')])).toMatchObject(refused('elements.1.id'))
    const dangling = [{ type: 'arrow', start: { id: 'box-7' }, end: { id: 'nothing' } }]
    expect(await add(id, dangling)).toMatchObject(refused('elements.0.end.id'))
    expect(await add(id, [box('new', { label: { text: 'Two' } })])).toMatchObject(refused('elements'))
    expect(await get(id)).toMatchObject({ element_count: 4999 })
    found(await add(id, [box('last')]))
    const full = await add(id, [box('more')])
    expect(full).toMatchObject(refused('elements'))
    expect(full.body.error.details.issues[0].message).toContain('5000')
  })

  test('a dry run, a repeated Idempotency-Key and a write that waits for approval change nothing twice', async () => {
    const { id } = await board()
    found(await crm.ws.post(`/whiteboards/${id}/elements?dry_run=true`, { elements: [box('dry')] }))
    const key = { 'idempotency-key': 'boards-1' }
    const [first, second] = [await add(id, [box('once')], key), await add(id, [box('once')], key)]
    expect(second.body).toEqual(first.body)
    const waiting = await crm.ws.put(`/whiteboards/${id}/content`, { elements: [], require_approval: true })
    expect(waiting.status).toBe(202)
    expect(idsOf(await get(id))).toEqual(['once'])
  })
})

test('an element with the highest version takes an arrow, and keeps its version', async () => {
  const { id } = await board()
  const version = 2_147_483_647
  found(await put(id, [box('box', { version })]))
  found(await add(id, [{ id: 'arrow', type: 'arrow', start: { id: 'box' } }]))
  expect((await get(id)).elements[0]).toMatchObject({ id: 'box', version, boundElements: [{ id: 'arrow', type: 'arrow' }] })
})
