import { sql } from 'drizzle-orm'
import { batch } from '../src/data/batch.ts'
import { waitAfter } from '../src/domain/phone-records.ts'
import { type Env, jobsDatabaseOf } from '../src/env.ts'
import { telephonyOf, voiceOf } from '../src/http/deployment.ts'
import { type AddressOutcome, type AddressWork, createAddress } from '../src/services/phone/addresses.ts'
import { type BundleOutcome, type BundleWork, createBundle, review } from '../src/services/phone/bundle-work.ts'
import { handOver, type VoiceSync, type VoiceSynced } from '../src/services/phone/settings.ts'
import type { MessageOf } from './messages.ts'

/** What is claimed together of each kind, for so many seconds, and how often in a message: what is left waits for the cron job. */
const CLAIMED = 5
const LEASE = 600
const MAX_CLAIMS = 4

type Claimed = { numbers: VoiceSync[]; addresses: AddressWork[]; bundles: BundleWork[] }
type Outcomes = { numbers: VoiceSynced[]; addresses: AddressOutcome[]; bundles: BundleOutcome[] }

/** Does what is due at the providers of numbers and voice agents: each row is claimed, looked up or tried again, and settled by itself. */
export async function syncPhone(env: Env, { workspace_id, phone_bundle_id }: MessageOf<'phone.sync'>): Promise<void> {
  const database = jobsDatabaseOf(env)
  if (phone_bundle_id) await batch(database, [sql`select review_phone_bundle(${workspace_id}::uuid, ${phone_bundle_id}::uuid)`])
  for (let claims = 0; claims < MAX_CLAIMS; claims++) {
    const [claimed] = (await batch(database, [sql`select claim_phone_work(${workspace_id}::uuid, ${CLAIMED}::int, ${LEASE}::int)`])) as [
      Claimed,
    ]
    const { numbers, addresses, bundles } = claimed
    if (numbers.length + addresses.length + bundles.length === 0) return
    const settle = async (outcomes: Partial<Outcomes>) => {
      const all = JSON.stringify({ numbers: [], addresses: [], bundles: [], ...outcomes })
      await batch(database, [sql`select settle_phone_work(${workspace_id}::uuid, ${all}::jsonb)`])
    }
    for (const number of numbers) await settle({ numbers: [await synced(env, number)] })
    const telephony = telephonyOf(env)
    if (!telephony) return
    for (const address of addresses) await settle({ addresses: [await createAddress(telephony.compliance, address, true)] })
    for (const bundle of bundles) await settle({ bundles: [await advanced(telephony, bundle)] })
  }
}

type Telephony = NonNullable<ReturnType<typeof telephonyOf>>

async function synced(env: Env, number: VoiceSync): Promise<VoiceSynced> {
  const [voice, telephony] = [voiceOf(env), telephonyOf(env)]
  if (voice && telephony) return handOver(voice, telephony.numbers, number)
  return { id: number.id, turn: number.turn, error: 'This service has no voice provider', wait: waitAfter(number.attempts) ?? null }
}

const advanced = (telephony: Telephony, bundle: BundleWork): Promise<BundleOutcome> =>
  bundle.provider_id === null ? createBundle(telephony, bundle, true) : review(telephony.compliance, bundle)
