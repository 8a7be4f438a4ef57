import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { root } from '../dev/settings.ts'

const PARTS = [
  'cron',
  'dev',
  'drizzle.config.ts',
  'objects',
  'openapi.json',
  'package.json',
  'queues',
  'routes',
  'schema',
  'src',
  'test',
  'tsconfig.json',
]

/** A copy of the project in a folder of its own, which its caller removes: what a recipe of CONTRIBUTING.md says is done there. */
export function copyOfProject(purpose: string): string {
  const folder = mkdtempSync(join(tmpdir(), `workspace-crm-test-${process.pid}-${purpose}-`))
  for (const part of PARTS) cpSync(join(root, part), join(folder, part), { recursive: true, filter: (from) => !from.includes('test/data') })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** Puts a line before the first one that begins with `before`, in a file of the copy. */
export function insertLine(folder: string, file: string, line: string, before: string): void {
  const lines = readFileSync(join(folder, file), 'utf8').split('\n')
  const place = lines.findIndex((one) => one.startsWith(before))
  expect(place, `${file} has a line that begins with ${before}`).toBeGreaterThanOrEqual(0)
  writeFileSync(join(folder, file), lines.toSpliced(place, 0, line).join('\n'))
}

/** What a program of the copy prints. It fails if the program does. */
export function runIn(folder: string, args: string[], env: NodeJS.ProcessEnv = {}): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', env: { ...process.env, ...env } })
  expect([status, stderr]).toEqual([0, ''])
  return stdout
}
