import pg from 'pg'
import type { NeonQuery } from '../dev/neon-proxy.ts'
import { selectOf } from '../dev/sql-trace.ts'

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
    for (const { query, params, isKept } of others.map(selectOf)) {
      const { rows } = isKept
        ? await explainKept(app, query, params ?? [])
        : await app.query(`explain (analyze, buffers, format json) ${query}`, params)
      plans.push(rows[0]['QUERY PLAN'][0].Plan)
    }
    return plans
  } finally {
    await app.query('rollback')
  }
}

/**
 * Returns the same plans. A request of more blocks than expected is explained again: a session whose caches were reset, as much DDL in any
 * database of the server causes, reads the catalogue anew.
 */
export async function explainAgain(app: pg.ClientBase, sent: NeonQuery[], most: number): Promise<Plan[]> {
  const plans = await explain(app, sent)
  return allBlocks(plans) > most ? explain(app, sent) : plans
}

/**
 * Returns the milliseconds of planning that a request costs each time it is made, the least of three attempts for each statement.
 * A kept plan costs none.
 */
export async function planningOf(app: pg.ClientBase, [first, ...others]: NeonQuery[]): Promise<number> {
  await app.query('begin')
  try {
    if (first) await app.query(first.query, first.params)
    let sum = 0
    for (const { query, params, isKept } of others.map(selectOf)) if (!isKept) sum += await leastPlanning(app, query, params)
    return sum
  } finally {
    await app.query('rollback')
  }
}

async function leastPlanning(app: pg.ClientBase, query: string, params?: unknown[]): Promise<number> {
  const times = []
  for (let attempt = 0; attempt < 3; attempt++) {
    const { rows } = await app.query(`explain (summary, format json) ${query}`, params)
    times.push(rows[0]['QUERY PLAN'][0]['Planning Time'] as number)
  }
  return Math.min(...times)
}

/** Explains the plan that serves all values, as run_kept has it made. */
async function explainKept(app: pg.ClientBase, select: string, values: unknown[]): Promise<pg.QueryResult> {
  await app.query('set local plan_cache_mode = force_generic_plan; set local enable_bitmapscan = off')
  await app.query(`prepare explained as ${select}`)
  try {
    const given = values.map((value) => (value === null ? 'null' : pg.escapeLiteral(String(value))))
    return await app.query(`explain (analyze, buffers, format json) execute explained${given.length > 0 ? `(${given.join(', ')})` : ''}`)
  } finally {
    await app.query('deallocate explained; reset plan_cache_mode; reset enable_bitmapscan').catch(() => {})
  }
}

export const blocksOf = (plan: Plan): number => plan['Shared Hit Blocks'] + plan['Shared Read Blocks']

export const allBlocks = (plans: Plan[]): number => plans.reduce((sum, plan) => sum + blocksOf(plan), 0)

/** Returns the tables that are read sequentially, except small ones that all workspaces share, and new partitions. */
export function scansOf(plan: Plan): string[] {
  const own = plan['Node Type'] === 'Seq Scan' && plan['Actual Loops'] > 0 && blocksOf(plan) > 50 ? [plan['Relation Name'] ?? ''] : []
  return [...own, ...(plan.Plans ?? []).flatMap(scansOf)]
}
