import { eq, type SQL, sql } from 'drizzle-orm'
import { autoResponders, contacts, skillRuns } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { type Called, type Plan, plan, withOutside } from '../../../data/plan.ts'
import { mapResult, oneOrThrow, plainRows } from '../../../data/query.ts'
import { toEmailAddress } from '../../../domain/email-addresses.ts'
import { AppError } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import type { Loop } from '../../models/plans/loop.ts'
import { REPLY_CREDITS } from '../rules/auto-responders.ts'
import type { AutoResponderTest, TestMessage } from '../schemas/auto-responders.ts'
import { type Answered, answer, type Decided, NOTHING } from './answer.ts'
import { factsOf } from './context.ts'
import type { FindOperations } from './responders.ts'

type Tools = { find: FindOperations; call: Loop['call'] }

/** What an auto responder would do about a message. Nothing is sent, queued or added; the run is charged and logged as that of a skill. */
export async function testResponder(ctx: Ctx, id: string, message: TestMessage, tools: Tools): Promise<Plan<AutoResponderTest>> {
  const { models, embedder } = ctx.deployment
  if (!models) throw new AppError('CHANNEL_NOT_CONFIGURED', 'This deployment has no model provider: see “Models” in the guide to operating')
  const from = message.from ?? null
  const [found] = await ctx.readConfirmed(factsOf(id, contactBy(id, from), null))
  const facts = found?.facts
  if (!facts) throw new AppError('NOT_FOUND', `There is no auto responder ${id} in this workspace`)
  const run = newId()
  const begin = call('begin_responder_run', id, run, REPLY_CREDITS)
  const note: Loop['note'] = (progress) =>
    ctx.read(plainRows(sql`select 1 from note_skill_run(${run}::uuid, ${JSON.stringify(progress)}::jsonb)`, ['noted']))
  const ports = { models, embedder, read: ctx.read, find: tools.find, call: tools.call, note, now: ctx.now }
  return withOutside<{ id: string }, Answered, AutoResponderTest>(plan([begin], begun(run)), {
    call: () => answer(ports, facts, { subject: message.subject ?? null, text: message.text, from }),
    settle: (reserved, called) => [call('end_skill_run', reserved.id, JSON.stringify(outcomeOf(reserved.id, called)))],
    result: (reserved) => resultOf(reserved.id),
  })
}

const begun = (id: string) => oneOrThrow(db.select({ id: skillRuns.id }).from(skillRuns).where(eq(skillRuns.id, id)), 'run')

/** The contact with the address or the number that a message is said to be from. */
function contactBy(id: string, from: string | null): SQL {
  if (from === null) return sql`select null::uuid`
  const email = toEmailAddress(from)
  if (email !== undefined) return sql`select c.id from ${contacts} c where c.email = ${email} limit 1`
  return sql`select contact_of_phone(${from}::text)
    where exists (select from ${autoResponders} a where a.id = ${id}::uuid and a.channel = 'sms')`
}

/** How the run ends. An error of ours is logged, and the run has failed. */
export function outcomeOf(run: string, called: Called<Answered>): Answered {
  if (called.ok) return called.value
  console.error(JSON.stringify({ level: 'error', message: 'run of an auto responder', run_id: run, error: String(called.error) }))
  const error = { code: 'INTERNAL', message: 'Something went wrong on our side with this run' }
  const unused = { steps: 0, input_tokens: 0, output_tokens: 0, is_estimate: false, credits: 0, tool_calls: [] }
  return { ...unused, status: 'failed', output: NOTHING, error }
}

const columns = { id: skillRuns.id, output: skillRuns.output, error: skillRuns.error, credits: skillRuns.credits }
const resultOf = (id: string) =>
  mapResult(oneOrThrow(db.select(columns).from(skillRuns).where(eq(skillRuns.id, id)), 'run'), ({ output, ...run }): AutoResponderTest => {
    if (run.error?.code === 'PROVIDER_ERROR' && run.credits === 0) throw new AppError('PROVIDER_ERROR', run.error.message)
    return { ...run, ...((output as Decided | null) ?? NOTHING) }
  })
