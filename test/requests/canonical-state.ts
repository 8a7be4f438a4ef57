import { createHash } from 'node:crypto'
import type pg from 'pg'
import { tenantTables } from '../contract/state.ts'

/** Members, keys and settings differ between workspaces, and no message changes them; requests share rows by the time at which they arrive. */
const LEFT_OUT = ['api_key_uses', 'api_keys', 'crm_settings', 'feed_followers', 'idempotency', 'memberships', 'requests', 'roles']
/** What counts attempts, leases and durations, is random, or is derived from the order of transactions. */
const VOLATILE = new Set([
  'attempts',
  'claim_id',
  'claimed_at',
  'duration_ms',
  'leased_until',
  'log',
  'response',
  'sealed_secret',
  'seq',
  'token_hash',
  'workspace_id',
  'xid',
])

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const INSTANT = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d(?::?\d\d)?)/g
const ROUNDS = 4

/**
 * All rows of a workspace, as sorted texts that are the same for workspaces in which the same happened. Times are left out. An id is replaced by what its
 * rows have, and those that they refer to, so that different references make different texts.
 */
export async function canonicalState(owner: pg.Pool, workspaceId: string): Promise<string[]> {
  const tables = (await tenantTables(owner)).filter((table) => !LEFT_OUT.includes(table))
  const select = tables.map((table) => `select '${table}' as "table", to_jsonb(t) as row from ${table} t where workspace_id = $1`)
  const { rows } = await owner.query<{ table: string; row: Record<string, unknown> }>(select.join(' union all '), [workspaceId])
  const texts = rows.map(({ table, row }) => {
    const kept = Object.entries(row).filter(([name]) => !VOLATILE.has(name) && name !== 'id')
    return { id: row.id as string | undefined, text: `${table} ${JSON.stringify(Object.fromEntries(kept)).replace(INSTANT, '@')}` }
  })
  let names = new Map<string, string>()
  for (let round = 0; round < ROUNDS; round++) {
    const own = Map.groupBy(
      texts.filter(({ id }) => id !== undefined),
      ({ id }) => id as string,
    )
    const named = (text: string) => text.replace(ID, (id) => names.get(id) ?? '#')
    names = new Map(
      [...own].map(([id, of]) => [
        id,
        hashed(
          of
            .map(({ text }) => named(text))
            .toSorted()
            .join('\n'),
        ),
      ]),
    )
  }
  return texts.map(({ text }) => text.replace(ID, (id) => names.get(id) ?? '#')).toSorted()
}

const hashed = (text: string) => createHash('sha1').update(text).digest('hex').slice(0, 8)
