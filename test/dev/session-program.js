// Runs one part of "npm run dev" in a session, as a process of its own: `database <folder> <port>` or `wrangler <program> <port>`.
import { runUntilStopped } from '../../dev/session.ts'
import { placesOf, USUAL_DATA_DIR } from '../../dev/settings.ts'
import { startDatabase } from '../../dev/stack.ts'
import { startWrangler } from '../../dev/wrangler.ts'

const [part, path, port] = process.argv.slice(2)
// As an error of a connection that nobody listens to.
process.on('SIGUSR2', () => {
  throw new Error('unhandled')
})
await runUntilStopped(async (session) => {
  if (part === 'database') await startDatabase(path, Number(port), session)
  else await startWrangler(Number(port), () => {}, session, placesOf(USUAL_DATA_DIR), path)
  console.log('ready')
})
