import { eq, type SQL, sql } from 'drizzle-orm'
import { memberships, trainingCanvases, users } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import type { Page } from '../../../data/paged.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { oneOrThrow } from '../../../data/query.ts'
import { assertExists, columnsFor, insertRow, lockForUpdate, updateRows } from '../../../data/store.ts'
import { invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { STARTER_CARDS } from '../rules/training.ts'
import {
  type CanvasPatch,
  type MemberProgress,
  type NewCanvas,
  TrainingCanvas,
  type TrainingCanvasDetails,
  type TrainingCard,
} from '../schemas/training.ts'
import { cardJson } from './cards.ts'

const WHAT = 'training canvas'
const cards = sql<TrainingCard[]>`(select coalesce(json_agg(${cardJson} order by sort_order, id), '[]') from training_cards
  where training_cards.workspace_id = training_canvases.workspace_id and canvas_id = training_canvases.id)`
const columns = { ...columnsFor(trainingCanvases, TrainingCanvas), cards: cards.as('cards') }
const recordOf = (id: string) => oneOrThrow(db.select(columns).from(trainingCanvases).where(eq(trainingCanvases.id, id)), WHAT, id)

export const getCanvas = (id: string): Plan<TrainingCanvasDetails> => read(recordOf(id))

export function createCanvas(ctx: Ctx, { name, template }: NewCanvas): Plan<TrainingCanvasDetails> {
  if (name === undefined && !template) throw invalid([{ path: 'name', message: 'must be sent, unless a template gives the name' }])
  const id = newId()
  const insert = insertRow(trainingCanvases, { id, name: name ?? 'Getting started' })
  return plan([insert, template ? starterCards(ctx, id) : undefined], recordOf(id))
}

/** Cards that link to the guides of this deployment. */
function starterCards({ deployment }: Ctx, canvasId: string): Statement {
  const { origin } = new URL(deployment.apiUrl)
  const rows = STARTER_CARDS.map(
    ({ guide, title, description }, at): SQL =>
      sql`(${newId()}::uuid, ${canvasId}::uuid, 'link', ${`${origin}/docs/guides/${guide}`}, ${title}, ${description}, ${at}::int)`,
  )
  return sql`insert into training_cards (id, canvas_id, resource_type, url, title, description, sort_order)
    values ${sql.join(rows, sql`, `)}`
}

export function updateCanvas(ctx: Ctx, id: string, patch: CanvasPatch): Plan<TrainingCanvasDetails> {
  const change = updateRows(trainingCanvases, patch, eq(trainingCanvases.id, id), { id })
  return plan([lockForUpdate(ctx, trainingCanvases, id, WHAT), change], recordOf(id))
}

const ofCanvas = sql`from training_cards c where c.workspace_id = memberships.workspace_id and c.canvas_id = training_canvases.id`
const begun = sql`from training_cards c join training_progress p on p.workspace_id = c.workspace_id and p.card_id = c.id
    where c.workspace_id = memberships.workspace_id and c.canvas_id = training_canvases.id and p.user_id = memberships.user_id`
const count = (what: SQL) => sql<number>`(select count(*)::int ${what})`
/** Each member with each canvas. */
const selectProgress = (keys: Keys) =>
  db
    .select({
      user_id: memberships.user_id,
      full_name: users.full_name,
      card_count: count(ofCanvas).as('card_count'),
      started_count: count(begun).as('started_count'),
      done_count: count(sql`${begun} and p.done_at is not null`).as('done_count'),
      cards: sql<MemberProgress['cards']>`(select coalesce(json_agg(json_build_object('card_id', c.id,
        'status', case when p.done_at is null then 'started' else 'done' end, 'started_at', iso(p.started_at), 'done_at', iso(p.done_at))
        order by c.sort_order, c.id), '[]') ${begun})`.as('cards'),
      ...keys,
    })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.user_id))
    .innerJoin(trainingCanvases, eq(trainingCanvases.workspace_id, memberships.workspace_id))

/** How far the members are with the cards of a canvas: those who have not begun too. */
export function listProgress(id: string, query: { user_id?: string | undefined } & PageQuery): Plan<Page<MemberProgress>> {
  const result = page({
    select: selectProgress,
    id: memberships.user_id,
    where: [
      eq(trainingCanvases.id, id),
      eq(memberships.status, 'active'),
      query.user_id ? eq(memberships.user_id, query.user_id) : undefined,
    ],
    sorts: { created_at: memberships.created_at },
    name: `progress ${id}`,
    query: { ...query, sort: 'created_at' },
  })
  return plan([assertExists(trainingCanvases, id, WHAT)], result)
}
