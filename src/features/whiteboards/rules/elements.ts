/** The elements of a whiteboard, in the format of Excalidraw 0.18. */

export const ELEMENT_TYPES = ['rectangle', 'ellipse', 'diamond', 'arrow', 'line', 'text'] as const
export type ElementType = (typeof ELEMENT_TYPES)[number]
export const FILL_STYLES = ['solid', 'hachure', 'cross-hatch', 'zigzag'] as const
export const STROKE_STYLES = ['solid', 'dashed', 'dotted'] as const
export const TEXT_ALIGNS = ['left', 'center', 'right'] as const
export const VERTICAL_ALIGNS = ['top', 'middle', 'bottom'] as const
export const ARROWHEADS = [
  'arrow',
  'bar',
  'dot',
  'circle',
  'circle_outline',
  'triangle',
  'triangle_outline',
  'diamond',
  'diamond_outline',
  'crowfoot_one',
  'crowfoot_many',
  'crowfoot_one_or_many',
] as const

export const MAX_ELEMENTS = 5_000
/** Of elements, appState and files together, in bytes of JSON. */
export const MAX_CONTENT = 5_000_000
export const MAX_COORDINATE = 1_000_000

export type Point = [x: number, y: number]
export type Bound = { id: string; type: 'arrow' | 'text' }
export type Binding = { elementId: string; focus: number; gap: number; fixedPoint?: Point | null | undefined; mode?: string | undefined }

type Style = {
  angle: number
  strokeColor: string
  backgroundColor: string
  fillStyle: (typeof FILL_STYLES)[number]
  strokeWidth: number
  strokeStyle: (typeof STROKE_STYLES)[number]
  roughness: number
  opacity: number
  groupIds: string[]
  roundness: { type: number; value?: number | undefined } | null
  locked: boolean
  link: string | null
  customData: Record<string, unknown>
}
type Font = {
  fontSize: number
  fontFamily: number
  textAlign: (typeof TEXT_ALIGNS)[number]
  verticalAlign: (typeof VERTICAL_ALIGNS)[number]
  lineHeight: number
}
type TextPart = Font & { text: string; originalText: string; containerId: string | null; autoResize: boolean }
type LinearPart = {
  points: Point[]
  lastCommittedPoint: null
  startBinding: Binding | null
  endBinding: Binding | null
  startArrowhead: (typeof ARROWHEADS)[number] | null
  endArrowhead: (typeof ARROWHEADS)[number] | null
  elbowed: boolean
  fixedSegments: Record<string, unknown>[] | null
  startIsSpecial: boolean | null
  endIsSpecial: boolean | null
  polygon: boolean
}
type Place = { x: number; y: number; width: number; height: number }
type Kept = { seed: number; version: number; versionNonce: number; updated: number; index: string | null }

/** An element as the editor has it. */
export type Element = { id: string; type: ElementType } & Place &
  Omit<Style, 'customData'> &
  Kept & { frameId: null; isDeleted: false; boundElements: Bound[] } & Partial<Pick<Style, 'customData'>> &
  Partial<TextPart> &
  Partial<LinearPart>

type Optional<T> = { [Name in keyof T]?: T[Name] | undefined }
export type Label = { text: string; strokeColor?: string | undefined } & Optional<Font>
export type End = { id: string }
/** An element as a caller sends it: whole, from an editor, or only what matters of it. */
export type SentElement = { type: ElementType } & Optional<
  { id: string } & Place &
    Style &
    Kept &
    Omit<TextPart, 'containerId'> &
    Omit<LinearPart, 'startBinding' | 'endBinding' | 'lastCommittedPoint'>
> & {
    containerId?: string | null | undefined
    startBinding?: SentBinding | null | undefined
    endBinding?: SentBinding | null | undefined
    boundElements?: Bound[] | null | undefined
    isDeleted?: boolean | undefined
    label?: Label | undefined
    start?: End | undefined
    end?: End | undefined
  }
export type SentBinding = Omit<Binding, 'focus' | 'gap'> & { focus?: number | undefined; gap?: number | undefined }

/** What completion cannot derive: new ids, random numbers, and the time in milliseconds. */
export type Make = { id: () => string; random: () => number; now: number }
export type Issue = { path: string; message: string }

export const isLinear = ({ type }: { type: ElementType }) => type === 'line' || type === 'arrow'
/** Whether a text can be bound to it as its label. */
export const takesLabel = ({ type }: { type: ElementType }) => type !== 'text' && type !== 'line'
/** Whether an arrow can be bound to it. */
export const takesArrows = ({ type, containerId }: { type: ElementType; containerId?: string | null | undefined }) =>
  !isLinear({ type }) && !(type === 'text' && containerId)
