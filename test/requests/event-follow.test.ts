// biome-ignore-all lint/suspicious/noExplicitAny: responses of every shape
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { settled } from '../database.ts'
import { proving } from '../proof.ts'
import { useCrm } from '../routes/crm.ts'
import { useImports } from '../routes/importing.ts'
import { limit } from '../speed.ts'

const crm = useCrm({ ownServer: 'durable' })
const { upload } = useImports(crm)
const [EVENTS, WRITERS] = proving ? [20_000, 32] : [300, 4]

type Event = { id: string; type: string; entity_id: string; version: number | null }

type Heard = { status: number; body: any }
const LOST: Heard = { status: 503, body: {} }
/** Resolves when the Worker has been restarted: calls that it was answering get no answer any more. */
let restarted = Promise.withResolvers<Heard>()
/** A call's response, or an empty one when the connection was lost. */
const attempt = (call: Promise<Heard>): Promise<Heard> => Promise.race([call.catch(() => LOST), restarted.promise])

async function restart(): Promise<void> {
  await crm.app.restart()
  restarted.resolve(LOST)
  restarted = Promise.withResolvers()
}

/** Writes of every kind, until `enough`: single and bulk calls, merges and their undo. */
async function write(number: number, enough: () => boolean): Promise<void> {
  const { ws } = crm
  for (let round = 0; !enough(); round++) {
    const records = Array.from({ length: 20 }, (_, n) => ({ first_name: `W${number}-${round}-${n}` }))
    const { body, status } = await attempt(ws.post('/contacts/bulk-create', { records }))
    if (status !== 200) {
      await pause(20)
      continue
    }
    const [winner, loser, third, ...others] = (body.data.results as { id: string }[]).map(({ id }) => id)
    await Promise.all([
      attempt(ws.patch(`/contacts/${third}`, { city: 'Perth' })),
      attempt(ws.patch(`/contacts/${third}`, { city: 'Hobart' })),
      attempt(ws.post('/contacts/bulk-update', { records: others.map((id) => ({ id, city: `C${round}` })) })),
      attempt(ws.post('/companies', { name: `W${number}-${round}` })),
    ])
    const merge = await attempt(ws.post('/contacts/merge', { winner_id: winner, loser_ids: [loser] }))
    if (merge.status === 200 && round % 2 === 0) await attempt(ws.post(`/contacts/merges/${merge.body.data.merge_id}/undo`))
    await attempt(ws.delete(`/contacts/${third}`))
  }
}

/**
 * A reader that stores its cursor together with what it has read, pauses at random, and now and then forgets a page before it is stored.
 */
class Follower {
  cursor: string
  readonly read: Event[] = []
  readonly #wait: number
  #random: number

  constructor(cursor: string, seed: number, wait: number) {
    this.cursor = cursor
    this.#random = seed
    this.#wait = wait
  }

  #next(below: number): number {
    this.#random = (this.#random * 48_271) % 2_147_483_647
    return this.#random % below
  }

  /** Reads a page; returns whether there is more. */
  async step(): Promise<boolean> {
    const page = `limit=${1 + this.#next(100)}&after=${this.cursor}&wait=${this.#wait}`
    const { status, body } = await attempt(crm.ws.get(`/events?order=asc&${page}`))
    if (status !== 200) {
      await pause(20)
      return true
    }
    if (this.#next(5) === 0) return true
    this.cursor = body.page.next
    this.read.push(...body.data)
    return body.page.has_more
  }

  async follow(hasEnded: () => boolean): Promise<void> {
    for (;;) {
      const ended = hasEnded()
      const more = await this.step()
      if (ended && !more) return
      if (!more) await pause(this.#next(20))
    }
  }
}

test('followers with pauses miss no event and read none twice, while many write, the Worker restarts and PostgreSQL is killed', {
  timeout: proving ? 1_800_000 : limit(120_000),
}, async () => {
  const { ws, app } = crm
  const begin = (await ws.get('/events?order=asc&after=latest')).body.page.next
  const followers = [new Follower(begin, 7, 0), new Follower(begin, 11, 1)]
  const { rows: durable } = await app.owner.query("select setting from pg_settings where name in ('fsync', 'synchronous_commit')")
  expect(durable.map(({ setting }) => setting)).toEqual(['on', 'on'])
  const first = (await app.owner.query('select pg_snapshot_xmin(pg_current_snapshot())::text as xid')).rows[0].xid
  const written = async (): Promise<string[]> =>
    (await app.owner.query('select id::text from outbox where workspace_id = $1 and xid >= $2::text::xid8', [ws.id, first])).rows.map(
      ({ id }) => id,
    )
  let [enough, ended] = [false, false]
  const following = followers.map((follower) => follower.follow(() => ended))
  const writers = Array.from({ length: WRITERS }, (_, number) => write(number, () => enough))
  const lines = Array.from({ length: proving ? 2000 : 100 }, (_, n) => `Line${n},line${n}@example.com`)
  const file = await upload(`First name,Email\n${lines.join('\n')}\n`)
  expect(await ws.post(`/imports/${file.body.data.id}/start`)).toMatchObject({ status: 200 })
  const reach = async (events: number) => {
    while ((await written()).length < events) await pause(50)
  }
  for (const [at, disturb] of DISTURBANCES) {
    await reach(EVENTS * at)
    await disturb()
  }
  await reach(EVENTS)
  enough = true
  await Promise.all(writers)
  await app.cron('* * * * *')
  await app.drain()
  await settled(app.owner)
  ended = true
  await Promise.all(following)

  const expected = (await written()).toSorted()
  for (const { read } of followers) {
    const ids = read.map(({ id }) => id)
    expect(new Set(ids).size, 'no event twice').toBe(ids.length)
    expect(ids.toSorted()).toEqual(expected)
    expect(ids.length).toBeGreaterThanOrEqual(EVENTS)
    const versions = new Map<string, number>()
    for (const { entity_id, version } of read.filter(({ version }) => version !== null)) {
      expect(version, entity_id).toBeGreaterThan(versions.get(entity_id) ?? 0)
      versions.set(entity_id, version as number)
    }
  }
  if (proving) console.log(`${expected.length} events, ${DISTURBANCES.length} disturbances: 0 missed, 0 repeated`)
})

/** What happens at which share of the events. */
const DISTURBANCES: [number, () => Promise<void>][] = Array.from({ length: proving ? 5 : 1 }, (_, n): [number, () => Promise<void>][] => {
  const part = 1 / (proving ? 5 : 1)
  return [
    [(n + 0.3) * part, restart],
    [(n + 0.6) * part, () => crm.app.crash()],
  ]
}).flat()
