import { createHash, randomInt } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { whiteboards } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { mapResult, oneOrThrow } from '../../../data/query.ts'
import { lockForUpdate } from '../../../data/store.ts'
import { invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { completeElements, orderElements, referredTo } from '../rules/complete.ts'
import { type Element, MAX_CONTENT, MAX_ELEMENTS, type Make } from '../rules/elements.ts'
import type { MoreElements, Whiteboard, WhiteboardContent } from '../schemas/whiteboards.ts'
import { boardOf, WHAT } from './whiteboards.ts'

const RANDOM_BELOW = 2 ** 31 - 1
const making = ({ now }: Ctx): Make => ({ id: newId, random: () => randomInt(1, RANDOM_BELOW), now: now.getTime() })
const bytesOf = (text: string) => new TextEncoder().encode(text).length
const digestOf = (text: string) => createHash('sha256').update(text).digest('hex')

/** Replaces the content of a board. What it was before becomes a version. */
export function replaceContent(ctx: Ctx, id: string, { elements: sent, appState = {}, files = {} }: WhiteboardContent): Plan<Whiteboard> {
  const { elements, issues } = completeElements(sent, new Map(), making(ctx))
  if (issues.length > 0) throw invalid(issues)
  const next_index = orderElements(elements)
  // The editor fails on a list of collaborators that was JSON, which theirs is not.
  const { collaborators: _, ...kept } = appState
  const [list, state, images] = [JSON.stringify(elements), JSON.stringify(kept), JSON.stringify(files)]
  const length = bytesOf(list) + bytesOf(state) + bytesOf(images)
  if (length > MAX_CONTENT) throw invalid([{ path: 'elements', message: `${TOO_LONG}, and this is ${length}` }])
  const facts = { count: elements.length, length, sha256: digestOf(list + state + images), next_index }
  return plan(
    [lockForUpdate(ctx, whiteboards, id, WHAT), call('replace_whiteboard', id, list, state, images, JSON.stringify(facts))],
    boardOf(id),
  )
}
const TOO_LONG = `must be at most ${MAX_CONTENT} bytes of JSON, together with appState and files`

/** Adds elements in front of all others. Only those that refer to elements of the board cost another round trip, which reads these. */
export async function appendElements(ctx: Ctx, id: string, { elements: sent }: MoreElements): Promise<Plan<Whiteboard>> {
  const ids = referredTo(sent)
  const known = ids.length > 0 ? await ctx.readConfirmed(elementsOf(id, ids)) : new Map<string, Element>()
  const { elements, bound, issues } = completeElements(sent, known, making(ctx))
  if (issues.length > 0) throw invalid(issues)
  const list = JSON.stringify(elements)
  const paths = Object.fromEntries(sent.flatMap(({ id }, at) => (id === undefined ? [] : [[id, `elements.${at}.id`]])))
  const facts = { paths, bound, length: bytesOf(list), sha256: digestOf(list), max_elements: MAX_ELEMENTS, max_length: MAX_CONTENT }
  return plan([lockForUpdate(ctx, whiteboards, id, WHAT), call('append_to_whiteboard', id, list, JSON.stringify(facts))], boardOf(id))
}

/** Some elements of a board, by id. */
function elementsOf(id: string, ids: string[]) {
  const found = sql<Record<string, Element> | null>`(select json_object_agg(e.element_id, e.data) from whiteboard_elements e
    where e.workspace_id = whiteboards.workspace_id and e.whiteboard_id = whiteboards.id and e.removed is null
      and e.element_id = any(${`{${ids.join(',')}}`}::text[]))`
  const board = db
    .select({ found: found.as('found') })
    .from(whiteboards)
    .where(eq(whiteboards.id, id))
  return mapResult(oneOrThrow(board, WHAT, id), ({ found }) => new Map(Object.entries(found ?? {})))
}
