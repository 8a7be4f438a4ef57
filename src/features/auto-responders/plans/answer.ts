import type { Ctx } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import type { Embedder } from '../../../providers/models/embed-port.ts'
import type { Models } from '../../../providers/models/port.ts'
import { findPassages } from '../../knowledge/plans/query.ts'
import { type Loop, type Progress, type Outcome as Ran, type Runnable, runLoop } from '../../models/plans/loop.ts'
import { type Action, actionFor, type Category, MAX_MESSAGE, PASSAGES, REPLY_CREDITS, TRIAGE_CREDITS } from '../rules/auto-responders.ts'
import { approvalReasons, type Claim, type Draft, type Source } from '../rules/drafts.ts'
import { DRAFT_SCHEMA, draftPrompt, TRIAGE, TRIAGE_SCHEMA } from '../rules/prompts.ts'
import { type Context, isQuietNow, type Responder, sourcesOf } from './context.ts'
import type { FindOperations } from './responders.ts'

export type Incoming = { subject: string | null; text: string; from: string | null }
/** What an auto responder decides about a message. */
export type Decided = {
  category: Category | null
  action: Action | null
  draft: string | null
  sources: Claim[]
  forced_to_approval: boolean
  reasons: string[]
}
/** With what it has taken, as a run of a model ends. */
export type Answered = Omit<Ran, 'output'> & { output: Decided }

export type Ports = {
  models: Models
  embedder: Embedder | undefined
  read: Ctx['read']
  find: FindOperations
  call: Loop['call']
  note: Loop['note']
  now: Date
}

export const NOTHING: Decided = { category: null, action: null, draft: null, sources: [], forced_to_approval: false, reasons: [] }

/** Sorts a message, and drafts a reply if it is to be answered. Nothing is sent. */
export async function answer(
  ports: Ports,
  { responder, context }: { responder: Responder; context: Context },
  incoming: Incoming,
): Promise<Answered> {
  const message = { subject: incoming.subject, text: incoming.text.slice(0, MAX_MESSAGE).toWellFormed() }
  const triage = await ask(
    ports,
    { ...base(responder), system_prompt: TRIAGE, output_schema: TRIAGE_SCHEMA, credits_per_run: TRIAGE_CREDITS },
    { message },
  )
  if (triage.status === 'failed') return { ...triage, output: NOTHING }
  const { category } = triage.output as { category: Category }
  const action = actionFor(category, responder.triage_actions)
  const sorted: Decided = { ...NOTHING, category, action }
  if (action !== 'auto_respond') return { ...triage, output: sorted }
  try {
    const sources = [...(await passagesOf(ports, responder, message)), ...sourcesOf(context)]
    const conversation = responder.context_modules.includes('conversation') ? context.conversation : []
    const credits = REPLY_CREDITS - TRIAGE_CREDITS
    const skill: Runnable = {
      ...base(responder),
      model: 'standard',
      system_prompt: draftPrompt(responder),
      tools: responder.tools,
      output_schema: DRAFT_SCHEMA,
      credits_per_run: credits,
      max_steps: responder.tools.length > 0 ? 8 : 2,
    }
    const drafted = added(
      triage,
      await ask({ ...ports, note: (progress) => ports.note(added(triage, progress)) }, skill, { message, conversation, sources }),
    )
    if (drafted.status === 'failed') return { ...drafted, output: sorted }
    return {
      ...drafted,
      output: decided(sorted, drafted.output as Draft, { responder, context, sources, calls: drafted.tool_calls.length, now: ports.now }),
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { ...triage, status: 'failed', error: { code: error.code, message: error.message }, output: sorted }
  }
}

type Drafting = { responder: Responder; context: Context; sources: Source[]; calls: number; now: Date }

function decided(sorted: Decided, draft: Draft, { responder, context, sources, calls, now }: Drafting): Decided {
  const { mode, channel } = responder
  const reasons = approvalReasons(draft, { mode, channel, sources, hasCalled: calls > 0, isQuiet: isQuietNow(context, now) })
  return { ...sorted, draft: draft.reply, sources: draft.claims, reasons, forced_to_approval: reasons.length > 0 }
}

const base = ({ id }: Responder): Runnable => ({
  id,
  is_own: true,
  status: 'active',
  model: 'small',
  system_prompt: '',
  tools: [],
  input_schema: null,
  output_schema: null,
  max_steps: 2,
  credits_per_run: 0,
  credits_per_day: null,
})

async function ask({ models, call, note, find }: Ports, skill: Runnable, input: Record<string, unknown>): Promise<Ran> {
  const operations = skill.tools.length > 0 ? (await find(skill.tools)).filter(({ writes }) => !writes) : []
  return runLoop({ skill, input, credits: skill.credits_per_run, operations, models, call, note })
}

/** The passages that the message is about. Without a knowledge base there are none. */
async function passagesOf(
  { embedder, read }: Ports,
  { knowledge_base_id: id }: Responder,
  { subject, text }: Omit<Incoming, 'from'>,
): Promise<Source[]> {
  if (id === null) return []
  if (!embedder) throw new AppError('CHANNEL_NOT_CONFIGURED', 'This service has no provider of embeddings', { channel: 'embeddings' })
  const query = `${subject ?? ''} ${text}`.trim().slice(0, MAX_QUERY).toWellFormed()
  const hits = await findPassages(embedder, read, { query, knowledge_base_ids: [id], limit: PASSAGES })
  return hits.map(({ entry_id, title, heading_path, quote, url }) => ({
    source: entry_id,
    text: [title, heading_path.join(' › '), quote, url].filter((part) => part).join('\n'),
    is_entry: true,
  }))
}
const MAX_QUERY = 1_000

/** What both loops have taken. */
const added = <Used extends Progress>(before: Progress, after: Used): Used => ({
  ...after,
  steps: before.steps + after.steps,
  input_tokens: before.input_tokens + after.input_tokens,
  output_tokens: before.output_tokens + after.output_tokens,
  is_estimate: before.is_estimate || after.is_estimate,
  credits: before.credits + after.credits,
})
