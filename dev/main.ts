import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connectAsOwner } from './owner.ts'
import { runUntilStopped } from './session.ts'
import { readSettings } from './settings.ts'
import { dataDir, startStack } from './stack.ts'
import { createWorkspace, type NewWorkspace } from './workspace.ts'
import { fireCrons, startWrangler } from './wrangler.ts'

await runUntilStopped(async (session) => {
  const settings = readSettings()
  const stack = await startStack(settings, ['port', 'pg-port', 'neon-port', 'email-port'], session)
  const demo = await demoWorkspace(stack.databaseUrl)
  const { url } = await startWrangler(settings.ports.port, stack.addChild, session)
  if (session.stopping.aborted) return
  fireCrons(url, session)
  console.log(`
  API           ${url}/v1
  Docs          ${url}/docs
  Sent emails   ${stack.emailUrl}/__sent
  Database      ${stack.databaseUrl}
  Demo key      ${demo.key}

  curl -H 'Authorization: Bearer ${demo.key}' ${url}/v1/contacts

  Ready in ${process.uptime().toFixed(1)} s. Ctrl-C stops; the data stays in .data/, and "npm run dev -- --reset" starts afresh.
`)
})

/** The demo workspace: made once per database, its key remembered in .data/demo.json. */
async function demoWorkspace(databaseUrl: string): Promise<NewWorkspace> {
  const file = join(dataDir, 'demo.json')
  const client = await connectAsOwner(databaseUrl)
  try {
    if (existsSync(file)) {
      const demo = JSON.parse(readFileSync(file, 'utf8')) as NewWorkspace
      if ((await client.query('select from api_keys where id = $1', [demo.key_id])).rowCount) return demo
    }
    const demo = await createWorkspace(client, { name: 'Demo', ownerEmail: 'demo@example.com', ownerName: 'Demo Owner' })
    writeFileSync(file, `${JSON.stringify(demo, null, 2)}\n`)
    return demo
  } finally {
    await client.end()
  }
}
