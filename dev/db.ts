import { runUntilStopped } from './session.ts'
import { readSettings } from './settings.ts'
import { startStack } from './stack.ts'

await runUntilStopped(async (session) => {
  const settings = readSettings()
  const stack = await startStack(settings, ['pg-port', 'neon-port', 'email-port', 'sms-port', 'whatsapp-port', 'voice-port'], session)
  console.log(`
  Database        ${stack.databaseUrl}
  Neon endpoint   ${stack.neonUrl}
  Sent emails     ${stack.emailUrl}/__sent

  "npx wrangler dev" now works in another terminal. Ctrl-C stops; the data stays in .data/.
`)
})
