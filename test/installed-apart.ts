import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Complaint, root } from '../dev/settings.ts'

const FILES = ['package.json', 'package-lock.json', '.npmrc']
const LOCK = 'package-lock.json'
/** npm writes this last. */
const INSTALLED = 'node_modules/.package-lock.json'

/** Where packages are that only some tests need: apart from node_modules. Their list is the folder of the same name in `test`. */
export const folderOf = (name: string): string => join(root, 'dist', name)

/** Installs the packages of a list, unless they are there. Needs the network once. */
export function installApart(name: string, what: string): void {
  const [list, folder] = [join(root, 'test', name), folderOf(name)]
  const textIn = (place: string) => readFileSync(join(place, LOCK), 'utf8')
  const isCurrent = existsSync(join(folder, INSTALLED)) && textIn(folder) === textIn(list)
  if (isCurrent) return
  mkdirSync(folder, { recursive: true })
  for (const file of FILES) copyFileSync(join(list, file), join(folder, file))
  const { status, stderr } = spawnSync('npm', ['ci', '--no-progress'], {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Complaint(`npm could not install ${what}: run "npm run install:clients" once with a network.\n${stderr}`)
}
