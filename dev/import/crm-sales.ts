import { resolve } from 'node:path'
import { program, readArguments, TARGET_FLAGS } from '../program.ts'
import { targetOf } from '../runs.ts'
import { Complaint } from '../settings.ts'
import { Client } from './client.ts'
import { readFolder } from './folder.ts'
import { progressOn } from './progress.ts'
import { importSales } from './run.ts'

const USAGE = `Usage: npm run import:crm-sales -- <folder> [--base URL] [--key KEY] [--data-dir <folder>] [--verbose]

  <folder>    where accounts.csv, products.csv, sales_teams.csv and sales_pipeline.csv are
  --base      the API's address (default: that of "npm run dev", wherever it runs)
  --key       an API key that can write (default: the demo workspace's key)
  --data-dir  the folder of the run, if several are under way
  --verbose   lists every line that was mended, not only the first of each kind

It can be stopped and run again: what is there is compared, and only what is missing or differs is sent. Nothing is deleted.
Sellers and managers are invited at made-up addresses that nothing can reach.`

interface Command {
  folder: string
  base: string
  key: string
  verbose: boolean
}

const FLAGS = { ...TARGET_FLAGS, verbose: { type: 'boolean' } } as const

/** Reads the command line. */
export function readCommand(args: string[], cwd = process.env.INIT_CWD ?? process.cwd()): Command {
  const { values, positionals } = readArguments(args, USAGE, FLAGS, true)
  const [folder, ...rest] = positionals
  if (!folder || rest.length > 0) throw new Complaint(folder ? `One folder, please: unexpected "${rest.join(' ')}".\n\n${USAGE}` : USAGE)
  const { base, key } = targetOf(values)
  return { folder: resolve(cwd, folder), base, key, verbose: values.verbose === true }
}

await program(import.meta, { usage: USAGE, options: FLAGS, words: true }, async () => {
  const command = readCommand(process.argv.slice(2))
  const { texts, notes } = readFolder(command.folder)
  const stopping = new AbortController()
  const stop = () => stopping.abort(new Complaint('\nStopped. Run it again to resume.'))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
  const progress = progressOn(process.stdout)
  const client = new Client({ base: command.base, key: command.key, stopping: stopping.signal, onWait: progress.wait })
  const { good } = await importSales(texts, { client, progress, notes, verbose: command.verbose })
  if (!good) process.exitCode = 1
})
