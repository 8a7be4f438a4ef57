import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readGuides } from '../../../dev/docs/guides.ts'
import { root } from '../../../dev/settings.ts'
import { created, failed, found, ids, type Row, refused, useCrm } from '../crm.ts'
import { pngOf, useForms } from '../documents/forms.ts'

const crm = useCrm()
const { uploaded } = useForms(crm)
const VIDEO = 'https://youtu.be/dQw4w9WgXcQ'
const ID = '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d'
const canvas = async (fields: Row = {}) => created(await crm.ws.post('/training-canvases', { name: 'Onboarding', ...fields }))
const link = (fields: Row = {}) => ({ resource_type: 'link', url: 'https://example.com/a', title: 'Read', ...fields })
const card = async (canvasId: string, fields: Row = {}) => created(await crm.ws.post(`/training-canvases/${canvasId}/cards`, link(fields)))
const cardsOf = async (id: string, ws = crm.ws): Promise<Row[]> => found(await ws.get(`/training-canvases/${id}`)).cards

describe('a canvas', () => {
  test('has cards sorted by sort_order, is renamed, and takes its cards along', async () => {
    const made = await canvas()
    expect(made).toMatchObject({ name: 'Onboarding', cards: [], version: 1 })
    const [last, first] = [await card(made.id, { title: 'B', sort_order: 5 }), await card(made.id, { title: 'A', sort_order: 1 })]
    const next = await card(made.id, { title: 'C' })
    expect(next.sort_order).toBe(6)
    expect(ids(await cardsOf(made.id))).toEqual([first.id, last.id, next.id])
    expect(found(await crm.ws.patch(`/training-canvases/${made.id}`, { name: 'Basics' }))).toMatchObject({ name: 'Basics', version: 2 })
    expect(found(await crm.ws.get('/training-canvases'))).toMatchObject([{ id: made.id, name: 'Basics' }])
    found(await crm.ws.delete(`/training-canvases/${made.id}`))
    expect(await crm.ws.get(`/training-cards/${first.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(ids(found(await crm.ws.post(`/training-canvases/${made.id}/restore`)).cards)).toEqual([first.id, last.id, next.id])
    expect((await crm.events(made.id)).map(({ type }) => type)).toContain('training_canvas.updated')
  })

  test('begins with six links to the guides that this deployment serves', async () => {
    const made = created(await crm.ws.post('/training-canvases', { template: 'getting_started' }))
    const guides = readGuides(join(root, 'guides')).map(({ url }) => url)
    expect(made.name).toBe('Getting started')
    expect(made.cards.map(({ sort_order }: Row) => sort_order)).toEqual([0, 1, 2, 3, 4, 5])
    for (const { resource_type, url, shown_url } of made.cards) {
      expect([resource_type, shown_url]).toEqual(['link', url])
      expect(guides).toContain(new URL(url).pathname)
    }
  })
})

describe('a card', () => {
  test('shows a record by its id, and leaves it when it is deleted', async () => {
    const { id } = await canvas()
    const notepad = created(await crm.ws.post('/notepads', { title: 'How we call' }))
    const [document] = [
      created(await crm.ws.post('/documents', { name: 'Handbook' })),
      created(await crm.ws.post('/documents', { name: 'Other' })),
    ]
    const image = await uploaded('logo.png', await pngOf(10, 10), 'image')
    const file = await uploaded('prices.txt', 'secret', 'secure')
    const shown = { notepad, document, image, file }
    for (const [resource_type, { id: url }] of Object.entries(shown)) await card(id, { resource_type, url: url.toUpperCase() })
    const cards = await cardsOf(id)
    expect(cards.map(({ url }) => url)).toEqual(Object.values(shown).map((record) => record.id))
    expect(cards.map(({ target }) => target.name)).toEqual(['How we call', 'Handbook', 'logo.png', 'prices.txt'])
    expect(cards.map(({ shown_url }) => shown_url)).toEqual([null, null, image.url, null])
    for (const { id: cardId } of cards) found(await crm.ws.delete(`/training-cards/${cardId}`))
    expect(found(await crm.ws.get(`/notepads/${notepad.id}`))).toMatchObject({ title: 'How we call' })
    expect(found(await crm.ws.get(`/documents/${document.id}`))).toMatchObject({ name: 'Handbook' })
    expect(found(await crm.ws.post(`/training-cards/${cards[0]?.id}/restore`))).toMatchObject({ target: { name: 'How we call' } })
    found(await crm.ws.delete(`/notepads/${notepad.id}`))
    expect(await cardsOf(id)).toMatchObject([{ resource_type: 'notepad', url: null, target: null, title: 'Read' }])
  })

  test('shows its record only to those who may read it', async () => {
    const { id } = await canvas()
    const notepad = created(await crm.ws.post('/notepads', { title: 'Zx9secret', visibility: 'private' }))
    const file = await uploaded('zx9secret.txt', 'secret', 'secure')
    const own = await card(id, { resource_type: 'notepad', url: notepad.id })
    await card(id, { resource_type: 'file', url: file.id })
    const document = created(await crm.ws.post('/documents', { name: 'zx9secret' }))
    await card(id, { resource_type: 'document', url: document.id })
    expect(own.target).toEqual({ id: notepad.id, name: 'Zx9secret' })
    const colleague = await crm.ws.key({ scopes: ['resources:*', 'notepads:read'] })
    const cards = await cardsOf(id, colleague)
    expect(cards).toMatchObject([
      { url: null, target: null, shown_url: null },
      { url: null, target: null, shown_url: null },
      { url: null, target: null, shown_url: null },
    ])
    expect(JSON.stringify(cards)).not.toMatch(/zx9secret/i)
    // The card as the colleague has it is sent back, and nothing is lost.
    found(await colleague.patch(`/training-cards/${own.id}`, { ...cards[0], title: 'Renamed' }))
    expect(found(await crm.ws.get(`/training-cards/${own.id}`))).toMatchObject({ title: 'Renamed', url: notepad.id })
    expect(await colleague.post(`/training-canvases/${id}/cards`, link({ resource_type: 'notepad', url: notepad.id }))).toMatchObject(
      refused('url'),
    )
    // Nor can a card be led from a record that the colleague reads to another one.
    const open = created(await crm.ws.post('/notepads', { title: 'For all' }))
    const theirs = await card(id, { resource_type: 'notepad', url: open.id })
    expect(await colleague.patch(`/training-cards/${theirs.id}`, { url: notepad.id })).toMatchObject(refused('url'))
    expect(await colleague.patch(`/training-cards/${theirs.id}`, { url: open.id, title: 'Same' })).toMatchObject({ status: 200 })
  })

  test('shows pages: a video in its player, and a frame in a sandbox', async () => {
    const { id } = await canvas()
    expect(await card(id, { resource_type: 'youtube', url: VIDEO })).toMatchObject({
      url: VIDEO,
      shown_url: 'https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ',
      sandbox: null,
      target: null,
    })
    const frame = await card(id, { resource_type: 'html_embed', url: 'https://example.com/tour' })
    expect(frame.shown_url).toBe('https://example.com/tour')
    expect(frame.sandbox).toContain('allow-scripts')
    expect(frame.sandbox).not.toContain('allow-same-origin')
  })

  test('changes each field by itself, checked against the others', async () => {
    const { id } = await canvas()
    const made = await card(id)
    const path = `/training-cards/${made.id}`
    expect(found(await crm.ws.patch(path, { sort_order: 9, description: 'Long' }))).toMatchObject({ sort_order: 9, description: 'Long' })
    expect(await crm.ws.patch(path, { resource_type: 'youtube' })).toMatchObject(refused('url'))
    expect(await crm.ws.patch(path, { url: 'javascript:alert(1)' })).toMatchObject(refused('url'))
    expect(found(await crm.ws.patch(path, { url: VIDEO }))).toMatchObject({ resource_type: 'link', url: VIDEO })
    expect(found(await crm.ws.patch(path, { resource_type: 'youtube' }))).toMatchObject({ resource_type: 'youtube', url: VIDEO })
    expect(await crm.ws.patch(path, { url: 'https://vimeo.com/1' })).toMatchObject(refused('url'))
    expect(found(await crm.ws.patch(path, { resource_type: 'link', url: 'https://vimeo.com/1' }))).toMatchObject({
      url: 'https://vimeo.com/1',
    })
    expect(await crm.ws.patch(`/training-cards/${ID}`, { url: VIDEO })).toMatchObject(failed(404, 'NOT_FOUND'))
  })
})

test('progress is kept for each member, card and canvas', async () => {
  const { id } = await canvas()
  const [one, two] = [await card(id), await card(id)]
  const colleague = await crm.ws.key({ role: 'client_editor', scopes: ['resources:read'] })
  const set = (ws: typeof crm.ws, cardId: string, status: string) => ws.put(`/training-cards/${cardId}/progress`, { status })
  expect(found(await set(colleague, one.id, 'started'))).toMatchObject({ status: 'started', user_id: colleague.userId, done_at: null })
  const done = found(await set(colleague, one.id, 'done'))
  expect(found(await set(colleague, one.id, 'done'))).toEqual(done)
  found(await set(colleague, two.id, 'started'))
  expect((await cardsOf(id, colleague)).map(({ progress }) => progress)).toEqual(['done', 'started'])
  expect((await cardsOf(id)).map(({ progress }) => progress)).toEqual(['not_started', 'not_started'])
  const progress = found(await crm.ws.get(`/training-canvases/${id}/progress`))
  expect(progress).toMatchObject([
    { user_id: crm.ws.userId, card_count: 2, started_count: 0, done_count: 0, cards: [] },
    {
      user_id: colleague.userId,
      card_count: 2,
      started_count: 2,
      done_count: 1,
      cards: [{ card_id: one.id, status: 'done' }, { card_id: two.id }],
    },
  ])
  expect(found(await crm.ws.get(`/training-canvases/${id}/progress?user_id=${colleague.userId}`))).toHaveLength(1)
  expect(found(await set(colleague, one.id, 'not_started'))).toMatchObject({ status: 'not_started', started_at: null })
  expect((await cardsOf(id, colleague)).map(({ progress }) => progress)).toEqual(['not_started', 'started'])
  expect(await set(await crm.app.workspace(), one.id, 'done')).toMatchObject(failed(404, 'NOT_FOUND'))
})

describe('what is refused', () => {
  test.each([
    ['an unknown type', { resource_type: 'video' }, ['resource_type']],
    ['no title', { title: '' }, ['title']],
    ['a script', { url: 'javascript:alert(1)' }, ['url']],
    ['a frame without https', { resource_type: 'html_embed', url: 'http://example.com' }, ['url']],
    ['a video of another host', { resource_type: 'youtube', url: 'https://vimeo.com/123' }, ['url']],
    ['an unknown notepad', { resource_type: 'notepad', url: ID }, ['url']],
    ['an unknown document', { resource_type: 'document', url: ID }, ['url']],
    ['an unknown image', { resource_type: 'image', url: ID }, ['url']],
    ['an unknown file', { resource_type: 'file', url: ID }, ['url']],
    ['no id of a file', { resource_type: 'file', url: 'prices.txt' }, ['url']],
    ['a place below 0', { sort_order: -1 }, ['sort_order']],
  ] as const)('%s', async (_, fields, paths) => {
    const { id } = await canvas()
    expect(await crm.ws.post(`/training-canvases/${id}/cards`, link(fields))).toMatchObject(refused(...paths))
    expect(await cardsOf(id)).toEqual([])
  })

  test('a canvas without a name, an unknown template, and a file of another type', async () => {
    expect(await crm.ws.post('/training-canvases', {})).toMatchObject(refused('name'))
    expect(await crm.ws.post('/training-canvases', { name: 'A', template: 'other' })).toMatchObject(refused('template'))
    const { id } = await canvas()
    const secure = await uploaded('prices.txt', 'secret', 'secure')
    expect(await crm.ws.post(`/training-canvases/${id}/cards`, link({ resource_type: 'image', url: secure.id }))).toMatchObject(
      refused('url'),
    )
  })

  test('the 201st card, and cards of a canvas of another workspace', async () => {
    const { id } = await canvas()
    await crm.app.owner.query(
      `insert into training_cards (workspace_id, canvas_id, resource_type, url, title, sort_order)
        select $1, $2, 'link', 'https://example.com', n::text, n from generate_series(1, 200) n`,
      [crm.ws.id, id],
    )
    expect(await crm.ws.post(`/training-canvases/${id}/cards`, link())).toMatchObject(refused('resource_type'))
    const stranger = await crm.app.workspace()
    expect(await stranger.post(`/training-canvases/${id}/cards`, link())).toMatchObject(failed(404, 'NOT_FOUND'))
    const notepad = created(await stranger.post('/notepads', { title: 'A' }))
    const own = await canvas()
    expect(await crm.ws.post(`/training-canvases/${own.id}/cards`, link({ resource_type: 'notepad', url: notepad.id }))).toMatchObject(
      refused('url'),
    )
  })
})
