import { program } from '../../dev/program.ts'
import { folderOf, installApart } from '../installed-apart.ts'

export const CLIENTS = folderOf('clients')
export const EDITOR = folderOf('editor')
export const SDKS = folderOf('sdks')

/** Installs the client generators and the linter of the lockfile (71 MB), unless they are there. */
export const installClients = (): void => installApart('clients', 'the client generators')

/** Installs the drawing editor (74 MB), unless it is there. */
export const installEditor = (): void => installApart('editor', 'the drawing editor')

/** Installs the official packages of providers (87 MB), unless they are there. */
export const installSdks = (): void => installApart('sdks', 'the official packages of providers')

const usage = `Usage: npm run install:clients

Installs the client generators and the OpenAPI linter in dist/clients (71 MB), the drawing editor in dist/editor (74 MB), \
and official packages of providers
in dist/sdks (87 MB), which "npm test" does once itself.
Needs the network.`

await program(import.meta, { usage }, async () => {
  installClients()
  installEditor()
  installSdks()
})
