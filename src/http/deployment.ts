import type { Deployment } from '../context.ts'
import type { OutsideRules } from '../domain/outside-addresses.ts'
import { type Env, jobsDatabaseOf } from '../env.ts'
import { AppError } from '../errors.ts'
import { readSealingKeys, type SealingKeys, seal, unseal } from '../lib/seal.ts'
import type { Mailer } from '../providers/email/port.ts'
import { postmark } from '../providers/email/postmark.ts'
import { outsideHttp } from '../providers/http/client.ts'
import type { OutsideHttp } from '../providers/http/port.ts'
import { dnsOverHttps } from '../providers/http/resolver.ts'
import type { NotetakerProvider } from '../providers/notetaker/port.ts'
import { recall } from '../providers/notetaker/recall.ts'
import type { Secrets } from '../providers/secrets/port.ts'
import type { Telephony } from '../providers/sms/port.ts'
import { twilioSms } from '../providers/sms/twilio.ts'
import { twilioCompliance } from '../providers/sms/twilio-compliance.ts'
import { twilioNumbers } from '../providers/sms/twilio-numbers.ts'
import type { Voice } from '../providers/voice/port.ts'
import { retell } from '../providers/voice/retell.ts'
import type { CalendarAccess } from '../services/calendars/grants.ts'
import { calendarCallbackOf, calendarKindsOf } from './calendars.ts'

/** What a service may know of the deployment. The host of the request, at `url`, is one of its own. Most requests need none of it. */
export const deploymentOf = (env: Env, url?: string): Deployment => ({
  get outside() {
    return outsideRulesOf(env, url)
  },
  secrets: secretsOf(env),
  enqueueIncoming: (workspace_id, request_id) =>
    env.WEBHOOKS.send({ type: 'incoming.run', workspace_id, request_id }).then(
      () => {},
      () => {},
    ),
  get mailer() {
    return mailerOf(env)
  },
  get telephony() {
    return telephonyOf(env)
  },
  get calendars() {
    return calendarKindsOf(env, outsideHttpOf(env))
  },
  calendarCallback: calendarCallbackOf(env),
  checkCalendars: async (connection) => (await import('../services/calendars/check.ts')).checkCalendars(calendarAccessOf(env), connection),
  hasNotetakers: notetakerProviderOf(env) !== undefined,
  get voice() {
    return voiceOf(env)
  },
  watchWhatsApp: (workspaceId, wish) => watchWhatsApp(env, workspaceId, wish).catch(() => {}),
  enqueueWhatsApp: (workspace_id, whatsapp_event_id) =>
    env.MESSAGES.send({ type: 'whatsapp.receive', workspace_id, whatsapp_event_id }).then(
      () => {},
      () => {},
    ),
  enqueueInbound: (workspace_id, inbound_email_id) =>
    env.MESSAGES.send({ type: 'email.receive', workspace_id, inbound_email_id }).then(
      () => {},
      () => {},
    ),
})

function outsideRulesOf({ APP_URL, LOCAL_RECEIVERS = '' }: Env, url?: string): OutsideRules {
  const local = LOCAL_RECEIVERS.split(',').map((host) => host.trim().toLowerCase())
  const own = [APP_URL, url ?? ''].flatMap((address) => (URL.canParse(address) ? [new URL(address).hostname] : []))
  return { own, local: local.filter((host) => host !== '') }
}

/** The mail provider of this deployment. */
export const mailerOf = (env: Env): Mailer => ({
  from: env.EMAIL_FROM,
  provider: postmark({ url: env.EMAIL_API_URL, token: env.EMAIL_API_TOKEN }),
})

/** The provider of SMS and phone numbers; undefined if this deployment has no account. */
export function telephonyOf(env: Env): Telephony | undefined {
  const { SMS_API_URL: url, SMS_ACCOUNT_SID: account, SMS_AUTH_TOKEN: token, SMS_COMPLIANCE_URL: complianceUrl = TWILIO_NUMBERS } = env
  if (!url || !account || !token) return undefined
  const options = { url, account, token }
  const at = (path: string) => new URL(path, env.API_URL).href
  return {
    ...{ sms: twilioSms(options), numbers: twilioNumbers(options), compliance: twilioCompliance({ ...options, complianceUrl }) },
    ...{ events_url: at('/sms-events'), calls_url: at('/call-events/twilio'), bundles_url: at('/bundle-events') },
  }
}
const TWILIO_NUMBERS = 'https://numbers.twilio.com'

/** The voice provider; undefined if this deployment has none. */
export function voiceOf(env: Env): Voice | undefined {
  const { VOICE_API_URL: url, VOICE_API_KEY: key, VOICE_TERMINATION_URI: terminationUri, VOICE_TRUNK_SID: trunk } = env
  if (!url || !key || !terminationUri || !trunk) return undefined
  return { provider: retell({ url, key, terminationUri, inboundUrl: new URL('/call-events/retell', env.API_URL).href }), trunk }
}

/** The provider of bots that record meetings; undefined if this deployment has no account. */
export function notetakerProviderOf({ NOTETAKER_API_URL: url, NOTETAKER_API_KEY: key }: Env): NotetakerProvider | undefined {
  return url && key ? recall({ url, key }) : undefined
}

/** What calls of calendars need. */
export const calendarAccessOf = (env: Env): CalendarAccess => ({
  database: jobsDatabaseOf(env),
  secrets: secretsOf(env),
  kinds: calendarKindsOf(env, outsideHttpOf(env)),
})

/** Lets the Durable Object of a workspace's pairing look at the provider of WhatsApp. @throws Error when it could not. */
export async function watchWhatsApp({ WHATSAPP_PAIRING: objects }: Env, workspaceId: string, wish: 'pair' | 'look'): Promise<void> {
  const { ok } = await objects.get(objects.idFromName(workspaceId)).fetch(`https://pairing/${workspaceId}${wish === 'pair' ? '?pair' : ''}`)
  if (!ok) throw new Error('The pairing with WhatsApp could not be looked at')
}

/** The client for addresses that customers choose. */
export const outsideHttpOf = (env: Env): OutsideHttp =>
  outsideHttp({ rules: outsideRulesOf(env), ...(env.DNS_RESOLVER_URL && { resolver: dnsOverHttps(env.DNS_RESOLVER_URL) }) })

/** The keys of this isolate, by their text. */
let known: { text: string; keys: Promise<SealingKeys> } | undefined

export function secretsOf({ SEALING_KEYS: text }: Env): Secrets {
  const keys = (): Promise<SealingKeys> => {
    if (!text) throw new AppError('UNAVAILABLE', 'Secrets cannot be stored: the operator of this service must set SEALING_KEYS')
    if (known?.text !== text) known = { text, keys: readSealingKeys(text) }
    return known.keys
  }
  return {
    seal: async (place, secret) => seal(await keys(), place, secret),
    unseal: async (place, sealed) => unseal(await keys(), place, sealed),
  }
}
