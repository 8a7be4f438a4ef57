import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { program } from '../program.ts'

/** A copy of a workspace's contacts and companies and of a list's members, with the cursor of the last event in it. */
export type Mirror = { cursor: string; contacts: Records; companies: Records; members: string[] }
type Records = Record<string, Record<string, unknown>>
type Page<Item> = { data: Item[]; page: { next: string | null; has_more?: boolean } }
type Event = {
  type: string
  entity: string
  entity_id: string
  version: number | null
  payload: { id: string; record_id: string; version: number }
}

const WAIT_SECONDS = 5
const { BASE = '', KEY = '', LIST = '', STATE = '' } = process.env

async function get<Item>(path: string): Promise<Page<Item>> {
  const response = await fetch(`${BASE}/v1${path}`, { headers: { authorization: `Bearer ${KEY}` } })
  if (response.status === 429) {
    await pause(1000 * Number(response.headers.get('retry-after') ?? 1))
    return get(path)
  }
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as Page<Item>
}

async function all(path: string): Promise<Records> {
  const records: Records = {}
  for (let next: string | null = ''; next !== null; ) {
    const found: Page<{ id: string }> = await get(
      `${path}?limit=100${path.endsWith('members') ? '' : '&archived=all'}${next && `&after=${next}`}`,
    )
    for (const record of found.data) records[record.id] = record
    next = found.page.next
  }
  return records
}

/** The cursor comes first: what changes while the records are read comes after it. */
async function begin(): Promise<Mirror> {
  const cursor = (await get('/events?order=asc&after=latest')).page.next as string
  const [contacts, companies, members] = [await all('/contacts'), await all('/companies'), await all(`/lists/${LIST}/members`)]
  return { cursor, contacts, companies, members: Object.keys(members) }
}

function apply(mirror: Mirror, { type, entity, entity_id, payload }: Event): void {
  if (entity === 'list') {
    if (entity_id !== LIST) return
    mirror.members = mirror.members.filter((id) => id !== payload.record_id)
    if (type === 'list.entered') mirror.members.push(payload.record_id)
    return
  }
  const records = entity === 'contact' ? mirror.contacts : mirror.companies
  if (type.endsWith('.deleted')) delete records[entity_id]
  // The first events may be of versions that are in the copy already.
  const isNewer = payload.version > Number(records[entity_id]?.version ?? 0)
  if (/\.(created|updated)$/.test(type) && isNewer) records[entity_id] = payload as never
}

/** Stores the copy together with its cursor, so that whenever the program dies, both are of the same moment. */
function store(mirror: Mirror): void {
  writeFileSync(`${STATE}.new`, JSON.stringify(mirror))
  renameSync(`${STATE}.new`, STATE)
}

const usage = 'Started by "npm run demo:sync", with BASE, KEY, LIST and STATE in its environment.'
await program(import.meta, { usage }, async () => {
  const mirror: Mirror = existsSync(STATE) ? JSON.parse(readFileSync(STATE, 'utf8')) : await begin()
  store(mirror)
  for (;;) {
    const types = 'contact.*,company.*,list.entered,list.left'
    const page = await get<Event>(`/events?order=asc&limit=100&type=${types}&wait=${WAIT_SECONDS}&after=${mirror.cursor}`).catch(
      () => undefined,
    )
    if (!page) {
      await pause(200)
      continue
    }
    for (const event of page.data) apply(mirror, event)
    mirror.cursor = page.page.next as string
    store(mirror)
  }
})
