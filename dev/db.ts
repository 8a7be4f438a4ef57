import { runUntilStopped } from './session.ts'
import { OWN_PORTS, readSettings, SETTINGS_USAGE } from './settings.ts'
import { startStack } from './stack.ts'

const USAGE = `Usage: npm run db [-- <flags>]

Starts what "npx wrangler dev" needs: PostgreSQL, the emulators of the providers and the local inbox. Ctrl-C stops everything.

${SETTINGS_USAGE}`

await runUntilStopped(async (session) => {
  const settings = readSettings()
  const stack = await startStack(settings, OWN_PORTS, session)
  console.log(`
  Database        ${stack.databaseUrl}
  Neon endpoint   ${stack.neonUrl}
  Inbox           ${stack.inbox.url}

  "npx wrangler dev" now works in another terminal. Ctrl-C stops; the data stays in ${settings.dataDir}.
`)
}, USAGE)
