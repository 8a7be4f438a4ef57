import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { buildSync } from 'esbuild'
import { readDocument } from './document.ts'
import { readGuides } from './guides.ts'
import { renderSite } from './pages.ts'

const client = join(import.meta.dirname, 'client')

/** Writes the documentation of an OpenAPI document, with its guides, and removes pages that it no longer has. */
export function writeSite(target: string, document: string, guidesFolder: string, others: Record<string, string> = {}): void {
  const files = renderSite(readDocument(document), readGuides(guidesFolder))
  for (const [name, content] of Object.entries({ 'openapi.json': document, ...others })) files.set(name, served(content))
  files.set('docs.css', readFileSync(join(client, 'docs.css'), 'utf8'))
  files.set('icon.svg', readFileSync(join(client, 'icon.svg'), 'utf8'))
  for (const entry of ['docs', 'theme']) files.set(`${entry}.js`, bundled(join(client, `${entry}.ts`)))
  for (const [name, content] of files) writeChanged(join(target, name), Buffer.from(content))
  removeOthers(target, files)
}

/** The document as it is served: without indentation, and with a relative address, which the Worker replaces by its own. */
export const served = (document: string): string =>
  JSON.stringify({ ...JSON.parse(document), servers: [{ url: '/v1', description: 'The installation that serves this document.' }] })

function bundled(entry: string): string {
  const { outputFiles } = buildSync({ entryPoints: [entry], bundle: true, minify: true, format: 'iife', target: 'es2022', write: false })
  return outputFiles[0]!.text
}

/** Leaves an up-to-date file unchanged, so that file watchers are not triggered. */
function writeChanged(file: string, content: Buffer): void {
  if (existsSync(file) && readFileSync(file).equals(content)) return
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}

function removeOthers(target: string, files: Map<string, string>): void {
  for (const entry of readdirSync(target, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    if (entry.isFile() && !files.has(relative(target, file).replaceAll('\\', '/'))) rmSync(file)
  }
}
