import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { NeonRequest } from '../dev/neon-sql.ts'
import { createWorkspace } from '../dev/workspace.ts'
import { eachOf } from '../src/lib/each-of.ts'
import { type Running, runWorker, type Stack, startStack } from './stack.ts'

/**
 * Measures scheduling: the CPU of the Worker for the slots of 50 hosts and 30 days, beside a bare Worker that sends the same statement and
 * forwards its response; and the times of voice tools at 20 ms per round trip to the database, with 16 calls at a time.
 */
const HOSTS = 50
const DAYS = 30
const LANES = 16
const TRIP_MS = 20

const { values: flags } = parseArgs({
  options: {
    calls: { type: 'string', default: '480' },
    rounds: { type: 'string', default: '7' },
    requests: { type: 'string', default: '40' },
  },
})
const [CALLS, ROUNDS, PER_ROUND] = [Number(flags.calls), Number(flags.rounds), Number(flags.requests)]

const agent = new Agent({ keepAlive: true, maxSockets: LANES })
const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number
const percentile = (values: number[], share: number) => values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] as number

type Sent = (path: string, body: unknown) => Promise<string>
const client =
  (worker: Running, key: string): Sent =>
  (path, body) =>
    new Promise((done, fail) => {
      const text = JSON.stringify(body)
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
      const sent = request(new URL(path, worker.url).href, { method: 'POST', agent, headers }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('end', () => {
          const answer = Buffer.concat(chunks).toString()
          if (response.statusCode && response.statusCode < 300) done(answer)
          else fail(new Error(`${path}: ${response.statusCode} ${answer}`))
        })
      })
      sent.on('error', fail)
      sent.end(text)
    })

/** Fifty hosts with a time that is taken on each day. */
async function addHosts({ owner }: Stack, workspaceId: string): Promise<string[]> {
  const ids = Array.from({ length: HOSTS }, () => randomUUID())
  await owner.query(`insert into users (id, email, full_name) select u, u || '@example.com', 'Host' from unnest($1::uuid[]) u`, [ids])
  await owner.query(
    `insert into memberships (workspace_id, user_id, role, status) select $2, u, 'client_admin', 'active' from unnest($1::uuid[]) u`,
    [ids, workspaceId],
  )
  await owner.query(
    `insert into host_claims (workspace_id, host_id, starts_at, ends_at, booking_id)
      select $2, u, d + interval '1 hour', d + interval '2 hours', uuidv7()
      from unnest($1::uuid[]) u, generate_series(date_trunc('day', now()), now() + interval '60 days', interval '1 day') d`,
    [ids, workspaceId],
  )
  await owner.query('vacuum analyze host_claims')
  return ids
}

const inLanes = (count: number, task: (n: number) => Promise<unknown>) =>
  eachOf(
    LANES,
    Array.from({ length: count }, (_, n) => n),
    task,
  )

async function cpuOf(worker: Running, send: () => Promise<unknown>): Promise<number> {
  const before = worker.cpu()
  await inLanes(PER_ROUND, send)
  return (worker.cpu() - before) / PER_ROUND
}

async function measureSlots(stack: Stack, real: Running, send: Sent, eventType: string, workspaceId: string): Promise<void> {
  const path = '/v1/scheduling-bookings/available-slots'
  const body = { event_type: eventType, from: dayIn(1), to: dayIn(DAYS) }
  let statement: { query: string; params?: unknown[] } | undefined
  stack.proxy.onRequest = (sent) => {
    statement = 'queries' in sent ? sent.queries.at(-1) : sent
  }
  const slots = JSON.parse(await send(path, body)).data.days.flatMap((day: { slots: unknown[] }) => day.slots).length
  stack.proxy.onRequest = undefined
  const tenant = { query: `select set_config('app.workspace_id', $1, true)`, params: [workspaceId] }
  const requests: Record<string, NeonRequest> = { [path]: { queries: [tenant, statement as NonNullable<typeof statement>] } }
  const bare = await runWorker('bench/bare-worker.ts', { ...stack, vars: { ...stack.vars, REQUESTS: JSON.stringify(requests) } })
  try {
    const plain = client(bare, '')
    for (const call of [send, plain]) await inLanes(PER_ROUND, () => call(path, body))
    const rounds: [number, number][] = []
    for (let round = 0; round < ROUNDS; round++)
      rounds.push([await cpuOf(real, () => send(path, body)), await cpuOf(bare, () => plain(path, body))])
    const [ours, theirs] = [median(rounds.map(([a]) => a)), median(rounds.map(([, b]) => b))]
    console.log(
      `slots of ${HOSTS} hosts and ${DAYS} days (${slots} slots): Worker ${ours.toFixed(2)} ms of CPU, bare ${theirs.toFixed(2)} ms, ` +
        `ratio ${(ours / theirs).toFixed(2)}`,
    )
  } finally {
    await bare.stop()
  }
}

async function measureVoice(stack: Stack, send: Sent, eventType: string): Promise<void> {
  stack.proxy.onRequest = () => pause(TRIP_MS)
  const offered = JSON.parse(
    await send('/v1/scheduling-bookings/available-slots', { event_type: eventType, from: dayIn(31), to: dayIn(59) }),
  )
  const keys: string[] = offered.data.days.flatMap((day: { slots: { key: string }[] }) => day.slots.map(({ key }) => key))
  const tools: [name: string, path: string, args: (n: number) => object][] = [
    ['slots', `/v1/scheduling/voice/${eventType}/slots`, () => ({ from: dayIn(3), to: dayIn(9) })],
    ['book', `/v1/scheduling/voice/${eventType}/book`, (n) => ({ slot: keys[n % keys.length], name: `Caller ${n}`, phone: phone(n) })],
    ['find', '/v1/scheduling/voice/find-booking', (n) => ({ phone: phone(n) })],
  ]
  for (const [name, path, args] of tools) {
    const times: number[] = []
    await inLanes(CALLS, async (n) => {
      const begun = performance.now()
      await send(path, { name, call: { call_id: `bench_${name}_${n}` }, args: args(n) })
      times.push(performance.now() - begun)
    })
    const [p50, p95] = [percentile(times, 0.5), percentile(times, 0.95)]
    console.log(
      `voice ${name}: p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms (${CALLS} calls, ${LANES} at a time, ` +
        `${TRIP_MS} ms per round trip)`,
    )
  }
  stack.proxy.onRequest = undefined
}
const phone = (n: number) => `+6141${String(2_000_000 + n)}`

const stack = await startStack()
try {
  const connection = await stack.owner.connect()
  const made = await createWorkspace(connection, { name: 'Measured', ownerEmail: 'owner@example.com', ownerName: 'Owner' })
  connection.release()
  const hosts = await addHosts(stack, made.workspace_id)
  const real = await runWorker('bench/bench-worker.ts', stack)
  try {
    const send = client(real, made.key)
    const event = { name: 'Product call', hosts: hosts.map((user_id) => ({ user_id })) }
    const { id } = JSON.parse(await send('/v1/scheduled-event-types', event)).data
    await measureSlots(stack, real, send, id, made.workspace_id)
    await measureVoice(stack, send, id)
  } finally {
    await real.stop()
  }
} finally {
  agent.destroy()
  await stack.stop()
}
