import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeSite } from './docs/site.ts'
import { main, root } from './settings.ts'

/** Writes the documentation that the Worker serves at /docs, from openapi.json and guides/. Nothing in it is loaded from elsewhere. */
export function writeDocsAssets(): void {
  writeSite(join(root, 'public/docs'), readFileSync(join(root, 'openapi.json'), 'utf8'), join(root, 'guides'))
}

await main(import.meta, async () => writeDocsAssets())
