import * as v from 'valibot'
import type { Env } from '../src/env.ts'
import { buildCustomIndex } from './build-custom-index.ts'
import { deliverEvents } from './deliver-events.ts'
import { Message, type MessageOf } from './messages.ts'
import { recordRequests } from './record-requests.ts'
import { giveUpApproval, runApproval } from './run-approval.ts'
import { giveUpImport, runImport } from './run-import.ts'

/** Each gets one message; of those handled together, all that came in the batch. */
type Handlers = { [T in Message['type']]: (env: Env, message: MessageOf<T>, together: MessageOf<T>[]) => Promise<void> }

const handlers: Handlers = {
  'events.deliver': (env, { workspace_id }) => deliverEvents(env, workspace_id),
  'approval.run': runApproval,
  'request.answered': (env, _, together) => recordRequests(env, together),
  'import.run': runImport,
  'custom-index.build': buildCustomIndex,
}
const TOGETHER: Message['type'][] = ['request.answered']

/** What to do with a message that failed to the end. Events stay in the outbox, where the sweep finds them; an import stops where it is, and cron goes on with an index. */
const giveUp: Handlers = {
  'events.deliver': async () => {},
  'approval.run': giveUpApproval,
  'request.answered': async () => {},
  'import.run': giveUpImport,
  'custom-index.build': async () => {},
}

/** Each message has one outcome: done, tried again later, or given up. One that fails holds up no other. */
export async function consume(batch: MessageBatch<unknown>, env: Env): Promise<void> {
  const dead = batch.queue.endsWith('-dead')
  const seen = new Map<string, Promise<void>>()
  const deliveries = batch.messages.map((delivery) => ({ delivery, parsed: v.safeParse(Message, delivery.body) }))
  const messages = deliveries.flatMap(({ parsed }) => (parsed.success ? [parsed.output] : []))
  for (const { delivery, parsed } of deliveries) {
    if (!parsed.success) {
      console.error(JSON.stringify({ level: 'error', queue: batch.queue, message: 'not a message', body: delivery.body }))
      delivery.ack()
      continue
    }
    const message = parsed.output
    const same = TOGETHER.includes(message.type) ? message.type : JSON.stringify(message)
    const handle = (dead ? giveUp : handlers)[message.type] as (env: Env, message: Message, together: Message[]) => Promise<void>
    const run =
      seen.get(same) ??
      handle(
        env,
        message,
        messages.filter(({ type }) => type === message.type),
      )
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
