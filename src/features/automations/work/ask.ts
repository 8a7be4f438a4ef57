import { readerOver } from '../../../../routes/automations/reading.ts'
import type { Database } from '../../../data/batch.ts'
import { execute } from '../../../http/execute.ts'
import { existing } from '../../../http/other-requests.ts'
import { dataOf } from '../../../http/respond.ts'
import type { Caller } from '../../../http/transaction.ts'
import { newId } from '../../../lib/ids.ts'
import type { Reader } from '../plans/engine/ask.ts'

/** Reads records as the caller of an automation sees them; none of what it reads has a link to a page. */
export const readerFor = (database: Database, caller: Caller, now: Date): Reader =>
  readerOver(async (found, input) => {
    const endpoint = existing(found)
    return dataOf(endpoint, await execute(database, { endpoint, caller, now, input, requestId: newId(), appUrl: '' }))
  })
