import { and, eq, isNotNull, sql } from 'drizzle-orm'
import { whiteboardScenes as scenes, whiteboards } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { compiledSelect, oneOrThrow } from '../../../data/query.ts'
import { assertExists, columnsFor, lockForUpdate } from '../../../data/store.ts'
import { newId } from '../../../lib/ids.ts'
import { Whiteboard, type WhiteboardDetails, WhiteboardVersion } from '../schemas/whiteboards.ts'

export const WHAT = 'whiteboard'
const fields = columnsFor(whiteboards, Whiteboard)
const boards = compiledSelect(db.select(fields).from(whiteboards))
/** A board without its content, which may be large. */
export const boardOf = (id: string) => oneOrThrow(boards.where(eq(whiteboards.id, id)), WHAT, id)

type Content = Pick<WhiteboardDetails, 'elements' | 'appState' | 'files'>
const scene = (column: 'app_state' | 'files') =>
  sql<
    Record<string, unknown>
  >`coalesce((select s.${sql.raw(column)} from whiteboard_scenes s where s.workspace_id = whiteboards.workspace_id
    and s.whiteboard_id = whiteboards.id and s.generation = whiteboards.generation), '{}')`
const elements = sql<Content['elements']>`(select coalesce(json_agg(e.data order by e.index_key, e.element_id), '[]')
  from whiteboard_elements e where e.workspace_id = whiteboards.workspace_id and e.whiteboard_id = whiteboards.id and e.removed is null)`
const details = compiledSelect(
  db
    .select({
      ...fields,
      elements: elements.as('elements'),
      appState: scene('app_state').as('app_state'),
      files: scene('files').as('files'),
    })
    .from(whiteboards),
)

export const getWhiteboard = (id: string): Plan<WhiteboardDetails> => read(oneOrThrow(details.where(eq(whiteboards.id, id)), WHAT, id))

/** Adds a board with the present content of another one. */
export function duplicateWhiteboard(id: string, name?: string): Plan<Whiteboard> {
  const copy = newId()
  return plan(
    [
      lockForUpdate({ ifMatch: undefined }, whiteboards, id, WHAT),
      call('copy_whiteboard_content', id, copy),
      sql`insert into whiteboards (id, name, description, opportunity_id, element_count, content_length, content_sha256, next_index)
        select ${copy}::uuid, coalesce(${name ?? null}::text, left('Copy of ' || b.name, 200)), b.description, b.opportunity_id,
          b.element_count, b.content_length, b.content_sha256, b.next_index from whiteboards b where b.id = ${id}`,
    ],
    boardOf(copy),
  )
}

const versionFields = columnsFor(scenes, WhiteboardVersion, { replaced_at: sql<string>`iso(${scenes.replaced_at})`.as('replaced_at') })

/** The contents of a board that were replaced, the latest first. */
export function listVersions(id: string, query: PageQuery) {
  const select = (keys: Keys) => db.select({ ...versionFields, ...keys }).from(scenes)
  const versions = page({
    select,
    id: scenes.id,
    where: [and(eq(scenes.whiteboard_id, id), isNotNull(scenes.replaced_at))],
    sorts: { generation: scenes.generation },
    name: `whiteboard versions ${id}`,
    query: { ...query, sort: '-generation' },
  })
  return plan([assertExists(whiteboards, id, WHAT)], versions)
}

export const revertWhiteboard = (ctx: Ctx, id: string, versionId: string): Plan<Whiteboard> =>
  plan([lockForUpdate(ctx, whiteboards, id, WHAT), call('revert_whiteboard', id, versionId)], boardOf(id))
