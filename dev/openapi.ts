import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { allEndpoints } from '../routes/index.ts'
import { type Examples, openapi } from '../src/http/openapi/document.ts'
import { main, root } from './settings.ts'

const endpoints = await allEndpoints()

/** Real responses, shortened: test/contract/examples.test.ts compares and writes them. */
export const examplesFile = join(root, 'src/http/openapi/examples.json')
const examples = (existsSync(examplesFile) ? JSON.parse(readFileSync(examplesFile, 'utf8')) : {}) as Examples
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

const textOf = (document: unknown) => `${JSON.stringify(document, null, 2)}\n`

/** The committed documents that the Worker serves, by file name, as the endpoints are now. */
export const documents: Record<string, () => string> = {
  'openapi.json': () =>
    textOf(
      openapi(
        endpoints.filter(({ successor }) => !successor),
        { version, examples },
      ),
    ),
  'openapi.legacy.json': () =>
    textOf(
      openapi(
        endpoints.filter(({ successor }) => successor),
        { version, title: 'Workspace CRM API: deprecated paths' },
      ),
    ),
}

await main(import.meta, async () => {
  for (const [name, text] of Object.entries(documents)) {
    writeFileSync(join(root, name), text())
    console.log(`${name}: ${Math.round(text().length / 1024)} KB`)
  }
})
