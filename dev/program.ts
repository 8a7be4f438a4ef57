import { realpathSync } from 'node:fs'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { Complaint, explain, refuseSwallowedFlags } from './settings.ts'

type Options = NonNullable<ParseArgsConfig['options']>
type Parsed<O extends Options> = ReturnType<typeof parseArgs<{ options: O; allowPositionals: true }>>

/** The flags of every program that calls the API. */
export const TARGET_FLAGS = { base: { type: 'string' }, key: { type: 'string' }, 'data-dir': { type: 'string' } } as const

/** What `usage` of these programs says about them. */
export const TARGET_USAGE =
  'The API of "npm run dev" and its demo key are taken, wherever it runs, unless --base and --key name others; ' +
  'of several runs, --data-dir names one.'

/** Flags that npm takes for itself too. */
const OF_NPM = ['key', 'verbose']

/** Parses a command line. @throws Complaint for an unknown flag and, unless `words` are taken, for a word, with the usage. */
export function readArguments<O extends Options>(args: string[], usage: string, options: O, words = false): Parsed<O> {
  try {
    return parseArgs({ args, options, allowPositionals: words }) as Parsed<O>
  } catch (error) {
    throw new Complaint(`${(error as Error).message}\n\n${usage}`)
  }
}

/**
 * Runs `work` with the flags and the words of the command line, when the module is the program that was started, not one that was imported.
 * `--help` prints the usage. A failure is printed as one sentence if one explains it, otherwise with its stack; the exit code is then 1.
 */
export async function program<O extends Options>(
  module: ImportMeta,
  { usage, options, words = false }: { usage: string; options?: O; words?: boolean },
  work: (values: Parsed<O>['values'], words: string[]) => Promise<void>,
): Promise<void> {
  if (!process.argv[1] || realpathSync(process.argv[1]) !== module.filename) return
  const args = process.argv.slice(2)
  if (args.includes('--help')) return console.log(usage)
  try {
    refuseSwallowedFlags(Object.keys(options ?? {}).filter((name) => !OF_NPM.includes(name)))
    const { values, positionals } = readArguments(args, usage, (options ?? {}) as O, words)
    await work(values, positionals)
  } catch (error) {
    console.error(explain(error))
    process.exit(1)
  }
}
