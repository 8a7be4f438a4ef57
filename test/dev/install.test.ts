import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../dev/settings.ts'

const readJson = (...path: string[]) => JSON.parse(readFileSync(join(root, ...path), 'utf8'))

/** Runs dev/check-node.js on a Node that says it is another. */
function checkNode(claims: { node: string; platform?: string }) {
  const { node, platform = process.platform } = claims
  const preload = `Object.defineProperties(process, {
    versions: { value: { ...process.versions, node: '${node}' } }, platform: { value: '${platform}' }, arch: { value: 'x64' },
  })`
  const run = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(preload)}`, join(root, 'dev/check-node.js')],
    {
      encoding: 'utf8',
    },
  )
  return { code: run.status, says: run.stderr.trim() }
}

test('a Node that does not suit gets the remedy for its platform', () => {
  for (const node of ['22.18.0', '24.0.0', '26.10.0']) expect(checkNode({ node })).toEqual({ code: 0, says: '' })
  for (const node of ['20.20.2', '22.17.9', '23.11.0']) {
    expect(checkNode({ node, platform: 'darwin' }).says).toBe(
      `Node ${node} does not suit: this project needs Node 22.18 or newer, but not 23. ` +
        'Run "npm install" (without --omit=optional), which brings a suitable Node along.',
    )
  }
  expect(checkNode({ node: '20.20.2', platform: 'sunos' })).toEqual({
    code: 1,
    says: expect.stringContaining('npm has no Node for sunos-x64: install Node 24 from https://nodejs.org'),
  })
})

test('the Node that check-node.js promises is in the lock file, for each platform and only where it is needed', () => {
  const { packages } = readJson('package-lock.json')
  for (const platform of ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-x64']) {
    const { optional, engines, dependencies } = packages[`node_modules/bundled-node-${platform}`]
    expect({ optional, engines }).toEqual({ optional: true, engines: { node: '<22.18.0 || >=23.0.0 <24.0.0' } })
    const { os, cpu } = packages[`node_modules/${Object.keys(dependencies)[0]}`]
    expect(`${os}-${cpu}`).toBe(platform)
  }
})

test('the lock file names no download address', () => {
  const entries = Object.values(readJson('package-lock.json').packages) as { resolved?: string }[]
  expect(entries.map(({ resolved }) => resolved).filter((from) => from?.includes('://'))).toEqual([])
})

test('the editor finds every TypeScript file in the one project', () => {
  const { include } = readJson('tsconfig.json') as { include: string[] }
  const left = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^(node_modules|dist|public|coverage|\..*)$/.test(entry.name))
    .filter(({ name }) => readdirSync(join(root, name), { recursive: true }).some((file) => String(file).endsWith('.ts')))
    .filter(({ name }) => !include.includes(name))
  expect(left.map(({ name }) => name)).toEqual([])
})
