import { expect, test } from 'vitest'
import { limit } from '../../speed.ts'
import { useCrm } from '../crm.ts'
import { eventType, members, monday } from './scheduling.ts'

const crm = useCrm({ own: true })

test('the facts of 50 hosts and 30 days are one statement, and read as much with a thousand past bookings a host as with ten', {
  timeout: limit(120_000),
}, async () => {
  const { ws, app } = crm
  const hosts = await members(ws, 50)
  const type = await eventType(ws, {}, hosts)
  const [from, to] = [monday(1), monday(5)].map((date) => `${date}T00:00:00Z`)
  const fill = (past: number, until: number) =>
    app.owner.query(
      `insert into host_claims (workspace_id, host_id, starts_at, ends_at, booking_id)
        select $1, h, now() - n * interval '3 hours', now() - n * interval '3 hours' + interval '1 hour', uuidv7()
          from unnest($2::uuid[]) h, generate_series($3::int, $4::int) n`,
      [ws.id, hosts, past, until],
    )
  const measure = async () => {
    await app.owner.query('vacuum analyze host_claims')
    const client = await app.owner.connect()
    try {
      await client.query('begin')
      await client.query("select set_config('app.workspace_id', $1, true)", [ws.id])
      await client.query('set local role app')
      const sql = `select scheduling_facts('${JSON.stringify({ event_type: type.id, from, to })}'::jsonb)`
      await client.query(sql)
      const { rows } = await client.query(`explain (analyze, buffers, format json) ${sql}`)
      const plan = rows[0]['QUERY PLAN'][0].Plan
      return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
    } finally {
      await client.query('rollback')
      client.release()
    }
  }
  await fill(1, 10)
  const few = await measure()
  await fill(11, 1_000)
  const many = await measure()
  // Ten rows a host are read in one pass; fifty thousand through the levels of an index for each host.
  expect(many).toBeLessThanOrEqual(few + 4 * hosts.length)

  let statements = 0
  app.proxy.onRequest = (request) => {
    const queries = 'queries' in request ? request.queries : [request]
    if (queries[0]?.query.includes('begin_request')) statements += queries.length
  }
  const answer = await ws.post('/scheduling-bookings/available-slots', { event_type: type.id, from: monday(1), to: monday(5) })
  app.proxy.onRequest = undefined
  // begin_request, and the facts.
  expect([answer.status, statements, answer.body.data.complete]).toEqual([200, 2, true])
})
