import { Hono } from 'hono'
import * as v from 'valibot'
import { trainingCanvases, trainingCards } from '../schema/index.ts'
import { setFilesUrl } from '../src/features/files/plans/files.ts'
import { createCanvas, getCanvas, listProgress, updateCanvas } from '../src/features/training/plans/canvases.ts'
import { cardColumns, createCard, getCard, setProgress, updateCard } from '../src/features/training/plans/cards.ts'
import {
  CanvasPatch,
  CardPatch,
  CardProgress,
  MemberProgress,
  NewCanvas,
  NewCard,
  ProgressIn,
  TrainingCanvas,
  TrainingCanvasDetails,
  TrainingCard,
} from '../src/features/training/schemas/training.ts'
import { listBelow } from '../src/http/children.ts'
import { created, one, scopes } from '../src/http/modes.ts'
import { resource } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { describe, Id, pageQuery } from '../src/schemas/fields.ts'
import { DOCUMENTS } from './paths.ts'

const TAG = 'Training (Learning Hub)'
export const trainingCanvasesRouter = new Hono<App>()
export const trainingCanvasesApi = endpoints(trainingCanvasesRouter, { path: DOCUMENTS.trainingCanvases, tag: TAG })
export const trainingCardsRouter = new Hono<App>()
export const trainingCardsApi = endpoints(trainingCardsRouter, { path: DOCUMENTS.trainingCards, tag: TAG })

const canvasParams = v.object({ training_canvas_id: Id })
const cardParams = v.object({ training_card_id: Id })
const SHOWN = 'A card whose record the caller may not read has neither `url` nor `target`.'

resource(trainingCanvasesApi, {
  name: 'training_canvas',
  plural: 'training-canvases',
  scope: 'resources',
  table: trainingCanvases,
  returns: TrainingCanvas,
  record: TrainingCanvasDetails,
  before: setFilesUrl,
  list: { sorts: ['created_at', 'updated_at', 'name'] },
  get: { description: `With its cards, sorted by sort_order. ${SHOWN}`, plan: getCanvas },
  create: { body: NewCanvas, plan: createCanvas, errors: [] },
  update: { summary: 'Rename a training canvas', body: CanvasPatch, plan: updateCanvas, errors: ['NOT_FOUND', 'PRECONDITION_FAILED'] },
  remove: { description: 'Its cards go with it; what they show stays.', errors: ['NOT_FOUND', 'PRECONDITION_FAILED'] },
  history: true,
})
trainingCanvasesApi.post(
  '/:training_canvas_id/cards',
  {
    id: 'createTrainingCard',
    summary: 'Add a card to a training canvas',
    description: 'What it shows must be there, and the caller must be allowed to read it.',
    access: scopes('resources:write'),
    params: canvasParams,
    body: NewCard,
    returns: created(TrainingCard, DOCUMENTS.trainingCards),
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params, body }) => createCard(ctx, params.training_canvas_id, body),
)
listBelow(trainingCanvasesApi, {
  parent: { name: 'training_canvas', param: 'training_canvas_id', scope: 'resources' },
  path: '/progress',
  name: 'progress',
  plural: 'progress',
  id: 'listTrainingProgress',
  summary: "List the members' progress on a training canvas",
  description: 'Each active member, those who have not begun too.',
  query: v.strictObject({ ...pageQuery, user_id: v.optional(describe(Id, 'Only this member.')) }),
  returns: MemberProgress,
  list: listProgress,
})
resource(trainingCardsApi, {
  name: 'training_card',
  plural: 'training-cards',
  scope: 'resources',
  table: trainingCards,
  returns: TrainingCard,
  computed: cardColumns,
  before: setFilesUrl,
  get: { description: SHOWN, plan: getCard },
  update: {
    description: 'Every field is optional.',
    body: CardPatch,
    plan: updateCard,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  remove: { description: 'What it shows stays.', errors: ['NOT_FOUND', 'PRECONDITION_FAILED'] },
  history: true,
})
trainingCardsApi.put(
  '/:training_card_id/progress',
  {
    id: 'setTrainingProgress',
    summary: 'Set your progress on a training card',
    description: 'For the member whose key it is.',
    access: scopes('resources:read'),
    params: cardParams,
    body: ProgressIn,
    returns: one(CardProgress),
    errors: ['NOT_FOUND'],
  },
  ({ params, body }) => setProgress(params.training_card_id, body.status),
)
