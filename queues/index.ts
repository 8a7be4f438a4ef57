import * as v from 'valibot'
import type { Env } from '../src/env.ts'
import { deliverEvents } from './deliver-events.ts'
import { Message, type MessageOf } from './messages.ts'
import { giveUpApproval, runApproval } from './run-approval.ts'

const handlers: { [T in Message['type']]: (env: Env, message: MessageOf<T>) => Promise<void> } = {
  'events.deliver': (env, { workspace_id }) => deliverEvents(env, workspace_id),
  'approval.run': runApproval,
}

/** What to do with a message that failed to the end. Events stay in the outbox, where the sweep finds them. */
const giveUp: { [T in Message['type']]: (env: Env, message: MessageOf<T>) => Promise<void> } = {
  'events.deliver': async () => {},
  'approval.run': giveUpApproval,
}

/** Each message has one outcome: done, tried again later, or given up. One that fails holds up no other. */
export async function consume(batch: MessageBatch<unknown>, env: Env): Promise<void> {
  const dead = batch.queue.endsWith('-dead')
  const seen = new Map<string, Promise<void>>()
  for (const delivery of batch.messages) {
    const parsed = v.safeParse(Message, delivery.body)
    if (!parsed.success) {
      console.error(JSON.stringify({ level: 'error', queue: batch.queue, message: 'not a message', body: delivery.body }))
      delivery.ack()
      continue
    }
    const message = parsed.output
    const same = JSON.stringify(message)
    const handle = (dead ? giveUp : handlers)[message.type] as (env: Env, message: Message) => Promise<void>
    const run = seen.get(same) ?? handle(env, message)
    seen.set(same, run)
    try {
      await run
      delivery.ack()
    } catch (error) {
      console.error(
        JSON.stringify({ level: 'error', queue: batch.queue, message: message.type, attempts: delivery.attempts, error: String(error) }),
      )
      delivery.retry({ delaySeconds: Math.min(2 ** delivery.attempts * 5, 3600) })
    }
  }
}
