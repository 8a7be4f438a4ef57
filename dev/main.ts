import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiOf } from './demo/api.ts'
import { fillDemoWorkspace } from './demo/workspace.ts'
import { connectAsOwner } from './owner.ts'
import { runUntilStopped } from './session.ts'
import { readSettings } from './settings.ts'
import { dataDir, startStack } from './stack.ts'
import { createWorkspace, type NewWorkspace } from './workspace.ts'
import { fireCrons, startWrangler } from './wrangler.ts'

/** What SMS and WhatsApp messages of the demo workspace are paid with. */
const DEMO_CREDITS = 1_000

type DemoWorkspace = NewWorkspace & { seeded?: boolean }
const file = join(dataDir, 'demo.json')
const remember = (demo: DemoWorkspace) => writeFileSync(file, `${JSON.stringify(demo, null, 2)}\n`)

await runUntilStopped(async (session) => {
  const settings = readSettings()
  const stack = await startStack(
    settings,
    ['port', 'pg-port', 'neon-port', 'email-port', 'sms-port', 'whatsapp-port', 'voice-port'],
    session,
  )
  const demo = await demoWorkspace(stack.databaseUrl)
  const { url } = await startWrangler(settings.ports.port, stack.addChild, session)
  if (session.stopping.aborted) return
  fireCrons(url, session)
  if (!settings.empty) await seedOnce(url, demo)
  console.log(`
  API           ${url}/v1
  Docs          ${url}/docs
  Sent emails   ${stack.emailUrl}/__sent
  SMS           ${stack.smsUrl}/__sent
  Voice         ${stack.voiceUrl}/__numbers
  WhatsApp      ${stack.whatsappUrl}/__world
  Database      ${stack.databaseUrl}
  Demo key      ${demo.key}

  Try it:

  curl -H 'Authorization: Bearer ${demo.key}' '${url}/v1/search?q=harbor'
  curl -H 'Authorization: Bearer ${demo.key}' '${url}/v1/tasks?overdue=true'
  curl -H 'Authorization: Bearer ${demo.key}' '${url}/v1/approvals?status=pending'

  Ready in ${process.uptime().toFixed(1)} s. Ctrl-C stops; the data stays in .data/, and "npm run dev -- --reset" starts afresh.
`)
})

/** Fills the demo workspace the first time. A run that stopped in the middle leaves it partly filled: "--reset" starts afresh. */
async function seedOnce(url: string, demo: DemoWorkspace): Promise<void> {
  if (demo.seeded) return
  remember({ ...demo, seeded: true })
  await fillDemoWorkspace(
    apiOf(url, demo.key, () => {}, fetch as never),
    new Date(),
  )
}

/** The demo workspace: made once per database, its key remembered in .data/demo.json. */
async function demoWorkspace(databaseUrl: string): Promise<DemoWorkspace> {
  const client = await connectAsOwner(databaseUrl)
  try {
    if (existsSync(file)) {
      const demo = JSON.parse(readFileSync(file, 'utf8')) as DemoWorkspace
      if ((await client.query('select from api_keys where id = $1', [demo.key_id])).rowCount) return demo
    }
    const demo = await createWorkspace(client, { name: 'Demo', ownerEmail: 'demo@example.com', ownerName: 'Demo Owner' })
    await client.query("select grant_credits($1, $2, 'demo')", [demo.workspace_id, DEMO_CREDITS])
    remember(demo)
    return demo
  } finally {
    await client.end()
  }
}
