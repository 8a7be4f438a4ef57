import { type Element, isLinear, type Label, type Make, type Point, type SentElement } from './elements.ts'
import { DEFAULT_FONT, DEFAULT_FONT_SIZE, lineHeightOf, sizeOf, wrapText } from './fonts.ts'
import { linearOf, outerOf, placeIn, textWidthIn } from './geometry.ts'

/** Single elements with the values that the editor gives to new ones. */

const SIZE = 100
/** Rounded corners of a rectangle, and rounded lines. */
const ROUNDED: Partial<Record<Element['type'], { type: number }>> = { rectangle: { type: 3 }, diamond: { type: 2 }, arrow: { type: 2 } }
/** A smaller number is rounding of the editor, and would be stored with hundreds of digits. */
const NOTHING = 1e-20
const near = (value: number) => (Math.abs(value) < NOTHING ? 0 : value)
const pointNear = ([x, y]: Point): Point => [near(x), near(y)]

/** The part that elements of all types have. */
function baseOf(sent: SentElement, id: string, make: Make): Element {
  const { width = isLinear(sent) ? 0 : SIZE, height = isLinear(sent) ? 0 : SIZE, customData } = sent
  return {
    id,
    type: sent.type,
    x: near(sent.x ?? 0),
    y: near(sent.y ?? 0),
    width: near(width),
    height: near(height),
    angle: near(sent.angle ?? 0),
    strokeColor: sent.strokeColor ?? '#1e1e1e',
    backgroundColor: sent.backgroundColor ?? 'transparent',
    fillStyle: sent.fillStyle ?? 'solid',
    strokeWidth: sent.strokeWidth ?? 2,
    strokeStyle: sent.strokeStyle ?? 'solid',
    roughness: sent.roughness ?? 1,
    opacity: sent.opacity ?? 100,
    groupIds: sent.groupIds ?? [],
    frameId: null,
    index: sent.index ?? null,
    roundness: sent.roundness === undefined ? (ROUNDED[sent.type] ?? null) : sent.roundness,
    seed: sent.seed ?? make.random(),
    version: sent.version ?? 1,
    versionNonce: sent.versionNonce ?? make.random(),
    isDeleted: false,
    boundElements: [],
    updated: sent.updated ?? make.now,
    link: sent.link ?? null,
    locked: sent.locked ?? false,
    ...(customData && { customData }),
  }
}

/** A shape, a text or a line with all of its values; an arrow without points still lacks its course. */
export function elementOf(sent: SentElement, id: string, make: Make): Element {
  const base = baseOf(sent, id, make)
  if (sent.type === 'text') return { ...base, ...textOf(sent) }
  return isLinear(sent) ? { ...base, ...linearPartOf(sent, base) } : base
}

function textOf(sent: SentElement) {
  const { text = '', fontSize = DEFAULT_FONT_SIZE, fontFamily = DEFAULT_FONT, containerId = null } = sent
  const font = { fontSize, fontFamily, lineHeight: sent.lineHeight ?? lineHeightOf(fontFamily) }
  const size = sizeOf(text, font)
  return {
    ...font,
    width: sent.width || size.width,
    height: sent.height || size.height,
    text,
    originalText: sent.originalText || text,
    textAlign: sent.textAlign ?? (containerId ? ('center' as const) : ('left' as const)),
    verticalAlign: sent.verticalAlign ?? (containerId ? ('middle' as const) : ('top' as const)),
    containerId,
    autoResize: sent.autoResize ?? true,
  }
}

function linearPartOf(sent: SentElement, { x, y, type }: Element) {
  const points = sent.points && sent.points.length > 1 ? sent.points.map(pointNear) : undefined
  const isArrow = type === 'arrow'
  return {
    ...linearOf(
      x,
      y,
      points ?? [
        [0, 0],
        [near(sent.width ?? SIZE), near(sent.height ?? 0)],
      ],
    ),
    lastCommittedPoint: null,
    startBinding: null,
    endBinding: null,
    startArrowhead: sent.startArrowhead ?? null,
    endArrowhead: sent.endArrowhead === undefined && isArrow ? ('arrow' as const) : (sent.endArrowhead ?? null),
    ...(isArrow ? { elbowed: sent.elbowed ?? false } : { polygon: sent.polygon ?? false }),
    ...(sent.elbowed && {
      fixedSegments: sent.fixedSegments ?? null,
      startIsSpecial: sent.startIsSpecial ?? null,
      endIsSpecial: sent.endIsSpecial ?? null,
    }),
  }
}

/** The text that is bound to a container as its label. */
export function labelOf(label: Label, container: Element, make: Make): Element {
  const { strokeColor = container.strokeColor, ...font } = label
  const { angle, opacity, groupIds, locked } = container
  const own = container.type === 'arrow' ? 0 : angle
  const sent = { type: 'text', containerId: container.id, strokeColor, angle: own, opacity, groupIds, locked, ...font } as const
  return elementOf(sent, make.id(), make)
}

/** Puts a text in its container, broken into lines. With `grow`, a container that is too small for it becomes larger. */
export function fitText(text: Element, container: Element, grow: boolean): void {
  const { fontSize = DEFAULT_FONT_SIZE, fontFamily = DEFAULT_FONT, lineHeight = 1, originalText = '' } = text
  text.text = wrapText(originalText, { fontSize, fontFamily }, textWidthIn(container, fontSize))
  Object.assign(text, sizeOf(text.text, { fontSize, fontFamily, lineHeight }))
  if (grow && container.type !== 'arrow') {
    container.width = Math.max(container.width, outerOf(container.type, text.width))
    container.height = Math.max(container.height, outerOf(container.type, text.height))
  }
  Object.assign(text, placeIn(container, text))
}
