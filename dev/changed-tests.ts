import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pureTests } from '../test/pure.ts'
import { program } from './program.ts'
import { root } from './settings.ts'

const usage = `Usage: npm run test:changed [-- --base <commit>]

Runs the tests that a change can break: those of what has changed since the commit (HEAD, unless --base names another), \
those that import it,
and the generated contract tests of its endpoints. "npm test" still decides: a change of what all share can break anything.`

/** The most test files by name, and the most routers whose endpoints the contract tests call. A wider change needs the whole suite. */
const MOST_NAMED = 12
const MOST_ROUTERS = 3

/** What is run: whole test files, and the contract tests of the endpoints below some paths. */
export interface ChangedTests {
  files: string[]
  contract: { files: string[]; paths: string[] }
  /** Changed files that more routers use than are called. */
  wide: string[]
}

const textOf = (file: string) => readFileSync(join(root, file), 'utf8')
const slashes = (file: string) => file.replaceAll('\\', '/')
const filesOf = (pattern: string) => globSync(pattern, { cwd: root }).map(slashes)

const imported = new Map<string, string[]>()
function importsOf(file: string): string[] {
  const found = imported.get(file) ?? [...textOf(file).matchAll(/(?:from|import\() ?'(\.[^']+)'/g)].map(([, path]) => beside(file, path))
  imported.set(file, found)
  return found
}
const beside = (file: string, path = '') => slashes(join(dirname(file), path))

/** Whether a file imports one of the changed ones, directly or not, without passing through another router. */
function reaches(file: string, changed: Set<string>, seen = new Set<string>()): boolean {
  if (changed.has(file)) return true
  seen.add(file)
  const next = importsOf(file).filter(
    (path) => path.endsWith('.ts') && !seen.has(path) && (changed.has(path) || !path.startsWith('routes/')),
  )
  return next.some((path) => !seen.has(path) && reaches(path, changed, seen))
}

/** Words of paths that name no subject. */
const GENERAL =
  /^(src|features|plans|rules|provider|work|callbacks|domain|schemas|schema|http|data|lib|routes|queues|cron|functions|jobs|index|test|dev|the|and|of|run|send|record)$/

/** The words of a path that name its subject, in the singular. */
function subjects(file: string): string[] {
  const words = file.replace(/\.(test\.)?\w+$/, '').split(/[/-]/)
  return [...new Set(words.filter((word) => !GENERAL.test(word)).map((word) => word.replace(/ies$/, 'y').replace(/s$/, '')))]
}

/** The tests that a change of these files can break, as paths from the root of the project. */
export function changedTests(files: string[]): ChangedTests {
  const changed = files.map(slashes).filter((file) => !/\.(md|json)$/.test(file))
  const tests = filesOf('test/**/*.test.ts').filter((file) => !file.startsWith('test/browser/'))
  const code = changed.filter((file) => /\.(ts|sql)$/.test(file) && !file.startsWith('schema/migrations/'))
  const own = tests.filter((file) => changed.includes(file))
  const pure = pureTests()
    .map(slashes)
    .filter((file) => reaches(file, new Set(changed)))
  const words = new Set(code.filter((file) => !file.startsWith('test/')).flatMap(subjects))
  const shared = (file: string) => subjects(file).filter((word) => words.has(word)).length
  const named = tests
    .filter((file) => !file.startsWith('test/contract/') && shared(file) > 0)
    .sort((a, b) => shared(b) - shared(a))
    .slice(0, MOST_NAMED)

  const routers = filesOf('routes/**/*.ts').filter((file) => /path: \w+\.\w+/.test(textOf(file)))
  const using = (file: string) =>
    routers.filter((router) => reaches(router, new Set([file])) || (file.endsWith('.sql') && shared(router) > 1))
  const users = code.map((file) => ({ file, routers: using(file) }))
  const narrow = [...new Set(users.filter((one) => one.routers.length <= MOST_ROUTERS).flatMap((one) => one.routers))]
  const contract = tests.filter((file) => file.startsWith('test/contract/') && /\.each\([\s\S]{0,200}?'?\$name/.test(textOf(file)))
  return {
    files: [...new Set([...own, ...pure, ...named])].sort(),
    contract: { files: contract, paths: [...new Set(narrow.flatMap(pathsOf))].sort() },
    wide: users.filter((one) => one.routers.length > MOST_ROUTERS).map(({ file }) => file),
  }
}

/** The paths that a router registers endpoints below. */
function pathsOf(router: string): string[] {
  const paths = textOf('routes/paths.ts')
  const names = [...textOf(router).matchAll(/path: \w+\.(\w+)/g)].map(([, name]) => name)
  return names.flatMap((name) => new RegExp(`\\b${name}: '([^']+)'`).exec(paths)?.[1] ?? [])
}

const git = (...args: string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.split('\n').filter(Boolean)

const vitest = (...args: string[]) =>
  spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...args], { cwd: root, stdio: 'inherit' }).status ?? 1

await program(import.meta, { usage, options: { base: { type: 'string' } } }, async ({ base = 'HEAD' }) => {
  const files = [...git('diff', '--name-only', '--diff-filter=d', base), ...git('ls-files', '--others', '--exclude-standard')]
  const { files: whole, contract, wide } = changedTests(files)
  if (wide.length > 0) console.log(`Many routers use ${wide.join(', ')}: run "npm test" too.`)
  const statuses = [
    whole.length > 0 ? vitest(...whole) : 0,
    contract.paths.length > 0 ? vitest(...contract.files, '-t', `[A-Z]+ (${contract.paths.join('|')})\\b`) : 0,
  ]
  if (whole.length + contract.paths.length === 0) console.log('Nothing that a test runs has changed.')
  process.exitCode = Math.max(...statuses)
})
