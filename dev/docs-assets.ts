import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { main, root } from './settings.ts'

const INDEX = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Workspace CRM API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="stylesheet" href="/docs/reference.css">
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
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
})
`

/** What says nothing here: links, which there are none of, and the choice of one media type. */
const STYLE = `.swagger-ui .response-col_links, .swagger-ui .response-controls, .swagger-ui .scheme-container .servers-title { display: none; }
.swagger-ui .info { margin: 30px 0 10px; }
.swagger-ui .info .title { font-size: 30px; }
.swagger-ui .scheme-container { margin: 0; padding: 10px 0; box-shadow: none; }
.swagger-ui .opblock-description-wrapper { padding-bottom: 0; }
.swagger-ui .highlight-code > .microlight { max-height: 260px; }
.swagger-ui table.headers td { padding: 2px 0; }
`

/** Writes the reference page and openapi.json into public/docs/; what it needs was installed by npm, so it works offline. */
export function writeDocsAssets(): void {
  const source = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  const target = join(root, 'public/docs')
  mkdirSync(target, { recursive: true })
  for (const from of [join(source, 'swagger-ui.css'), join(source, 'swagger-ui-bundle.js'), join(root, 'openapi.json')]) {
    if (existsSync(from)) writeChanged(join(target, basename(from)), readFileSync(from))
  }
  writeChanged(join(target, 'index.html'), Buffer.from(INDEX))
  writeChanged(join(target, 'reference.js'), Buffer.from(REFERENCE))
  writeChanged(join(target, 'reference.css'), Buffer.from(STYLE))
}

/** Leaves a file alone that is right already, so that nobody who watches it is woken. */
function writeChanged(file: string, content: Buffer): void {
  if (!existsSync(file) || !readFileSync(file).equals(content)) writeFileSync(file, content)
}

await main(import.meta, async () => writeDocsAssets())
