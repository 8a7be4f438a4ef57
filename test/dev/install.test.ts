import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../../dev/settings.ts'

const readJson = (...path: string[]) => JSON.parse(readFileSync(join(root, ...path), 'utf8'))

/** Runs a script of dev on a Node that claims to be another, in a folder. */
function runAs(claims: { node: string; platform?: string; arch?: string }, script: string, cwd = root) {
  const { node, platform = process.platform, arch = 'x64' } = claims
  const preload = `Object.defineProperties(process, {
    versions: { value: { ...process.versions, node: '${node}' } }, platform: { value: '${platform}' }, arch: { value: '${arch}' },
  })`
  const args = ['--import', `data:text/javascript,${encodeURIComponent(preload)}`, join(root, 'dev', script)]
  const run = spawnSync(process.execPath, args, { encoding: 'utf8', cwd })
  return { code: run.status, says: run.stderr.trim() }
}
const checkNode = (claims: { node: string; platform?: string }) => runAs(claims, 'check-node.js')

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

const PLATFORMS = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'] as const

test.each(PLATFORMS)('an installation on %s links the Node that npm brought, and none where a suitable one is there', (name) => {
  const [platform, arch] = name.split('-') as [string, string]
  const folder = mkdtempSync(join(tmpdir(), 'workspace-crm-install-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [modules, link] = [join(folder, 'node_modules'), join(folder, 'node_modules/.bin/node')]
  const claims = { node: '24.0.0', platform, arch }
  mkdirSync(join(modules, '.bin'), { recursive: true })

  // npm has left out what only an older Node needs.
  expect(runAs(claims, 'link-node.js', folder)).toEqual({ code: 0, says: '' })
  expect(existsSync(link)).toBe(false)

  // npm has installed the Node of this platform, and has linked that of another one.
  cpSync(join(root, 'dev/node', name), join(modules, `bundled-node-${name}`), { recursive: true })
  const [bundled] = Object.keys(readJson('dev/node', name, 'package.json').dependencies)
  symlinkSync('../node-of-another-platform/bin/node', link)
  expect(runAs({ ...claims, node: '20.20.2' }, 'link-node.js', folder)).toEqual({ code: 0, says: '' })
  expect(readlinkSync(link)).toBe(`../${bundled}/bin/node`)
})

test.runIf(process.platform === 'linux')('what is installed for a suitable Node has at most 500 MB', () => {
  const { packages } = readJson('package-lock.json') as { packages: Record<string, object> }
  const folders = Object.keys(packages).filter((path) => /^node_modules\/(?!.*\/node_modules\/)/.test(path))
  const needed = folders.filter((path) => !/^node_modules\/(?:bundled-)?node-/.test(path) && existsSync(join(root, path)))
  const files = needed.flatMap((path) =>
    readdirSync(join(root, path), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()),
  )
  const bytes = files.map(({ parentPath, name }) => lstatSync(join(parentPath, name)).size).reduce((sum, size) => sum + size, 0)
  expect(bytes).toBeLessThan(500_000_000)
  expect(bytes).toBeGreaterThan(200_000_000)
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
