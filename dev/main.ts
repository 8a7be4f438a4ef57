import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type Api, apiOf } from './demo/api.ts'
import { fillDemoWorkspace } from './demo/workspace.ts'
import { connectAsOwner } from './owner.ts'
import { runUntilStopped } from './session.ts'
import { OWN_PORTS, readSettings, SETTINGS_USAGE } from './settings.ts'
import { startStack } from './stack.ts'
import type { StripeEmulator } from './stripe-emulator.ts'
import { createWorkspace, type NewWorkspace } from './workspace.ts'
import { fireCrons, startWrangler } from './wrangler.ts'

/** What SMS and WhatsApp messages of the demo workspace are paid with. */
const DEMO_CREDITS = 1_000

const USAGE = `Usage: npm run dev [-- <flags>]

Starts PostgreSQL, the emulators of the providers, the local inbox and the Worker, and prints their addresses and a demo key. \
Ctrl-C stops everything.

${SETTINGS_USAGE}`

type DemoWorkspace = NewWorkspace & { seeded?: boolean; inbound_path?: string }

await runUntilStopped(async (session) => {
  const settings = readSettings()
  const stack = await startStack(settings, ['port', ...OWN_PORTS], session)
  const file = stack.places.demo
  const demo = await demoWorkspace(stack.databaseUrl, file)
  const { url } = await startWrangler(settings.ports.port, stack.addChild, session, stack.places)
  if (session.stopping.aborted) return
  fireCrons(url, session)
  const api = apiOf(url, demo.key, () => {}, fetch as never)
  if (!settings.empty) await seedOnce(api, demo, file)
  await connectPayments(api, stack.stripe)
  const { data: forms } = await api('GET', '/order-forms?is_active=true&limit=1')
  stack.inbox.inboundPath = await inboundPath(api, demo, file)
  console.log(`
  API           ${url}/v1
  Docs          ${url}/docs
  Inbox         ${stack.inbox.url} (email, SMS, WhatsApp and payments, from the other side)
  Voice agents  ${stack.voiceUrl}/__numbers and /__agents
  Transcripts   ${stack.speechUrl}/__accepted
  Models        ${stack.modelUrl}/__requests
  Notetakers    ${stack.notetakerUrl}/__bots
  Google        ${stack.googleUrl}/__events and /__mail
  Microsoft     ${stack.microsoftUrl}/__events
  Stripe        ${stack.stripe.url}/__sessions
  Database      ${stack.databaseUrl}${forms.length > 0 ? `\n  Order form    ${url}/order/${forms[0].slug}` : ''}
  Demo key      ${demo.key}

  Try it:

  curl -H 'Authorization: Bearer ${demo.key}' '${url}/v1/search?q=harbor'
  curl -H 'Authorization: Bearer ${demo.key}' '${url}/v1/tasks?overdue=true'
  curl -H 'Authorization: Bearer ${demo.key}' '${url}/v1/approvals?status=pending'

  Ready in ${process.uptime().toFixed(1)} s. Ctrl-C stops; the data stays in ${settings.dataDir}, \
and "npm run dev -- --reset" starts afresh.
`)
}, USAGE)

/** Fills the demo workspace the first time. A run that stopped in the middle leaves it partly filled: "--reset" starts afresh. */
async function seedOnce(api: Api, demo: DemoWorkspace, file: string): Promise<void> {
  if (demo.seeded) return
  demo.seeded = true
  remember(demo, file)
  await fillDemoWorkspace(api, new Date())
}

/** Where the demo workspace receives emails. The address is a secret that the API shows once, so it is remembered. */
async function inboundPath(api: Api, demo: DemoWorkspace, file: string): Promise<string> {
  demo.inbound_path ??= (await api('POST', '/email/inbox/rotate-token')).data.path as string
  remember(demo, file)
  return demo.inbound_path
}

function remember(demo: DemoWorkspace, file: string): void {
  writeFileSync(file, `${JSON.stringify(demo, null, 2)}\n`)
}

/** The demo workspace: made once per database, its key remembered in demo.json. */
async function demoWorkspace(databaseUrl: string, file: string): Promise<DemoWorkspace> {
  const client = await connectAsOwner(databaseUrl)
  try {
    if (existsSync(file)) {
      const demo = JSON.parse(readFileSync(file, 'utf8')) as DemoWorkspace
      if ((await client.query('select from api_keys where id = $1', [demo.key_id])).rowCount) return demo
    }
    const demo = await createWorkspace(client, { name: 'Demo', ownerEmail: 'demo@example.com', ownerName: 'Demo Owner' })
    await client.query("select grant_credits($1, $2, 'demo')", [demo.workspace_id, DEMO_CREDITS])
    remember(demo, file)
    return demo
  } finally {
    await client.end()
  }
}

/** Connects the demo workspace with the emulated Stripe, which forgets its webhooks when it stops. */
async function connectPayments(api: Api, { key, world }: StripeEmulator): Promise<void> {
  const path = '/company/payment-settings'
  const { data } = await api('PATCH', path, { secret_key: key })
  const { secret } = world.addEndpoint(key, data.webhook_url, data.webhook_events)
  await api('PATCH', path, { webhook_secret: secret })
}
