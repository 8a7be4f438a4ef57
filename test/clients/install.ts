import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { program } from '../../dev/program.ts'
import { Complaint, root } from '../../dev/settings.ts'

/** Where the generators and what they generate are; apart from node_modules, because only the tests of the clients need them. */
export const CLIENTS = join(root, 'dist/clients')

const FILES = ['package.json', 'package-lock.json', '.npmrc']
const LOCK = 'package-lock.json'
/** npm writes this last. */
const INSTALLED = 'node_modules/.package-lock.json'

/** Installs the client generators and the linter of the lockfile (71 MB), unless they are there. Needs the network once. */
export function installClients(): void {
  const textIn = (folder: string) => readFileSync(join(folder, LOCK), 'utf8')
  const isCurrent = existsSync(join(CLIENTS, INSTALLED)) && textIn(CLIENTS) === textIn(import.meta.dirname)
  if (isCurrent) return
  mkdirSync(CLIENTS, { recursive: true })
  for (const file of FILES) copyFileSync(join(import.meta.dirname, file), join(CLIENTS, file))
  const { status, stderr } = spawnSync('npm', ['ci', '--no-progress'], {
    cwd: CLIENTS,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (status !== 0)
    throw new Complaint(`npm could not install the client generators: run "npm run install:clients" once with a network.\n${stderr}`)
}

const usage = `Usage: npm run install:clients

Installs the client generators and the OpenAPI linter in dist/clients (71 MB), which "npm test" does once itself. Needs the network.`

await program(import.meta, { usage }, async () => installClients())
