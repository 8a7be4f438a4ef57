import type { Env } from '../../src/env.ts'
import type { WorkQueue } from '../../src/wake.ts'

/** Where the tick finds rows that are due, or whose own message was lost. */
export type DueRows = {
  /** The name of the set, unless it has several. */
  name?: string
  table: string
  /** The column with the time, which an index begins with. */
  due: string
  /** The condition for rows `t` that are to be enqueued. */
  where: string
  /** The column that a message names; without it a message is about the workspace. */
  item?: string
}

/**
 * Sets of rows that are claimed by statements over many of them. They keep their tables and claims, and register what is done about a
 * message, and where the tick finds what is due.
 */
export type WorkSet = {
  /** The kind in its messages, and the type of its dead letters. */
  name: string
  queue: WorkQueue
  /** Its messages name an item. */
  hasItems?: true
  due: DueRows[]
  /**
   * Does what is due in a workspace, or the item that the message names; repeated and concurrent messages do no harm. Returns whether
   * there is more to do, with which another message continues.
   */
  run(env: Env, workspaceId: string, itemId: string): Promise<boolean> | Promise<void>
  /**
   * Ends what the message was about when its last attempt has failed; the replay of its dead letter takes that back. Without it cron
   * resumes the work.
   */
  dead?(env: Env, workspaceId: string, itemId: string): Promise<void>
}

/** What the database knows of a set (due_work). */
export const sqlOfRows = ({ table, due, where, item }: DueRows) => ({
  table,
  due,
  where,
  free: 'true',
  item: item ? `t.${item}` : 'null::uuid',
})

/** The rows in which a set finds what is due, each with a name. */
export const rowsOf = ({ name, due }: WorkSet) => due.map((rows) => ({ ...rows, name: rows.name ?? name }))

/** The condition for what was received and is still not processed, because its message was lost. */
export const LOST = "t.state = 'received' and t.created_at < now() - interval '30 seconds'"
