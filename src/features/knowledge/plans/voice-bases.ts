import { eq, sql } from 'drizzle-orm'
import { knowledgeBases, knowledgeCopies } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import type { Page } from '../../../data/paged.ts'
import { type Called, type Plan, plan, read, waking, withOutside } from '../../../data/plan.ts'
import { assert, constant, mapResult, oneOrThrow, type Query, rows, type Select } from '../../../data/query.ts'
import { assertStays, columnsFor } from '../../../data/store.ts'
import { outsideFault } from '../../../domain/outside-addresses.ts'
import { AppError, invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { cutText, loggable } from '../../../lib/text.ts'
import { type ProviderKnowledge, type VoiceKnowledge, VoiceRefusal } from '../../phone/provider/port.ts'
import { copyName, MAX_IMPORTED, pageKey, REQUEST_SECONDS } from '../rules/entries.ts'
import type { KnowledgeBaseDetails } from '../schemas/knowledge.ts'
import { type BaseToAdopt, type NewVoiceBase, VoiceBase } from '../schemas/knowledge-agents.ts'
import { baseSelect } from './bases.ts'

const WHAT = 'knowledge base at the voice provider'
const columns = columnsFor(knowledgeCopies, VoiceBase, {
  id: sql<string>`knowledge_copies.knowledge_base_id`.as('id'),
  name: sql<string>`(select b.name from knowledge_bases b where b.workspace_id = knowledge_copies.workspace_id
    and b.id = knowledge_copies.knowledge_base_id)`.as('name'),
  voice_provider_kb_id: sql<string | null>`knowledge_copies.provider_kb_id`.as('voice_provider_kb_id'),
})
const copySelect = (baseId: string) => db.select(columns).from(knowledgeCopies).where(eq(knowledgeCopies.knowledge_base_id, baseId))
export const getVoiceBase = (baseId: string): Plan<VoiceBase> => read(oneOrThrow(copySelect(baseId), WHAT))

/** The knowledge bases that the voice provider has, or is about to have. */
export const listVoiceBases = (query: PageQuery): Plan<Page<VoiceBase>> =>
  read(
    page({
      select: (keys: Keys) => db.select({ ...columns, ...keys }).from(knowledgeCopies),
      id: knowledgeCopies.id,
      where: [sql`${knowledgeCopies.knowledge_base_id} is not null`],
      sorts: { created_at: knowledgeCopies.created_at },
      name: 'agent-knowledge-bases',
      query,
    }),
  )

function knowledgeIn({ deployment }: Ctx): VoiceKnowledge {
  if (deployment.voice) return deployment.voice.knowledge
  throw new AppError('CHANNEL_NOT_CONFIGURED', 'This service has no voice provider', { channel: 'voice' })
}

/** What a call of the provider has returned. @throws KNOWLEDGE_PROVIDER_UNAVAILABLE */
function calledValue<Value>(called: Called<Value>): Value {
  if (called.ok) return called.value
  const { error } = called
  if (error instanceof AppError) throw error
  const reason = loggable(error instanceof Error ? error.message : String(error), 300)
  if (error instanceof VoiceRefusal) throw new AppError('PROVIDER_ERROR', reason, { provider: 'voice', reason })
  throw new AppError('KNOWLEDGE_PROVIDER_UNAVAILABLE', `Nothing was changed: ${reason}`, { provider: 'voice', reason })
}

/**
 * Makes a knowledge base at the voice provider, and then here, in one transaction. A copy without a base is reserved first: if the request
 * ends before that transaction, the background finds it and deletes what the provider has made.
 */
export function createVoiceBase(ctx: Ctx, { name, description }: NewVoiceBase): Plan<VoiceBase> {
  const provider = knowledgeIn(ctx)
  const [id, copyId] = [newId(), newId()]
  const reserve = db.insert(knowledgeCopies).values({ id: copyId, due_at: sql`now() + make_interval(secs => ${REQUEST_SECONDS})` })
  return withOutside<ReservedCopy, ProviderKnowledge, VoiceBase>(plan([reserve], reserved({ id, copy_id: copyId })), {
    call: ({ copy_id }) => provider.create(copyName(copy_id)),
    settle(reserved, called) {
      const { id: provider_kb_id } = calledValue(called)
      const adopted = { ...reserved, name, description: description ?? null, provider_kb_id, pages: [], agents: [] }
      return [call('adopt_knowledge_base', JSON.stringify(adopted))]
    },
    preview: () => previewOf(ctx, id, name),
    result: (reserved) => made(copySelect(reserved.id)),
  })
}

type Reserved = { id: string }
type ReservedCopy = { id: string; copy_id: string }
/** Ids that a repeated request finds again. */
const reserved = <Ids extends Reserved>(ids: Ids): Query<Ids> =>
  mapResult(
    oneOrThrow(db.select({ ids: sql<Ids>`${JSON.stringify(ids)}::jsonb`.as('ids') }).from(sql`(values (true)) one`), WHAT),
    ({ ids }) => ids,
  )

/** What a request has made. A repeated one may find nothing, because the first attempt ended early. */
const made = <Row>(select: Select<Row>): Query<Row> =>
  mapResult(rows(select), ([row]) => {
    if (row) return row
    throw new AppError('CONFLICT', 'This request made nothing that is still there: send it with another Idempotency-Key')
  })

const previewOf = ({ now }: Ctx, id: string, name: string): VoiceBase => ({
  id,
  name,
  voice_provider_kb_id: null,
  status: 'pending',
  error: null,
  is_kept: true,
  created_at: now.toISOString(),
})

/** Deletes the copy at the voice provider in the background, and detaches the voice agents. The base and its entries stay. */
export const deleteVoiceBase = (baseId: string): Plan<{ id: string; deleted: true }> =>
  waking(
    'knowledge.copy',
    plan(
      [
        assertStays(knowledgeBases, baseId, WHAT),
        assert(
          sql`exists (select from ${knowledgeCopies} where ${knowledgeCopies.knowledge_base_id} = ${baseId})`,
          'NOT_FOUND',
          'The voice provider has no copy of this knowledge base',
        ),
        call('end_knowledge_copy', baseId),
      ],
      constant({ id: baseId, deleted: true as const }),
    ),
  )

type Adopted = ProviderKnowledge & { agents: string[] }

/**
 * Links a base that the voice provider has, with its pages and agents. Nothing changes at the provider, and if it cannot be read, nothing
 * here.
 */
export function adoptBase(ctx: Ctx, { voice_provider_kb_id: providerId }: BaseToAdopt): Plan<KnowledgeBaseDetails> {
  const provider = knowledgeIn(ctx)
  const id = newId()
  const isFree = sql`not exists (select from ${knowledgeCopies} where ${knowledgeCopies.provider_kb_id} = ${providerId})`
  const base = plan(
    [assert(isFree, 'CONFLICT', 'This knowledge base was adopted already', { field: 'voice_provider_kb_id' })],
    reserved({ id }),
  )
  return waking(
    'knowledge.index',
    withOutside<Reserved, Adopted, KnowledgeBaseDetails>(base, {
      async call() {
        const found = await provider.find(providerId)
        if (!found) throw invalid([{ path: 'voice_provider_kb_id', message: 'does not exist at the voice provider' }])
        return { ...found, agents: await provider.agentsOf(providerId) }
      },
      settle(reserved, called) {
        const { name, sources, agents } = calledValue(called)
        const addresses = sources.flatMap(({ url }) =>
          url !== null && outsideFault(url, ctx.deployment.outside) === undefined ? [url] : [],
        )
        const pages = [...new Map(addresses.map((url) => [pageKey(url), url]))].slice(0, MAX_IMPORTED).map(([key, url]) => ({ key, url }))
        const adopted = { id: reserved.id, name: cutText(name, 120), provider_kb_id: providerId, pages, agents }
        return [call('adopt_knowledge_base', JSON.stringify(adopted))]
      },
      preview: () => previewOfBase(ctx, id),
      result: (reserved) => made(baseSelect(reserved.id)),
    }),
  )
}

/** What a dry run, which calls nobody, can say. */
const previewOfBase = ({ now }: Ctx, id: string): KnowledgeBaseDetails => ({
  id,
  name: '',
  description: null,
  auto_resync_enabled: false,
  auto_resync_hours: 24,
  help_center_url: null,
  version: 1,
  created_at: now.toISOString(),
  updated_at: now.toISOString(),
  entry_count: 0,
  agent_count: 0,
  last_syncs: {},
})
