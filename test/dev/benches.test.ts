import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { root } from '../../dev/settings.ts'
import { limit } from '../speed.ts'

/** Each program of bench/, with a size at which it ends soon, and what it then prints. */
const PROGRAMS: Record<string, { args: string; prints: RegExp }> = {
  'cpu.ts': { args: '--rounds 1 --requests 20', prints: /contacts.* ratio / },
  'startup.ts': { args: '--rounds 1', prints: /first request/ },
  'blocks.ts': { args: '--sizes 100,500 --limits 10 --only /contacts', prints: /\/contacts/ },
  'boards.ts': { args: '--sizes 200,400 --calls 10', prints: /bytes of WAL each/ },
  'wal.ts': { args: '--rows 100 --creates 5', prints: /bytes to fold/ },
  'database.ts': { args: '--rows 100 --calls 5', prints: /bare insert: / },
  'work-table.ts': { args: '--writers 2 --rounds 3 --ended 100', prints: /notetakers table: the tick reads/ },
  'due-workspaces.ts': { args: '--workspaces 20', prints: /in order, 0 left/ },
  'exports.ts': { args: '--rows 500', prints: /500 rows/ },
  'export-templates.ts': { args: '--rows 500', prints: /XLSX: 500 rows/ },
  'imports.ts': { args: '--rows 300', prints: /undone .*"removed":276/ },
  'merges.ts': { args: '--sizes 2x10', prints: /20 rows\n {2}merge .*\n {2}undo / },
  'scheduling.ts': { args: '--calls 16 --rounds 1 --requests 2', prints: /voice find: p50/ },
  'search.ts': { args: '--contacts 500', prints: /\d/ },
}
const run = (file: string, args: string) =>
  new Promise<{ code: number | null; out: string; err: string }>((done) => {
    const child = spawn(process.execPath, [join('bench', file), ...args.split(' ').filter(Boolean)], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Without it each program would migrate a database of its own.
      env: { ...process.env, BENCH_SEED: inject('seed') },
      timeout: limit(300_000),
    })
    let [out, err] = ['', '']
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    child.stderr.on('data', (chunk) => {
      err += chunk
    })
    child.once('close', (code) => done({ code, out, err }))
  })

test.each(Object.entries(PROGRAMS))('%s ends, and prints what it measures', { timeout: limit(300_000) }, async (file, { args, prints }) => {
  const { code, out, err } = await run(file, args)
  expect(err).not.toMatch(/^ {4}at /m)
  expect(code).toBe(0)
  expect(out).toMatch(prints)
})

test('bench/README.md names each of them', () => {
  const readme = readFileSync(join(root, 'bench/README.md'), 'utf8')
  const named = [...readme.matchAll(/^\| `([\w-]+\.ts)/gm)].map(([, name]) => name)
  // docs.ts needs Chromium, as the tests in test/browser.
  expect(named.filter((name) => name !== 'docs.ts').sort()).toEqual(Object.keys(PROGRAMS).sort())
})
