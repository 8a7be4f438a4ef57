import { runUntilStopped } from './session.ts'
import { OWN_PORTS, readSettings } from './settings.ts'
import { startStack } from './stack.ts'

await runUntilStopped(async (session) => {
  const settings = readSettings()
  const stack = await startStack(settings, OWN_PORTS, session)
  console.log(`
  Database        ${stack.databaseUrl}
  Neon endpoint   ${stack.neonUrl}
  Inbox           ${stack.inbox.url}

  "npx wrangler dev" now works in another terminal. Ctrl-C stops; the data stays in ${settings.dataDir}.
`)
})
