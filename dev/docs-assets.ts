import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeSite } from './docs/site.ts'
import { program } from './program.ts'
import { root } from './settings.ts'

/** Writes the documentation that the Worker serves at /docs, from openapi.json and guides/. Its pages make no external requests. */
export function writeDocsAssets(): void {
  const [current, legacy] = ['openapi.json', 'openapi.legacy.json'].map((name) => readFileSync(join(root, name), 'utf8')) as [
    string,
    string,
  ]
  writeSite(join(root, 'public/docs'), current, join(root, 'guides'), { 'openapi.legacy.json': legacy })
}

const usage = 'Usage: node dev/docs-assets.ts\n\nWrites the documentation of openapi.json and guides/ to public/docs.'
await program(import.meta, { usage }, async () => writeDocsAssets())
