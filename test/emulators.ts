import { startEmailEmulator } from '../dev/email-emulator.ts'
import { embeddingVars, startEmbeddingsEmulator } from '../dev/embeddings-emulator.ts'
import { googleVars, startGoogleEmulator } from '../dev/google-emulator.ts'
import { microsoftVars, startMicrosoftEmulator } from '../dev/microsoft-emulator.ts'
import { modelVars, startModelEmulator } from '../dev/model-emulator.ts'
import { startNotetakerEmulator } from '../dev/notetaker-emulator.ts'
import { startSiteEmulator } from '../dev/site-emulator.ts'
import { startSmsEmulator } from '../dev/sms-emulator.ts'
import { startSpeechEmulator } from '../dev/speech-emulator.ts'
import { startStripeEmulator } from '../dev/stripe-emulator.ts'
import { startTurnstileEmulator, turnstileVars } from '../dev/turnstile-emulator.ts'
import { startVoiceEmulator } from '../dev/voice-emulator.ts'
import { startWhatsAppEmulator } from '../dev/whatsapp-emulator.ts'

/** The emulators of the providers that the Worker of a test calls. */
export type Emulators = Awaited<ReturnType<typeof startEmulators>>

/** Starts an emulator of each provider, on a free port each. */
export async function startEmulators() {
  return {
    email: await startEmailEmulator(),
    sms: await startSmsEmulator(),
    voice: await startVoiceEmulator(),
    models: await startModelEmulator(),
    embeddings: await startEmbeddingsEmulator(),
    site: await startSiteEmulator(),
    whatsapp: await startWhatsAppEmulator(),
    notetaker: await startNotetakerEmulator(),
    speech: await startSpeechEmulator(),
    google: await startGoogleEmulator(),
    microsoft: await startMicrosoftEmulator(),
    stripe: await startStripeEmulator(),
    turnstile: await startTurnstileEmulator(),
  }
}

/** The Worker's variables with which it calls the emulators. */
export function emulatorVars(emulators: Emulators): Record<string, string> {
  const { email, sms, voice, models, embeddings, site, whatsapp, notetaker, speech, google, microsoft, stripe, turnstile } = emulators
  return {
    EMAIL_API_URL: email.url,
    EMAIL_API_TOKEN: email.token,
    SMS_API_URL: sms.url,
    SMS_ACCOUNT_SID: sms.account,
    SMS_AUTH_TOKEN: sms.token,
    SMS_COMPLIANCE_URL: sms.url,
    VOICE_API_URL: voice.url,
    VOICE_API_KEY: voice.key,
    VOICE_TRUNK_SID: 'TK0',
    VOICE_TERMINATION_URI: 'crm.pstn.twilio.com',
    ...modelVars(models),
    ...embeddingVars(embeddings),
    WHATSAPP_API_URL: whatsapp.url,
    WHATSAPP_API_KEY: whatsapp.key,
    NOTETAKER_API_URL: notetaker.url,
    NOTETAKER_API_KEY: notetaker.key,
    NOTETAKER_WEBHOOK_SECRET: notetaker.webhookSecret,
    SPEECH_API_URL: speech.url,
    SPEECH_API_KEY: speech.key,
    STRIPE_API_URL: stripe.url,
    ...turnstileVars(turnstile),
    ...googleVars(google),
    ...microsoftVars(microsoft),
    // Its calendars can also be read by their addresses, and so can recordings and pages.
    LOCAL_RECEIVERS: [google, speech, site].map(({ url }) => new URL(url).host).join(','),
  }
}

/** Lets the emulators forget what they received, and how they should fail. */
export function clearEmulators(emulators: Emulators): void {
  for (const one of Object.values(emulators)) one.clear()
}

export async function closeEmulators(emulators: Emulators): Promise<void> {
  await Promise.all(Object.values(emulators).map((one) => one.close()))
}
