import * as fc from 'fast-check'
import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing'
import { beforeAll, describe, expect, test } from 'vitest'
import { completeElements, orderElements, referredTo } from '../../../src/features/whiteboards/rules/complete.ts'
import type { Element, Make, SentElement } from '../../../src/features/whiteboards/rules/elements.ts'
import { completeIndices, numberAfter } from '../../../src/features/whiteboards/rules/indices.ts'
import { loadRestore, MINIMAL } from './editor.ts'

let restore: Awaited<ReturnType<typeof loadRestore>>
beforeAll(async () => {
  restore = await loadRestore()
}, 60_000)

const making = (): Make => {
  let n = 0
  return { id: () => `id-${++n}`, random: () => ++n, now: 1_800_000_000_000 }
}
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value))
const complete = (sent: unknown) => completeElements(sent as SentElement[], new Map(), making())
const drawn = (sent: unknown): Element[] => {
  const { elements, issues } = complete(sent)
  expect(issues).toEqual([])
  orderElements(elements)
  return elements
}
const byId = (elements: Element[]) => Object.fromEntries(elements.map((element) => [element.id, element]))
const repaired = (elements: Element[]) => plain(restore(plain(elements), null, { repairBindings: true }))

describe('completion', () => {
  test('turns the text of a shape with the shape, and leaves that of an arrow upright', () => {
    const turned = { x: 0, y: 0, angle: 1, label: { text: 'Kick-off' } }
    const texts = drawn([
      { id: 'box', type: 'rectangle', ...turned },
      { id: 'arrow', type: 'arrow', ...turned },
    ]).filter(({ type }) => type === 'text')
    expect(Object.fromEntries(texts.map(({ containerId, angle }) => [containerId, angle]))).toEqual({ box: 1, arrow: 0 })
  })

  test('leaves nothing to the editor that it would add, change or leave out', () => {
    const elements = drawn(MINIMAL)
    expect(elements).toHaveLength(MINIMAL.length + 4)
    expect(repaired(elements)).toEqual(plain(elements))
  })

  test('what lacks it is repaired by the editor, so that the comparison means something', () => {
    const elements = plain(drawn(MINIMAL))
    const without = elements.map((element) => ({ ...element, boundElements: null, index: undefined }))
    expect(repaired(without as never)).not.toEqual(elements)
  })

  test('of what the editor has, changes nothing', () => {
    const elements = repaired(drawn(MINIMAL))
    expect(plain(drawn(elements))).toEqual(elements)
  })

  test('of any mixture of elements, leaves nothing to the editor', () => {
    const coordinate = fc.double({ min: -1e6, max: 1e6, noNaN: true })
    const size = fc.double({ min: 1, max: 5000, noNaN: true })
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }).filter((sent) => sent.trim() !== '')
    const shape = fc.record(
      {
        type: fc.constantFrom('rectangle', 'ellipse', 'diamond'),
        x: coordinate,
        y: coordinate,
        width: size,
        height: size,
        label: fc.record({ text }),
      },
      { requiredKeys: ['type'] },
    )
    const arrow = fc.record(
      { x: coordinate, y: coordinate, width: size, points: fc.array(fc.tuple(coordinate, coordinate), { minLength: 2, maxLength: 5 }) },
      { requiredKeys: [] },
    )
    const board = fc.tuple(fc.array(shape, { minLength: 1, maxLength: 6 }), fc.array(fc.tuple(arrow, fc.nat(), fc.nat()), { maxLength: 6 }))
    fc.assert(
      fc.property(board, ([shapes, arrows]) => {
        const placed = shapes.map((each, at) => ({ ...each, id: `s${at}` }))
        const end = (n: number) => (n % 3 === 0 ? undefined : { id: `s${n % shapes.length}` })
        const joined = arrows.map(([each, from, to]) => ({ ...each, type: 'arrow', start: end(from), end: end(to) }))
        const elements = drawn([...placed, ...joined])
        expect(repaired(elements)).toEqual(plain(elements))
      }),
      { numRuns: 150 },
    )
  })

  test('draws an arrow from the edge of one shape to the edge of the other, and binds both', () => {
    const { a, b, arrow } = byId(
      drawn([
        { id: 'arrow', type: 'arrow', start: { id: 'a' }, end: { id: 'b' } },
        { id: 'a', type: 'rectangle', x: 0, y: 0, width: 100, height: 100 },
        { id: 'b', type: 'ellipse', x: 300, y: 0, width: 100, height: 100 },
      ]),
    )
    expect(arrow).toMatchObject({
      x: 105,
      y: 50,
      width: 190,
      height: 0,
      points: [
        [0, 0],
        [190, 0],
      ],
    })
    expect(arrow).toMatchObject({ startBinding: { elementId: 'a', focus: 0, gap: 5 }, endBinding: { elementId: 'b' } })
    for (const shape of [a, b]) expect(shape?.boundElements).toEqual([{ id: 'arrow', type: 'arrow' }])
  })

  test('breaks a label into lines that fit, makes the shape higher for it, and puts it in the middle', () => {
    const [shape, label] = drawn([
      { id: 'a', type: 'rectangle', x: 0, y: 0, width: 120, height: 20, label: { text: 'Several words that need lines' } },
    ])
    expect(label).toMatchObject({ type: 'text', containerId: 'a', originalText: 'Several words that need lines', textAlign: 'center' })
    expect(label?.text?.split('\n').length).toBeGreaterThan(2)
    expect(label?.width).toBeLessThanOrEqual(110)
    expect(shape?.height).toBe((label?.height ?? 0) + 10)
    expect((label?.x ?? 0) + (label?.width ?? 0) / 2).toBeCloseTo(60)
    expect((label?.y ?? 0) + (label?.height ?? 0) / 2).toBeCloseTo((shape?.height ?? 0) / 2)
  })

  test('leaves out what was deleted in the editor, and refuses an arrow to it', () => {
    const gone = { id: 'gone', type: 'rectangle', isDeleted: true }
    expect(complete([gone]).elements).toEqual([])
    expect(complete([gone, { type: 'arrow', end: { id: 'gone' } }]).issues).toMatchObject([{ path: 'elements.1.end.id' }])
  })

  test('names the elements of the board that others refer to, and says what is bound to them', () => {
    const sent = [
      { id: 'new', type: 'ellipse' },
      { id: 'arrow', type: 'arrow', start: { id: 'old' }, end: { id: 'new' } },
    ] as SentElement[]
    expect(referredTo(sent)).toEqual(['old'])
    const [old] = drawn([{ id: 'old', type: 'rectangle', x: 500, y: 500 }])
    const { bound, issues } = completeElements(sent, new Map([['old', old as Element]]), making())
    expect(issues).toEqual([])
    expect(bound).toMatchObject([{ id: 'old', path: 'elements.1.start.id', elements: [{ id: 'arrow', type: 'arrow' }] }])
  })
})

describe('indices', () => {
  test('that ascend stay, and others get one between them', () => {
    expect(completeIndices(['a0', 'a1', 'a2V'])).toEqual(['a0', 'a1', 'a2V'])
    const [first, second, third, fourth] = completeIndices([null, 'a5', 'a3', 'a6'])
    expect([second, fourth]).toEqual(['a5', 'a6'])
    expect([first as string, 'a5', third as string, 'a6'].toSorted()).toEqual([first, second, third, fourth])
    expect(completeIndices(['not an index', '', 'a00', undefined])).toEqual(['a0', 'a1', 'a2', 'a3'])
  })

  test('of any texts ascend', () => {
    const key = fc.oneof(fc.constantFrom('a0', 'a1', 'a1V', 'Zz', 'b00', 'a2', 'z'), fc.string({ maxLength: 4 }), fc.constant(null))
    fc.assert(
      fc.property(fc.array(key, { maxLength: 30 }), (sent) => {
        const indices = completeIndices(sent)
        expect(indices).toHaveLength(sent.length)
        for (const [at, each] of indices.entries()) if (at > 0) expect(each > (indices[at - 1] as string)).toBe(true)
      }),
    )
  })

  test('the number after one is that of the next whole one', () => {
    const whole = generateNKeysBetween(null, null, 5000)
    for (const at of [0, 1, 61, 62, 63, 3905, 3906, 4999]) expect(numberAfter(whole[at] as string)).toBe(at + 1)
    expect(numberAfter(generateKeyBetween('a3', 'a4'))).toBe(4)
    expect(numberAfter('Zz')).toBe(0)
  })
})
