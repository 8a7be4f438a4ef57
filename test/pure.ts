import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')
/** What only tests with a database and a Worker import. */
const HARNESS = ['test/harness.ts', 'test/database.ts']

/** The test files that need neither a database nor a Worker, as paths from the root of the project. */
export const pureTests = (): string[] => globSync('test/**/*.test.ts', { cwd: root }).filter((file) => isPure(file.replaceAll('\\', '/')))

function isPure(file: string, seen = new Set<string>()): boolean {
  if (seen.has(file)) return true
  seen.add(file)
  if (HARNESS.includes(file)) return false
  const text = readFileSync(join(root, file), 'utf8')
  // Programs that are started as processes of their own take longer than all of these.
  if (/\b(?:inject|startPostgres|spawnSync|spawn)\(/.test(text)) return false
  const imported = [...text.matchAll(/from '(\.[^']+)'/g)].map(([, path]) => join(dirname(file), path as string).replaceAll('\\', '/'))
  return imported.filter((path) => path.startsWith('test/')).every((path) => isPure(path, seen))
}
