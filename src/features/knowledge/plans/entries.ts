import { and, eq, type SQL, sql } from 'drizzle-orm'
import { knowledgeBases, knowledgeEntries } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import type { Page } from '../../../data/paged.ts'
import { type Called, type Plan, plan, read, withOutside } from '../../../data/plan.ts'
import { Added, assert, mapResult, oneOrThrow } from '../../../data/query.ts'
import { assertExists, assertStays, columnsFor, insertRow, lockForUpdate, noteAdded, rowExists, updateRows } from '../../../data/store.ts'
import { outsideFault } from '../../../domain/outside-addresses.ts'
import { AppError, invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import type { Embedder } from '../../../providers/models/embed-port.ts'
import { MAX_ENTRIES, pageKey, REQUEST_SECONDS } from '../rules/entries.ts'
import { type EntryPatch, KnowledgeEntry, KnowledgeEntryDetails, type PageToIngest, type TextToIngest } from '../schemas/knowledge.ts'
import { fileText } from './file-text.ts'
import { type EntryOutcome, indexEntry } from './index-entry.ts'
import { readEntry } from './read-source.ts'

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
export const ingestText = (ctx: Ctx, baseId: string, text: TextToIngest): Plan<KnowledgeEntryDetails> => ingest(ctx, baseId, 'text', text)

/** Adds the text of the request's file. @throws NOT_FOUND before the file is read, UNSUPPORTED_MEDIA_TYPE, VALIDATION_ERROR */
export async function ingestFile(ctx: Ctx, baseId: string): Promise<Plan<KnowledgeEntryDetails>> {
  embedderIn(ctx)
  ctx.files.expect()
  const { name, bytes } = await ctx.files.collect()
  await ctx.read(oneOrThrow(db.select({ id: knowledgeBases.id }).from(knowledgeBases).where(eq(knowledgeBases.id, baseId)), BASE, baseId))
  return ingest(ctx, baseId, 'file', await fileText(name, bytes))
}

const BASE = 'knowledge base'

function ingest(ctx: Ctx, baseId: string, source: 'text' | 'file', text: TextToIngest): Plan<KnowledgeEntryDetails> {
  const id = newId()
  const row = { id, knowledge_base_id: baseId, source, ...text, due_at: inAWhile }
  return indexed(ctx, eq(knowledgeEntries.id, id), [
    assertStays(knowledgeBases, baseId, BASE),
    assertRoom(baseId),
    insertRow(knowledgeEntries, row),
  ])
}

const most = sql.raw(String(MAX_ENTRIES))
/** Asserts that a base has room for another entry. `unless`: it has the entry already. */
function assertRoom(baseId: string, unless?: SQL): Statement {
  const some = sql`select from knowledge_entries e where e.knowledge_base_id = ${baseId} limit ${most}`
  const count = sql`(select count(*) from (${some}) e) < ${most}`
  const hasRoom = unless ? sql`${count} or exists (select from ${knowledgeEntries} where ${unless})` : count
  return assert(hasRoom, 'CONFLICT', `A knowledge base has at most ${MAX_ENTRIES} entries: delete some, or use another base`)
}

/** Changes an entry. The former text is found until the new one is indexed. */
export const updateEntry = (ctx: Ctx, id: string, patch: EntryPatch): Plan<KnowledgeEntryDetails> =>
  Object.keys(patch).length === 0
    ? plan([lockForUpdate(ctx, knowledgeEntries, id, WHAT)], entryOf(id))
    : indexed(ctx, eq(knowledgeEntries.id, id), [
        lockForUpdate(ctx, knowledgeEntries, id, WHAT),
        updateRows(knowledgeEntries, { ...patch, due_at: inAWhile, turn: sql`turn + 1` }, eq(knowledgeEntries.id, id), { id }),
      ])

/**
 * Adds the page at an address, or reads it again if the base has it. A page that cannot be read is an entry too, which says why; what was
 * read before stays.
 */
export async function ingestUrl(ctx: Ctx, baseId: string, { url }: PageToIngest): Promise<Plan<Added<KnowledgeEntryDetails>>> {
  const fault = outsideFault(url, ctx.deployment.outside)
  if (fault) throw invalid([{ path: 'url', message: fault }])
  const [id, key] = [newId(), pageKey(url)]
  const known = and(eq(columnOf.knowledge_base_id, baseId), eq(columnOf.source, 'url'), eq(columnOf.source_key, key))
  const page = { knowledge_base_id: baseId, source: 'url' as const, source_key: key, title: url.slice(0, 300), url, due_at: inAWhile }
  const again = db.update(knowledgeEntries).set({ due_at: inAWhile, turn: sql`turn + 1` })
  return indexedPage(ctx, known as SQL, id, [
    assertStays(knowledgeBases, baseId, BASE),
    assertRoom(baseId, known),
    again.where(known),
    db
      .insert(knowledgeEntries)
      .values({ id, ...page })
      .onConflictDoNothing(),
    noteAdded(rowExists(knowledgeEntries, id)),
  ])
}
const columnOf = knowledgeEntries

type Reserved = KnowledgeEntryDetails & { _turn: number; _known: string[]; _etag: string | null; _source: string | null; _new: boolean }
const { turn, etag, source_sha256 } = knowledgeEntries
const known = sql<string[]>`(select coalesce(json_agg(distinct c.model || ' ' || c.sha256), '[]') from knowledge_chunks c
  where c.workspace_id = knowledge_entries.workspace_id and c.entry_id = knowledge_entries.id)`

const reservedAt = (where: SQL, newId: string | null) =>
  db
    .select({
      ...columns,
      _turn: turn,
      _known: known.as('_known'),
      _etag: etag,
      _source: source_sha256,
      _new: sql<boolean>`id = ${newId}::uuid`.as('_new'),
    })
    .from(knowledgeEntries)
    .where(where)

const workOf = ({ _turn, _new, _known, _etag, _source, ...entry }: Reserved) => ({
  ...entry,
  known: _known,
  etag: _etag,
  source_sha256: _source,
})

/** What a request stores of its attempt; the background tries again after a failure that may end by itself. */
function settled({ id, _turn }: Reserved, called: Called<EntryOutcome>): Statement[] {
  if (!called.ok) return []
  const { isFinal, ...outcome } = called.value
  const wait = outcome.error !== undefined && !isFinal ? { wait: REQUEST_SECONDS } : {}
  return [call('finish_knowledge_entry', id, _turn, JSON.stringify({ ...outcome, ...wait }))]
}

const shown = ({ _turn, _new, _known, _etag, _source, ...entry }: Reserved): KnowledgeEntryDetails => entry

function indexed(ctx: Ctx, where: SQL, statements: (Statement | undefined)[]): Plan<KnowledgeEntryDetails> {
  const embedder = embedderIn(ctx)
  return withOutside<Reserved, EntryOutcome, KnowledgeEntryDetails>(plan(statements, oneOrThrow(reservedAt(where, null), WHAT)), {
    // A repeated request has another id than the entry that the first one added.
    call: (reserved) => indexEntry(embedder, workOf(reserved)),
    settle: settled,
    preview: shown,
    result: ({ id }) => entryOf(id),
  })
}

function indexedPage(ctx: Ctx, where: SQL, id: string, statements: Statement[]): Plan<Added<KnowledgeEntryDetails>> {
  const reading = { embedder: embedderIn(ctx), http: ctx.deployment.outsideHttp }
  return withOutside<Reserved, EntryOutcome, Added<KnowledgeEntryDetails>>(plan(statements, oneOrThrow(reservedAt(where, id), WHAT)), {
    call: (reserved) => readEntry(reading, { ...workOf(reserved), url: reserved.url as string }),
    settle: settled,
    preview: (reserved) => new Added(shown(reserved), reserved._new),
    result: ({ id, _new }) => mapResult(entryOf(id), (entry) => new Added(entry, _new)),
  })
}
