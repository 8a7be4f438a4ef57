import * as v from 'valibot'
import { batch } from '../src/data/batch.ts'
import { call } from '../src/data/call.ts'
import { type Env, jobsDatabaseOf } from '../src/env.ts'
import { AppError } from '../src/errors.ts'
import { MAX_DAILY, MAX_MESSAGE_BYTES } from '../src/features/dead-letters/rules/dead-letters.ts'
import { loggable } from '../src/lib/text.ts'
import { Id } from '../src/schemas/fields.ts'

const OfWorkspace = v.object({ workspace_id: Id })

type Failed = {
  /** The queue that could not process it. */
  queue: string
  body: unknown
  /** The type of the message; null for a malformed one. */
  type: string | null
  attempts: number
  /** Undefined when it comes from the dead-letter queue, which does not know it. */
  error?: string
}

/**
 * Stores a dead letter in the workspace that the message names. A message without one, one that is too large, and one that the database
 * refuses is only in the log. @throws AppError UNAVAILABLE
 */
export async function recordDeadLetter(env: Env, { queue, body, type, attempts, error }: Failed): Promise<void> {
  const named = v.safeParse(OfWorkspace, body)
  const message = JSON.stringify(body)
  if (!named.success || new TextEncoder().encode(message).length > MAX_MESSAGE_BYTES) return
  const { workspace_id } = named.output
  try {
    await batch(jobsDatabaseOf(env), [
      call(
        'record_dead_letter',
        workspace_id,
        queue,
        type,
        message,
        attempts,
        error === undefined ? null : loggable(error, 500),
        MAX_DAILY,
      ),
    ])
  } catch (refusal) {
    if (refusal instanceof AppError && refusal.code === 'UNAVAILABLE') throw refusal
    console.error(JSON.stringify({ level: 'error', queue, message: 'a dead letter was not stored', error: String(refusal) }))
  }
}
