import { eq, sql } from 'drizzle-orm'
import { phoneNumbers } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { type Plan, plan, withOutside } from '../../../data/plan.ts'
import { assert, assertField, oneOrThrow } from '../../../data/query.ts'
import { columnsFor, lockForUpdate, updateRows } from '../../../data/store.ts'
import { AppError } from '../../../errors.ts'
import { loggable } from '../../../lib/text.ts'
import type { NumberProvider } from '../../sms/provider/port.ts'
import type { BoundAgent, Voice } from '../provider/port.ts'
import { waitAfter } from '../rules/phone-records.ts'
import { PhoneNumber, type PhoneNumberPatch } from '../schemas/phone-numbers.ts'
import { telephonyOf } from './numbers.ts'

/** What an attempt to hand the agents of a number over knows (voice_sync_of). */
export type VoiceSync = {
  id: string
  phone_number: string
  provider_id: string | null
  turn: number
  attempts: number
  inbound: string | null
  outbound: string | null
  inbound_version: number | null
  outbound_version: number | null
}
/** Its outcome, as settle_voice_sync takes it. */
export type VoiceSynced = { id: string; turn: number; error: string | null; wait: number | null }

/** The seconds that an attempt of a request has before the background tries by itself. */
const LEASE = 60

const columns = columnsFor(phoneNumbers, PhoneNumber)

/**
 * Changes the settings of a number. If they name a voice agent, the agents are handed to the voice provider after the commit; a failure is
 * noted and tried again in the background. @throws CHANNEL_NOT_CONFIGURED when there is no voice provider to hand them to.
 */
export function updateNumber(ctx: Ctx, id: string, patch: PhoneNumberPatch): Plan<PhoneNumber> {
  const record = oneOrThrow(db.select(columns).from(phoneNumbers).where(eq(phoneNumbers.id, id)), 'phone number', id)
  const change = [lockForUpdate(ctx, phoneNumbers, id, 'phone number'), updateRows(phoneNumbers, patch, eq(phoneNumbers.id, id), { id })]
  if (patch.inbound_voice_agent_config_id === undefined && patch.outbound_voice_agent_config_id === undefined) return plan(change, record)
  const { numbers } = telephonyOf(ctx)
  const voice = voiceOf(ctx)
  const isActive = sql`exists (select from ${phoneNumbers} where ${phoneNumbers.id} = ${id} and status = 'active')`
  const reserve = sql`update phone_numbers set voice_sync_due_at = now() + make_interval(secs => ${LEASE}), voice_sync_attempts = 1,
    voice_sync_turn = voice_sync_turn + 1 where id = ${id}`
  const begun = oneOrThrow(
    db
      .select({ ...columns, sync: sql<VoiceSync>`voice_sync_of(${phoneNumbers})`.as('sync') })
      .from(phoneNumbers)
      .where(eq(phoneNumbers.id, id)),
    'phone number',
    id,
  )
  const refused = 'The number is being bought or released: repeat that request first'
  return withOutside<PhoneNumber & { sync: VoiceSync }, VoiceSynced, PhoneNumber>(
    plan(
      [
        ...AGENT_FIELDS.map((field) => assertPublished(field, patch[field])),
        ...change,
        assert(isActive, 'CONFLICT', refused, { ids: [id] }),
        reserve,
      ],
      begun,
    ),
    {
      call: ({ sync }) => handOver(voice, numbers, sync),
      settle: (_, called) => (called.ok ? [call('settle_voice_sync', JSON.stringify(called.value))] : []),
      preview: ({ sync: _, ...number }) => number,
      result: () => record,
    },
  )
}

const AGENT_FIELDS = ['inbound_voice_agent_config_id', 'outbound_voice_agent_config_id'] as const

/** A number has only agents that the voice provider has. */
const assertPublished = (field: string, id: string | null | undefined) =>
  id != null &&
  assertField(
    sql`not exists (select from voice_agent_configs where id = ${id} and provider_agent_id is null)`,
    field,
    'must be a voice agent that is published: publish it first (POST /agents/:agent_id/publish)',
  )

/** @throws CHANNEL_NOT_CONFIGURED */
export function voiceOf({ deployment }: Ctx): Voice {
  if (deployment.voice) return deployment.voice
  throw new AppError('CHANNEL_NOT_CONFIGURED', 'This service has no voice provider', { channel: 'voice' })
}

/** Hands the agents of a number over: those of inbound calls get them through the trunk. Returns the outcome; it never throws. */
export async function handOver(voice: Voice, numbers: NumberProvider, sync: VoiceSync): Promise<VoiceSynced> {
  const { id, turn, attempts, provider_id, phone_number } = sync
  const [inbound, outbound] = [bound(sync.inbound, sync.inbound_version), bound(sync.outbound, sync.outbound_version)]
  try {
    if (provider_id === null) throw new Error('The number is not bought yet')
    // No call reaches an agent that is not there yet, or no longer.
    if (!inbound) await numbers.setTrunk(provider_id, null)
    await voice.provider.setAgents({ phone_number, inbound, outbound })
    if (inbound) await numbers.setTrunk(provider_id, voice.trunk)
    return { id, turn, error: null, wait: null }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { id, turn, error: loggable(reason, 300), wait: waitAfter(attempts) ?? null }
  }
}

const bound = (id: string | null, version: number | null): BoundAgent | null => (id === null ? null : { id, version })
