import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { startEmailEmulator } from './email-emulator.ts'
import { embeddingVars, startEmbeddingsEmulator } from './embeddings-emulator.ts'
import { checkVectors, STAND_IN_NOTICE, VECTORS } from './extensions.ts'
import { googleVars, PUSH_TOKEN, startGoogleEmulator } from './google-emulator.ts'
import { type Inbox, startInbox } from './inbox/server.ts'
import { microsoftVars, startMicrosoftEmulator } from './microsoft-emulator.ts'
import { migrate } from './migrate.ts'
import { modelVars, startModelEmulator } from './model-emulator.ts'
import { startNeonProxy } from './neon-proxy.ts'
import { startNotetakerEmulator } from './notetaker-emulator.ts'
import { localDatabaseUrl } from './owner.ts'
import { type Postgres, startPostgres, stopStale } from './postgres.ts'
import { isBusy } from './processes.ts'
import { announceRun } from './runs.ts'
import type { Session } from './session.ts'
import { busyPort, Complaint, type Places, type PortFlag, placesOf, type Settings } from './settings.ts'
import { startSmsEmulator } from './sms-emulator.ts'
import { startSpeechEmulator } from './speech-emulator.ts'
import { formatTrace, type SqlTrace } from './sql-trace.ts'
import { type StripeEmulator, startStripeEmulator } from './stripe-emulator.ts'
import { startTurnstileEmulator, turnstileVars } from './turnstile-emulator.ts'
import { startVoiceEmulator } from './voice-emulator.ts'
import { startWhatsAppEmulator } from './whatsapp-emulator.ts'

const EMAIL_WEBHOOK_TOKEN = 'local-email-webhook-token'

export interface Stack {
  /** The database as its owner. */
  databaseUrl: string
  neonUrl: string
  inbox: Inbox
  voiceUrl: string
  modelUrl: string
  notetakerUrl: string
  speechUrl: string
  googleUrl: string
  microsoftUrl: string
  stripe: StripeEmulator
  places: Places
  /** Lets the next run stop this process if this run is killed. */
  addChild(pid: number): void
}

/**
 * Starts the database, the Neon endpoint, the emulators and their inbox, runs the migrations, and writes the addresses for `wrangler dev`.
 */
export async function startStack(settings: Settings, ports: PortFlag[], session: Session): Promise<Stack> {
  const places = placesOf(settings.dataDir)
  const run = await announceRun(settings.dataDir)
  session.atEnd(run.release)
  await stopStale(places.postgres)
  for (const flag of ports) if (await isBusy(settings.ports[flag])) throw busyPort(flag, settings.ports[flag])
  if (settings.reset) {
    const formerFiles = join(settings.dataDir, 'wrangler')
    for (const path of [places.postgres, places.demo, places.files, formerFiles]) rmSync(path, { recursive: true, force: true })
  }
  moveFiles(settings.dataDir, places.files)

  const postgres = await startDatabase(places.postgres, settings.ports['pg-port'], session)
  const onTrace = settings.sql ? (trace: SqlTrace) => console.log(formatTrace(trace)) : undefined
  const neon = await startNeonProxy({ postgresPort: postgres.port, port: settings.ports['neon-port'], onTrace })
  session.atEnd(neon.close)
  const apiUrl = `http://127.0.0.1:${settings.ports.port}`
  const receiverPort = settings.ports['receiver-port']
  const email = await startEmailEmulator({
    port: settings.ports['email-port'],
    reportsTo: `${apiUrl}/email-events/${EMAIL_WEBHOOK_TOKEN}`,
  })
  session.atEnd(email.close)
  const sms = await startSmsEmulator({ port: settings.ports['sms-port'], reports: true })
  session.atEnd(sms.close)
  const voice = await startVoiceEmulator({ port: settings.ports['voice-port'], eventsUrl: `${apiUrl}/call-events/retell` })
  session.atEnd(voice.close)
  const models = await startModelEmulator({ port: settings.ports['model-port'] })
  session.atEnd(models.close)
  const whatsapp = await startWhatsAppEmulator({ port: settings.ports['whatsapp-port'], automatic: true })
  session.atEnd(whatsapp.close)
  const notetaker = await startNotetakerEmulator({ port: settings.ports['notetaker-port'], reportsTo: `${apiUrl}/notetaker-events` })
  session.atEnd(notetaker.close)
  const speech = await startSpeechEmulator({ port: settings.ports['speech-port'], isPrompt: true })
  session.atEnd(speech.close)
  const google = await startGoogleEmulator({
    port: settings.ports['google-port'],
    automatic: true,
    pushUrl: `${apiUrl}/mailbox-notifications/gmail/${PUSH_TOKEN}`,
  })
  session.atEnd(google.close)
  const embeddings = await startEmbeddingsEmulator({ port: settings.ports['embeddings-port'] })
  session.atEnd(embeddings.close)
  const stripe = await startStripeEmulator({ port: settings.ports['stripe-port'], automatic: true })
  session.atEnd(stripe.close)
  const turnstile = await startTurnstileEmulator({ port: settings.ports['turnstile-port'] })
  session.atEnd(turnstile.close)
  const inbox = await startInbox({
    email,
    sms,
    whatsapp,
    google,
    stripe,
    apiUrl,
    emailToken: EMAIL_WEBHOOK_TOKEN,
    port: settings.ports['inbox-port'],
  })
  session.atEnd(inbox.close)
  const microsoft = await startMicrosoftEmulator({ port: settings.ports['microsoft-port'], automatic: true })
  session.atEnd(microsoft.close)

  const databaseUrl = localDatabaseUrl(postgres.port)
  await createDatabase(postgres.url('postgres'), 'crm')
  await checkVectors(databaseUrl)
  if (VECTORS === 'stand-in') console.log(STAND_IN_NOTICE)
  await migrate(databaseUrl)
  writeDevVars(places.vars, {
    DATABASE_URL: 'postgres://app:app@db.local/crm',
    DATABASE_JOBS_URL: 'postgres://jobs:jobs@db.local/crm',
    NEON_PROXY: neon.url,
    EMAIL_API_URL: email.url,
    EMAIL_API_TOKEN: email.token,
    SMS_API_URL: sms.url,
    SMS_ACCOUNT_SID: sms.account,
    SMS_AUTH_TOKEN: sms.token,
    SMS_COMPLIANCE_URL: sms.url,
    VOICE_API_URL: voice.url,
    VOICE_API_KEY: voice.key,
    VOICE_TRUNK_SID: 'TK00000000000000000000000000000000',
    VOICE_TERMINATION_URI: 'local.pstn.twilio.com',
    ...modelVars(models),
    WHATSAPP_API_URL: whatsapp.url,
    WHATSAPP_API_KEY: whatsapp.key,
    NOTETAKER_API_URL: notetaker.url,
    NOTETAKER_API_KEY: notetaker.key,
    NOTETAKER_WEBHOOK_SECRET: notetaker.webhookSecret,
    SPEECH_API_URL: speech.url,
    SPEECH_API_KEY: speech.key,
    STRIPE_API_URL: stripe.url,
    ...turnstileVars(turnstile),
    ...embeddingVars(embeddings),
    ENGINEERING_EMAIL: 'engineering@example.com',
    ...googleVars(google),
    ...microsoftVars(microsoft),
    FILE_SECRET: randomBytes(32).toString('hex'),
    API_URL: apiUrl,
    EMAIL_WEBHOOK_TOKEN,
    APP_URL: apiUrl,
    EMAIL_FROM: 'Workspace CRM <crm@example.com>',
    SEALING_KEYS: sealingKeys(places.vars),
    // Where `node dev/webhook-receiver.ts` listens.
    LOCAL_RECEIVERS: `127.0.0.1:${receiverPort},localhost:${receiverPort},${new URL(speech.url).host}`,
  })
  run.publish({
    api: apiUrl,
    inbox: inbox.url,
    email: email.url,
    notetaker: notetaker.url,
    google: google.url,
    microsoft: microsoft.url,
    stripe: stripe.url,
    models: models.url,
    database: databaseUrl,
    receiver: `127.0.0.1:${receiverPort}`,
  })
  return {
    databaseUrl,
    neonUrl: neon.url,
    inbox,
    voiceUrl: voice.url,
    modelUrl: models.url,
    notetakerUrl: notetaker.url,
    speechUrl: speech.url,
    googleUrl: google.url,
    microsoftUrl: microsoft.url,
    stripe,
    places,
    addChild: run.addChild,
  }
}

/** Starts PostgreSQL. When it ends, so does the session. */
export async function startDatabase(dir: string, port: number, session: Session): Promise<Postgres> {
  const postgres = await startPostgres(dir, { port })
  session.atEnd(postgres.stop)
  void postgres.exited.then(() => session.fail('PostgreSQL has stopped unexpectedly: start again. What was committed is in .data/.'))
  return postgres
}

/** Moves the files that earlier versions stored in .data/, where only `npm run dev` found them. */
function moveFiles(dataDir: string, filesDir: string): void {
  const former = join(dataDir, 'wrangler')
  if (!existsSync(former) || existsSync(filesDir)) return
  mkdirSync(dirname(filesDir), { recursive: true })
  renameSync(former, filesDir)
}

async function createDatabase(url: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query('select datctype from pg_database where datname = $1', [name])
    if (rows.length === 0) await client.query(`create database ${name}`)
    // An earlier version created this database with the locale C, in which only ASCII has letters. The locale of a database cannot be
    // changed.
    else if (rows[0].datctype === 'C')
      throw new Complaint(
        'The database in .data/ cannot compare names that are not ASCII, as Neon does: "npm run dev -- --reset" makes a ' +
          'new one, without its data.',
      )
  } finally {
    await client.end()
  }
}

/** The keys of earlier runs, which have sealed what is in the database, or a new one. */
function sealingKeys(file: string): string {
  const known = existsSync(file) ? /^SEALING_KEYS=(.+)$/m.exec(readFileSync(file, 'utf8'))?.[1] : undefined
  return known ?? `dev:${randomBytes(32).toString('base64')}`
}

/** Replaces our own lines of .dev.vars and keeps the developer's. */
function writeDevVars(file: string, vars: Record<string, string>): void {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  const kept = lines.filter((line) => line && !Object.keys(vars).some((name) => line.startsWith(`${name}=`)))
  const ours = Object.entries(vars).map(([name, value]) => `${name}=${value}`)
  writeFileSync(file, `${[...ours, ...kept].join('\n')}\n`)
}
