import { randomUUID } from 'node:crypto'
import { is } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import type { Pool, PoolClient } from 'pg'
import * as schema from '../../schema/index.ts'

type Row = Record<string, unknown>
type Column = ReturnType<typeof getTableConfig>['columns'][number]
const tables = new Map(
  Object.values<unknown>(schema)
    .filter((one) => is(one, PgTable))
    .map(getTableConfig)
    .map((config) => [config.name, config]),
)

/** What an item of a kind of work needs beside values of the right type. */
export const ITEM_VALUES: Record<string, Row | undefined> = {
  'media.fetch': { sms_message_id: randomUUID() },
  'records.restore': { type: 'restore' },
  'mailboxes.sync': { status: 'connected' },
  'mailboxes.end': { status: 'disconnected' },
  'calendars.end': { status: 'disconnected' },
  'service_requests.notify_requester': { recipient: 'requester' },
  'service_requests.embed': { model: null, embedding: null },
  'memory.embed': { model: null, embedding: null },
}

function valueFor(column: Column): unknown {
  const type = column.getSQLType()
  if (column.enumValues) return column.enumValues[0]
  if (type === 'uuid') return randomUUID()
  // A whole second, as no time of a transaction is.
  if (type.startsWith('timestamp')) return new Date(Math.floor(Date.now() / 1000) * 1000)
  if (type === 'boolean') return false
  if (type.endsWith('[]')) return []
  if (type === 'jsonb') return {}
  return /int|numeric|xid8/.test(type) ? 1 : `some ${randomUUID()}`
}

/** Adds rows with these values, and with some value in each other column that needs one. No trigger and no reference looks at them. */
export async function addRows(owner: Pool, table: string, rows: Row[]): Promise<void> {
  const client = await owner.connect()
  try {
    await client.query('begin; set local session_replication_role = replica')
    await insertRows(client, table, rows)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

/** Adds such rows in the transaction of a session. */
export async function insertRows(client: PoolClient, table: string, rows: Row[]): Promise<void> {
  const needed = (tables.get(table)?.columns ?? []).filter(({ notNull, hasDefault, generated }) => notNull && !hasDefault && !generated)
  const complete = rows.map((row) => ({ ...Object.fromEntries(needed.map((column) => [column.name, valueFor(column)])), ...row }))
  const names = [...new Set(complete.flatMap((row) => Object.keys(row)))]
  await client.query(
    `insert into ${table} (${names.join(', ')}) select ${names.map((name) => `r.${name}`).join(', ')}
      from jsonb_populate_recordset(null::${table}, $1) r`,
    [JSON.stringify(complete)],
  )
}
