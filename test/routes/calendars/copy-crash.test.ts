import { beforeEach, expect, test } from 'vitest'
import type { NeonRequest } from '../../../dev/neon-proxy.ts'
import { proving } from '../../proof.ts'
import { limit } from '../../speed.ts'
import { found, type Row, useCrm } from '../crm.ts'
import { audit, monday, sydney } from '../scheduling/scheduling.ts'
import { calendaring } from './calendars.ts'

const crm = useCrm({ ownServer: true })
const { booking, connect, copies, emailOf, event, events, eventType, google, later } = calendaring(crm)
beforeEach(() => crm.app.google.clear())

type Crash = 'before' | 'after'
const BACKGROUND = /claim_work|end_work|outside_changes|follow_event|flag_copy|cancel_with_event|store_calendar_page/

/** The background dies at its n-th transaction: before it, or after its commit. Returns whether it came that far. */
function crashAt(n: number, when: Crash): () => boolean {
  let count = 0
  let hasCrashed = false
  crm.app.proxy.onRequest = (request: NeonRequest) => {
    if (!('queries' in request)) return
    if (!BACKGROUND.test(request.queries.map(({ query }) => query).join(' ')) || hasCrashed || ++count < n) return
    hasCrashed = true
    if (when === 'before') request.queries.unshift({ query: 'select from no_such_table' })
    else {
      crm.app.proxy.outage = 'lose_answer'
      setTimeout(() => Object.assign(crm.app.proxy, { outage: 'none' }), 50)
    }
  }
  return () => hasCrashed
}

async function settle() {
  Object.assign(crm.app.proxy, { onRequest: undefined, outage: 'none' })
  for (let round = 0; round < 2; round++) await later()
}

const at = (time: string) => sydney(monday(), time)
const open = async () => found(await crm.ws.get('/scheduling-bookings?status=confirmed')) as unknown as Row[]

/** The lives of a booking, each with what must be true in the end. */
const LIVES: Record<string, { live: (booking: Row) => Promise<unknown>; check: () => Promise<void> }> = {
  'is moved': {
    live: (made) => crm.ws.post(`/scheduling-bookings/${made.id}/reschedule`, { starts_at: `${monday()} 14:00` }),
    check: async () => {
      expect(event()).toMatchObject({ start: { dateTime: at('14:00') } })
      expect(await open()).toMatchObject([{ starts_at: at('14:00') }])
    },
  },
  'is cancelled': {
    live: (made) => crm.ws.post(`/scheduling-bookings/${made.id}/cancel`, {}),
    check: async () => expect([events(), await open()]).toEqual([[], []]),
  },
  'is moved outside': {
    live: async () => {
      google().world.move(emailOf(), event().id, at('15:00'), at('15:30'))
      await later()
    },
    check: async () => {
      expect(event()).toMatchObject({ start: { dateTime: at('15:00') } })
      expect(await open()).toMatchObject([{ starts_at: at('15:00') }])
    },
  },
  'is deleted outside': {
    live: async () => {
      google().world.delete(emailOf(), event().id)
      await later()
    },
    check: async () => expect([events(), await open()]).toEqual([[], []]),
  },
}

test.each(Object.keys(LIVES))(
  'a booking that %s agrees with its event, whichever transaction crashes',
  { timeout: limit(240_000) },
  async (name) => {
    const { live, check } = LIVES[name]!
    await connect()
    await eventType()
    let crashes = 0
    for (const when of ['before', 'after'] as const)
      for (let n = 1; n <= (proving ? 12 : 1); n++) {
        const made = await booking()
        const hasCrashed = crashAt(n, when)
        await live(made)
        await crm.app.drain()
        await settle()
        await check()
        for (const { id } of await open()) found(await crm.ws.post(`/scheduling-bookings/${id}/cancel`, {}))
        await crm.app.drain()
        if (!hasCrashed()) break
        crashes++
      }
    expect(crashes).toBeGreaterThanOrEqual(2)
    await audit(crm)
  },
)

test('a booking has one event, whichever call of its creation is lost', async () => {
  await connect()
  await eventType()
  for (const mode of ['drop', '500', '429', 'quota', '401'] as const) {
    google().fail('events.insert', mode, { accept: mode === 'drop' })
    const made = await booking()
    await later()
    expect(await copies(made.id)).toMatchObject([{ state: 'synced', error: null }])
    const { id } = event()
    google().fail('events.delete', mode, { accept: true })
    found(await crm.ws.post(`/scheduling-bookings/${made.id}/cancel`, {}))
    await crm.app.drain()
    await later()
    expect(await copies(made.id)).toEqual([])
    expect(google().world.calendar(emailOf())?.events.get(id)).toMatchObject({ status: 'cancelled' })
  }
})
