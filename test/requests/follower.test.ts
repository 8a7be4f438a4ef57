import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { proving } from '../proof.ts'
import { found, type Row, useCrm } from '../routes/crm.ts'
import { useImports } from '../routes/importing.ts'
import { limit } from '../speed.ts'

/** A copy of the contacts that reads only what changed, while many writers change them, is complete in the end. */

const WRITERS = proving ? 12 : 3
const ROUNDS = proving ? 60 : 3
const IMPORTED = proving ? 2_000 : 60
const FOLLOWERS = 2
const SEED = Number(process.env.FOLLOWER_SEED ?? 7)

const crm = useCrm()
const { imported } = useImports(crm)

function randomOf(seed: number) {
  let state = seed
  return (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}
type Random = ReturnType<typeof randomOf>

/** One of several kinds of writes; each has its own way through the database. */
const WRITES: ((random: Random, known: string[]) => Promise<unknown>)[] = [
  async (_, known) => known.push((await crm.contact({ first_name: 'Single' })).id),
  (random, known) => crm.ws.patch(`/contacts/${known[random(known.length)]}`, { job_title: `Title ${random(1000)}` }),
  (random, known) => crm.ws.patch(`/contacts/${known[random(known.length)]}`, { archived: random(2) === 0 }),
  (random, known) => crm.ws.delete(`/contacts/${known.splice(random(known.length), 1)}${random(3) === 0 ? '?purge=true' : ''}`),
  async (random, known) => {
    const records = Array.from({ length: 1 + random(8) }, () => ({ first_name: 'Bulk' }))
    known.push(...found(await crm.ws.post('/contacts/bulk-create', { records })).results.map(({ id }: Row) => id))
  },
  (random, known) => {
    const ids = [...new Set(known.slice(random(known.length)).slice(0, 8))]
    return crm.ws.post('/contacts/bulk-update', { records: ids.map((id) => ({ id, department: `D${random(1000)}` })) })
  },
  (random, known) => crm.ws.post('/contacts/bulk-delete', { ids: known.splice(random(known.length), 2) }),
  (_, known) => crm.ws.post('/contacts/merge', { winner_id: known.at(-1), loser_ids: known.splice(0, 1) }),
  async (random) => {
    const merges = found(await crm.ws.get('/contacts/merges?undone=false'))
    if (merges.length > 0) await crm.ws.post(`/contacts/merges/${merges[random(merges.length)]?.id}/undo`)
  },
  // A transaction that stays open after its write: its rows appear long after their updated_at.
  async (random, known) => {
    const client = await crm.app.owner.connect()
    try {
      await client.query('begin')
      await client.query(`select set_config('app.workspace_id', $1, true)`, [crm.ws.id])
      await client.query('update contacts set job_title = $2 where id = $1', [known[random(known.length)], `Late ${random(1000)}`])
      await client.query('select pg_sleep($1)', [random(600) / 1000])
      await client.query('commit')
    } catch {
      await client.query('rollback')
    } finally {
      client.release()
    }
  },
]

async function write(seed: number): Promise<void> {
  const random = randomOf(seed)
  const known: string[] = []
  for (let index = 0; index < 12; index++) known.push((await crm.contact({ first_name: `Writer ${seed}` })).id)
  for (let round = 0; round < ROUNDS; round++) {
    for (const work of WRITES) {
      if (known.length > 3) await work(random, known)
      else await WRITES[4]?.(random, known)
      if (random(4) === 0) await pause(random(60))
    }
  }
}

async function importTwice(): Promise<void> {
  const lines = Array.from({ length: IMPORTED }, (_, n) => `i-${n},Imported ${n}`).join('\n')
  const settings = { mode: 'upsert', match_by: 'external_id' }
  await imported(`External ID,First Name\n${lines}\n`, settings)
  await imported(`External ID,First Name\n${lines.replaceAll('Imported', 'Again')}\n`, settings)
}

/** A copy of the list, and how far it has been followed. It keeps nothing else between two reads. */
class Mirror {
  readonly records = new Map<string, Row>()
  #changes: string | undefined
  #deletions: string | undefined
  #random: Random

  constructor(seed: number) {
    this.#random = randomOf(seed)
  }

  async follow(): Promise<void> {
    this.#changes = await this.#read(this.#changes ? `updated_after=${this.#changes}` : 'sort=updated_at&archived=all', (record) => {
      this.records.set(record.id, record)
    })
    this.#deletions = await this.#read(`deleted=true${this.#deletions ? `&updated_after=${this.#deletions}` : ''}`, ({ id }) => {
      this.records.delete(id)
    })
  }

  async #read(query: string, note: (record: Row) => void): Promise<string> {
    for (let after = ''; ; ) {
      const { status, body } = await crm.ws.get(`/contacts?${query}&limit=${20 + this.#random(80)}${after && `&after=${after}`}`)
      expect([status, body.page?.synced_until], JSON.stringify(body).slice(0, 300)).toEqual([200, expect.any(String)])
      for (const record of body.data) note(record)
      if (body.page.next === null) return body.page.synced_until
      after = body.page.next
      await pause(this.#random(80))
    }
  }
}

test('a follower of updated_after and deleted=true misses nothing', { timeout: proving ? 1_800_000 : limit(60_000) }, async () => {
  let writing = true
  const mirrors = Array.from({ length: FOLLOWERS }, (_, index) => new Mirror(SEED + index))
  const reading = mirrors.map(async (mirror, index) => {
    const random = randomOf(SEED * 31 + index)
    while (writing) {
      await mirror.follow()
      await pause(random(150))
    }
    await mirror.follow()
  })
  await Promise.all([...Array.from({ length: WRITERS }, (_, index) => write(SEED + 100 * index)), importTwice()])
  writing = false
  await Promise.all(reading)

  const stored = new Map((await crm.walk('/contacts?archived=all&limit=100')).map((record) => [record.id, record]))
  const { rows } = await crm.app.owner.query(
    `select action, count(*)::int from changes where workspace_id = $1 and entity = 'contact' group by 1`,
    [crm.ws.id],
  )
  const actions = Object.fromEntries(rows.map(({ action, count }) => [action, count]))
  if (proving) console.log(`${stored.size} contacts after ${JSON.stringify(actions)}`)
  expect(Math.min(actions.created, actions.updated, actions.deleted)).toBeGreaterThan(20)
  for (const { records } of mirrors) {
    expect(
      [...stored.keys()].filter((id) => !records.has(id)),
      'missed',
    ).toEqual([])
    expect(
      [...records.keys()].filter((id) => !stored.has(id)),
      'not deleted',
    ).toEqual([])
    expect(
      [...stored.values()].filter((record) => JSON.stringify(records.get(record.id)) !== JSON.stringify(record)),
      'stale',
    ).toEqual([])
  }
})
