import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { allEndpoints } from '../routes/index.ts'
import { type Examples, openapi } from '../src/http/openapi/document.ts'
import { program } from './program.ts'
import { root } from './settings.ts'

const endpoints = await allEndpoints()

/** Shortened real responses, which test/contract/examples.test.ts compares and writes. */
export const examplesFile = join(root, 'dev/docs/examples.json')
const examples = (existsSync(examplesFile) ? JSON.parse(readFileSync(examplesFile, 'utf8')) : {}) as Examples
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }

const textOf = (document: unknown) => `${JSON.stringify(document, null, 2)}\n`

/** The documents that the Worker serves, by file name, generated from the current endpoints. */
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

/** The published operationIds. A test fails when one of them disappears or changes. */
const idsFile = join(root, 'test/contract/operation-ids.json')

/** Publishes the operationIds of new operations. Published ones are never removed or changed. */
function publishIds(): void {
  const published = JSON.parse(readFileSync(idsFile, 'utf8')) as Record<string, string>
  const isNew = endpoints.filter(({ id, successor }) => !successor && !(id in published))
  const added = isNew.map(({ id, method, path }) => [id, `${method} ${path.replace(/:(\w+)/g, '{$1}')}`])
  if (added.length === 0) return
  writeFileSync(idsFile, textOf(Object.fromEntries(Object.entries({ ...published, ...Object.fromEntries(added) }).sort(byId))))
  console.log(`operation-ids.json: ${added.length} new`)
}
const byId = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1)

const usage = `Usage: npm run openapi

Writes openapi.json and, for deprecated paths, openapi.legacy.json, and publishes the operationIds of new operations.`

await program(import.meta, { usage }, async () => {
  publishIds()
  for (const [name, text] of Object.entries(documents)) {
    writeFileSync(join(root, name), text())
    console.log(`${name}: ${Math.round(text().length / 1024)} KB`)
  }
})
