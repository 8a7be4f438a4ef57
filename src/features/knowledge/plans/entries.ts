import { eq, sql } from 'drizzle-orm'
import { knowledgeBases, knowledgeEntries } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import type { Page } from '../../../data/paged.ts'
import { type Plan, plan, read, withOutside } from '../../../data/plan.ts'
import { assert, oneOrThrow } from '../../../data/query.ts'
import { assertExists, columnsFor, insertRow, lockForUpdate, updateRows } from '../../../data/store.ts'
import { AppError } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import type { Embedder } from '../../../providers/models/embed-port.ts'
import { MAX_ENTRIES, REQUEST_SECONDS } from '../rules/entries.ts'
import { type EntryPatch, KnowledgeEntry, KnowledgeEntryDetails, type TextToIngest } from '../schemas/knowledge.ts'
import { type EntryOutcome, indexEntry } from './index-entry.ts'

const WHAT = 'knowledge entry'
const columns = columnsFor(knowledgeEntries, KnowledgeEntryDetails)
const entryOf = (id: string) => oneOrThrow(db.select(columns).from(knowledgeEntries).where(eq(knowledgeEntries.id, id)), WHAT, id)
export const getEntry = (id: string): Plan<KnowledgeEntryDetails> => read(entryOf(id))

const summary = columnsFor(knowledgeEntries, KnowledgeEntry)
const select = (keys: Keys) => db.select({ ...summary, ...keys }).from(knowledgeEntries)

/** The entries of a base, without their texts. */
export const listEntries = (baseId: string, query: PageQuery): Plan<Page<KnowledgeEntry>> =>
  plan(
    [assertExists(knowledgeBases, baseId, 'knowledge base')],
    page({
      select,
      id: knowledgeEntries.id,
      where: [eq(knowledgeEntries.knowledge_base_id, baseId)],
      sorts: SORTS,
      name: 'knowledge-entries',
      query,
    }),
  )
const SORTS = { created_at: knowledgeEntries.created_at }

const inAWhile = sql`now() + make_interval(secs => ${REQUEST_SECONDS})`

/** The provider of embeddings. @throws CHANNEL_NOT_CONFIGURED */
export function embedderIn({ deployment }: Ctx): Embedder {
  if (deployment.embedder) return deployment.embedder
  throw new AppError('CHANNEL_NOT_CONFIGURED', 'This service has no provider of embeddings: set EMBEDDINGS_API_KEY', {
    channel: 'embeddings',
  })
}

/** Adds a text to a base. Its row is written first, and indexed after the commit; the background does what the request could not. */
export function ingestText(ctx: Ctx, baseId: string, text: TextToIngest): Plan<KnowledgeEntryDetails> {
  const id = newId()
  const most = sql.raw(String(MAX_ENTRIES))
  const some = sql`select from knowledge_entries e where e.knowledge_base_id = ${baseId} limit ${most}`
  const hasRoom = sql`(select count(*) from (${some}) e) < ${most}`
  return indexed(ctx, id, [
    assertExists(knowledgeBases, baseId, 'knowledge base'),
    assert(hasRoom, 'CONFLICT', `A knowledge base has at most ${MAX_ENTRIES} entries: delete some, or use another base`),
    insertRow(knowledgeEntries, { id, knowledge_base_id: baseId, source: 'text', ...text, due_at: inAWhile }),
  ])
}

/** Changes an entry. The former text is found until the new one is indexed. */
export const updateEntry = (ctx: Ctx, id: string, patch: EntryPatch): Plan<KnowledgeEntryDetails> =>
  Object.keys(patch).length === 0
    ? plan([lockForUpdate(ctx, knowledgeEntries, id, WHAT)], entryOf(id))
    : indexed(ctx, id, [
        lockForUpdate(ctx, knowledgeEntries, id, WHAT),
        updateRows(knowledgeEntries, { ...patch, due_at: inAWhile, turn: sql`turn + 1` }, eq(knowledgeEntries.id, id), { id }),
      ])

type Reserved = KnowledgeEntryDetails & { _turn: number; _known: string[] }

function indexed(ctx: Ctx, id: string, statements: (Statement | undefined)[]): Plan<KnowledgeEntryDetails> {
  const embedder = embedderIn(ctx)
  const known = sql<
    string[]
  >`(select coalesce(json_agg(distinct c.model || ' ' || c.sha256), '[]') from knowledge_chunks c where c.entry_id = ${id})`
  const reserved = db
    .select({ ...columns, _turn: sql<number>`turn`.as('_turn'), _known: known.as('_known') })
    .from(knowledgeEntries)
    .where(eq(knowledgeEntries.id, id))
  return withOutside<Reserved, EntryOutcome, KnowledgeEntryDetails>(plan(statements, oneOrThrow(reserved, WHAT, id)), {
    // A repeated request has another id than the entry that the first one added.
    call: ({ id, title, text, _known }) => indexEntry(embedder, { id, title, text, known: _known }),
    settle: ({ id, _turn }, called) => {
      if (!called.ok) return []
      const { isFinal, ...outcome } = called.value
      const wait = outcome.error !== undefined && !isFinal ? { wait: REQUEST_SECONDS } : {}
      return [sql`select finish_knowledge_entry(${id}::uuid, ${_turn}::int, ${JSON.stringify({ ...outcome, ...wait })}::jsonb)`]
    },
    preview: ({ _turn, _known, ...entry }) => entry,
    result: (reserved) => entryOf(reserved.id),
  })
}
