import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { program, TARGET_FLAGS, TARGET_USAGE } from '../program.ts'
import { targetOf } from '../runs.ts'
import { Complaint, root } from '../settings.ts'
import { type Api, apiOf, type Body } from './api.ts'
import type { Mirror } from './follower.ts'

const USAGE = `Usage: npm run demo:sync [-- <flags>]

Imports exports of HubSpot and Salesforce, builds a live list, and keeps a copy of the contacts, \
the companies and the list's members in a program
of its own that follows the events. The program is killed and started again while 5,000 changes happen; \
then a company is deleted and restored.
In the end the copy equals the API. Afterwards the data is as it was.
${TARGET_USAGE}`

const FILES = ['hubspot-contacts.csv', 'salesforce-contacts.csv']
const PATIENCE_MS = 120_000
type Sizes = { changes: number; kills: number }

/** Calls the condition until it holds. */
async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !(await holds()); await pause(100))
    if (Date.now() > end) throw new Complaint(`Waited in vain for ${what}`)
}

async function all(api: Api, path: string, query = ''): Promise<Body[]> {
  const { data, page } = await api('GET', `${path}?limit=100${query}`)
  return page.next ? [...data, ...(await all(api, path, `${query.replace(/&after=.*/, '')}&after=${page.next}`))] : data
}
const idsOf = (records: Body[]): string[] => records.map(({ id }) => id)

async function importFile(api: Api, file: string): Promise<void> {
  const { data } = await api('POST', `/imports?file_name=${file}`, readFileSync(join(root, 'test/import/fixtures', file), 'utf8'))
  // What other automations of the workspace would do is no part of this.
  await api('PATCH', `/imports/${data.id}`, { run_automations: false })
  await api('POST', `/imports/${data.id}/start`)
  await until(`the import of ${file}`, async () => (await api('GET', `/imports/${data.id}`)).data.state === 'finished')
}

/** Moves contacts between two cities, a hundred with each call, and kills the follower now and then. Returns the number of changes. */
async function change(api: Api, ids: string[], { changes, kills }: Sizes, restart: () => Promise<void>): Promise<number> {
  let done = 0
  for (let round = 0; done < changes; round++) {
    const records = ids
      .slice((round * 100) % ids.length)
      .slice(0, 100)
      .map((id, n) => ({ id, city: (round + n) % 3 === 0 ? 'Perth' : `City ${round}` }))
    await api('POST', '/contacts/bulk-update', { records })
    const before = Math.floor((done * (kills + 1)) / changes)
    done += records.length
    if (Math.floor((done * (kills + 1)) / changes) > before && done < changes) await restart()
  }
  return done
}

/** Runs the demonstration against the API at `base`; `print` receives every line of output. */
export async function demonstrateSync(base: string, key: string, print: (line: string) => void, sizes: Sizes): Promise<void> {
  const api = apiOf(base, key, print, fetch)
  const quiet = apiOf(base, key, () => {}, fetch)
  const say = (text: string) => print(`  → ${text}`)
  const before = new Set(idsOf([...(await all(quiet, '/contacts', '&archived=all')), ...(await all(quiet, '/companies', '&archived=all'))]))
  const folder = mkdtempSync(join(tmpdir(), 'workspace-crm-sync-'))
  const state = join(folder, 'mirror.json')
  const mirrored = () => JSON.parse(readFileSync(state, 'utf8')) as Mirror
  let follower: ChildProcess | undefined
  let list: string | undefined
  const follow = async () => {
    const env = { ...process.env, BASE: base.replace(/\/v1\/?$/, ''), KEY: key, LIST: list, STATE: state }
    follower = spawn(process.execPath, [join(import.meta.dirname, 'follower.ts')], { env, stdio: ['ignore', 'ignore', 'inherit'] })
    await until('the copy to begin', async () => existsSync(state))
  }
  const kill = async () => {
    if (!follower || follower.exitCode !== null) return
    follower.kill('SIGKILL')
    await once(follower, 'exit')
  }
  try {
    print('\n1. Two exports of other products, with the consent of each person')
    for (const file of FILES) await importFile(quiet, file)
    const imported = (await all(quiet, '/contacts')).filter(({ id }) => !before.has(id))
    for (const { first_name, last_name, external_id, email_unsubscribed } of imported)
      say(`${external_id}: ${first_name} ${last_name ?? ''} ${email_unsubscribed ? 'must not be emailed' : 'may be emailed'}`)

    print('\n2. A live list that announces its members')
    const filter = { field: 'city', op: 'eq', value: 'Perth' }
    list = (await api('POST', '/lists', { name: `Perth ${Date.now()}`, object: 'contacts', kind: 'live', filter, tracks_membership: true }))
      .data.id as string
    await until('the first members', async () => (await quiet('GET', `/lists/${list}`)).data.tracked_since !== null)

    print('\n3. A copy that follows the events, killed while the records change')
    await follow()
    const made: string[] = []
    for (let n = 0; n < 2; n++) {
      const records = Array.from({ length: 100 }, (_, i) => ({ first_name: `Sync ${n}-${i}` }))
      made.push(...idsOf((await quiet('POST', '/contacts/bulk-create', { records })).data.results))
    }
    const done = await change(quiet, made, sizes, async () => {
      await kill()
      say(`the follower was killed with ${Object.keys(mirrored().contacts).length} contacts in its copy, and starts again`)
      await follow()
    })
    say(`${done} changes`)

    print('\n4. A company is deleted, and restored with what belonged to it')
    const company = (await all(quiet, '/companies')).find(({ id }) => !before.has(id))
    await api('DELETE', `/companies/${company.id}`)
    await api('POST', `/companies/${company.id}/restore`)

    print('\n5. The copy and the API')
    let differences = ['not compared yet']
    await until(`the copy to equal the API`, async () => {
      differences = await compare(quiet, mirrored(), list as string)
      return differences.length === 0
    }).catch((error) => {
      throw new Complaint(`${error.message}: ${differences.slice(0, 3).join('; ')}`)
    })
    const { contacts, companies, members } = mirrored()
    say(
      `${Object.keys(contacts).length} contacts, ${Object.keys(companies).length} companies and ${members.length} members of the list: ` +
        'the mirror equals the API',
    )
  } finally {
    await kill()
    rmSync(folder, { recursive: true, force: true })
    if (list) await quiet('DELETE', `/lists/${list}`)
    for (const path of ['/contacts', '/companies']) {
      const ids = idsOf(await all(quiet, path, '&archived=all')).filter((id) => !before.has(id))
      for (let n = 0; n < ids.length; n += 100) await quiet('POST', `${path}/bulk-delete`, { ids: ids.slice(n, n + 100) })
    }
  }
}

/** What differs between the copy and the API: the fields of each record, and the members. */
async function compare(api: Api, mirror: Mirror, list: string): Promise<string[]> {
  const differences: string[] = []
  for (const path of ['contacts', 'companies'] as const) {
    const stored = new Map((await all(api, `/${path}`, '&archived=all')).map((record) => [record.id as string, record]))
    for (const id of new Set([...stored.keys(), ...Object.keys(mirror[path])])) {
      const [record, copy] = [stored.get(id), mirror[path][id]]
      const names = Object.keys(copy ?? {})
      const shown = record && Object.fromEntries(names.filter((name) => name in record).map((name) => [name, record[name]]))
      if (!copy || !isDeepStrictEqual(copy, { ...copy, ...shown }) || !record) differences.push(`${path} ${id}`)
    }
  }
  const members = idsOf(await all(api, `/lists/${list}/members`))
  if (!isDeepStrictEqual(members.toSorted(), mirror.members.toSorted())) differences.push('members')
  return differences
}

await program(import.meta, { usage: USAGE, options: TARGET_FLAGS }, async (flags) => {
  const { base, key } = targetOf(flags)
  await demonstrateSync(base, key, console.log, { changes: 5000, kills: 4 })
})
