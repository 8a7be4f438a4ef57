import { spawn } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { program } from './program.ts'
import { root } from './settings.ts'

const usage = `Usage: npm run prove [-- <file> …]

Runs the tests that prove a cost or a bound (see test/proof.ts) at full size, or those that are named, and prints their results.`

await program(import.meta, { usage, words: true }, async (_, named) => {
  const proofs = globSync('test/**/*.test.ts', { cwd: root }).filter((file) =>
    /from '[./]+\/proof\.ts'/.test(readFileSync(join(root, file), 'utf8')),
  )
  const files = named.length > 0 ? named : proofs.sort()
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  // One after the other, because they would affect each other's measurements.
  const run = spawn(process.execPath, [vitest, 'run', '--maxWorkers=1', ...files], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PROVE: '1' },
  })
  process.exitCode = await new Promise<number>((ended) => run.once('exit', (code) => ended(code ?? 1)))
})
