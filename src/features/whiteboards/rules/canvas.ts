import type { BoundTo } from './complete.ts'
import {
  type Binding,
  type Element,
  type Issue,
  isLinear,
  type Make,
  type Point,
  type SentElement,
  takesArrows,
  takesLabel,
} from './elements.ts'
import { centreOf, GAP, leaves, linearOf } from './geometry.ts'
import { elementOf, fitText, labelOf } from './parts.ts'

type Item = { sent: SentElement; element: Element; path: string; label?: Element }
type Side = 'start' | 'end'
const SIDES: Side[] = ['start', 'end']

/** The elements of a request while they are completed. */
export class Canvas {
  readonly issues: Issue[] = []
  readonly #items = new Map<string, Item>()
  readonly #known: ReadonlyMap<string, Element>
  readonly #make: Make
  readonly #bound = new Map<string, BoundTo>()

  constructor(known: ReadonlyMap<string, Element>, make: Make) {
    this.#known = known
    this.#make = make
  }

  add(sent: SentElement, at: number): void {
    const path = `elements.${at}`
    const { id = this.#make.id() } = sent
    if (this.#items.has(id)) {
      this.#refuse(`${path}.id`, 'is the id of an earlier element too: each element needs an id of its own')
      return
    }
    this.#checkParts(sent, path)
    this.#items.set(id, { sent, element: elementOf(sent, id, this.#make), path })
  }

  /** Fields that only some types of elements have. */
  #checkParts(sent: SentElement, path: string): void {
    const { type, text, width, height, points, elbowed } = sent
    const only = (field: keyof SentElement, types: string, holds: boolean) => {
      if (sent[field] !== undefined && sent[field] !== null && !holds) this.#refuse(`${path}.${field}`, `is only for ${types}`)
    }
    only('text', 'elements of the type text', type === 'text')
    only('containerId', 'elements of the type text', type === 'text')
    only('label', 'a rectangle, an ellipse, a diamond or an arrow', takesLabel({ type }))
    only('points', 'lines and arrows', isLinear({ type }))
    for (const field of ['start', 'end', 'startBinding', 'endBinding', 'elbowed'] as const) only(field, 'arrows', type === 'arrow')
    // The editor deletes texts that are blank.
    if (type === 'text' && !text?.trim()) this.#refuse(`${path}.text`, 'is required for a text, and must not be blank')
    if (sent.label && sent.label.text.trim() === '') this.#refuse(`${path}.label.text`, 'must not be blank: leave out the label')
    if (points?.length === 1) this.#refuse(`${path}.points`, 'must have at least two points')
    if (elbowed && !points) this.#refuse(`${path}.points`, 'is required for an elbow arrow: send elements as the editor has them')
    if (!isLinear({ type }) && type !== 'text' && width === 0 && height === 0)
      this.#refuse(`${path}.width`, 'must be more than 0, or the height must be')
  }

  #refuse(path: string, message: string): void {
    this.issues.push({ path, message })
  }

  #find = (id: string): Element | undefined => this.#items.get(id)?.element ?? this.#known.get(id)

  labelShapes(): void {
    for (const item of this.#items.values()) if (item.element.type !== 'arrow') this.#label(item)
  }

  labelArrows(): void {
    for (const item of this.#items.values()) if (item.element.type === 'arrow') this.#label(item)
    for (const { sent, element, path } of this.#items.values()) {
      if (!element.containerId) continue
      const container = this.#find(element.containerId)
      if (!container || !takesLabel(container))
        this.#refuse(`${path}.containerId`, 'must be the id of a rectangle, an ellipse, a diamond or an arrow of the board')
      else if (sent.x === undefined && sent.y === undefined) fitText(element, container, false)
    }
  }

  #label(item: Item): void {
    if (!item.sent.label) return
    item.label = labelOf(item.sent.label, item.element, this.#make)
    fitText(item.label, item.element, true)
  }

  drawArrows(): void {
    for (const item of this.#items.values()) if (item.element.type === 'arrow') this.#draw(item)
  }

  /** Binds the ends of an arrow, and draws it between what they are bound to unless it has points. */
  #draw({ sent, element, path }: Item): void {
    const [start, end] = SIDES.map((side) => this.#target(sent, side, path))
    element.startBinding = bindingOf(sent, 'start')
    element.endBinding = bindingOf(sent, 'end')
    if (sent.points || (!start && !end)) return
    const { x, y, width = 100, height = 0 } = sent
    const from: Point = start ? centreOf(start) : [element.x, element.y]
    const free: Point = [(x ?? from[0]) + width, (y ?? from[1]) + height]
    const to: Point = end ? centreOf(end) : start ? [from[0] + start.width / 2 + width, from[1] + height] : free
    const first = start ? leaves(start, to) : from
    const last = end ? leaves(end, from) : to
    Object.assign(
      element,
      linearOf(first[0], first[1], [
        [0, 0],
        [last[0] - first[0], last[1] - first[1]],
      ]),
    )
  }

  #target(sent: SentElement, side: Side, path: string): Element | undefined {
    const [id, field] = idOf(sent, side)
    if (id === undefined) return undefined
    const target = this.#find(id)
    if (target && takesArrows(target)) return target
    this.#refuse(`${path}.${field}`, 'must be the id of a rectangle, an ellipse, a diamond or a text of the board')
    return undefined
  }

  /** Notes at what texts and arrows are bound to that they are. */
  bind(): void {
    for (const { sent, element, path, label } of this.#items.values()) {
      if (label) this.#bindText(label, `${path}.label`)
      if (element.containerId) this.#bindText(element, `${path}.containerId`)
      for (const side of SIDES) {
        const [id, field] = idOf(sent, side)
        if (id !== undefined) this.#bindTo(id, { id: element.id, type: 'arrow' }, `${path}.${field}`)
      }
    }
  }

  #bindText({ id, containerId }: Element, path: string): void {
    const container = containerId ? this.#find(containerId) : undefined
    if (!container) return
    const known = this.#bound.get(container.id)?.elements ?? []
    if ([...container.boundElements, ...known].some(({ type }) => type === 'text')) {
      this.#refuse(path, 'is a second text in the same element, which can have only one')
      return
    }
    this.#bindTo(container.id, { id, type: 'text' }, path)
  }

  #bindTo(targetId: string, bound: { id: string; type: 'arrow' | 'text' }, path: string): void {
    const own = this.#items.get(targetId)?.element
    const list = own ? own.boundElements : this.#boundTo(targetId, path).elements
    if (!list.some(({ id }) => id === bound.id)) list.push(bound)
  }

  #boundTo(id: string, path: string): BoundTo {
    const known = this.#bound.get(id) ?? { id, path, elements: [], nonce: this.#make.random(), updated: this.#make.now }
    this.#bound.set(id, known)
    return known
  }

  boundToKnown = (): BoundTo[] => [...this.#bound.values()]

  /** The elements as they were sent, each with its label after it. */
  inOrder = (): Element[] => [...this.#items.values()].flatMap(({ element, label }) => (label ? [element, label] : [element]))
}

/** What one end of an arrow is bound to, and the field that says so. */
function idOf(sent: SentElement, side: Side): [id: string | undefined, field: string] {
  const binding = sent[`${side}Binding`]
  return binding ? [binding.elementId, `${side}Binding.elementId`] : [sent[side]?.id, `${side}.id`]
}

function bindingOf(sent: SentElement, side: Side): Binding | null {
  const binding = sent[`${side}Binding`]
  const [elementId] = idOf(sent, side)
  if (elementId === undefined) return null
  const { focus = 0, gap = GAP, ...rest } = binding ?? {}
  return { ...rest, elementId, focus, gap }
}
