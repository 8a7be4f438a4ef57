import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Complaint, USUAL_DATA_DIR } from './settings.ts'

/** The demo workspace's key. It is valid only locally, so the file is readable only by its owner. */
export function demoKey(base: string): string {
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(new URL(base).hostname)) throw new Complaint(`Name the key for ${base} with --key.`)
  const file = join(USUAL_DATA_DIR, 'demo.json')
  if (!existsSync(file)) throw new Complaint('There is no demo workspace yet: start the API with "npm run dev", or name a key with --key.')
  return (JSON.parse(readFileSync(file, 'utf8')) as { key: string }).key
}
