import { program, TARGET_FLAGS, TARGET_USAGE } from '../program.ts'
import { targetOf } from '../runs.ts'
import { apiOf, type Fetch } from './api.ts'
import { TOUR } from './tour.ts'

const USAGE = `Usage: npm run demo:crm [-- <flags>]

Shows what the API can do with the data of "npm run import:crm-sales", step by step, with every call that it makes.
Afterwards the data is as it was.
${TARGET_USAGE}`

/** Runs the tour; `print` receives every line of output. */
export async function walkTour(base: string, key: string, print: (line: string) => void, fetch: Fetch): Promise<void> {
  const api = apiOf(base, key, print, fetch)
  for (const [i, { title, visit }] of TOUR.entries()) {
    print(`\n${i + 1}. ${title}`)
    await visit(api, (text) => print(`  → ${text}`))
  }
}

await program(import.meta, { usage: USAGE, options: TARGET_FLAGS }, async (flags) => {
  const { base, key } = targetOf(flags)
  await walkTour(base, key, console.log, fetch as never)
})
