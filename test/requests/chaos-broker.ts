import { settled } from '../database.ts'
import type { Harness, Message } from '../harness.ts'

/** A generator of numbers from 0 to 1, the same ones for a seed. */
export const randomFrom = (seed: number) => () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
  return seed / 2_147_483_648
}
type Random = () => number

/** Columns that say when the background goes on with something. */
export const TIMES = {
  suppression_lifts: ['due_at'],
  approvals: ['decided_at'],
  automation_runs: ['due_at', 'claimed_until'],
  booking_copies: ['due_at', 'claimed_until'],
  booking_notices: ['wake_at'],
  waiting_list_entries: ['due_at'],
  calendar_connections: ['due_at', 'claimed_until'],
  agent_versions: ['due_at', 'claimed_until'],
  auto_replies: ['due_at', 'claimed_until'],
  campaign_recipients: ['due_at'],
  campaign_sends: ['due_at'],
  conversations: ['snoozed_until'],
  connection_calendars: ['due_at', 'claimed_until'],
  agency_clients: ['due_at', 'claimed_until'],
  knowledge_copies: ['due_at', 'claimed_until'],
  knowledge_entries: ['due_at', 'claimed_until'],
  memory_vectors: ['due_at', 'claimed_until'],
  service_request_vectors: ['due_at', 'claimed_until'],
  service_request_notices: ['due_at', 'claimed_until'],
  lead_dispatches: ['due_at', 'claimed_until'],
  review_requests: ['due_at', 'claimed_until'],
  custom_indexes: ['updated_at'],
  deletions: ['due_at', 'claimed_until'],
  import_files: ['touched_at'],
  inbound_emails: ['created_at'],
  email_drafts: ['send_at'],
  incoming_requests: ['created_at'],
  invitations: ['attempted_at'],
  mailboxes: ['due_at', 'claimed_until'],
  message_media: ['due_at', 'claimed_until'],
  messages: ['due_at'],
  notetakers: ['due_at', 'claimed_until', 'bot_requested_at'],
  outbox: ['claimed_at'],
  outgoing_requests: ['due_at'],
  phone_numbers: ['voice_sync_due_at', 'voice_sync_claimed_until'],
  schedule_runs: ['touched_at'],
  transcripts: ['due_at', 'claimed_until'],
  webhook_deliveries: ['due_at'],
  webhook_states: ['due_at', 'leased_until'],
  whatsapp_events: ['created_at'],
  whatsapp_reactions: ['due_at', 'claimed_until'],
  whatsapp_reads: ['due_at', 'claimed_until'],
  zone_work: ['due_at', 'walk_at'],
}

/** Lets two hours pass for all that waits, and lets the cron job look for what is due. */
export async function elapse(app: Harness): Promise<void> {
  const updates = Object.entries(TIMES).map(
    ([table, names]) => `update ${table} set ${names.map((name) => `${name} = ${name} - interval '2 hours'`).join(', ')}
      where ${names.map((name) => `${name} is not null`).join(' or ')};`,
  )
  await app.owner.query(`begin; set local session_replication_role = replica; ${updates.join('\n')} commit`)
  await settled(app.owner)
  await app.cron('* * * * *')
}

/**
 * Delivers in order, each message once, and lets time pass, until nothing is left. Returns the types of the messages, and the kinds of
 * work.
 */
export async function deliverInOrder(app: Harness, first: Message[]): Promise<Set<string>> {
  const types = new Set<string>()
  let more = first
  for (let quiet = 0; quiet < 2; ) {
    const messages = [...(await app.capture(true)), ...more]
    more = []
    quiet = messages.length === 0 ? quiet + 1 : 0
    for (const { queue, body } of messages) {
      const { type, kind } = body as { type: string; kind?: string }
      types.add(kind ?? type)
      await app.deliver(queue, [body])
    }
    if (messages.length === 0) await elapse(app)
  }
  return types
}

/**
 * The most deliveries of one message, the most messages of a batch, most of which are small, and rounds with failures. How often requests
 * fail in a round is random too: a job of many requests gets to its last ones only where failures are rare.
 */
const COPIES = 5
const MAX_BATCH = 100
const FAILING_ROUNDS = 6

/**
 * Delivers each message one to five times, shuffled and in batches of random sizes, some of which run together, while requests to the
 * database fail or lose their answers. Messages that are sent meanwhile, and those that are retried, are delivered so as well, until
 * nothing is left.
 */
export async function deliverInChaos(app: Harness, first: Message[], random: Random): Promise<void> {
  const below = (n: number) => Math.floor(random() * n)
  let left = first
  for (let quiet = 0, round = 0; quiet < 2; round++) {
    const sent = [...left, ...(await app.capture(true)).flatMap((message) => Array<Message>(1 + below(COPIES)).fill(message))]
    const chance = round < FAILING_ROUNDS ? 0.3 * 0.01 ** random() : 0
    // A cron job whose request has failed sends nothing, although there is work.
    quiet = sent.length === 0 && chance === 0 ? quiet + 1 : 0
    left = []
    const batches = batchesOf(shuffled(sent, below), random)
    fail(app, random, chance)
    while (batches.length > 0) {
      const together = batches.splice(0, 1 + below(3))
      const failed = await Promise.all(together.map((batch) => deliver(app, batch)))
      left.push(...failed.flat())
    }
    if (sent.length === 0 || random() < 0.2) await elapse(app)
    fail(app, random, 0)
  }
}

/** Drops requests to the database before they run, or their answers. */
function fail(app: Harness, random: Random, chance: number): void {
  app.proxy.outage = 'none'
  app.proxy.onRequest = chance
    ? () => {
        app.proxy.outage = random() < chance / 2 ? 'lose_answer' : 'none'
        if (random() < chance / 2) throw new Error('The connection is lost')
      }
    : undefined
}

/** The messages that must be delivered again. A malformed one among them does not change anything. */
async function deliver(app: Harness, batch: Message[]): Promise<Message[]> {
  const [{ queue }] = batch as [Message]
  const bodies = [...batch.map(({ body }) => body), { type: 'nothing' }]
  const { outcome, retryBatch, retryMessages } = await app.deliver(queue, bodies)
  if (outcome !== 'ok' || retryBatch.retry) return batch
  return retryMessages.map(({ msgId }) => batch[Number(msgId.slice('delivered-'.length))] as Message)
}

function shuffled<T>(list: T[], below: (n: number) => number): T[] {
  const all = [...list]
  for (let at = all.length - 1; at > 0; at--) {
    const other = below(at + 1)
    ;[all[at], all[other]] = [all[other] as T, all[at] as T]
  }
  return all
}

/** Splits what is shuffled into batches of one queue each. */
function batchesOf(messages: Message[], random: Random): Message[][] {
  const batches: Message[][] = []
  const open = new Map<string, { batch: Message[]; size: number }>()
  for (const message of messages) {
    let current = open.get(message.queue)
    if (!current || current.batch.length >= current.size) {
      current = { batch: [], size: Math.floor(MAX_BATCH ** random()) }
      open.set(message.queue, current)
      batches.push(current.batch)
    }
    current.batch.push(message)
  }
  return batches
}
