import { sql } from 'drizzle-orm'
import type { Claimed, Kind, Outcome } from '../../../../queues/work/kind.ts'
import { call } from '../../../data/call.ts'
import { AppError, STATUS_OF } from '../../../errors.ts'
import { embedderOf, modelsOf } from '../../../http/deployment.ts'
import { newId } from '../../../lib/ids.ts'
import { withoutQuotes } from '../../email/rules/mail-quotes.ts'
import { type Answered, answer, type Decided } from '../plans/answer.ts'
import { factsOf } from '../plans/context.ts'
import { outcomeOf } from '../plans/test-responder.ts'
import { MAX_MESSAGE, MAX_REPLIES_A_DAY, REPLY_CREDITS } from '../rules/auto-responders.ts'
import { act, type Message } from './act.ts'
import { type Acting, actingFor } from './acting.ts'

/** The seconds after each failed attempt. */
const WAITS = [30, 120, 600]

/** Messages that were received are sorted, and answered, escalated or left alone. */
export const autoReply: Kind<Message> = {
  name: 'auto_reply.run',
  queue: 'WEBHOOKS',
  table: 'auto_replies',
  where: 't.outcome is null',
  writes: ['outcome', 'reason', 'category', 'action', 'incoming_id', 'run_id', 'credits', 'ended_at'],
  read: 'read_auto_replies',
  settle: 'settle_auto_reply',
  lease: 300,
  atOnce: 2,
  claims: 10,
  isOn: (env) => modelsOf(env) !== undefined,
  async call(claimed) {
    const { item, attempts } = claimed
    const reason = reasonToLeave(item)
    if (reason) return ended({ ...reason, incoming_id: item.texts.at(-1)?.id ?? null })
    if (item.key_id === null)
      return refused(
        item,
        new AppError('UNAUTHENTICATED', 'No key has written the auto responder since it was restored: write it again'),
        attempts,
      )
    const acting = actingFor(claimed, item.key_id)
    const run = newId()
    try {
      const answered = await draftFor(acting, claimed, run)
      return await conclude(acting, claimed, run, answered)
    } catch (error) {
      return refused(item, error, attempts)
    }
  },
}

/** Why nothing is done about a message. */
function reasonToLeave({ enabled, texts, replies }: Message): { outcome: 'nothing' | 'overtaken'; reason: string } | undefined {
  if (!enabled) return { outcome: 'nothing', reason: 'The auto responder is disabled' }
  if (texts.at(-1)?.direction !== 'inbound') return { outcome: 'overtaken', reason: 'Somebody has replied' }
  if (textOf(texts) === '') return { outcome: 'nothing', reason: 'The message has no text' }
  if (replies >= MAX_REPLIES_A_DAY)
    return { outcome: 'nothing', reason: `${MAX_REPLIES_A_DAY} replies in this conversation within 24 hours are the most` }
  return undefined
}

/** The messages since the last one that was sent. */
function textOf(texts: Message['texts']): string {
  const last = texts.findLastIndex(({ direction }) => direction === 'outbound')
  return texts
    .slice(last + 1)
    .map(({ text }) => withoutQuotes(text) || text)
    .join('\n')
    .trim()
    .slice(-MAX_MESSAGE)
    .toWellFormed()
}

/** Reserves the credits, and has the messages sorted and a reply drafted. */
async function draftFor(acting: Acting, { env, item }: Claimed<Message>, run: string): Promise<Answered> {
  const models = modelsOf(env)
  if (!models) throw new AppError('CHANNEL_NOT_CONFIGURED', 'This deployment has no model provider')
  await acting.does(call('begin_responder_run', item.responder_id, run, REPLY_CREDITS))
  const called = await (async () => {
    const [found] = await acting.read(factsOf(item.responder_id, sql`select ${item.contact_id}::uuid`, item.conversation_id))
    if (!found?.facts) throw new AppError('NOT_FOUND', 'The auto responder was deleted')
    const note = (progress: object) => acting.does(call('note_skill_run', run, JSON.stringify(progress)))
    const ports = { models, embedder: embedderOf(env), read: acting.read, find: acting.find, call: acting.call, note, now: new Date() }
    return answer(ports, found.facts, { subject: item.subject, text: textOf(item.texts), from: item.from })
  })().then(
    (value) => ({ ok: true as const, value }),
    (error: unknown) => ({ ok: false as const, error }),
  )
  return outcomeOf(run, called)
}

/** Does what was decided. The effect ends the reply in its transaction; without one, the end of the claim does. */
async function conclude(acting: Acting, claimed: Claimed<Message>, run_id: string, { output, ...run }: Answered): Promise<Outcome> {
  const { item, attempts } = claimed
  const { category, action } = output
  const settled = { run_id, run: { ...run, output: null }, responder_id: item.responder_id }
  const columns = { run_id, category, action, credits: run.credits, incoming_id: item.texts.at(-1)?.id ?? null }
  if (run.error) {
    const wait = run.error.code === 'PROVIDER_ERROR' || run.error.code === 'INTERNAL' ? WAITS[attempts - 1] : undefined
    if (wait !== undefined) return { ...settled, error: run.error.message, wait, failed: true }
    return { ...ended({ ...columns, outcome: 'failed', reason: run.error.message }), ...settled, error: run.error.message }
  }
  if (action === 'do_nothing') return { ...ended({ ...columns, outcome: 'nothing', reason: null }), ...settled, error: null }
  try {
    await act(acting, claimed, output as Decided & { action: 'auto_respond' | 'escalate' }, { ...columns, ...settled })
    return {}
  } catch (error) {
    const meanwhile = (error instanceof AppError ? error.details : undefined) as { reply?: string } | undefined
    if (meanwhile?.reply === 'lost') return { ...settled, error: null }
    // A person has replied, or the customer has written again: the next attempt sees which.
    if (meanwhile?.reply === 'overtaken') return { ...settled, error: null, wait: 0 }
    return { ...refused(item, error, attempts), ...settled, error: describe(error) }
  }
}

const describe = (error: unknown) => (error instanceof AppError ? error.message : 'Something went wrong on our side with this reply')

/** What the API has refused ends the reply; what fails for a time is tried again. */
function refused(item: Message, error: unknown, attempts: number): Outcome {
  const known = error instanceof AppError ? error : undefined
  if (!known)
    console.error(JSON.stringify({ level: 'error', message: 'auto reply', responder_id: item.responder_id, error: String(error) }))
  const wait = !known || STATUS_OF[known.code] >= 500 ? WAITS[attempts - 1] : undefined
  const noted = { responder_id: item.responder_id, run: null, error: describe(error) }
  if (wait !== undefined) return { ...noted, wait, failed: true }
  return { ...ended({ outcome: 'failed', reason: describe(error), incoming_id: item.texts.at(-1)?.id ?? null }), ...noted }
}

/** The columns of a reply that has ended. Those of a message that it has not read stay. */
function ended({ incoming_id, reason, ...columns }: Record<string, unknown>): Outcome {
  const text = typeof reason === 'string' ? reason.slice(0, 500).toWellFormed() : null
  return { results: { ...columns, ...(incoming_id !== null && { incoming_id }), reason: text, ended_at: new Date().toISOString() } }
}
