import type pg from 'pg'
import type { NeonQuery } from '../dev/neon-proxy.ts'

export type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Loops': number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Plan[]
}

/**
 * Returns the plans of a request's statements except the first, which authorizes the caller. Everything is rolled back. `app` is a
 * session of the Worker's role.
 */
export async function explain(app: pg.ClientBase, [first, ...others]: NeonQuery[]): Promise<Plan[]> {
  await app.query('begin')
  try {
    if (first) await app.query(first.query, first.params)
    const plans = []
    for (const { query, params } of others)
      plans.push((await app.query(`explain (analyze, buffers, format json) ${query}`, params)).rows[0]['QUERY PLAN'][0].Plan)
    return plans
  } finally {
    await app.query('rollback')
  }
}

export const blocksOf = (plan: Plan): number => plan['Shared Hit Blocks'] + plan['Shared Read Blocks']

/** Returns the tables that are read sequentially, except small ones that all workspaces share, and new partitions. */
export function scansOf(plan: Plan): string[] {
  const own = plan['Node Type'] === 'Seq Scan' && plan['Actual Loops'] > 0 && blocksOf(plan) > 50 ? [plan['Relation Name'] ?? ''] : []
  return [...own, ...(plan.Plans ?? []).flatMap(scansOf)]
}
