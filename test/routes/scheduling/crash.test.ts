import { expect, test } from 'vitest'
import type { NeonRequest } from '../../../dev/neon-proxy.ts'
import { proving } from '../../proof.ts'
import { limit } from '../../speed.ts'
import type { ApiResponse } from '../../workspace.ts'
import { created, found, type Row, useCrm } from '../crm.ts'
import { audit, book, eventType, members, monday, SILENT } from './scheduling.ts'

const crm = useCrm({ ownServer: true })
/** Every which statement fails. */
const EVERY = proving ? 1 : 3
/** Starts that no other attempt uses: half hours of the Mondays to come. */
let used = 0
const freeStart = () => {
  const n = used++
  return `${monday(2 + Math.floor(n / 16))} ${String(9 + Math.floor((n % 16) / 2)).padStart(2, '0')}:${n % 2 ? '30' : '00'}`
}
let people = 0
const booker = () => ({ event_type: 'first-meeting', name: 'Ana Lee', email: `p${people++}@example.com` })
const booking = async () => created(await book(crm.ws, { ...booker(), starts_at: freeStart() }))

type Operation = { path: string; body: Row }
const OPERATIONS: Record<string, () => Promise<Operation>> = {
  create: async () => ({ path: '', body: { ...booker(), starts_at: freeStart() } }),
  series: async () => ({ path: '/series', body: { ...booker(), starts_at: freeStart(), frequency: 'daily', count: 2 } }),
  reschedule: async () => ({ path: `/${(await booking()).id}/reschedule`, body: { starts_at: freeStart() } }),
  reassign: async () => {
    const { id, host_id } = await booking()
    const type = found(await crm.ws.get('/scheduled-event-types'))[0] as Row
    return { path: `/${id}/reassign`, body: { host_id: type.hosts.find(({ user_id }: Row) => user_id !== host_id).user_id } }
  },
  cancel: async () => ({ path: `/${(await booking()).id}/cancel`, body: {} }),
  hold: async () => ({ path: '/holds', body: { event_type: 'first-meeting', starts_at: freeStart(), owner: `call_${people++}` } }),
}

const TABLES = ['bookings', 'booking_holds', 'host_claims', 'contacts', 'opportunities', 'booking_proofs', 'changes']
const state = async () => {
  const counts = await Promise.all(TABLES.map((table) => crm.count(table)))
  const statuses = await crm.app.owner.query('select id, status, version from bookings where workspace_id = $1 order by id', [crm.ws.id])
  return { counts, statuses: statuses.rows }
}
const send = ({ path, body }: Operation, key: string): Promise<ApiResponse> =>
  crm.ws.post(`/scheduling-bookings${path}`, body, { 'idempotency-key': key })

async function prepare() {
  used = 0
  const pool = await members(crm.ws, 2)
  await eventType(crm.ws, { horizon_days: 365, notices: SILENT }, pool)
}

test('a failure at any statement of create, series, reschedule, reassign, cancel and hold leaves nothing, and a retry works', {
  timeout: limit(300_000),
}, async () => {
  await prepare()
  const { proxy } = crm.app
  const failed: Record<string, number> = {}
  for (const [index, [name, make]] of Object.entries(OPERATIONS).entries()) {
    const first = 1 + (index % EVERY)
    for (let at = first; at <= 60; at += EVERY) {
      const operation = await make()
      const before = await state()
      let statement = 0
      let reached = false
      proxy.onRequest = (request: NeonRequest) => {
        // What still runs for the operation before is not this one's.
        if (reached || !('queries' in request) || !request.queries.some(({ query }) => query.includes('begin_request'))) return
        const place = at - statement
        statement += request.queries.length
        if (place > request.queries.length) return
        reached = true
        request.queries.splice(place, 0, { query: 'select from no_such_table' })
      }
      const key = crypto.randomUUID()
      const answer = await send(operation, key)
      proxy.onRequest = undefined
      if (!reached) {
        expect(answer.status, `${name} ${at}`).toBeLessThan(300)
        break
      }
      // The statements after an assumption that is refuted never run.
      if (answer.status < 300) continue
      failed[name] = (failed[name] ?? 0) + 1
      expect(answer.status, `${name} ${at}`).toBe(500)
      expect(await state(), `${name} ${at}`).toEqual(before)
      const again = await send(operation, key)
      expect(again.status, `${name} ${at}: ${JSON.stringify(again.body)}`).toBeLessThan(300)
    }
  }
  await audit(crm)
  console.log(`Statements that failed: ${JSON.stringify(failed)}`)
  expect(Object.keys(failed)).toEqual(Object.keys(OPERATIONS))
  expect(Object.values(failed).reduce((sum, count) => sum + count)).toBeGreaterThan(40 / EVERY)
})

test('a database that is unreachable or loses its answer at any request books once, moves once and holds once', {
  timeout: limit(120_000),
}, async () => {
  await prepare()
  const { proxy } = crm.app
  for (const mode of ['refuse', 'lose_answer'] as const)
    for (const [name, make] of Object.entries(OPERATIONS))
      for (let at = 1; at <= (mode === 'refuse' ? 1 : 2); at++) {
        const operation = await make()
        const before = await state()
        let request = 0
        proxy.onRequest = () => {
          request += 1
          proxy.outage = request === at ? mode : 'none'
        }
        const key = crypto.randomUUID()
        await send(operation, key)
        Object.assign(proxy, { onRequest: undefined, outage: 'none' })
        const again = await send(operation, key)
        expect(again.status, `${mode} ${name} ${at}: ${JSON.stringify(again.body)}`).toBeLessThan(300)
        const made = (await state()).counts[0]! - before.counts[0]!
        expect(made, `${mode} ${name} ${at}`).toBe({ create: 1, series: 2, reschedule: 1 }[name] ?? 0)
        await audit(crm)
        if (request < at) break
      }
})
