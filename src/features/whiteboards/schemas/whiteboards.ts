import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { describe, Id, InstantOut, JsonObject, Multiline, Name, optional, SingleLine } from '../../../schemas/fields.ts'
import { untilRefused } from '../../../schemas/until-refused.ts'
import { MAX_ELEMENTS } from '../rules/elements.ts'
import { SentElementSchema } from './whiteboard-elements.ts'

export const whiteboardFields = {
  name: describe(Name(200), 'What the board is called.', 'Kitchen, first sketch'),
  description: optional(describe(Multiline(2000), 'What it shows.', 'From the meeting on site.')),
  opportunity_id: optional(describe(Id, 'The opportunity that it is about.')),
}
export const NewWhiteboard = v.strictObject(whiteboardFields)
export const WhiteboardPatch = v.partial(NewWhiteboard)
export const WhiteboardCopy = v.strictObject({
  name: v.optional(describe(Name(200), 'The name of the copy; by default “Copy of” and the name of the board.', 'Kitchen, second sketch')),
})
export const whiteboardFilters = { opportunity_id: v.optional(describe(Id, 'Only boards of this opportunity.')) }
export const WHITEBOARD_SORTS = ['created_at', 'updated_at', 'name']

/** Of a request that writes the content: it has at most MAX_CONTENT, and some more around it. */
export const MAX_BODY = 6_000_000
/** An element of the editor has some 45. */
export const MAX_BODY_VALUES = 400_000
const IMAGE = /^data:image\/(?:png|jpeg|gif|webp|svg\+xml|avif|bmp|x-icon)[;,]/
const Milliseconds = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(8.64e15))
const BoardFile = v.strictObject({
  id: describe(SingleLine(100), 'The key of the file.', 'f1'),
  mimeType: describe(SingleLine(100), 'The media type of the image.', 'image/png'),
  dataURL: v.pipe(
    v.string('must be a data URL'),
    v.maxLength(MAX_BODY, 'is too long'),
    v.regex(IMAGE, 'must be a data URL of an image, such as data:image/png;base64,iVBORw0KGgo='),
    v.description('The image as a data URL.'),
    v.examples(['data:image/png;base64,iVBORw0KGgo=']),
  ),
  created: v.optional(describe(Milliseconds, 'When it was added, in milliseconds since 1970.')),
  lastRetrieved: v.optional(describe(Milliseconds, 'When it was read last, in milliseconds since 1970.')),
})
const Files = v.pipe(
  v.record(v.pipe(v.string(), v.regex(/^[\w-]{1,100}$/, 'must be a key of letters, digits, hyphens or underscores')), BoardFile),
  v.check((files) => Object.keys(files).length <= 100, 'must have at most 100 files'),
  v.metadata({ maxProperties: 100 }),
  v.description('Images of the editor, by their key.'),
  v.examples([{}]),
)
const AppState = describe(
  JsonObject({ keys: 200, keyLength: 100, depth: 8, bytes: 65_536 }, '{"viewBackgroundColor": "#ffffff"}'),
  'What the editor keeps beside elements, such as the colour of the background; at most 64 KB. Who else has the board open is left out.',
  { viewBackgroundColor: '#ffffff' },
)
const elements = (least: number, text: string) =>
  v.pipe(
    untilRefused(v.array(SentElementSchema, 'must be a list of elements')),
    v.minLength(least, 'must have an element'),
    v.maxLength(MAX_ELEMENTS, `must have at most ${MAX_ELEMENTS} elements`),
    v.description(text),
    v.examples([[{ type: 'rectangle', x: 40, y: 40, width: 160, height: 80, label: { text: 'Kick-off' } }]]),
  )
export const WhiteboardContent = v.strictObject({
  elements: elements(0, 'The elements from back to front. What the editor needs beyond what is sent is added.'),
  appState: v.optional(AppState),
  files: v.optional(Files),
})
export type WhiteboardContent = v.InferOutput<typeof WhiteboardContent>
export const MoreElements = v.strictObject({ elements: elements(1, 'The elements to add, in front of all others.') })
export type MoreElements = v.InferOutput<typeof MoreElements>

const facts = {
  element_count: v.pipe(v.number(), v.integer(), v.description('The number of elements.'), v.examples([12])),
  content_length: v.pipe(v.number(), v.integer(), v.description('The length of the content, in bytes of JSON.'), v.examples([9120])),
  content_sha256: v.pipe(v.nullable(v.string()), v.description('Another value for other content; null before anything was drawn.')),
}
const board = {
  id: Id,
  name: v.string(),
  description: v.nullable(v.string()),
  opportunity_id: v.nullable(Id),
  ...facts,
  ...timestamps,
}
export const Whiteboard = named('Whiteboard', v.object(board))
export type Whiteboard = v.InferOutput<typeof Whiteboard>

const anyObject = v.record(v.string(), v.unknown())
export const WhiteboardDetails = named(
  'WhiteboardDetails',
  v.object({
    ...board,
    elements: v.pipe(
      v.array(anyObject),
      v.description('The elements from back to front, as the editor has them.'),
      v.examples([[{ id: 'box-1', type: 'rectangle', x: 40, y: 40, width: 160, height: 80 }]]),
    ),
    appState: v.pipe(anyObject, v.description('What the editor keeps beside elements.'), v.examples([{}])),
    files: v.pipe(anyObject, v.description('Images of the editor, by their key.'), v.examples([{}])),
  }),
)
export type WhiteboardDetails = v.InferOutput<typeof WhiteboardDetails>

export const WhiteboardVersion = named(
  'WhiteboardVersion',
  v.object({
    id: Id,
    whiteboard_id: Id,
    ...facts,
    created_at: v.pipe(InstantOut, v.description('When this content replaced the one before.')),
    replaced_at: v.pipe(InstantOut, v.description('When this content was replaced.')),
    replaced_by: v.pipe(v.nullable(Id), v.description('The member who replaced it.')),
  }),
)
export type WhiteboardVersion = v.InferOutput<typeof WhiteboardVersion>
