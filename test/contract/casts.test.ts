import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../dev/settings.ts'

/** The only functions that may override the compiler's types, each for something that a library cannot express. */
const HELPERS = [
  'src/data/query.ts: typed',
  'src/data/store.ts: valuesOf',
  'src/schemas/pipes.ts: pipeOf',
  'src/schemas/pipes.ts: partsOf',
  'src/features/lists/plans/merged-lists.ts: idKey',
]

const CAST = /\bas (never|any|unknown as)\b/
const isComment = (line: string) => /^\s*(\/\/|\/?\*)/.test(line)
const nameOf = (line: string) => /const (\w+) =/.exec(line)?.[1] ?? line.trim()

function castsIn(folder: string): string[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  return files.flatMap((name) => {
    const file = join(folder, name)
    const lines = readFileSync(join(root, file), 'utf8').split('\n')
    return lines.filter((line) => CAST.test(line) && !isComment(line)).map((line) => `${file}: ${nameOf(line)}`)
  })
}

test('casts against the compiler live in five named functions', () => {
  expect(['src', 'routes', 'queues', 'cron', 'objects'].flatMap(castsIn).toSorted()).toEqual(HELPERS.toSorted())
})
