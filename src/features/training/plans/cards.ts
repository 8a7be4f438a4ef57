import { eq, getTableName, type SQL, sql } from 'drizzle-orm'
import { trainingCanvases, trainingCards, trainingProgress } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { assertField, mapResult, oneOrThrow, rows } from '../../../data/query.ts'
import { assertStays, columnsFor, insertRow, lockForUpdate, updateRows } from '../../../data/store.ts'
import { invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { setFilesUrl } from '../../files/plans/files.ts'
import { type CardType, likelyType, MAX_CARDS, SANDBOX, showsRecord, urlFault } from '../rules/training.ts'
import { type CardPatch, type CardProgress, type NewCard, TrainingCard } from '../schemas/training.ts'

const WHAT = 'training card'
const target = sql`training_target(resource_type, target_id)`
const isHidden = sql`target_id is not null and ${target} is null`
const ofCaller = sql`p.workspace_id = training_cards.workspace_id and p.card_id = training_cards.id and p.user_id = current_user_id()`

/** The columns that follow from others, from what a card shows, and from the caller. */
const computed = {
  url: sql<string | null>`case when ${isHidden} then null else url end`,
  target: sql<TrainingCard['target']>`${target}`,
  shown_url: sql<string | null>`case when ${isHidden} then null else training_shown_url(resource_type, url) end`,
  sandbox: sql<string | null>`case when resource_type = 'html_embed' then ${sql.raw(`'${SANDBOX}'`)} end`,
  progress: sql<TrainingCard['progress']>`case when not exists (select from ${trainingProgress} p where ${ofCaller}) then 'not_started'
    when exists (select from ${trainingProgress} p where ${ofCaller} and p.done_at is not null) then 'done' else 'started' end`,
}
export const cardColumns = {
  url: computed.url.as('url'),
  target: computed.target.as('target'),
  shown_url: computed.shown_url.as('shown_url'),
  sandbox: computed.sandbox.as('sandbox'),
  progress: computed.progress.as('progress'),
}
const columns = columnsFor(trainingCards, TrainingCard, cardColumns)
/** A card as JSON, for the canvas that has it. */
export const cardJson = sql`json_build_object('id', id, 'canvas_id', canvas_id, 'resource_type', resource_type, 'url', ${computed.url},
  'title', title, 'description', description, 'sort_order', sort_order, 'target', ${computed.target}, 'shown_url', ${computed.shown_url},
  'sandbox', ${computed.sandbox}, 'progress', ${computed.progress}, 'version', version, 'created_at', iso(created_at),
    'updated_at', iso(updated_at))`
const recordOf = (id: string) => oneOrThrow(db.select(columns).from(trainingCards).where(eq(trainingCards.id, id)), WHAT, id)

export const getCard = (id: string): Plan<TrainingCard> => read(recordOf(id))

const GONE: Partial<Record<CardType, string>> = {
  notepad: 'must be the id of a notepad that you may read',
  document: 'must be the id of a document that you may read',
  image: 'must be the id of a file of the type image in this workspace: upload it with POST /files',
  file: 'must be the id of a file of the type secure that you may read: upload it with POST /files',
}

/** Checks what a card is to show. @throws VALIDATION_ERROR */
function assertTarget(id: string, type: CardType, url: string): Statement | undefined {
  const message = urlFault(type, url)
  if (message) throw invalid([{ path: 'url', message }])
  return showsRecord(type) ? call('assert_training_target', id, type, url, GONE[type] ?? '') : undefined
}

/** Ids are stored in lower case, addresses as they were sent. */
const stored = (type: CardType, url: string) => (showsRecord(type) ? url.toLowerCase() : url)

const TOO_MANY = `A canvas has at most ${MAX_CARDS} cards: delete one first`
const hasRoom = (canvasId: string): Statement =>
  assertField(sql`(select count(*) from ${trainingCards} where canvas_id = ${canvasId}) < ${MAX_CARDS}::int`, 'resource_type', TOO_MANY)
const nextOrder = (canvasId: string): SQL =>
  sql`(select least(coalesce(max(c.sort_order) + 1, 0), 1000000) from ${sql.identifier(getTableName(trainingCards))} c
    where c.canvas_id = ${canvasId})`

export async function createCard(ctx: Ctx, canvasId: string, { url: sent, sort_order, ...fields }: NewCard): Promise<Plan<TrainingCard>> {
  const id = newId()
  const url = stored(fields.resource_type, sent)
  const row = { ...fields, id, canvas_id: canvasId, url, sort_order: sort_order ?? nextOrder(canvasId) }
  return plan(
    [
      await setFilesUrl(ctx),
      lockForUpdate({ ifMatch: undefined }, trainingCanvases, canvasId, 'training canvas'),
      hasRoom(canvasId),
      assertTarget(id, fields.resource_type, url),
      insertRow(trainingCards, row),
    ],
    recordOf(id),
  )
}

type Known = { resource_type: CardType; url: string }

/** What the card shows as it is stored; a change of its type or its url alone is checked against the other one. */
function storedCard(ctx: Ctx, id: string, likely: Known | undefined): Promise<Known | undefined> {
  const { resource_type, url } = trainingCards
  const one = db.select({ resource_type, url }).from(trainingCards).where(eq(trainingCards.id, id))
  const locked = sql`(select json_build_array(c.resource_type, c.url)::text from training_cards c where c.id = ${id} for update)`
  return ctx.assume<Known | undefined>(
    mapResult(rows(one), ([found]) => found),
    likely,
    (known) => {
      const same = known ? sql`json_build_array(${known.resource_type}::text, ${known.url}::text)::text` : sql`null::text`
      return sql`${locked} is not distinct from ${same}`
    },
  )
}

export async function updateCard(ctx: Ctx, id: string, { url: sent, ...fields }: CardPatch): Promise<Plan<TrainingCard>> {
  const start = [lockForUpdate(ctx, trainingCards, id, WHAT)]
  const isWhole = typeof sent === 'string' && fields.resource_type !== undefined
  const isPart = !isWhole && (typeof sent === 'string' || fields.resource_type !== undefined)
  const known = isPart ? await storedCard(ctx, id, undefined) : undefined
  // The plan of the first round trip never runs, unless there is no such card.
  if (isPart && !known) return plan(start, recordOf(id))
  const type = fields.resource_type ?? known?.resource_type ?? likelyType(sent ?? '')
  const url = typeof sent === 'string' ? stored(type, sent) : known?.url
  const guard = url === undefined ? undefined : assertTarget(id, type, url)
  const patch = { ...fields, ...(typeof sent === 'string' && { url }) }
  return plan([...start, guard, updateRows(trainingCards, patch, eq(trainingCards.id, id), { id })], recordOf(id))
}

/** Notes how far the caller is with a card. */
export function setProgress(id: string, status: CardProgress['status']): Plan<CardProgress> {
  const change =
    status === 'not_started'
      ? sql`delete from training_progress where card_id = ${id} and user_id = current_user_id()`
      : sql`insert into training_progress (card_id, done_at) values (${id}, ${status === 'done' ? sql`now()` : sql`null`})
        on conflict (workspace_id, card_id, user_id) do update set
          done_at = case when ${status} = 'started' then null else coalesce(training_progress.done_at, excluded.done_at) end`
  return plan([assertStays(trainingCards, id, WHAT), change], progressOf(id))
}

const progressOf = (id: string) =>
  oneOrThrow(
    db
      .select({
        card_id: sql<string>`${trainingCards.id}`.as('card_id'),
        user_id: sql<string | null>`current_user_id()`.as('user_id'),
        status: sql<
          CardProgress['status']
        >`case when p.id is null then 'not_started' when p.done_at is null then 'started' else 'done' end`.as('status'),
        started_at: sql<string | null>`iso(p.started_at)`.as('started_at'),
        done_at: sql<string | null>`iso(p.done_at)`.as('done_at'),
      })
      .from(trainingCards)
      .leftJoin(sql`training_progress p`, sql`${ofCaller}`)
      .where(eq(trainingCards.id, id)),
    WHAT,
    id,
  )
