import { asc, desc, eq, sql } from 'drizzle-orm'
import { serviceRequests, serviceRequestVectors } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { afterRead, type Plan, read } from '../../../data/plan.ts'
import { mapResult, type Query, rows, typed, type Warning, WithWarnings } from '../../../data/query.ts'
import { columnsFor } from '../../../data/store.ts'
import { vectorWithin } from '../../models/plans/vectors.ts'
import { MAX_COMPARED, MAX_COUNTED, mergeHits } from '../rules/search.ts'
import { ServiceRequest, type ServiceRequestHit, type ServiceRequestQuery } from '../schemas/service-requests.ts'
import { computed } from './columns.ts'

/** What is known before a query is embedded: whether there is anything to compare it with, and how many requests have no vector yet. */
type Facts = { has_vectors: boolean; unembedded: number }

/**
 * The requests of the workspace that are nearest to a query. The facts are read first, so that nobody without the right to read has
 * anything embedded.
 */
export function searchServiceRequests(ctx: Ctx, query: ServiceRequestQuery): Plan<WithWarnings<ServiceRequestHit[]>> {
  const { embedder } = ctx.deployment
  const model = embedder?.model ?? ''
  return afterRead(read(factsOf(model)), async ({ has_vectors, unembedded }: Facts) => {
    const vector = embedder && has_vectors ? await vectorWithin(embedder, query.query) : undefined
    const hits = await ctx.read(hitsOf(query, vector === undefined ? '' : model, vector))
    const [similar, byWords] = [
      hits.filter(({ found_by }) => found_by === 'similarity'),
      hits.filter(({ found_by }) => found_by === 'words'),
    ]
    return new WithWarnings(mergeHits(similar, byWords, query.limit), warningsOf(has_vectors && vector === undefined, unembedded))
  })
}

function warningsOf(isUnavailable: boolean, unembedded: number): Warning[] {
  const some = unembedded >= MAX_COUNTED ? `${MAX_COUNTED} or more` : unembedded
  if (isUnavailable)
    return [
      {
        code: 'SEARCHED_BY_WORDS',
        field: 'query',
        message: 'Similarity is not available now: requests were found by words. Try again later',
      },
    ]
  if (unembedded === 0) return []
  const message = `Requests without a vector yet were found by words: ${some}`
  return [{ code: 'SEARCHED_BY_WORDS', field: 'query', message, details: { requests: unembedded } }]
}

function factsOf(model: string): Query<Facts> {
  const facts = {
    has_vectors: sql<boolean>`exists (select from ${serviceRequestVectors} where ${serviceRequestVectors.model} = ${model})`.as(
      'has_vectors',
    ),
    unembedded: sql<number>`(select count(*)::int from unembedded_service_requests(${model}, ${MAX_COUNTED}::int))`.as('unembedded'),
  }
  const found = db.select(facts).from(sql`(select 1) one`)
  return mapResult(rows(typed<Facts>(found)), ([row]) => row as Facts)
}

function hitsOf({ query, limit }: ServiceRequestQuery, model: string, vector: string | undefined): Query<ServiceRequestHit[]> {
  const found = sql`search_service_requests(${query}, ${model}, ${vector ?? null}, ${MAX_COMPARED}::int, ${limit}::int) h`
  const hit = {
    ...columnsFor(serviceRequests, ServiceRequest, computed),
    similarity: sql<number | null>`h.similarity`.as('similarity'),
    found_by: sql<ServiceRequestHit['found_by']>`case when h.words is null then 'similarity' else 'words' end`.as('found_by'),
  }
  const select = db
    .select(hit)
    .from(found)
    .innerJoin(serviceRequests, eq(serviceRequests.id, sql`h.id`))
    .orderBy(sql`h.similarity desc nulls last`, sql`h.words desc`, desc(serviceRequests.created_at), asc(serviceRequests.id))
  return rows(typed<ServiceRequestHit>(select))
}
