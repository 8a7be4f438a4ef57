import type { Statement } from './data/db.ts'
import type { Query } from './data/query.ts'
import type { Files } from './providers/files/port.ts'

/** All that a verb may know of its request. HTTP, queues and cron each make one. */
export type Ctx = {
  /** The present moment. */
  now: Date
  requestId: string
  /** The version that the caller believes the record to have (If-Match). */
  ifMatch: number | undefined
  /**
   * Runs a query before the work is planned, as the same caller and in a round trip of its own. Only for a decision that
   * SQL cannot take; what was read may have changed when the work runs.
   */
  read<Out>(query: Query<Out>): Promise<Out>
  /**
   * Plans with a likely value instead of reading it first: `holds` is checked before the work, in the same transaction. Where it does not
   * hold, all is rolled back and planned once more with what the query finds. For the same decisions as `read`. As a function of the value,
   * `holds` is checked for every value that was planned with, so that none is out of date when the work runs.
   */
  assume<Out>(query: Query<Out>, likely: Out, holds: Statement | ((value: Out) => Statement)): Promise<Out>
  /** The same for a select of one text, which is passed on as it is. */
  readText(query: Statement): Promise<string>
  /** The request's own file, and where files are kept. A request that runs after its approval has none. */
  files: Files
}
