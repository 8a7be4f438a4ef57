import { Agent, request } from 'node:http'
import { parseArgs } from 'node:util'
import type { NeonQuery, NeonRequest } from '../dev/neon-proxy.ts'
import { createWorkspaces, fill } from './fill.ts'
import { type Running, runWorker, type Stack, startStack } from './stack.ts'

/**
 * Measures the CPU of the Worker's own code: user and system time of its process per request, compared with a bare Worker that sends the
 * same statement with plain fetch, for a known workspace, and forwards the response text, and with one that does so with the project's
 * libraries. The three alternate in short rounds, in another order in each, so that other load affects all. The medians are compared. To
 * compare two versions of the project, run this program in a checkout of each.
 */

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '9' }, requests: { type: 'string', default: '500' } },
})
const [ROUNDS, REQUESTS] = [Number(values.rounds), Number(values.requests)]
const ROWS = 1000
const LANES = 4
const TARGET = 1.25

const agent = new Agent({ keepAlive: true, maxSockets: LANES })
const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

async function measure(stack: Stack): Promise<void> {
  const { key, paths, workspaceId } = await prepare(stack)
  const real = await runWorker('bench/bench-worker.ts', stack)
  const headers = { authorization: `Bearer ${key}` }
  const tenant = { query: `select set_config('app.workspace_id', $1, true)`, params: [workspaceId] }
  const requests: Record<string, NeonRequest> = {}
  for (const path of paths) requests[path] = { queries: [tenant, await statementOf(stack, () => get(real, path, headers))] }
  const vars = { ...stack.vars, REQUESTS: JSON.stringify(requests) }
  const bare = await runWorker('bench/bare-worker.ts', { ...stack, vars })
  const libraries = await runWorker('bench/library-worker.ts', { ...stack, vars })
  const workers = [real, bare, libraries]
  try {
    for (const path of paths) for (const worker of workers) await load(worker, path, headers, REQUESTS)
    console.log(
      `CPU per request in milliseconds, ${ROUNDS} rounds of ${REQUESTS} requests each; the target is a ratio of at most ${TARGET}\n`,
    )
    for (const path of paths) await compare(path, workers, headers)
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()))
  }
}

async function prepare({ owner }: Stack) {
  const client = await owner.connect()
  const [workspace] = await createWorkspaces(client)
  const { workspace_id: workspaceId, key } = workspace!
  await fill(client, workspaceId, 0, ROWS)
  await client.query('vacuum analyze')
  const ids = await client.query(
    `select (select id from contacts order by id limit 1) as contact, (select id from opportunities order by id limit 1) as opportunity`,
  )
  client.release()
  const { contact, opportunity } = ids.rows[0]
  return { key, workspaceId, paths: ['/v1/contacts', '/v1/opportunities', `/v1/contacts/${contact}`, `/v1/opportunities/${opportunity}`] }
}

/** The statement that returns the result, which the Worker sends after begin_request. */
async function statementOf({ proxy }: Stack, call: () => Promise<unknown>): Promise<NeonQuery> {
  let sent: NeonQuery | undefined
  proxy.onRequest = (request) => {
    sent = 'queries' in request ? request.queries.at(-1) : request
  }
  await call()
  proxy.onRequest = undefined
  return sent!
}

async function compare(path: string, workers: Running[], headers: Record<string, string>): Promise<void> {
  const rounds: number[][] = []
  for (let round = 0; round < ROUNDS; round++) {
    const figures: number[] = []
    for (let turn = 0; turn < workers.length; turn++) {
      const at = (round + turn) % workers.length
      figures[at] = await load(workers[at] as Running, path, headers, REQUESTS)
    }
    rounds.push(figures)
  }
  const [ours, theirs, libraries] = workers.map((_, at) => median(rounds.map((figures) => figures[at] as number)).toFixed(3))
  const ratios = (at: number) => rounds.map((figures) => (figures[at] as number) / (figures[1] as number))
  const [ratio, floor] = [ratios(0), ratios(2)]
  const shown = path.replace(/[0-9a-f-]{36}/, ':id').padEnd(24)
  console.log(
    `${shown} Worker ${ours}  bare ${theirs}  libraries ${libraries}  ratio ${median(ratio).toFixed(2)}  ` +
      `(${Math.min(...ratio).toFixed(2)} to ${Math.max(...ratio).toFixed(2)}), of the libraries ${median(floor).toFixed(2)}`,
  )
}

/** Sends the requests, LANES at a time. Returns the milliseconds of CPU per request. */
async function load(worker: Running, path: string, headers: Record<string, string>, count: number): Promise<number> {
  const before = worker.cpu()
  let left = count
  const lane = async () => {
    while (left-- > 0) await get(worker, path, headers)
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return (worker.cpu() - before) / count
}

function get(worker: Running, path: string, headers: Record<string, string>): Promise<string> {
  return new Promise((done, fail) => {
    const sent = request(new URL(path, worker.url).href, { agent, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        if (response.statusCode === 200) done(text)
        else fail(new Error(`${path}: ${response.statusCode} ${text}`))
      })
    })
    sent.on('error', fail)
    sent.end()
  })
}

const stack = await startStack()
try {
  await measure(stack)
} finally {
  agent.destroy()
  await stack.stop()
}
