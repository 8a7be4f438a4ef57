import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSync } from 'esbuild'

const folder = join(import.meta.dirname, 'page')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')

/** The files of the page by their path. */
export function pageFiles(): Map<string, { type: string; content: string }> {
  const { outputFiles } = buildSync({
    entryPoints: [join(folder, 'inbox.ts')],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    write: false,
  })
  return new Map([
    ['/', { type: 'text/html; charset=utf-8', content: read('index.html') }],
    ['/inbox.js', { type: 'text/javascript; charset=utf-8', content: outputFiles[0]?.text ?? '' }],
    [
      '/inbox.css',
      {
        type: 'text/css; charset=utf-8',
        content: ['frame', 'content', 'controls', 'conversation'].map((name) => read(`${name}.css`)).join(''),
      },
    ],
    ['/icon.svg', { type: 'image/svg+xml', content: read('icon.svg') }],
  ])
}
