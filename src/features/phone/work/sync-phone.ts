import type { Kind } from '../../../../queues/work/kind.ts'
import type { Env } from '../../../env.ts'
import { telephonyOf, voiceOf } from '../../../http/deployment.ts'
import { type AddressWork, createAddress } from '../plans/addresses.ts'
import { type BundleWork, createBundle, review } from '../plans/bundle-work.ts'
import { handOver, type VoiceSync } from '../plans/settings.ts'
import { waitAfter } from '../rules/phone-records.ts'

/** What is due at the providers of numbers and voice agents: each is looked up or tried again, one after the other. */
const PHONES = { queue: 'MESSAGES', lease: 600, atOnce: 5, inTurn: true, claims: 4 } as const

const hasTelephony = (env: Env) => telephonyOf(env) !== undefined
function telephonyIn(env: Env) {
  const telephony = telephonyOf(env)
  if (!telephony) throw new Error('This deployment has no account at the provider of phone numbers')
  return telephony
}

/** The agents of numbers are handed over to the voice provider. */
export const phoneVoice: Kind<VoiceSync> = {
  ...PHONES,
  name: 'phone.voice',
  table: 'phone_numbers',
  prefix: 'voice_sync_',
  writes: [],
  read: 'read_voice_syncs',
  settle: 'conclude_voice_sync',
  async call({ env, item, attempts }) {
    const [voice, telephony] = [voiceOf(env), telephonyOf(env)]
    const { error, wait } =
      voice && telephony
        ? await handOver(voice, telephony.numbers, item)
        : { error: 'This service has no voice provider', wait: waitAfter(attempts) ?? null }
    return { error, wait, failed: error !== null }
  },
}

/** Addresses whose outcome at the provider is not known are looked up, or else created. */
export const phoneAddresses: Kind<AddressWork> = {
  ...PHONES,
  name: 'phone.addresses',
  table: 'phone_addresses',
  where: "t.status = 'creating'",
  writes: ['status', 'provider_id', 'validated', 'error'],
  isOn: hasTelephony,
  async call({ env, item }) {
    const { status, provider_id, validated = false, error, wait } = await createAddress(telephonyIn(env).compliance, item, true)
    return { facts: provider_id ? { provider_id } : {}, results: { status, validated, error }, wait, failed: error !== null }
  },
}

/** So are bundles, and those that are being reviewed are looked at. */
export const phoneBundles: Kind<BundleWork> = {
  ...PHONES,
  name: 'phone.bundles',
  table: 'phone_bundles',
  writes: ['provider_id'],
  settle: 'conclude_phone_bundle',
  isOn: hasTelephony,
  async call({ env, item }) {
    const telephony = telephonyIn(env)
    const outcome = item.provider_id === null ? await createBundle(telephony, item, true) : await review(telephony.compliance, item)
    const { id: _, attempts: __, provider_id, ...bundle } = outcome
    return { ...bundle, facts: provider_id ? { provider_id } : {}, failed: bundle.error !== null }
  },
}
