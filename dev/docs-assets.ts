import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { main, root } from './settings.ts'

const INDEX = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Workspace CRM API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/reference.js"></script>
  </body>
</html>
`

const REFERENCE = `SwaggerUIBundle({
  url: '/v1/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  persistAuthorization: true,
  validatorUrl: null,
})
`

/** Writes the reference page into public/docs/, from files that npm installed, so that it works offline. */
export function writeDocsAssets(): void {
  const source = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  const target = join(root, 'public/docs')
  mkdirSync(target, { recursive: true })
  for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js']) {
    if (!same(join(source, name), join(target, name))) copyFileSync(join(source, name), join(target, name))
  }
  for (const [name, text] of Object.entries({ 'index.html': INDEX, 'reference.js': REFERENCE })) {
    const file = join(target, name)
    if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text)
  }
}

const same = (a: string, b: string) => existsSync(b) && readFileSync(a).equals(readFileSync(b))

await main(import.meta, async () => writeDocsAssets())
