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

/** Handlers receive one message, or the whole batch for types listed in BATCHED. */
type Handlers = { [T in Message['type']]: (env: Env, message: MessageOf<T>, batched: MessageOf<T>[]) => Promise<void> }

const handlers: Handlers = {
  'work.run': (env, { kind, workspace_id }) => run(env, kindOf(kind), workspace_id),
  'events.deliver': afterCommit,
  'approval.run': runApproval,
  'requests.answered': (env, _, batched) => recordRequests(env, batched),
  'import.run': runImport,
  'custom-index.build': buildCustomIndex,
  'zones.resolve': resolveZones,
  'schedule.run': runSchedule,
  'lists.track': trackLists,
  'automations.run': runAutomations,
  'messages.send': sendMessages,
  'campaign.send': sendCampaign,
  'email.event': (env, _, batched) => recordEmailEvents(env, batched),
  'sms.event': (env, _, batched) => recordSmsEvents(env, batched),
  'call.event': (env, _, batched) => recordCallReports(env, batched),
  'phone.sync': reviewBundle,
  'email.receive': receiveEmail,
  'email.scheduled': sendScheduledEmail,
  'whatsapp.receive': receiveWhatsApp,
  'whatsapp.watch': (env, { workspace_id }) => watchWhatsApp(env, workspace_id, 'look'),
  'webhook.deliver': deliverWebhook,
  'outgoing.send': sendOutgoingRequests,
  'notetaker.event': recordNotetakerEvent,
  'incoming.run': runIncoming,
}

/** Delivers what a request has committed, and lets the followers of the feed read it. */
async function afterCommit(env: Env, { workspace_id }: MessageOf<'events.deliver'>): Promise<void> {
  await Promise.all([deliverEvents(env, workspace_id), workspace_id ? followFeed(env, workspace_id) : undefined])
}

type Delivery = { attempts: number }
const BATCHED: Message['type'][] = ['requests.answered', 'email.event', 'sms.event', 'call.event']

/**
 * Ends what a message was about whose last attempt failed; the replay of its dead letter takes that back. Events remain in the outbox for
 * the sweep; an import and the fire of a schedule stop with an error; cron resumes an index, the zones of contacts, tracked lists,
 * automations, messages, campaigns, what is due at the providers of numbers and voice agents, the deliveries of webhooks, requests to other
 * services, the copies of bookings, notetakers, which also look at their bots without a report, calendars, mailboxes, the media of
 * messages, and reactions and read receipts of WhatsApp.
 */
const deadLetter: Handlers = {
  'work.run': async () => {},
  'events.deliver': async () => {},
  'approval.run': deadLetterApproval,
  'requests.answered': async () => {},
  'import.run': deadLetterImport,
  'custom-index.build': async () => {},
  'zones.resolve': async () => {},
  'schedule.run': deadLetterSchedule,
  'lists.track': async () => {},
  'automations.run': async () => {},
  'messages.send': async () => {},
  'campaign.send': async () => {},
  'email.event': async () => {},
  'sms.event': async () => {},
  'call.event': async () => {},
  'phone.sync': async () => {},
  'email.receive': deadLetterEmail,
  'email.scheduled': deadLetterScheduledEmail,
  'whatsapp.receive': deadLetterWhatsApp,
  'whatsapp.watch': async () => {},
  'webhook.deliver': async () => {},
  'outgoing.send': async () => {},
  'notetaker.event': async () => {},
  'incoming.run': deadLetterIncoming,
}

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
  const isTogether = ({ type }: Message, { attempts }: Delivery) => BATCHED.includes(type) && attempts === 1
  const batched = deliveries.flatMap(({ delivery, parsed }) =>
    parsed.success && isTogether(parsed.output, delivery) ? [parsed.output] : [],
  )
  const handled = (message: Message, delivery: Delivery): Promise<void> => {
    const handle = (isDead ? deadLetter : handlers)[message.type] as (env: Env, message: Message, batched: Message[]) => Promise<void>
    const shared = isTogether(message, delivery)
    const name = shared ? message.type : JSON.stringify(message)
    const run = runs.get(name) ?? handle(env, message, shared ? batched.filter(({ type }) => type === message.type) : [message])
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
