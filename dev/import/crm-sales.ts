import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { demoKey } from '../demo-key.ts'
import { Complaint, main, readSettings } from '../settings.ts'
import { Client } from './client.ts'
import { readFolder } from './folder.ts'
import { progressOn } from './progress.ts'
import { importSales } from './run.ts'

const USAGE = `Usage: npm run import:crm-sales -- <folder> [--base URL] [--key KEY] [--verbose]

  <folder>    where accounts.csv, products.csv, sales_teams.csv and sales_pipeline.csv are
  --base      the API's address (default: that of "npm run dev")
  --key       an API key that can write (default: the demo workspace's key)
  --verbose   lists every line that was mended, not only the first of each kind

It can be stopped and run again: what is there is compared, and only what is missing or differs is sent. Nothing is deleted.
Sellers and managers are invited at made-up addresses that nothing can reach.`

interface Command {
  folder: string
  base: string
  key: string
  verbose: boolean
}

/** Reads the command line; undefined if help was requested. */
export function readCommand(args: string[], cwd = process.env.INIT_CWD ?? process.cwd()): Command | undefined {
  let parsed: { values: { base?: string; key?: string; verbose?: boolean; help?: boolean }; positionals: string[] }
  try {
    const options = { base: { type: 'string' }, key: { type: 'string' }, verbose: { type: 'boolean' }, help: { type: 'boolean' } } as const
    parsed = parseArgs({ args, allowPositionals: true, options })
  } catch (error) {
    throw new Complaint(`${(error as Error).message}\n\n${USAGE}`)
  }
  const { values, positionals } = parsed
  if (values.help) return undefined
  const [folder, ...rest] = positionals
  if (!folder || rest.length > 0) throw new Complaint(folder ? `One folder, please: unexpected "${rest.join(' ')}".\n\n${USAGE}` : USAGE)
  const base = values.base ?? `http://127.0.0.1:${readSettings([]).ports.port}`
  if (!/^https?:$/.test(URL.parse(base)?.protocol ?? ''))
    throw new Complaint(`--base must be a web address such as http://127.0.0.1:8787, not "${base}".`)
  return { folder: resolve(cwd, folder), base, key: values.key ?? demoKey(base), verbose: values.verbose === true }
}

await main(import.meta, async () => {
  const command = readCommand(process.argv.slice(2))
  if (!command) return console.log(USAGE)
  const { texts, notes } = readFolder(command.folder)
  const stopping = new AbortController()
  const stop = () => stopping.abort(new Complaint('\nStopped. Run it again to resume.'))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
  const progress = progressOn(process.stdout)
  const client = new Client({ base: command.base, key: command.key, stopping: stopping.signal, onWait: progress.wait })
  const { good } = await importSales(texts, { client, progress, notes, verbose: command.verbose })
  if (!good) process.exitCode = 1
})
