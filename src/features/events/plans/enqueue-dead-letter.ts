import type { QueueName } from '../../dead-letters/rules/dead-letters.ts'
import type { Listener } from './listeners.ts'

/** Hands the message of a dead letter to its queue again. */
export const enqueueDeadLetter: Listener = {
  types: ['dead_letter.replayed'],
  async handle(env, { payload: { queue, message } }) {
    await env[(queue as QueueName).toUpperCase() as Uppercase<QueueName>].send(message)
  },
}
