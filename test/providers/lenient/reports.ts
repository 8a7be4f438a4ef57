import type { Missing, Open } from '../../../dev/lenient-forms.ts'
import { type Fixed, startLenientProxy } from '../../../dev/lenient-proxy.ts'
import { kindOf, meaningOf } from './comparing.ts'
import { nameOf, type Refusal } from './refusals.ts'
import type { Done, Run } from './runs.ts'

type Kinds = Record<string, string>
type Emulator = { url: string; clear?(): void }
/**
 * What the calls of a provider's clients return: as its emulator answers, in other forms, and after errors. `unused`: the methods that no
 * call has. `requests`: what each call has sent. `meanings`: what each call makes of an answer, by the answer.
 */
export type Report = Record<Missing | 'strict', Done> & {
  unused: string[]
  requests: Record<string, string[]>
  errors: { answer: Fixed; kinds: Kinds }[]
  empty: Kinds
  meanings: Record<string, Kinds>
}

/** Statuses of a provider, or of what stands before it. */
export const STATUSES = [401, 403, 404, 429, 500, 503]
/** Statuses on both sides of each bound, and those that a client may tell from their neighbours. */
const EVERY_STATUS = [
  200, 201, 299, 300, 304, 399, 400, 401, 402, 403, 404, 405, 408, 409, 410, 413, 422, 429, 499, 500, 503, 507, 529, 599,
]
/** A model provider is asked again after so many seconds. */
const SOON = { 'retry-after': '0.001' }

export async function reportOf(run: Run, emulator: Emulator, open: Open, refusals: readonly Refusal[] = []): Promise<Report> {
  const watch = newWatch()
  const strict = await resultsOf(run, emulator, (address) => address, watch)
  const requests: Report['requests'] = {}
  const through = async (missing: Missing) => {
    const own = newWatch()
    const note = (text: string) => {
      requests[own.step] = [...(requests[own.step] ?? []), text]
    }
    const proxy = await startLenientProxy(emulator.url, open, missing, missing === 'given' ? { note } : {})
    const done = await resultsOf(run, emulator, proxy.at, own)
    await proxy.close()
    return done
  }
  const [given, absent, none] = [await through('given'), await through('absent'), await through('null')]
  // Each call gets what the ones before have returned in the last run, whose records the emulator has.
  const kinds = (answer: Fixed, describe = kindOf) => kindsOf(run, emulator, { open, answer, done: none, steps: watch.steps, describe })
  const errors = await Promise.all(
    STATUSES.flatMap((status) => bodiesOf(open, status).map(async (answer) => ({ answer, kinds: await kinds(answer) }))),
  )
  const answers = [
    ...EVERY_STATUS.map((status) => [String(status), asJson(status, open.error(status))] as const),
    ...refusals.map(([status, body]) => [nameOf(status, body), asJson(status, JSON.stringify(body))] as const),
  ]
  const meanings: Report['meanings'] = {}
  // One answer after the other: calls that wait for each other for too long would end as if nobody had answered.
  for (const [name, answer] of answers) meanings[name] = await kinds(answer, (result) => meaningOf(result, answer.status))
  const methods = methodsOf(run.clients((address) => address, emulator as never))
  return {
    strict,
    given,
    absent,
    null: none,
    requests,
    errors,
    empty: await kinds({ status: 200, body: '' }),
    meanings,
    unused: methods.filter((method) => !watch.methods.has(method)),
  }
}

/** What was made of the answers with a status: as JSON, and in other forms. */
export const answersTo = (errors: Report['errors'], status: number): Kinds[] =>
  errors.filter(({ answer }) => answer.status === status).map(({ kinds }) => kinds)

const asJson = (status: number, body: string): Fixed => ({ status, body, headers: { ...SOON, 'content-type': 'application/json' } })

const bodiesOf = ({ error }: Open, status: number): Fixed[] => [
  asJson(status, error(status)),
  { status, body: `<html><h1>${status}</h1></html>`, headers: { ...SOON, 'content-type': 'text/html' } },
  { status, body: '', headers: SOON },
]

/** What a call has returned, or how it has failed. */
const outcomeOf = (call: () => Promise<unknown>): Promise<unknown> =>
  call().catch((error: Error & { reason?: string }) => ({ thrown: error.constructor.name, reason: error.reason, message: error.message }))

/** The methods that were called, the steps that have called one, and the step that is under way. */
type Watch = { methods: Set<string>; steps: Set<string>; step: string }
const newWatch = (): Watch => ({ methods: new Set(), steps: new Set(), step: '' })

/** The results of all calls, one after the other. */
async function resultsOf(run: Run, emulator: Emulator, at: (address: string) => string, watch: Watch): Promise<Done> {
  emulator.clear?.()
  const done: Done = {}
  const clients = spied(run.clients(at, emulator as never), (method) => {
    watch.methods.add(method)
    watch.steps.add(watch.step)
  })
  for (const [step, call] of Object.entries(run.calls)) {
    watch.step = step
    done[step] = await outcomeOf(async () => call(clients as never, emulator as never, done))
  }
  return done
}

type Asking = { open: Open; answer: Fixed; done: Done; steps: Set<string>; describe(result: unknown): string }
/** What each call makes of one answer. */
async function kindsOf(run: Run, emulator: Emulator, { open, answer, done, steps, describe }: Asking): Promise<Kinds> {
  const proxy = await startLenientProxy(emulator.url, open, 'given', { answer })
  const clients = run.clients(proxy.at, emulator as never) as never
  const kinds = await Promise.all(
    Object.entries(run.calls)
      .filter(([step]) => steps.has(step))
      .map(async ([step, call]) => [step, describe(await outcomeOf(async () => call(clients, emulator as never, done)))]),
  )
  await proxy.close()
  return Object.fromEntries(kinds)
}

const methodsOf = (clients: Record<string, object>) =>
  Object.entries(clients).flatMap(([name, client]) =>
    Object.entries(client).flatMap(([method, value]) => (typeof value === 'function' ? [`${name}.${method}`] : [])),
  )

const spied = (clients: Record<string, object>, note: (method: string) => void) =>
  Object.fromEntries(
    Object.entries(clients).map(([name, client]) => [
      name,
      new Proxy(client, {
        get(target, method) {
          note(`${name}.${String(method)}`)
          return Reflect.get(target, method)
        },
      }),
    ]),
  )
