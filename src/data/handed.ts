import { type SQL, sql } from 'drizzle-orm'
import { call } from './call.ts'
import type { Statement } from './db.ts'

/**
 * The values that a statement of a batch hands to later ones, by name, with their JSON. They are no state: each ends with the transaction,
 * and only the plan or the function of schema/functions that reads one knows who has handed it over.
 */
export const HANDED = {
  changed: 'messages by record id and field',
  claimed: 'hosts and counters of new bookings, in the order of their slots',
  decisions: 'errors by approval id',
  deferred_counts: 'changes of counts and shares for the end of the transaction',
  ended_run: 'the id of a run that a step of its own has ended',
  files_url: 'the address that images are served at',
  import_created: 'outcomes of lines',
  import_created_ids: 'external ids',
  invited_user: 'a user id',
  made_instances: 'a number',
  made_work_orders: 'ids and a number',
  purged: 'numbers of rows by kind',
  record_jobs: 'jobs by record id',
  refused_parents: 'a text of record ids',
  released_hold: 'true or false',
  removed_members: 'a text of an array of record ids',
  restored: 'what did not come back',
  synced_until: 'a time, as iso() writes it',
  taken: 'a field and an id by record id',
  today: 'the date where the workspace is',
  upserts: 'the outcome of each record',
  waiting_entry: 'the id of an entry',
  word: 'an option of a picklist',
  words_changed: 'a number',
} as const
type Name = keyof typeof HANDED

/** Hands a JSON value to later statements of the batch. It is a select, which `from` may follow for an aggregate. */
export const hand = (name: Name, value: SQL): SQL & Statement => call('hand', name, value)

/** The JSON value that was handed over, or null. */
export const handed = (name: Name): SQL => sql`handed(${sql.raw(`'${name}'`)})`

/** The same as text. */
export const handedText = (name: Name): SQL => sql`(${handed(name)} #>> '{}')`

/** A text as JSON. */
export const asText = (text: SQL): SQL => sql`to_jsonb(${text}::text)`
