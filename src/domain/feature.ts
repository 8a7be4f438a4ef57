/**
 * What a feature is to the rest of the program: each has one in `src/features/<feature>/feature.ts`. The lists that all features share are
 * generated from them by dev/registrations.ts, so that a feature adds no line to them: event types, scopes, tags, and what histories,
 * timelines, merges, purges and restorations know of a table.
 */
export type Feature = {
  /** The tags of its endpoints, with what the documentation says about each. */
  tags?: Record<string, string>
  /** The actions of its scopes, by resource. */
  scopes?: Record<string, readonly string[]>
  /** What is known of its tables. One with a version has a history, and its changes are events. */
  tables?: Record<string, TableFacts>
  /** Its events that are more than the change of a record. */
  events?: readonly string[]
}

export type TableFacts = {
  /** Whether changes of the table are recorded: by default if it has a version. */
  history?: false
  /** The kind of record, if it is not the singular of the table. */
  entity?: string
  /** The column that identifies a record in the history, if it is not `id`. */
  key?: string
  /** The scopes that reading a record needs; several for a kind that is about others. Required with a history. */
  readers?: readonly string[]
  /** Whether only keys whose owner is a client_admin read a record, in events and the history too. */
  adminsOnly?: true
  /** Columns that history, events, dry runs and approvals leave out, and why; those that mean the same in every table are known. */
  hidden?: Record<string, string>
  /** Columns that follow from others, also later, and why: their change alone gives the record no new version. */
  derived?: Record<string, string>
  /** Columns that appear in no response, log or export, and why. */
  secret?: Record<string, string>
  /** The names of columns in the API, where they differ. */
  renamed?: Record<string, string>
  /** The columns with contacts, companies and opportunities whose timeline shows the record. */
  timeline?: readonly string[]
  /**
   * The category of its rows in a merge, by the kind of the merged record and the column that refers to it: by default the name of the
   * table for each `reference` of its declaration.
   */
  merges?: { contact?: Record<string, string>; company?: Record<string, string>; opportunity?: Record<string, string> }
  /** What a purge puts in the place of texts, where the row is also about another record and stays. */
  purged?: Record<string, unknown>
  /** Whether rows come back with the record that they were deleted with: by default those with a history and without a secret. */
  restored?: boolean
}
