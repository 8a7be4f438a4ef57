import { readerOver } from '../../routes/automations/reading.ts'
import type { Database } from '../../src/data/batch.ts'
import { execute } from '../../src/http/execute.ts'
import { existing } from '../../src/http/other-requests.ts'
import { dataOf } from '../../src/http/respond.ts'
import type { Caller } from '../../src/http/transaction.ts'
import { newId } from '../../src/lib/ids.ts'
import type { Reader } from '../../src/services/automations/engine/ask.ts'

/** Reads records as the caller of an automation sees them. */
export const readerFor = (database: Database, caller: Caller, now: Date): Reader =>
  readerOver(async (found, input) => {
    const endpoint = existing(found)
    return dataOf(endpoint, await execute(database, { endpoint, caller, now, input, requestId: newId() }))
  })
