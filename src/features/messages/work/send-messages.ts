import type { WorkSet } from '../../../../queues/work/set.ts'
import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { AppError } from '../../../errors.ts'
import { mailerOf, telephonyOf } from '../../../http/deployment.ts'
import { storeOf } from '../../../http/files.ts'
import { mailboxAccessOf } from '../../mailboxes/plans/access.ts'
import { attemptWhatsApp } from '../../whatsapp/plans/attempt.ts'
import { attempt } from '../plans/attempt.ts'
import { completeNotice } from '../plans/complete-notice.ts'
import type { ClaimedMessage, Outcome } from '../plans/outcomes.ts'

/** Messages that are claimed together, for so many seconds, and how many of them are with the provider at a time. */
const CLAIMED = 20
const LEASE = 300
const AT_ONCE = 5
/** The seconds of a lease that one call of a provider may take at most; a message that is not begun before them is claimed again. */
const LONGEST = 60
/** Claims per message of the queue, after which another one continues, so that no workspace holds up the others. */
const MAX_CLAIMS = 10

/** Messages of the ledger. */
export const messagesSend: WorkSet = {
  name: 'messages.send',
  queue: 'MESSAGES',
  due: [{ table: 'messages', due: 'due_at', where: 't.due_at <= now()' }],
  run: sendMessages,
}

/** Hands the due messages of a workspace to the provider. Each message is claimed by one worker. */
async function sendMessages(env: Env, workspaceId: string): Promise<boolean> {
  const senders = { mailer: mailerOf(env), telephony: telephonyOf(env), files: storeOf(env), mailboxes: mailboxAccessOf(env) }
  const links = { appUrl: env.APP_URL, secret: env.FILE_SECRET, workspaceId }
  for (let claims = 0; claims < MAX_CLAIMS; claims++) {
    const [claimed] = (await batch(jobsDatabaseOf(env), [call('claim_messages', workspaceId, CLAIMED, LEASE)])) as [ClaimedMessage[]]
    if (claimed.length === 0) return false
    const end = Date.now() + (LEASE - LONGEST) * 1000
    let isReached = false
    /** The provider's ids of what this claim has sent so far. */
    const known: string[] = []
    for (const group of groupsOf(claimed)) {
      if (Date.now() > end) return false
      const outcomes = await Promise.all(
        group
          .map((one) => completeNotice({ ...one, known_ids: [...one.known_ids, ...known] }, links, Date.now()))
          .map((one) =>
            one.channel === 'whatsapp' ? attemptWhatsApp(env, senders.files, workspaceId, one) : attempt(senders, workspaceId, one),
          ),
      )
      await settle(env, workspaceId, outcomes)
      known.push(...outcomes.flatMap(({ provider_message_id }) => provider_message_id ?? []))
      isReached ||= outcomes.some(({ status }) => status === 'sent' || status === 'failed')
    }
    // While the provider is unreachable, what is left waits for the cron job.
    if (!isReached) return false
  }
  return true
}

/**
 * The messages that are handed over together. One with files is alone, because all of them would not fit in memory. Two with the same text
 * to the same person are never together: a provider that keeps no id of ours may be asked about the one, and have the other.
 */
function groupsOf(claimed: ClaimedMessage[]): ClaimedMessage[][] {
  const groups: ClaimedMessage[][] = []
  for (const one of claimed.filter(({ attachments }) => attachments.length === 0)) {
    const group = groups.find((others) => others.length < AT_ONCE && !others.some((other) => isTwin(one, other)))
    if (group) group.push(one)
    else groups.push([one])
  }
  return [...groups, ...claimed.filter(({ attachments }) => attachments.length > 0).map((one) => [one])]
}

const isTwin = (one: ClaimedMessage, other: ClaimedMessage): boolean =>
  one.channel === other.channel && one.recipient === other.recipient && one.body_text.trim() === other.body_text.trim()

/** Stores outcomes together, or each by itself if the database refuses one of them, which is then looked up at the provider later. */
async function settle(env: Env, workspaceId: string, outcomes: Outcome[]): Promise<void> {
  try {
    await batch(jobsDatabaseOf(env), [call('settle_messages', workspaceId, JSON.stringify(outcomes))])
  } catch (error) {
    if (outcomes.length === 1 || (error instanceof AppError && error.code === 'UNAVAILABLE')) throw error
    const results = await Promise.allSettled(outcomes.map((one) => settle(env, workspaceId, [one])))
    const refused = results.filter(({ status }) => status === 'rejected')
    for (const { reason } of refused as PromiseRejectedResult[])
      console.error(JSON.stringify({ level: 'error', message: 'messages.send', error: String(reason) }))
  }
}
