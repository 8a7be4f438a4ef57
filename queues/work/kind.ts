import type { Env } from '../../src/env.ts'
import type { WorkQueue } from '../../src/wake.ts'

type Columns = Record<string, unknown>

/** An item that a worker has claimed. */
export type Claimed<Item> = {
  env: Env
  workspaceId: string
  id: string
  /** The claim, for functions that do something only while it holds. */
  claimId: string
  /** Attempts since the last one with success, this one and those of workers that have crashed included. */
  attempts: number
  item: Item
  /**
   * Renews the lease, and stores columns that hold in any case. False if another worker has the item: then nothing more may be done
   * for it.
   */
  extend(facts?: Columns): Promise<boolean>
}

/** The outcome of an attempt, which one transaction stores with the end of the claim. */
export type Outcome = {
  /** Columns that are stored in any case: what now exists at a provider. */
  facts?: Columns
  /** Columns that are stored only if nobody has changed the item meanwhile; otherwise it is due at once. */
  results?: Columns
  /** The seconds until the item is due again; without them nothing is left to do. */
  wait?: number | null
  /** Attempts go on counting. */
  failed?: boolean
  /** What else the settler of the kind gets. */
  [report: string]: unknown
}

/** A failed attempt. The kind's `retry` says when the next one is, unless it `isFinal`. */
export type Failure = { failure: string; isFinal?: boolean }

/**
 * A kind of background work: what its items are, and what is done for one. The database knows the first part (work_kind, dev/sql-
 * constants.ts).
 */
export type Kind<Item> = {
  /** The type of its dead letters. */
  name: string
  queue: WorkQueue
  table: string
  /** The column that names an item within its workspace; `id` by default. */
  key?: string
  /** What the names of the columns of its claim begin with (schema/columns.ts, `work`). */
  prefix?: string
  /** The condition for rows `t` of the table to be items of this kind. */
  where?: string
  /** The columns that an outcome may write. */
  writes: string[]
  /** A function (workspace, ids) that returns id and item; by default the item is its row. */
  read?: string
  /** A function (workspace, id) that locks what requests lock before the item. */
  lock?: string
  /**
   * A function (workspace, id, whether nobody has changed it, outcome) that stores what is not in the item's columns; it may return
   * seconds that replace `wait`.
   */
  settle?: string
  /** How long nobody else claims an item, in seconds. */
  lease: number
  /** How many items are claimed together, and called for at the same time unless `inTurn`: a Worker has six connections. */
  atOnce: number
  /** Calls for the items of a claim one after the other. */
  inTurn?: boolean
  /** Claims per message, after which another one continues. */
  claims: number
  /** How many workers may be at items of one workspace; one message does them in turn if it is not given. */
  workers?: number
  /** The seconds after each failed attempt. Without them whatever `call` throws has the message delivered again. */
  retry?: number[]
  /** An item that has failed for good leaves a dead letter, whose replay has it go on (reopen_work). */
  isReplayed?: true
  /** Whether events of the outcome are to be delivered. */
  emits?: true
  /** Whether this deployment can do it; what is due waits otherwise. */
  isOn?(env: Env): boolean
  /** Does it, outside the database. */
  call(claimed: Claimed<Item>): Promise<Outcome | Failure>
  /** The columns that a failed attempt writes. */
  failed?(error: string, isLast: boolean): Columns
}

/** What the registry holds, whatever the items are. */
export type AnyKind = Kind<never>

/** What the database knows of a kind (schema/functions/work.sql). */
export function sqlOf({ table, key = 'id', prefix = '', where = 'true', writes, read, lock, settle }: AnyKind): Columns {
  const item = `select t.${key}, to_jsonb(t) from ${table} t where t.workspace_id = $1 and t.${key} = any ($2)`
  const column = (name: string) => `${prefix}${name}`
  return {
    table,
    key,
    where,
    writes,
    due: column('due_at'),
    turn: column('turn'),
    claim: column('claim_id'),
    until: column('claimed_until'),
    free: `(t.${column('claimed_until')} is null or t.${column('claimed_until')} <= now())`,
    item: 'null::uuid',
    attempts: column('attempts'),
    read: read ? `select * from ${read}($1, $2)` : item,
    ...(lock && { lock }),
    ...(settle && { settle }),
  }
}
