import { describe, expect, test } from 'vitest'
import { failed, found, type Row, refused, useCrm } from '../crm.ts'
import { box, boxes, idsOf, useBoards } from './drawing.ts'

const crm = useCrm()
const { add, board, get, put, versions } = useBoards(crm)
const arrow = (more: Row) => ({ id: 'arrow', type: 'arrow', ...more })
const nested = (depth: number): Row => (depth === 0 ? {} : { a: nested(depth - 1) })

describe('content that is refused, with the field', () => {
  test.each<[what: string, elements: unknown, path: string]>([
    ['without a type', [{ x: 1 }], 'elements.0.type'],
    ['of a type that boards do not have', [{ type: 'freedraw' }], 'elements.0.type'],
    ['an element that is none', [7], 'elements.0'],
    ['no list', { type: 'rectangle' }, 'elements'],
    ['an id twice', [box('a'), box('a')], 'elements.1.id'],
    ['an id of other characters', [box('a b')], 'elements.0.id'],
    ['a coordinate that is no number', [box('a', { x: '12' })], 'elements.0.x'],
    ['a coordinate that JSON has no number for', [box('a', { x: Number.NaN })], 'elements.0.x'],
    ['a coordinate beyond a million', [box('a', { y: 1e300 })], 'elements.0.y'],
    ['a negative width', [box('a', { width: -5 })], 'elements.0.width'],
    ['an element that nobody could see', [box('a', { width: 0, height: 0 })], 'elements.0.width'],
    ['an unknown field', [box('a', { colour: 'red' })], 'elements.0.colour'],
    ['a text without text', [{ type: 'text' }], 'elements.0.text'],
    ['text of a rectangle', [box('a', { text: 'Hello' })], 'elements.0.text'],
    ['an arrow from nothing', [box('a'), arrow({ start: { id: 'nothing' } })], 'elements.1.start.id'],
    ['an arrow to nothing, as editors have it', [arrow({ endBinding: { elementId: 'nothing' } })], 'elements.0.endBinding.elementId'],
    ['an arrow to an arrow', [arrow({ end: { id: 'arrow' } })], 'elements.0.end.id'],
    ['a text in nothing', [{ type: 'text', text: 'a', containerId: 'nothing' }], 'elements.0.containerId'],
    [
      'two texts in one element',
      [box('a', { label: { text: 'one' } }), { type: 'text', text: 'two', containerId: 'a' }],
      'elements.1.containerId',
    ],
    ['a rectangle with ends', [box('a', { start: { id: 'a' } })], 'elements.0.start'],
    ['a single point', [arrow({ points: [[0, 0]] })], 'elements.0.points'],
    [
      'a point with three coordinates',
      [
        arrow({
          points: [
            [0, 0, 0],
            [1, 1],
          ],
        }),
      ],
      'elements.0.points.0.2',
    ],
    ['an address that runs a script', [box('a', { link: 'javascript:alert(1)' })], 'elements.0.link'],
    ['a frame', [box('a', { frameId: 'frame' })], 'elements.0.frameId'],
    ['data nested too deep', [box('a', { customData: nested(9) })], 'elements.0.customData'],
    ['5,001 elements', boxes(5001), 'elements'],
    ['a label of blanks', [box('a', { label: { text: ' ' } })], 'elements.0.label.text'],
    ['5,001 elements with the text of a label', [...boxes(4999), box('z', { label: { text: 'One more' } })], 'elements'],
  ])(
    '%s',
    async (_, elements, path) => {
      const { id } = await board()
      found(await put(id, [box('kept')]))
      const answer = await put(id, elements)
      expect(answer).toMatchObject({ status: 400, body: { error: { code: 'VALIDATION_ERROR' } } })
      expect(answer.body.error.details.issues.map(({ path }: Row) => path)).toContain(path)
      expect(idsOf(await get(id))).toEqual(['kept'])
    },
    20_000,
  )

  test('appState and files of the wrong form, and content of more than 5 MB', async () => {
    const { id } = await board()
    expect(await put(id, [], { appState: nested(12) })).toMatchObject(refused('appState'))
    expect(await put(id, [], { appState: [] })).toMatchObject(refused('appState'))
    const file = (dataURL: string) => ({ files: { f1: { id: 'f1', mimeType: 'image/png', dataURL } } })
    expect(await put(id, [], file('data:text/html,<script>'))).toMatchObject(refused('files.f1.dataURL'))
    const image = (bytes: number) => file(`data:image/png;base64,${'A'.repeat(bytes)}`)
    expect(await put(id, [], image(4_999_990))).toMatchObject(refused('elements'))
    expect(await put(id, [], image(6_000_000))).toMatchObject(failed(413, 'PAYLOAD_TOO_LARGE'))
    expect(found(await put(id, [], image(4_900_000))).content_length).toBeGreaterThan(4_900_000)
    expect((await get(id)).files.f1.dataURL).toHaveLength(4_900_000 + 'data:image/png;base64,'.length)
  })

  test('additions that make the content longer than 5 MB; a version has the files and the appState that it had', async () => {
    const { id } = await board()
    const files = { f1: { id: 'f1', mimeType: 'image/png', dataURL: `data:image/png;base64,${'A'.repeat(4_990_000)}` } }
    const { content_length: before } = found(await put(id, [], { files, appState: { zoom: { value: 2 } } }))
    const { content_length: after } = found(await add(id, [box('a')]))
    const each = after - before
    expect(each).toBeGreaterThan(100)
    const most = Math.floor((5_000_000 - after) / each)
    const full = await add(id, boxes(most + 5, 'b'))
    expect(full).toMatchObject(refused('elements'))
    expect(full.body.error.details.issues[0].message).toContain(`bytes of JSON, and this one has ${after}`)
    expect(await get(id)).toMatchObject({ element_count: 1, content_length: after })
    found(await add(id, boxes(Math.floor(most / 2), 'b')))
    found(await put(id, [box('new')]))
    const [version] = await versions(id)
    found(await crm.ws.post(`/whiteboards/${id}/versions/${version!.id}/revert`))
    const { elements, ...reverted } = await get(id)
    expect(elements).toHaveLength(1 + Math.floor(most / 2))
    expect(reverted).toMatchObject({ files, appState: { zoom: { value: 2 } }, element_count: elements.length })
    expect(reverted.content_length).toBeGreaterThan(after)
  })

  test('thousands of wrong elements are refused with the first of them; whole elements may have as many values as they need', async () => {
    const { id } = await board()
    const wrong = await put(
      id,
      Array.from({ length: 90_000 }, () => ({ a: 1, type: 7 })),
    )
    expect(wrong).toMatchObject({ status: 400, body: { error: { code: 'VALIDATION_ERROR' } } })
    expect(wrong.body.error.details.issues[0].path).toMatch(/^elements\.0\./)
    found(await put(id, boxes(2500)))
    const { elements } = await get(id)
    found(await put(id, elements))
    expect((await get(id)).elements).toEqual(elements)
  }, 20_000)

  test('the list of collaborators, on which editors fail, is left out', async () => {
    const { id } = await board()
    found(await put(id, [], { appState: { collaborators: {}, zoom: { value: 1 } } }))
    expect((await get(id)).appState).toEqual({ zoom: { value: 1 } })
  })
})
