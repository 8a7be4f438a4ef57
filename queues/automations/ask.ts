import { matchEndpoint } from '../../routes/automations/reading.ts'
import { endpointFor } from '../../routes/index.ts'
import type { Database } from '../../src/data/batch.ts'
import type { Endpoint } from '../../src/http/endpoint.ts'
import { execute } from '../../src/http/execute.ts'
import { dataOf } from '../../src/http/respond.ts'
import type { Caller } from '../../src/http/transaction.ts'
import { newId } from '../../src/lib/ids.ts'
import type { Reader } from '../../src/services/automations/engine/ask.ts'

/** Reads records as the caller of an automation sees them. */
export function readerFor(database: Database, caller: Caller, now: Date): Reader {
  const send = async (endpoint: Endpoint, body: unknown) =>
    dataOf(endpoint, await execute(database, { endpoint, caller, now, input: { params: {}, query: {}, body }, requestId: newId() }))
  return {
    match: (body) => send(matchEndpoint, body) as Promise<string[]>,
    async search({ object, filter, limit }) {
      const endpoint = await endpointFor({ method: 'POST', path: `/${object}/search` })
      return endpoint ? ((await send(endpoint, { filter, limit })) as unknown[]) : []
    },
  }
}
