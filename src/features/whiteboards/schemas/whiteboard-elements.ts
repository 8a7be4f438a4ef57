import * as v from 'valibot'
import { named } from '../../../schemas/common.ts'
import { Bool, describe, Enum, Integer, JsonObject, Multiline, SingleLine } from '../../../schemas/fields.ts'
import { text } from '../../../schemas/pipes.ts'
import { untilRefused } from '../../../schemas/until-refused.ts'
import {
  ARROWHEADS,
  ELEMENT_TYPES,
  FILL_STYLES,
  MAX_COORDINATE,
  MAX_ELEMENTS,
  STROKE_STYLES,
  TEXT_ALIGNS,
  VERTICAL_ALIGNS,
} from '../rules/elements.ts'

/** The elements of whiteboards as requests have them: those of the editor, of which most fields may be left out. */

const ElementId = v.pipe(
  text('the id of an element'),
  v.regex(/^[\w-]{1,64}$/, 'must be 1 to 64 letters, digits, hyphens or underscores'),
  v.description('The id of an element: 1 to 64 letters, digits, hyphens and underscores.'),
  v.examples(['box-1']),
)
const quantity = (min: number, max: number, sample: number) =>
  v.pipe(
    v.number(`must be a number, such as ${sample}`),
    v.minValue(min, `must be ${min} or more`),
    v.maxValue(max, `must be ${max} or less`),
    v.description(`A number from ${min} to ${max}.`),
    v.examples([sample]),
  )
const Coordinate = quantity(-MAX_COORDINATE, MAX_COORDINATE, 120)
const Size = quantity(0, MAX_COORDINATE, 160)
const Colour = describe(SingleLine(50), 'A CSS colour, or transparent.', '#1e1e1e')
const nullable = <S extends v.GenericSchema>(schema: S) => v.optional(v.nullable(schema))
const Random = Integer(0)
const Link = v.pipe(
  SingleLine(2000),
  v.check((value) => /^(https?:\/\/|mailto:)[^\s"<>]+$/i.test(value) && !value.includes('&#'), 'must be an http, https or mailto address'),
  v.description('The address that the element links to: http, https or mailto.'),
  v.examples(['https://example.com']),
)

const PointSchema = describe(
  v.strictTuple([Coordinate, Coordinate], 'must be a point, such as [120, 0]'),
  'A point [x, y], from the position of the element.',
  [120, 0],
)
const FixedPoint = v.pipe(
  v.strictTuple([quantity(-1000, 1000, 0.5), quantity(-1000, 1000, 0.5)], 'must be two numbers, such as [0.5, 0.5]'),
  v.description('Where an elbow arrow is fixed, as shares of the width and the height.'),
)
const BindingSchema = v.strictObject({
  elementId: ElementId,
  focus: v.optional(quantity(-1000, 1000, 0)),
  gap: v.optional(quantity(0, MAX_COORDINATE, 5)),
  fixedPoint: nullable(FixedPoint),
  mode: v.optional(describe(SingleLine(20), 'How the end meets the element, as the editor names it.', 'orbit')),
})
const EndSchema = v.strictObject({ id: ElementId })
const BoundElement = v.strictObject({ id: ElementId, type: Enum(['arrow', 'text']) })

const font = {
  fontSize: v.optional(describe(quantity(1, 1000, 20), 'The font size in pixels; 20 by default.')),
  fontFamily: v.optional(
    describe(Integer(1, 10), 'The number of the font in the editor: 5 Excalifont (the default), 2 Helvetica, 3 Cascadia, 6 Nunito.', 5),
  ),
  textAlign: v.optional(Enum(TEXT_ALIGNS)),
  verticalAlign: v.optional(Enum(VERTICAL_ALIGNS)),
  lineHeight: v.optional(quantity(0.5, 5, 1.25)),
}
const LabelSchema = v.strictObject({
  text: v.pipe(Multiline(20_000), v.minLength(1, 'must not be empty'), v.examples(['Kick-off'])),
  strokeColor: v.optional(Colour),
  ...font,
})

const style = {
  angle: v.optional(describe(quantity(-100, 100, 0), 'The rotation in radians.')),
  strokeColor: v.optional(Colour),
  backgroundColor: v.optional(Colour),
  fillStyle: v.optional(Enum(FILL_STYLES)),
  strokeWidth: v.optional(quantity(0.1, 100, 2)),
  strokeStyle: v.optional(Enum(STROKE_STYLES)),
  roughness: v.optional(quantity(0, 10, 1)),
  opacity: v.optional(describe(Integer(0, 100), 'How opaque it is, in percent.', 100)),
  groupIds: v.optional(
    v.pipe(
      untilRefused(v.array(ElementId, 'must be a list of ids')),
      v.maxLength(50, 'must have at most 50 groups'),
      v.description('The groups that it is in.'),
    ),
  ),
  roundness: nullable(
    v.pipe(
      v.strictObject({ type: Integer(1, 3), value: v.optional(Size) }),
      v.description('How corners are rounded; null for sharp ones.'),
    ),
  ),
  locked: v.optional(Bool),
  link: nullable(Link),
  customData: v.optional(JsonObject({ keys: 50, keyLength: 100, depth: 6, bytes: 16_384 }, '{"task_id": "7"}')),
}
const ofEditor = {
  frameId: v.optional(v.pipe(v.null('must be null: boards have no frames'), v.description('Always null: boards have no frames.'))),
  index: nullable(describe(SingleLine(200), 'The place in the order. One that does not fit is replaced.', 'a1')),
  seed: v.optional(Random),
  version: v.optional(Integer(1)),
  versionNonce: v.optional(Random),
  isDeleted: v.optional(describe(Bool, 'An element that was deleted in the editor is left out.', false)),
  boundElements: nullable(
    describe(
      v.pipe(untilRefused(v.array(BoundElement, 'must be a list')), v.maxLength(MAX_ELEMENTS)),
      'Follows from the arrows and texts that are bound to it.',
    ),
  ),
  updated: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(8.64e15), v.description('Milliseconds since 1970.'))),
}
const ofText = {
  text: v.optional(
    v.pipe(Multiline(20_000), v.description('The text, with its line breaks. Required for the type text.'), v.examples(['Idea'])),
  ),
  originalText: v.optional(Multiline(20_000)),
  containerId: nullable(describe(ElementId, 'The element that a text is bound to.')),
  autoResize: v.optional(Bool),
  baseline: v.optional(quantity(-MAX_COORDINATE, MAX_COORDINATE, 18)),
  ...font,
}
const Arrowhead = nullable(describe(Enum(ARROWHEADS), 'The head; null for none.'))
const ofLines = {
  points: v.optional(
    v.pipe(
      untilRefused(v.array(PointSchema, 'must be a list of points')),
      v.maxLength(10_000, 'must have at most 10000 points'),
      v.description('The course of a line or an arrow, from [0, 0].'),
    ),
  ),
  lastCommittedPoint: nullable(PointSchema),
  startBinding: nullable(describe(BindingSchema, 'What an arrow begins at, as the editor has it.')),
  endBinding: nullable(describe(BindingSchema, 'What an arrow ends at, as the editor has it.')),
  startArrowhead: Arrowhead,
  endArrowhead: Arrowhead,
  elbowed: v.optional(Bool),
  fixedSegments: nullable(
    v.pipe(
      untilRefused(v.array(JsonObject({ keys: 10, keyLength: 40, depth: 3, bytes: 1024 }, '{"index": 1}'), 'must be a list')),
      v.maxLength(1000),
      v.description('The segments of an elbow arrow that do not move.'),
    ),
  ),
  startIsSpecial: nullable(Bool),
  endIsSpecial: nullable(Bool),
  polygon: v.optional(Bool),
}

export const SentElementSchema = named(
  'WhiteboardElement',
  v.strictObject({
    type: describe(Enum(ELEMENT_TYPES), 'The type: rectangle, ellipse, diamond, arrow, line or text.', 'rectangle'),
    id: v.optional(describe(ElementId, 'By default a new id. It is unique in the board.')),
    x: v.optional(describe(Coordinate, 'The left edge; 0 by default.', 40)),
    y: v.optional(describe(Coordinate, 'The upper edge; 0 by default.', 40)),
    width: v.optional(describe(Size, 'By default 100, for a text its own width.')),
    height: v.optional(describe(Size, 'By default 100, for a text its own height.')),
    label: v.optional(
      describe(LabelSchema, 'A text in the middle of a rectangle, an ellipse, a diamond or an arrow, as an element of its own.'),
    ),
    start: v.optional(describe(EndSchema, 'What an arrow begins at.')),
    end: v.optional(describe(EndSchema, 'What an arrow ends at. An arrow without points is drawn between both.')),
    ...style,
    ...ofText,
    ...ofLines,
    ...ofEditor,
  }),
)
