import { batch } from '../src/data/batch.ts'
import { call } from '../src/data/call.ts'
import { type Env, jobsDatabaseOf } from '../src/env.ts'
import { AppError } from '../src/errors.ts'
import type { MessageOf } from './messages.ts'

type Logged = { isolate: string | null; entries: { id: string }[] }

/** Stores request log entries. A duplicate message changes nothing. */
export const recordRequests = (env: Env, messages: MessageOf<'requests.answered'>[]): Promise<void> => recordEntries(env, messages)

/**
 * Stores all entries in one statement. A batch that the database rejects is halved until the invalid entry is found, and only that one is
 * dropped. @throws AppError UNAVAILABLE, which is not the fault of an entry.
 */
export async function recordEntries(env: Env, messages: Logged[]): Promise<void> {
  try {
    await batch(jobsDatabaseOf(env), [call('record_requests', JSON.stringify(messages))])
  } catch (error) {
    if (error instanceof AppError && error.code === 'UNAVAILABLE') throw error
    const parts = halves(messages)
    if (!parts) {
      console.error(
        JSON.stringify({
          level: 'error',
          message: 'a request was not logged',
          request_id: messages[0]?.entries[0]?.id,
          error: String(error),
        }),
      )
      return
    }
    for (const part of parts) await recordEntries(env, part)
  }
}

/** Splits the messages, or the entries of a single message, in two; undefined for a single entry. */
function halves(messages: Logged[]): [Logged[], Logged[]] | undefined {
  if (messages.length > 1) {
    const middle = Math.ceil(messages.length / 2)
    return [messages.slice(0, middle), messages.slice(middle)]
  }
  const { isolate, entries } = messages[0] ?? { isolate: null, entries: [] }
  if (entries.length < 2) return undefined
  const middle = Math.ceil(entries.length / 2)
  return [[{ isolate, entries: entries.slice(0, middle) }], [{ isolate, entries: entries.slice(middle) }]]
}
