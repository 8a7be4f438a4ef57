import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { describe, Enum, Id, InstantOut, Integer, Multiline, Name, optional, SingleLine } from '../../../schemas/fields.ts'
import { CARD_TYPES, MAX_CARDS, PROGRESS } from '../rules/training.ts'

const TYPES =
  '`notepad`, `document`, `image` (a file of the type image) and `file` (one of the type secure): what `url` is the id of. ' +
  '`youtube`: the full address of a video. `link`: a web address. `html_embed`: an address for a frame, which begins with https://.'
const SHOWN = 'The id or the address of what the card shows, by its type.'
const ADDRESS = 'https://www.youtube.com/watch?v=dQw4w9WgXcQ'

export const NewCanvas = v.strictObject({
  name: v.optional(describe(Name(120), 'What the canvas is called; with a template “Getting started” by default.', 'Onboarding')),
  template: optional(
    describe(Enum(['getting_started']), '`getting_started`: six cards that link to the guides of this API.', 'getting_started'),
  ),
})
export type NewCanvas = v.InferOutput<typeof NewCanvas>
export const CanvasPatch = v.strictObject({ name: v.optional(describe(Name(120), 'The new name.', 'Onboarding')) })
export type CanvasPatch = v.InferOutput<typeof CanvasPatch>

const sortOrder = describe(Integer(0, 1_000_000), 'The place of the card: cards are sorted by it. By default the last.', 0)
const cardFields = {
  resource_type: describe(Enum(CARD_TYPES), TYPES, 'youtube'),
  url: describe(SingleLine(2000), SHOWN, ADDRESS),
  title: describe(Name(200), 'What the card is called.', 'How we answer the phone'),
  description: optional(describe(Multiline(2000), 'What one learns.', 'Three minutes.')),
  sort_order: v.optional(sortOrder),
}
export const NewCard = v.strictObject(cardFields)
export type NewCard = v.InferOutput<typeof NewCard>
export const CardPatch = v.strictObject({
  ...v.partial(v.strictObject(cardFields)).entries,
  url: v.optional(
    v.nullable(describe(SingleLine(2000), `${SHOWN} Null changes nothing: a card has it for callers who may not read it.`, ADDRESS)),
  ),
})
export type CardPatch = v.InferOutput<typeof CardPatch>

const progress = v.pipe(v.picklist(PROGRESS), v.description('How far the member is.'), v.examples(['started']))
const storedCard = {
  id: Id,
  canvas_id: Id,
  resource_type: v.pipe(v.picklist(CARD_TYPES), v.description(TYPES), v.examples(['youtube'])),
  url: v.pipe(
    v.nullable(v.string()),
    v.description(`${SHOWN} Null if the caller may not read it, or it was deleted.`),
    v.examples([ADDRESS]),
  ),
  title: v.string(),
  description: v.nullable(v.string()),
  sort_order: v.pipe(v.number(), v.integer(), v.examples([0])),
}
/** What history and events say of a card. */
export const CardRecord = v.object({ ...storedCard, ...timestamps })
export const TrainingCard = named(
  'TrainingCard',
  v.object({
    ...storedCard,
    target: v.pipe(
      v.nullable(v.object({ id: Id, name: v.string() })),
      v.description(
        'The record that it shows. Null if the caller may not read it, if it was deleted, and for a card that shows an address.',
      ),
      v.examples([null]),
    ),
    shown_url: v.pipe(
      v.nullable(v.string()),
      v.description('The address to show: of a YouTube video its player, of an image its public address; null for other records.'),
      v.examples(['https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ']),
    ),
    sandbox: v.pipe(
      v.nullable(v.string()),
      v.description('The sandbox attribute of the frame in which an html_embed is shown; null for other cards.'),
      v.examples([null]),
    ),
    progress: v.pipe(v.picklist(PROGRESS), v.description('How far the caller is.'), v.examples(['not_started'])),
    ...timestamps,
  }),
)
export type TrainingCard = v.InferOutput<typeof TrainingCard>

const canvas = { id: Id, name: v.string(), ...timestamps }
export const TrainingCanvas = named('TrainingCanvas', v.object(canvas))
export const TrainingCanvasDetails = named(
  'TrainingCanvasDetails',
  v.object({ ...canvas, cards: v.pipe(v.array(TrainingCard), v.description(`The cards, sorted by sort_order; at most ${MAX_CARDS}.`)) }),
)
export type TrainingCanvasDetails = v.InferOutput<typeof TrainingCanvasDetails>

export const ProgressIn = v.strictObject({
  status: describe(Enum(PROGRESS), '`done` includes that it was started; `not_started` begins again.', 'done'),
})
export const CardProgress = named(
  'TrainingProgress',
  v.object({
    card_id: Id,
    user_id: v.nullable(Id),
    status: progress,
    started_at: v.nullable(InstantOut),
    done_at: v.nullable(InstantOut),
  }),
)
export type CardProgress = v.InferOutput<typeof CardProgress>

const count = (description: string) => v.pipe(v.number(), v.integer(), v.description(description), v.examples([2]))
export const MemberProgress = named(
  'TrainingMemberProgress',
  v.object({
    user_id: Id,
    full_name: v.nullable(v.string()),
    card_count: count('The cards of the canvas.'),
    started_count: count('The cards that the member has started, done ones included.'),
    done_count: count('The cards that the member has done.'),
    cards: v.pipe(
      v.array(v.object({ card_id: Id, status: progress, started_at: InstantOut, done_at: v.nullable(InstantOut) })),
      v.description('The cards that the member has started, in their order.'),
    ),
  }),
)
export type MemberProgress = v.InferOutput<typeof MemberProgress>
