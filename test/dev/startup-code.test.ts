import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { root } from '../../dev/settings.ts'
import { WORKER_BUNDLE } from '../../dev/worker-bundle.ts'

/** Kilobytes of code that every isolate evaluates before its first request, as deployed. */
const MOST = 280

/** The modules that are loaded when the Worker starts, with the bytes of each: those that others import statically. */
async function startupModules(): Promise<Map<string, number>> {
  const { metafile } = await build({
    ...WORKER_BUNDLE,
    entryPoints: [join(root, 'src/worker.ts')],
    absWorkingDir: root,
    outdir: 'dist',
    write: false,
    metafile: true,
    splitting: true,
  })
  const sizes = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs))
  const found = new Map<string, number>()
  const read = (path: string) => {
    if (found.has(path)) return
    found.set(
      path,
      sizes.filter(([name]) => name === path).reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0),
    )
    for (const one of metafile.inputs[path]?.imports ?? []) if (one.kind === 'import-statement' && !one.external) read(one.path)
  }
  read('src/worker.ts')
  return found
}

test('an isolate starts with what every request needs: no table but that of workspaces, no provider, and minified', async () => {
  const modules = await startupModules()
  const kilobytes = [...modules.values()].reduce((sum, bytes) => sum + bytes, 0) / 1000
  expect(modules.size).toBeGreaterThan(100)
  const { minify, keep_names } = unstable_readConfig({ config: join(root, 'wrangler.toml') })
  expect({ minify, keep_names }).toEqual({ minify: true, keep_names: false })
  expect(kilobytes).toBeLessThan(MOST)
  const late =
    /temporal-polyfill|^schema\/(?!columns|workspaces)|\/provider\/(google|microsoft|ics|gmail|postmark|twilio|recall|stripe)\.ts$/
  expect([...modules.keys()].filter((path) => late.test(path))).toEqual([])
})
