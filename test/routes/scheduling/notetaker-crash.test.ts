import { expect, test } from 'vitest'
import type { NeonRequest } from '../../../dev/neon-proxy.ts'
import { proving } from '../../proof.ts'
import { limit } from '../../speed.ts'
import { found, type Row, useCrm } from '../crm.ts'
import { notetaking } from './notetaking.ts'

const crm = useCrm({ ownServer: true })
const { bot, bots, booking, entries, later, live, path, prepare, read } = notetaking(crm)

type Crash = 'before' | 'after'

/**
 * The worker of a life dies at its n-th transaction: before it, so that nothing of it is stored, or after its commit, so that the worker
 * does not know. Returns whether it came that far. Only transactions of the background count.
 */
function crashAt(n: number, when: Crash): () => boolean {
  let count = 0
  let hasCrashed = false
  crm.app.proxy.onRequest = (request: NeonRequest) => {
    if (!('queries' in request)) return
    const text = request.queries.map(({ query }) => query).join(' ')
    if (!/claim_work|end_work|wake_notetaker/.test(text) || hasCrashed || ++count < n) return
    hasCrashed = true
    if (when === 'before') request.queries.unshift({ query: 'select from no_such_table' })
    else {
      crm.app.proxy.outage = 'lose_answer'
      setTimeout(() => Object.assign(crm.app.proxy, { outage: 'none' }), 50)
    }
  }
  return () => hasCrashed
}

const end = () => Object.assign(crm.app.proxy, { onRequest: undefined, outage: 'none' })

async function settle() {
  end()
  for (let round = 0; round < 2; round++) await later()
}

/** The lives of a notetaker, each with what must be true in the end. */
const LIVES: Record<string, { live: (meeting: Row) => Promise<void>; check: (meeting: Row) => Promise<void> }> = {
  'is created': {
    live: async () => {},
    check: async (meeting) => {
      expect(await read(meeting)).toMatchObject({ state: 'scheduled', error: null })
      expect(live()).toHaveLength(1)
    },
  },
  'records and is transcribed': {
    live: async () => {
      for (const it of bots()) crm.app.notetaker.meet(it, { seconds: 90 })
      for (const it of bots()) await crm.app.fetch('/notetaker-events', crm.app.notetaker.report(it, 'bot.done'))
      await crm.app.drain()
    },
    check: async (meeting) => {
      expect(await read(meeting)).toMatchObject({ state: 'done', recorded_minutes: 2, credits_charged: 46, transcript_status: 'written' })
      expect(await entries()).toMatchObject([{ amount: -46 }])
      expect(await crm.count('booking_transcripts')).toBe(1)
      expect(found(await crm.ws.get(`/activities?deal_id=${meeting.deal_id}`))).toHaveLength(1)
      expect(bots()).toHaveLength(1)
    },
  },
  'is removed': {
    live: async (meeting) => {
      await crm.ws.delete(path(meeting))
      await crm.app.drain()
    },
    check: async (meeting) => {
      expect(await read(meeting)).toMatchObject({ state: 'cancelled', credits: 0 })
      expect(live()).toEqual([])
    },
  },
  'gets another link': {
    live: async (meeting) => {
      await crm.ws.patch(`/scheduling-bookings/${meeting.id}`, { video_meet_link: 'https://meet.example.com/other' })
      await crm.app.cron('* * * * *')
      await crm.app.drain()
    },
    check: async (meeting) => {
      expect(await read(meeting)).toMatchObject({ state: 'scheduled', meeting_url: 'https://meet.example.com/other' })
      expect(bot().meeting_url).toBe('https://meet.example.com/other')
    },
  },
}

test.each(Object.keys(LIVES))(
  'a notetaker that %s does so once, whichever transaction of the background crashes',
  { timeout: limit(240_000) },
  async (name) => {
    const { live: go, check } = LIVES[name]!
    await prepare()
    let crashes = 0
    for (const when of ['before', 'after'] as const) {
      for (let n = proving || when === 'before' ? 1 : 2; n <= 12; n += proving ? 1 : 4) {
        const meeting = await booking(`${String(9 + Math.floor(n / 2)).padStart(2, '0')}:${n % 2 ? '30' : '00'}`)
        const isFirst = name === 'is created'
        if (isFirst) {
          const hasCrashed = crashAt(n, when)
          await crm.ws.post(path(meeting))
          await crm.app.drain()
          await settle()
          await check(meeting)
          await clean(meeting)
          if (!hasCrashed()) break
          crashes++
          continue
        }
        found(await crm.ws.post(path(meeting)))
        await crm.app.drain()
        const hasCrashed = crashAt(n, when)
        await go(meeting)
        await settle()
        await check(meeting)
        await clean(meeting)
        if (!hasCrashed()) break
        crashes++
      }
    }
    expect(crashes).toBeGreaterThanOrEqual(2)
  },
)

/** Forgets the bots, the booking's record and the charges, so that the next life begins as this one did. */
async function clean(meeting: Row) {
  const run = (sql: string) => crm.app.owner.query(sql, [crm.ws.id])
  await run('delete from notetakers where workspace_id = $1')
  await run('delete from activities where workspace_id = $1')
  await run('delete from credit_entries where workspace_id = $1')
  found(await crm.ws.post(`/scheduling-bookings/${meeting.id}/cancel`, {}))
  crm.app.notetaker.clear()
}
