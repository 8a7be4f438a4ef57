import { Canvas } from './canvas.ts'
import { type Bound, type Element, type Issue, MAX_ELEMENTS, type Make, type SentElement } from './elements.ts'
import { completeIndices, numberAfter } from './indices.ts'

/**
 * What the editor would otherwise have to add or repair is added when elements are stored: default values, texts of labels, the course of
 * arrows between shapes, both ends of every binding, and the index of each element.
 */

/** What is bound to an element that is on the board already. `path` is where the request names it. */
export type BoundTo = { id: string; path: string; elements: Bound[]; nonce: number; updated: number }
export type Completed = { elements: Element[]; bound: BoundTo[]; issues: Issue[] }

/** The elements of a request that are to be drawn: an editor also sends those that were deleted. */
const drawn = (sent: readonly SentElement[]) => sent.flatMap((element, at) => (element.isDeleted ? [] : [{ element, at }]))

/** The ids of elements that these refer to, without being among them. */
export function referredTo(sent: readonly SentElement[]): string[] {
  const own = new Set(sent.map(({ id }) => id))
  const all = drawn(sent).flatMap(({ element: { start, end, startBinding, endBinding, containerId } }) => [
    start?.id,
    end?.id,
    startBinding?.elementId,
    endBinding?.elementId,
    containerId,
  ])
  return [...new Set(all)].filter((id) => typeof id === 'string' && !own.has(id)) as string[]
}

/** Completes elements. `known` are those on the board that they may refer to, by id. */
export function completeElements(sent: readonly SentElement[], known: ReadonlyMap<string, Element>, make: Make): Completed {
  const canvas = new Canvas(known, make)
  const items = drawn(sent)
  for (const { element, at } of items) canvas.add(element, at)
  canvas.labelShapes()
  canvas.drawArrows()
  canvas.labelArrows()
  canvas.bind()
  const elements = canvas.inOrder()
  if (elements.length > MAX_ELEMENTS)
    canvas.issues.push({ path: 'elements', message: `must have at most ${MAX_ELEMENTS} elements, with the texts of their labels` })
  return { elements, bound: canvas.boundToKnown(), issues: canvas.issues }
}

/** Gives elements that are the whole content their indices, and returns the number of the next one. */
export function orderElements(elements: Element[]): number {
  const indices = completeIndices(elements.map(({ index }) => index))
  for (const [at, element] of elements.entries()) element.index = indices[at] ?? null
  const last = indices.at(-1)
  return last === undefined ? 0 : numberAfter(last)
}
