import type { Deployment } from '../context.ts'
import { type Env, jobsDatabaseOf } from '../env.ts'
import { calendarKindsOf } from '../features/calendars/provider/index.ts'
import type { Mailer } from '../features/email/provider/port.ts'
import { cloudflareImages } from '../features/files/provider/images-cloudflare.ts'
import { mailboxKindsOf } from '../features/mailboxes/provider/index.ts'
import type { NotetakerProvider } from '../features/notetakers/provider/port.ts'
import type { Challenge } from '../features/pages/provider/port.ts'
import type { Voice, VoiceProvider } from '../features/phone/provider/port.ts'
import type { Telephony } from '../features/sms/provider/port.ts'
import type { Transcriber } from '../features/transcripts/provider/transcribe.ts'
import { lazily } from '../lib/lazily.ts'
import { digestOf } from '../lib/signed-paths.ts'
import { outsideHttpOf, outsideRulesOf } from '../providers/http/deployed.ts'
import type { Embedder } from '../providers/models/embed-port.ts'
import type { Models } from '../providers/models/port.ts'
import { secretsOf } from '../providers/secrets/sealed.ts'
import { wake } from '../wake.ts'
import { filePath } from './files.ts'

export { outsideHttpOf, secretsOf }

/** What a service may know of the deployment. The host of the request, at `url`, is one of its own. */
export const deploymentOf = (env: Env, url?: string): Deployment => ({
  get outside() {
    return outsideRulesOf(env, url)
  },
  get outsideHttp() {
    return outsideHttpOf(env)
  },
  secrets: secretsOf(env),
  get mailer() {
    return mailerOf(env)
  },
  get telephony() {
    return telephonyOf(env)
  },
  get calendars() {
    return calendarKindsOf(env, outsideHttpOf(env))
  },
  calendarCallback: `${env.API_URL}/calendar-connections/callback`,
  get mailboxes() {
    return mailboxKindsOf(env)
  },
  mailboxCallback: `${env.API_URL}/mailboxes/callback`,
  get payments() {
    const url = env.STRIPE_API_URL ?? STRIPE
    return lazily(async () => (await import('../features/orders/provider/stripe.ts')).stripe({ url }))
  },
  get challenge() {
    return challengeOf(env, url)
  },
  checkoutOrigin: env.STRIPE_API_URL && new URL(env.STRIPE_API_URL).origin,
  background: jobsDatabaseOf(env),
  get embedder() {
    return embedderOf(env)
  },
  hasNotetakers: notetakerProviderOf(env) !== undefined,
  hasTranscriber: transcriberOf(env) !== undefined,
  get images() {
    return cloudflareImages(env.IMAGES)
  },
  apiUrl: env.API_URL,
  digestOf: (text) => digestOf(env.FILE_SECRET, text),
  linkSecret: env.FILE_SECRET,
  get voice() {
    return voiceOf(env)
  },
  get models() {
    return modelsOf(env)
  },
  wake: (kind, workspaceId, itemId) => wake(env, kind, workspaceId, itemId),
  watchWhatsApp: (workspaceId, wish) => watchWhatsApp(env, workspaceId, wish).catch(() => {}),
})

/** The mail provider of this deployment. */
export const mailerOf = (env: Env): Mailer => ({
  from: env.EMAIL_FROM,
  provider: lazily(async () =>
    (await import('../features/email/provider/postmark.ts')).postmark({ url: env.EMAIL_API_URL, token: env.EMAIL_API_TOKEN }),
  ),
})

/** The provider of SMS and phone numbers; undefined if this deployment has no account. */
export function telephonyOf(env: Env): Telephony | undefined {
  const { SMS_API_URL: url, SMS_ACCOUNT_SID: account, SMS_AUTH_TOKEN: token, SMS_COMPLIANCE_URL: complianceUrl = TWILIO_NUMBERS } = env
  if (!url || !account || !token) return undefined
  const options = { url, account, token }
  const at = (path: string) => new URL(path, env.API_URL).href
  return {
    sms: lazily(async () => (await import('../features/sms/provider/twilio.ts')).twilioSms(options)),
    numbers: lazily(async () => (await import('../features/sms/provider/twilio-numbers.ts')).twilioNumbers(options)),
    compliance: lazily(async () =>
      (await import('../features/sms/provider/twilio-compliance.ts')).twilioCompliance({ ...options, complianceUrl }),
    ),
    events_url: at('/sms-events'),
    calls_url: at('/call-events/twilio'),
    bundles_url: at('/bundle-events'),
    fileUrl: (key, name, now) => at(filePath(env, key, name, Math.floor(now.getTime() / 1000) + MEDIA_SECONDS)),
  }
}
/** A message may wait at the provider for four hours before it reads the files. */
const MEDIA_SECONDS = 5 * 3600
const STRIPE = 'https://api.stripe.com'
const TWILIO_NUMBERS = 'https://numbers.twilio.com'

/** The voice provider; undefined if this deployment has none. */
export function voiceOf(env: Env): Voice | undefined {
  const { VOICE_API_URL: url, VOICE_API_KEY: key, VOICE_TERMINATION_URI: terminationUri, VOICE_TRUNK_SID: trunk } = env
  if (!url || !key || !terminationUri || !trunk) return undefined
  const inboundUrl = new URL('/call-events/retell', env.API_URL).href
  const client = async () => (await import('../features/phone/provider/retell.ts')).retell({ url, key, terminationUri, inboundUrl })
  return { provider: lazily<VoiceProvider>(client), knowledge: lazily(async () => (await client()).knowledge), trunk }
}

/** The models of this deployment; undefined if it has none. */
export function modelsOf(env: Env): Models | undefined {
  const { MODEL_PROVIDER: provider, MODEL_API_URL: url, MODEL_API_KEY: key, MODEL_STANDARD: standard, MODEL_SMALL: small } = env
  if (!url || !key || !standard || !small) return undefined
  const options = { url, key, names: { standard, small } }
  if (provider === 'anthropic')
    return lazily(async () => (await import('../providers/models/complete-anthropic.ts')).anthropicModels(options))
  if (provider === 'openai') return lazily(async () => (await import('../providers/models/complete-openai.ts')).openaiModels(options))
  throw new Error(`MODEL_PROVIDER must be anthropic or openai, not "${provider}"`)
}

/**
 * What checks that visitors of pages are people; undefined if this deployment has no keys. The page is served by the host of the request,
 * at `url`.
 */
export function challengeOf(
  { TURNSTILE_API_URL: api, TURNSTILE_SITE_KEY: site_key, TURNSTILE_SECRET_KEY: secret, API_URL }: Env,
  url?: string,
): Challenge | undefined {
  if (!site_key || !secret) return undefined
  const { origin } = new URL(api || TURNSTILE)
  return {
    widget: { site_key, origin, script: `${origin}/turnstile/v0/api.js` },
    hostnames: [API_URL, url].flatMap((address) => (address ? [new URL(address).hostname] : [])),
    verifier: lazily(async () => (await import('../features/pages/provider/turnstile.ts')).turnstile({ url: origin, secret })),
  }
}
const TURNSTILE = 'https://challenges.cloudflare.com'

/** The provider of embeddings; undefined if this deployment has no account. */
export function embedderOf({ EMBEDDINGS_API_URL: url, EMBEDDINGS_API_KEY: key, EMBEDDINGS_MODEL: model }: Env): Embedder | undefined {
  if (!url || !key || !model) return undefined
  const { embed } = lazily<Pick<Embedder, 'embed'>>(async () =>
    (await import('../providers/models/embed.ts')).embedder({ url, key, model }),
  )
  return { model, embed }
}

/** The provider of bots that record meetings; undefined if this deployment has no account. */
export function notetakerProviderOf({ NOTETAKER_API_URL: url, NOTETAKER_API_KEY: key }: Env): NotetakerProvider | undefined {
  return url && key ? lazily(async () => (await import('../features/notetakers/provider/recall.ts')).recall({ url, key })) : undefined
}

/** The provider that transcribes recordings; undefined if this deployment has no account. */
export function transcriberOf({ SPEECH_API_URL: url, SPEECH_API_KEY: key }: Env): Transcriber | undefined {
  return url && key
    ? lazily(async () => (await import('../features/transcripts/provider/transcribe.ts')).deepgram({ url, key }))
    : undefined
}

/** Lets the Durable Object of a workspace's pairing look at the provider of WhatsApp. @throws Error when it could not. */
export async function watchWhatsApp({ WHATSAPP_PAIRING: objects }: Env, workspaceId: string, wish: 'pair' | 'look'): Promise<void> {
  const { ok } = await objects.get(objects.idFromName(workspaceId)).fetch(`https://pairing/${workspaceId}${wish === 'pair' ? '?pair' : ''}`)
  if (!ok) throw new Error('The pairing with WhatsApp could not be looked at')
}
