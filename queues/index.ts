import * as v from 'valibot'
import type { Env } from '../src/env.ts'
import { MAX_ATTEMPTS } from '../src/features/dead-letters/rules/dead-letters.ts'
import { recordEmailEvents } from '../src/features/email/work/record-email-events.ts'
import { recordNotetakerEvent } from '../src/features/notetakers/work/record-notetaker-events.ts'
import { recordCallReports } from '../src/features/phone/work/record-call-reports.ts'
import { reviewBundle } from '../src/features/phone/work/review-bundle.ts'
import { recordSmsEvents } from '../src/features/sms/work/record-sms-events.ts'
import { recordDeadLetter } from './dead-letters.ts'
import { Message, type MessageOf, present } from './messages.ts'
import { recordRequests } from './record-requests.ts'
import { kindOf, setOf } from './work/registry.ts'
import { run, runSet } from './work/run.ts'

type Handler<T extends Message['type']> = (env: Env, message: MessageOf<T>) => Promise<void>

/**
 * What is done about a type of message. `runAll` handles all messages of a batch at once. `dead` ends what a message was about whose last
 * attempt failed, and the replay of its dead letter takes that back.
 */
type Handling<T extends Message['type']> =
  | { run: Handler<T>; dead?: Handler<T> }
  | { runAll: (env: Env, messages: MessageOf<T>[]) => Promise<void>; dead?: Handler<T> }

const HANDLING: { [T in Message['type']]: Handling<T> } = {
  'work.run': { run: runWork, dead: endWork },
  'requests.answered': { runAll: recordRequests },
  'email.event': { runAll: recordEmailEvents },
  'sms.event': { runAll: recordSmsEvents },
  'call.event': { runAll: recordCallReports },
  'phone.sync': { run: reviewBundle },
  'notetaker.event': { run: recordNotetakerEvent },
}
const handlingOf = ({ type }: Message) => HANDLING[type] as Handling<Message['type']>

function runWork(env: Env, { kind, workspace_id, item_id }: MessageOf<'work.run'>): Promise<void> {
  const set = setOf(kind)
  return set ? runSet(env, set, workspace_id, item_id) : run(env, kindOf(kind), workspace_id)
}

async function endWork(env: Env, { kind, workspace_id, item_id }: MessageOf<'work.run'>): Promise<void> {
  if (item_id) await setOf(kind)?.dead?.(env, workspace_id, item_id)
}

type Delivery = { attempts: number }

const DEAD = '-dead'

/**
 * Each message is acknowledged, retried, or stored as a dead letter. One that fails, or is malformed, does not delay the others. The error
 * of the last attempt is stored here, because the dead-letter queue does not know it.
 */
export async function consume(batch: MessageBatch<unknown>, env: Env): Promise<void> {
  const isDead = batch.queue.endsWith(DEAD)
  const queue = isDead ? batch.queue.slice(0, -DEAD.length) : batch.queue
  const runs = new Map<string, Promise<void>>()
  const deliveries = batch.messages.map((delivery) => ({ delivery, parsed: v.safeParse(Message, present(delivery.body)) }))
  /** A message that failed in a batch is retried alone, so that one bad message does not affect the others. */
  const isTogether = (message: Message, { attempts }: Delivery) => 'runAll' in handlingOf(message) && attempts === 1
  const batched = deliveries.flatMap(({ delivery, parsed }) =>
    parsed.success && isTogether(parsed.output, delivery) ? [parsed.output] : [],
  )
  const handle = async (message: Message, all: Message[]) => {
    const handling = handlingOf(message)
    if (isDead) await handling.dead?.(env, message)
    else if ('runAll' in handling) await handling.runAll(env, all)
    else await handling.run(env, message)
  }
  const handled = (message: Message, delivery: Delivery): Promise<void> => {
    const shared = isTogether(message, delivery)
    const name = shared ? message.type : JSON.stringify(message)
    const run = runs.get(name) ?? handle(message, shared ? batched.filter(({ type }) => type === message.type) : [message])
    runs.set(name, run)
    return run
  }
  for (const { delivery, parsed } of deliveries) {
    const { body, attempts } = delivery
    const type = parsed.success ? typeOf(parsed.output) : null
    try {
      if (!parsed.success) {
        console.error(JSON.stringify({ level: 'error', queue: batch.queue, message: MALFORMED, body }))
        await recordDeadLetter(env, { queue, body, type, attempts, error: MALFORMED })
      } else {
        if (isDead) await recordDeadLetter(env, { queue, body, type, attempts: MAX_ATTEMPTS })
        await handled(parsed.output, delivery)
      }
      delivery.ack()
    } catch (error) {
      console.error(JSON.stringify({ level: 'error', queue: batch.queue, message: type ?? MALFORMED, attempts, error: String(error) }))
      if (type && !isDead && attempts >= MAX_ATTEMPTS)
        await recordDeadLetter(env, { queue, body, type, attempts, error: String(error) }).catch(() => {})
      delivery.retry({ delaySeconds: Math.min(2 ** attempts * 5, 3600) })
    }
  }
}

/** What a message is called in logs and dead letters. */
const typeOf = (message: Message) => (message.type === 'work.run' ? message.kind : message.type)

const MALFORMED = 'not a message'
