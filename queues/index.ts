import * as v from 'valibot'
import type { Env } from '../src/env.ts'
import { runAutomations } from '../src/features/automations/work/run-automations.ts'
import { sendCampaign } from '../src/features/campaigns/work/send-campaign.ts'
import { resolveZones } from '../src/features/contacts/work/resolve-zones.ts'
import { MAX_ATTEMPTS } from '../src/features/dead-letters/rules/dead-letters.ts'
import { deadLetterEmail, receiveEmail } from '../src/features/email/work/receive-email.ts'
import { recordEmailEvents } from '../src/features/email/work/record-email-events.ts'
import { deadLetterScheduledEmail, sendScheduledEmail } from '../src/features/email/work/send-scheduled-email.ts'
import { deadLetterImport, runImport } from '../src/features/imports/work/run-import.ts'
import { trackLists } from '../src/features/lists/work/track-lists.ts'
import { sendMessages } from '../src/features/messages/work/send-messages.ts'
import { recordNotetakerEvent } from '../src/features/notetakers/work/record-notetaker-events.ts'
import { recordCallReports } from '../src/features/phone/work/record-call-reports.ts'
import { reviewBundle } from '../src/features/phone/work/review-bundle.ts'
import { deadLetterApproval, runApproval } from '../src/features/requests/work/run-approval.ts'
import { deadLetterSchedule, runSchedule } from '../src/features/schedules/work/run-schedule.ts'
import { buildCustomIndex } from '../src/features/settings/work/build-custom-index.ts'
import { recordSmsEvents } from '../src/features/sms/work/record-sms-events.ts'
import { deliverWebhook } from '../src/features/webhooks/work/deliver-webhook.ts'
import { deadLetterIncoming, runIncoming } from '../src/features/webhooks/work/run-incoming.ts'
import { sendOutgoingRequests } from '../src/features/webhooks/work/send-outgoing.ts'
import { deadLetterWhatsApp, receiveWhatsApp } from '../src/features/whatsapp/work/receive-whatsapp.ts'
import { watchWhatsApp } from '../src/http/deployment.ts'
import { recordDeadLetter } from './dead-letters.ts'
import { deliverEvents } from './deliver-events.ts'
import { followFeed } from './follow-feed.ts'
import { Message, type MessageOf } from './messages.ts'
import { recordRequests } from './record-requests.ts'
import { present } from './work/former.ts'
import { kindOf } from './work/registry.ts'
import { run } from './work/run.ts'

type Handler<T extends Message['type']> = (env: Env, message: MessageOf<T>) => Promise<void>

/**
 * What is done about a type of message. `runAll` handles all messages of a batch at once. `dead` ends what a message was about whose last
 * attempt failed, and the replay of its dead letter takes that back. Without it cron resumes the work, and events remain in the outbox for
 * the sweep.
 */
type Handling<T extends Message['type']> =
  | { run: Handler<T>; dead?: Handler<T> }
  | { runAll: (env: Env, messages: MessageOf<T>[]) => Promise<void>; dead?: Handler<T> }

const HANDLING: { [T in Message['type']]: Handling<T> } = {
  'work.run': { run: (env, { kind, workspace_id }) => run(env, kindOf(kind), workspace_id) },
  'events.deliver': { run: afterCommit },
  'approval.run': { run: runApproval, dead: deadLetterApproval },
  'requests.answered': { runAll: recordRequests },
  'import.run': { run: runImport, dead: deadLetterImport },
  'custom-index.build': { run: buildCustomIndex },
  'zones.resolve': { run: resolveZones },
  'schedule.run': { run: runSchedule, dead: deadLetterSchedule },
  'lists.track': { run: trackLists },
  'automations.run': { run: runAutomations },
  'messages.send': { run: sendMessages },
  'campaign.send': { run: sendCampaign },
  'email.event': { runAll: recordEmailEvents },
  'sms.event': { runAll: recordSmsEvents },
  'call.event': { runAll: recordCallReports },
  'phone.sync': { run: reviewBundle },
  'email.receive': { run: receiveEmail, dead: deadLetterEmail },
  'email.scheduled': { run: sendScheduledEmail, dead: deadLetterScheduledEmail },
  'whatsapp.receive': { run: receiveWhatsApp, dead: deadLetterWhatsApp },
  'whatsapp.watch': { run: (env, { workspace_id }) => watchWhatsApp(env, workspace_id, 'look') },
  'webhook.deliver': { run: deliverWebhook },
  'outgoing.send': { run: sendOutgoingRequests },
  'notetaker.event': { run: recordNotetakerEvent },
  'incoming.run': { run: runIncoming, dead: deadLetterIncoming },
}
const handlingOf = ({ type }: Message) => HANDLING[type] as Handling<Message['type']>

/** Delivers what a request has committed, and lets the followers of the feed read it. */
async function afterCommit(env: Env, { workspace_id }: MessageOf<'events.deliver'>): Promise<void> {
  await Promise.all([deliverEvents(env, workspace_id), workspace_id ? followFeed(env, workspace_id) : undefined])
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
