import * as v from 'valibot'
import { endpointFor } from '../../routes/index.ts'
import type { Database } from '../../src/data/batch.ts'
import type { Test } from '../../src/domain/automations/types.ts'
import { endpointOf } from '../../src/http/endpoint.ts'
import { execute, type Outcome } from '../../src/http/execute.ts'
import { one } from '../../src/http/modes.ts'
import { respond } from '../../src/http/respond.ts'
import type { Caller } from '../../src/http/transaction.ts'
import { newId } from '../../src/lib/ids.ts'
import { OBJECT_OF } from '../../src/services/automations/definition.ts'
import { MatchBody, matching } from '../../src/services/automations/matching.ts'

/** A read that only automations make, with the rights of their publisher: it is not served. */
const MATCH = endpointOf(
  'POST',
  { base: '/v1', path: '/matches', tag: 'Automations' },
  {
    id: 'matchRecords',
    summary: 'Match records',
    access: { scopes: [] },
    effect: 'read',
    body: MatchBody,
    returns: one(v.array(v.string())),
  },
  ({ ctx, body }) => matching(ctx, body),
)

type Ask = { database: Database; caller: Caller; now: Date }
const send = (ask: Ask, endpoint: typeof MATCH, body: unknown): Promise<Outcome> =>
  execute(ask.database, { ...ask, endpoint, input: { params: {}, query: {}, body }, requestId: newId() })

/** Which of these records match, as the caller of an automation sees them. */
export async function matches(ask: Ask, object: MatchBody['object'], filter: Record<string, unknown>, ids: string[]): Promise<Set<string>> {
  const { value } = await send(ask, MATCH, { object, filter, ids })
  return new Set(value as string[])
}

/** The records that are about: by the kind of record, its id. */
export type About = { [kind in keyof typeof OBJECT_OF]: string | null }

/** For each of these runs, whether the conditions over their records hold. A run without a record of the kind does not meet them. */
export async function holdsFor(ask: Ask, tests: Test[], runs: About[]): Promise<boolean[]> {
  const holds = runs.map(() => true)
  for (const { on, filter } of tests) {
    if (on === 'trigger') continue
    const ids = [...new Set(runs.flatMap((run, index) => (holds[index] && run[on] ? [run[on]] : [])))]
    const found = ids.length > 0 ? await matches(ask, OBJECT_OF[on], filter, ids) : new Set()
    for (const [index, run] of runs.entries()) holds[index] &&= found.has(run[on] ?? '')
  }
  return holds
}

/** The first records that a search finds, as its endpoint returns them. */
export async function search(
  ask: Ask,
  { object, filter, limit }: { object: string; filter: Record<string, unknown>; limit: number },
): Promise<unknown[]> {
  const endpoint = await endpointFor({ method: 'POST', path: `/${object}/search` })
  if (!endpoint) return []
  const outcome = await send(ask, endpoint, { filter, limit })
  const { body, text } = respond(endpoint, {}, outcome)
  return ((body ?? JSON.parse(text ?? '{}')) as { data: unknown[] }).data
}
