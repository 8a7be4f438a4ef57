import { and, asc, eq, sql } from 'drizzle-orm'
import { knowledgeBases, products } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Plan, plan, waking, withOutside } from '../../../data/plan.ts'
import { mapResult, oneOrThrow, rows } from '../../../data/query.ts'
import { assertExists, assertStays } from '../../../data/store.ts'
import { AppError } from '../../../errors.ts'
import { articlesOf, HelpCenterFailure } from '../provider/zendesk.ts'
import { MAX_ENTRIES } from '../rules/entries.ts'
import { type CatalogProduct, MAX_PRODUCTS, productText, type SourceText, type SyncOutcome } from '../rules/syncs.ts'
import type { ArticlesToSync } from '../schemas/knowledge.ts'
import { embedderIn } from './entries.ts'
import { digestOf } from './read-source.ts'

const WHAT = 'knowledge base'
type Source = 'help_center' | 'product'

/** Makes the entries of a source those that it has now. `keys`: only these are compared. */
function swap(baseId: string, source: Source, texts: SourceText[], keys: string[] | null): Statement {
  const sent = texts.map((text) => ({ ...text, sha256: digestOf(text.title, text.text) }))
  return sql`select sync_knowledge(${baseId}::uuid, ${source}, ${JSON.stringify(sent)}::jsonb,
    array(select jsonb_array_elements_text(nullif(${JSON.stringify(keys)}::jsonb, 'null'))),
      ${keys === null}::boolean, ${MAX_ENTRIES}::int)`
}

const outcomeOf = (baseId: string, source: Source) => {
  const base = db.select({ id: knowledgeBases.id, last_syncs: knowledgeBases.last_syncs }).from(knowledgeBases)
  return mapResult(oneOrThrow(base.where(eq(knowledgeBases.id, baseId)), WHAT, baseId), ({ last_syncs }) => {
    const outcome = last_syncs[source]
    if (!outcome) throw new AppError('CONFLICT', 'The synchronisation has not ended: repeat the request')
    return outcome
  })
}

/** Reads the articles of a help centre, and swaps the entries with them. If one cannot be read, nothing changes. @throws PROVIDER_ERROR */
export function syncHelpCenter(ctx: Ctx, baseId: string, { article_ids: ids }: ArticlesToSync): Plan<SyncOutcome> {
  embedderIn(ctx)
  const base = db.select({ id: knowledgeBases.id, url: knowledgeBases.help_center_url }).from(knowledgeBases)
  const hasAddress = call('assert_help_center', baseId)
  return waking(
    'knowledge.index',
    withOutside<{ id: string; url: string | null }, SourceText[], SyncOutcome>(
      plan([assertExists(knowledgeBases, baseId, WHAT), hasAddress], oneOrThrow(base.where(eq(knowledgeBases.id, baseId)), WHAT, baseId)),
      {
        call: ({ url }) => articlesOf(ctx.deployment.outsideHttp, url as string, ids && [...new Set(ids)]),
        settle(_, called) {
          if (called.ok)
            return [assertStays(knowledgeBases, baseId, WHAT), swap(baseId, 'help_center', called.value, ids?.map(String) ?? null)]
          if (!(called.error instanceof HelpCenterFailure)) throw called.error
          const reason = called.error.message
          throw new AppError('PROVIDER_ERROR', reason, { provider: 'help_center', reason })
        },
        preview: () => ({ added: 0, updated: 0, unchanged: 0, removed: 0, synced_at: ctx.now.toISOString() }),
        result: () => outcomeOf(baseId, 'help_center'),
      },
    ),
  )
}

/** Swaps the entries of products with the active catalogue. @throws CONFLICT when there are too many */
export async function syncProducts(ctx: Ctx, baseId: string): Promise<Plan<SyncOutcome>> {
  embedderIn(ctx)
  const { id, name, sku, category, description, price, currency, unit, is_active, archived, created_at } = products
  const catalog = db
    .select({ id, name, sku, category, description, price, currency, unit })
    .from(products)
    .where(and(eq(is_active, true), eq(archived, false)))
    .orderBy(asc(created_at), asc(id))
    .limit(MAX_PRODUCTS + 1)
  const active: CatalogProduct[] = await ctx.read(rows(catalog))
  if (active.length > MAX_PRODUCTS)
    throw new AppError('CONFLICT', `More than ${MAX_PRODUCTS} products are active: a knowledge base takes at most that many`)
  const statements = [assertStays(knowledgeBases, baseId, WHAT), swap(baseId, 'product', active.map(productText), null)]
  return waking('knowledge.index', plan(statements, outcomeOf(baseId, 'product')))
}
