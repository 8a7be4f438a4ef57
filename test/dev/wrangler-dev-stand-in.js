// Serves like `wrangler dev`, until a request makes it behave as wrangler does when workerd crashes (/crash) or when it ends itself (/end).
import { createServer } from 'node:http'

const args = process.argv.slice(2)
const server = createServer((request, response) => {
  response.end(JSON.stringify({ args, cwd: process.cwd() }))
  if (request.url === '/end') process.exit(3)
  if (request.url !== '/crash') return
  server.close()
  server.closeAllConnections()
  console.error('The Workers runtime crashed unexpectedly. Restarting it.')
})
server.listen(Number(args[args.indexOf('--port') + 1]), '127.0.0.1')

// Wrangler itself stays.
setInterval(() => {}, 60_000)
