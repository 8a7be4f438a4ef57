import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { allEndpoints } from '../routes/index.ts'
import { openapi } from '../src/http/openapi.ts'
import { main, root } from './settings.ts'

const endpoints = await allEndpoints()

/** The committed document that the Worker serves. */
export const openapiFile = join(root, 'openapi.json')

/** The text of openapi.json as the endpoints are now. */
export function openapiText(): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  return `${JSON.stringify(openapi(endpoints, version), null, 2)}\n`
}

await main(import.meta, async () => {
  const text = openapiText()
  writeFileSync(openapiFile, text)
  console.log(`openapi.json: ${endpoints.length} endpoints, ${Math.round(text.length / 1024)} KB`)
})
