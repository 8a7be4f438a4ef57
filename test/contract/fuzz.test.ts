import { afterAll, beforeAll, expect, test } from 'vitest'
import { isList, mediaTypesOf } from '../../src/http/endpoint.ts'
import { type Harness, start } from '../harness.ts'
import { proving } from '../proof.ts'
import { limit } from '../speed.ts'
import type { TestWorkspace } from '../workspace.ts'
import { faultsOf } from './answers.ts'
import { type Known, type Request, requestOf } from './mutate.ts'
import { anyValues, drawOf } from './odd.ts'
import { operations } from './samples.ts'
import { seed } from './seed.ts'
import { baseOf, sendSample } from './send.ts'

/** A different seed generates other requests: FUZZ_SEED=7 npx vitest run test/contract/fuzz.test.ts */
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_120)
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? (proving ? 20_000 : 120))
/** Errors that name no field, because validation passed. For a forged cursor no better error is possible. */
const UNCHECKED = /A value is out of range, or not of its field/
/** The number of requests to a workspace, before too many of its records are deleted. */
const ROUND = 1_000
const AT_ONCE = 16

let app: Harness
beforeAll(async () => {
  app = await start()
})
afterAll(() => app.close())

test(`${REQUESTS} odd requests get the answers that the document promises, and never a 5xx`, { timeout: limit(600_000) }, async () => {
  const faults: string[] = []
  const statuses: Record<number, number> = {}
  const random = anyValues(SEED)
  const begun = Date.now()
  for (let round = 0; round * ROUND < REQUESTS; round++) {
    const ws = await app.workspace()
    const known = { ...(await prepare(ws)), random }
    const numbers = Array.from({ length: Math.min(ROUND, REQUESTS - round * ROUND) }, (_, index) => round * ROUND + index)
    const todo = numbers.map((number) => [number, requestOf(drawOf(SEED + number), known)] as const).values()
    const work = async () => {
      for (const [number, request] of todo) {
        const { status, fault } = await ask(ws, request)
        statuses[status] = (statuses[status] ?? 0) + 1
        if (fault) faults.push(`${status} ${fault}\n  seed ${SEED}, request ${number}: ${show(request)}`)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  }
  console.log(`${REQUESTS} requests in ${((Date.now() - begun) / 1000).toFixed(1)} s: ${JSON.stringify(statuses)}`)
  expect(faults.slice(0, 60).join('\n\n'), `${faults.length} faults`).toBe('')
})

/** A workspace with records to request, and cursors of its lists. */
async function prepare(ws: TestWorkspace): Promise<Omit<Known, 'random'>> {
  const ids = await seed(app, ws)
  await seed(app, ws)
  const cursors: Record<string, string> = {}
  for (const operation of operations) {
    const { method, path } = operation.endpoint
    if (!isList(operation.endpoint) || method !== 'GET' || path.includes(':')) continue
    const { body } = await sendSample(app, ws, operation, ids, { query: { limit: '1' } })
    if (body.page?.next) cursors[path] = body.page.next
  }
  return { ids, cursors }
}

async function ask(ws: TestWorkspace, request: Request, again = true): Promise<{ status: number; fault: string | undefined }> {
  const { operation, method, path, headers, body } = request
  const key = operation.endpoint.access.public ? {} : { authorization: `Bearer ${ws.apiKey}` }
  const init = { method, headers: { ...key, ...headers }, ...(method !== 'GET' && body !== undefined && { body }) }
  try {
    const response = await app.fetch(baseOf(path) + path, init)
    return { status: response.status, fault: judge(request, response, await response.text()) }
  } catch (error) {
    // The runtime closes a connection whose body it left unread, perhaps under the next request.
    if (again) return ask(ws, request, false)
    return { status: 0, fault: `no answer: ${(error as Error).cause ?? error}` }
  }
}

function judge(
  { operation, path, body }: Request,
  { status, headers }: Awaited<ReturnType<Harness['fetch']>>,
  text: string,
): string | undefined {
  if (status >= 500) return `${text}\n  ${logged(headers.get('x-request-id'))}`
  const streams = mediaTypesOf(operation.endpoint)
  if (status === 200 && streams)
    return streams.includes(headers.get('content-type')?.split(';')[0] ?? '') ? undefined : `content-type ${headers.get('content-type')}`
  if (headers.get('content-type') !== 'application/json') return `content-type ${headers.get('content-type')}: ${text.slice(0, 200)}`
  if (!headers.get('x-request-id')) return 'no X-Request-Id'
  const faults = [
    ...(status === 200 && isPartial(path, body) ? [] : faultsOf(operation.endpoint, status, promised(path, JSON.parse(text)))),
    // The request log quotes messages of earlier requests.
    ...(UNCHECKED.test(text) && !path.includes('after=') && !path.startsWith('/requests') ? ['only the database found this'] : []),
  ]
  return faults.length > 0 ? `${faults.join('; ')}\n  ${text.slice(0, 600)}` : undefined
}

/** Whether the records of the response have only some of their fields: those that `fields` names, or the id of a deletion. */
function isPartial(path: string, sent: unknown): boolean {
  const { searchParams: query } = new URL(path, 'http://api.test')
  return query.has('fields') || query.get('deleted') === 'true' || (typeof sent === 'string' && sent.includes('"fields"'))
}

/** The body without the related records that `include` adds, which may stand in the place of fields. */
function promised(path: string, body: { data?: unknown }): unknown {
  const names = new URL(path, 'http://api.test').searchParams.get('include')?.split(',') ?? []
  const own = (item: unknown) =>
    typeof item === 'object' && item !== null ? Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name))) : item
  return Array.isArray(body.data) ? { ...body, data: body.data.map(own) } : body
}

const logged = (requestId: string | null) => app.logs.find((line) => requestId && line.includes(requestId))?.slice(0, 1_000) ?? ''
const show = ({ method, path, headers, body = '' }: Request) =>
  `${method} ${path.slice(0, 400)} ${JSON.stringify(headers)} ${body.slice(0, 800)}`
