import { parseArgs } from 'node:util'
import { demoKey } from '../demo-key.ts'
import { main, readSettings } from '../settings.ts'
import { apiOf, type Fetch } from './api.ts'
import { TOUR } from './tour.ts'

const USAGE = `Usage: npm run demo:crm [-- --base URL --key KEY]

Shows what the API can do with the data of "npm run import:crm-sales", step by step, with every call that it makes.
Afterwards the data is as it was. The API of "npm run dev" and its demo key are taken unless others are named.`

/** Runs the tour; `print` receives every line of output. */
export async function walkTour(base: string, key: string, print: (line: string) => void, fetch: Fetch): Promise<void> {
  const api = apiOf(base, key, print, fetch)
  for (const [i, { title, visit }] of TOUR.entries()) {
    print(`\n${i + 1}. ${title}`)
    await visit(api, (text) => print(`  → ${text}`))
  }
}

await main(import.meta, async () => {
  const options = { base: { type: 'string' }, key: { type: 'string' }, help: { type: 'boolean' } } as const
  const { values } = parseArgs({ options })
  if (values.help) return console.log(USAGE)
  const base = values.base ?? `http://127.0.0.1:${readSettings([]).ports.port}`
  await walkTour(base, values.key ?? demoKey(base), console.log, fetch as never)
})
