import type { Element, Point } from './elements.ts'

/** Where texts are in their containers, and where arrows end. */

const PADDING = 5
/** The distance between the end of an arrow and what it is bound to. */
export const GAP = 5
const HALF_DIAGONAL = Math.SQRT2 / 2
/** The share of an arrow that its label may take, and how many letters it has at least. */
const LABEL_SHARE = 0.7
const LABEL_LETTERS = 11

type Box = Pick<Element, 'type' | 'x' | 'y' | 'width' | 'height' | 'angle'>

/** The widest that a text in the container may be. */
export function textWidthIn({ type, width }: Pick<Element, 'type' | 'width'>, fontSize: number): number {
  if (type === 'arrow') return Math.max(LABEL_SHARE * width, LABEL_LETTERS * fontSize)
  return innerOf(type, width)
}

function innerOf(type: Element['type'], size: number): number {
  if (type === 'ellipse') return Math.round((size / 2) * Math.SQRT2) - PADDING * 2
  if (type === 'diamond') return Math.round(size / 2) - PADDING * 2
  return size - PADDING * 2
}

/** How wide or high a container must be for a text of this size. */
export function outerOf(type: Element['type'], size: number): number {
  const needed = Math.ceil(size) + PADDING * 2
  if (type === 'ellipse') return Math.round((needed / Math.SQRT2) * 2)
  return type === 'diamond' ? 2 * needed : needed
}

/** Where a text is in its container. */
export function placeIn(container: Element, text: Pick<Element, 'width' | 'height' | 'textAlign' | 'verticalAlign'>) {
  if (container.type === 'arrow') {
    const [x, y] = middleOf(container)
    return { x: x - text.width / 2, y: y - text.height / 2 }
  }
  return {
    x: along(container.type, container.x, container.width, text.width, ['left', 'right'].indexOf(text.textAlign ?? '')),
    y: along(container.type, container.y, container.height, text.height, ['top', 'bottom'].indexOf(text.verticalAlign ?? '')),
  }
}

/** `side`: 0 for the beginning, 1 for the end, otherwise the middle. */
function along(type: Element['type'], start: number, size: number, inner: number, side: number): number {
  const offset = type === 'ellipse' ? (size / 2) * (1 - HALF_DIAGONAL) : type === 'diamond' ? size / 4 : 0
  const rest = innerOf(type, size) - inner
  return start + PADDING + offset + (side === 0 ? 0 : side === 1 ? rest : rest / 2)
}

/** The middle of a line or an arrow. */
function middleOf({ x, y, points = [] }: Element): Point {
  const [before = [0, 0], after = before] = [points[Math.floor((points.length - 1) / 2)], points[Math.ceil((points.length - 1) / 2)]]
  return [x + (before[0] + after[0]) / 2, y + (before[1] + after[1]) / 2]
}

export const centreOf = ({ x, y, width, height }: Box): Point => [x + width / 2, y + height / 2]

/** Where the line from the centre of a shape towards a point leaves it, a little outside. */
export function leaves(shape: Box, towards: Point): Point {
  const [cx, cy] = centreOf(shape)
  const [dx, dy] = [towards[0] - cx, towards[1] - cy]
  const distance = Math.hypot(dx, dy)
  if (distance === 0) return [cx + shape.width / 2 + GAP, cy]
  const [ux, uy] = [dx / distance, dy / distance]
  const reach = radiusOf(shape, ux, uy) + GAP
  return [cx + ux * reach, cy + uy * reach]
}

/** The distance from the centre to the outline in a direction. */
function radiusOf({ type, width, height, angle }: Box, ux: number, uy: number): number {
  const [cos, sin] = [Math.cos(-angle), Math.sin(-angle)]
  const [x, y] = [Math.abs(ux * cos - uy * sin), Math.abs(ux * sin + uy * cos)]
  const [a, b] = [Math.max(width, 1) / 2, Math.max(height, 1) / 2]
  if (type === 'ellipse') return 1 / Math.hypot(x / a, y / b)
  if (type === 'diamond') return 1 / (x / a + y / b)
  return Math.min(x === 0 ? Infinity : a / x, y === 0 ? Infinity : b / y)
}

/** Points that begin at the origin, with where that is and the size of all. */
export function linearOf(x: number, y: number, points: Point[]) {
  const [first = [0, 0]] = points
  const moved = points.map(([px, py]): Point => [px - first[0], py - first[1]])
  const [xs, ys] = [moved.map(([px]) => px), moved.map(([, py]) => py)]
  const span = (values: number[]) => values.reduce((a, b) => Math.max(a, b)) - values.reduce((a, b) => Math.min(a, b))
  return { x: x + first[0], y: y + first[1], width: span(xs), height: span(ys), points: moved }
}
