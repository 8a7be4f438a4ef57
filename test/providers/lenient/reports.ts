import type { Missing, Open } from '../../../dev/lenient-forms.ts'
import { type Fixed, startLenientProxy } from '../../../dev/lenient-proxy.ts'
import { kindOf } from './comparing.ts'
import type { Done, Run } from './runs.ts'

type Kinds = Record<string, string>
type Emulator = { url: string; clear?(): void }
/**
 * What the calls of a provider's clients return: as its emulator answers, in other forms, and after errors. `unused`: the methods that no
 * call has.
 */
export type Report = Record<Missing | 'strict', Done> & { unused: string[]; errors: { answer: Fixed; kinds: Kinds }[]; empty: Kinds }

/** Statuses of a provider, or of what stands before it. */
export const STATUSES = [401, 403, 404, 429, 500, 503]
/** A model provider is asked again after so many seconds. */
const SOON = { 'retry-after': '0.001' }

export async function reportOf(run: Run, emulator: Emulator, open: Open): Promise<Report> {
  const watch = { methods: new Set<string>(), steps: new Set<string>() }
  const strict = await resultsOf(run, emulator, (address) => address, watch)
  const through = async (missing: Missing) => {
    const proxy = await startLenientProxy(emulator.url, open, missing)
    const done = await resultsOf(run, emulator, proxy.at, { methods: new Set(), steps: new Set() })
    await proxy.close()
    return done
  }
  const [given, absent, none] = [await through('given'), await through('absent'), await through('null')]
  // Each call gets what the ones before have returned in the last run, whose records the emulator has.
  const kinds = (answer: Fixed) => kindsOf(run, emulator, open, answer, none, watch.steps)
  const errors = await Promise.all(
    STATUSES.flatMap((status) => bodiesOf(open, status).map(async (answer) => ({ answer, kinds: await kinds(answer) }))),
  )
  const methods = methodsOf(run.clients((address) => address, emulator as never))
  return {
    strict,
    given,
    absent,
    null: none,
    errors,
    empty: await kinds({ status: 200, body: '' }),
    unused: methods.filter((method) => !watch.methods.has(method)),
  }
}

/** What was made of the answers with a status: as JSON, and in other forms. */
export const answersTo = (errors: Report['errors'], status: number): Kinds[] =>
  errors.filter(({ answer }) => answer.status === status).map(({ kinds }) => kinds)

const bodiesOf = ({ error }: Open, status: number): Fixed[] => [
  { status, body: error(status), headers: { ...SOON, 'content-type': 'application/json' } },
  { status, body: `<html><h1>${status}</h1></html>`, headers: { ...SOON, 'content-type': 'text/html' } },
  { status, body: '', headers: SOON },
]

/** What a call has returned, or how it has failed. */
const outcomeOf = (call: () => Promise<unknown>): Promise<unknown> =>
  call().catch((error: Error & { reason?: string }) => ({ thrown: error.constructor.name, reason: error.reason, message: error.message }))

type Watch = { methods: Set<string>; steps: Set<string> }
/** The results of all calls, one after the other. Notes the methods, and the steps that have called one. */
async function resultsOf(run: Run, emulator: Emulator, at: (address: string) => string, { methods, steps }: Watch): Promise<Done> {
  emulator.clear?.()
  const done: Done = {}
  let current = ''
  const clients = spied(run.clients(at, emulator as never), (method) => {
    methods.add(method)
    steps.add(current)
  })
  for (const [step, call] of Object.entries(run.calls)) {
    current = step
    done[step] = await outcomeOf(async () => call(clients as never, emulator as never, done))
  }
  return done
}

/** What each call makes of one answer. */
async function kindsOf(run: Run, emulator: Emulator, open: Open, answer: Fixed, done: Done, steps: Set<string>): Promise<Kinds> {
  const proxy = await startLenientProxy(emulator.url, open, 'given', answer)
  const clients = run.clients(proxy.at, emulator as never) as never
  const kinds = await Promise.all(
    Object.entries(run.calls)
      .filter(([step]) => steps.has(step))
      .map(async ([step, call]) => [step, kindOf(await outcomeOf(async () => call(clients, emulator as never, done)))]),
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
