import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seed } from '../contract/seed.ts'
import { type Harness, start } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import { BOOKINGS } from './late-booking-cases.ts'
import { type Case, call, callsOf, NOBODY, wroteAndLocked } from './late-calls.ts'
import { LOCKED, NOT_ASKED_AGAIN } from './late-exceptions.ts'
import { MESSAGES } from './late-message-cases.ts'
import { RECORDS } from './late-record-cases.ts'
import { SCOPES } from './late-scope-cases.ts'
import { WORK } from './late-work-cases.ts'
import { expectWritten, namesOf, plain, reportWrites } from './written-rows.ts'

/**
 * What was read in one transaction is asked again by the function that writes in the next: called with what another worker or request
 * has replaced, it changes nothing, and with what stands it does. The functions are those of the catalogue that take a former value, or
 * that end what a worker has begun. Neither changes or locks a row beside that of the case, and what a function locks stays locked also
 * when it changes nothing.
 */
let app: Harness
let ws: TestWorkspace
let names: Map<string, string>
const written: Record<string, string[]> = {}
beforeAll(async () => {
  app = await start({ own: true })
  ws = await app.workspace()
  names = namesOf({ ...(await seed(app, ws)), other: NOBODY })
  await app.drain()
  await reportWrites(app.owner)
}, 120_000)
afterAll(() => app.close())

const CASES: Record<string, Case> = { ...WORK, ...RECORDS, ...MESSAGES, ...BOOKINGS, ...SCOPES }
/** The function of a case: what follows its name says in which state its row is. */
const functionOf = (name: string) => name.split(' ')[0] as string

/** The parameters that have what was read before, if the function does not only read. */
const FORMER =
  /^p_(version|attempts|state|turn|last|after|was|paid|known|digest|read_at|sequence|batch|channel|from|before|expected|basis)$/
const ENDING =
  /^(settle|save|end|fail|finish|complete|conclude|decide|take|hold|await|lock|move|disable|fire|store|refresh|pause|enrol|cancel|flag)_/

type Found = { name: string; parameters: string[] | null; isRead: boolean; isOfWorkers: boolean; takesClaim: boolean; locks: boolean }
let found: Found[]
beforeAll(async () => {
  const { rows } = await app.owner.query<Found>(
    `select p.proname as name, p.proargnames as parameters, p.provolatile <> 'v' as "isRead",
      coalesce(p.prosrc, '') ~ '\\mfor (no key )?(key )?(update|share)\\M' as locks,
         coalesce('p_claim' = any (p.proargnames), false) as "takesClaim",
         exists (select from aclexplode(p.proacl) a where a.grantee = 'jobs'::regrole) as "isOfWorkers"
       from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prokind = 'f'`,
  )
  found = rows
})

test('each function that takes a former value, or ends what a worker has begun, has a case or a reason to have none', () => {
  const wanted = found.filter(
    ({ name, parameters, isRead, isOfWorkers, takesClaim }) =>
      // Those that take a claim are in late-claims.test.ts.
      !isRead && !takesClaim && (parameters?.some((parameter) => FORMER.test(parameter)) || (isOfWorkers && ENDING.test(name))),
  )
  const names = new Set(wanted.map(({ name }) => name))
  const treated = new Set([...Object.keys(CASES).map(functionOf), ...Object.values(NOT_ASKED_AGAIN).flat()])
  expect([...names].filter((name) => !treated.has(name)).sort()).toEqual([])
  const present = new Set(found.map(({ name }) => name))
  expect([...treated].filter((name) => !present.has(name))).toEqual([])
})

describe('what another worker or request has replaced changes nothing, and what stands does, by', () => {
  test.each(Object.entries(CASES))('%s', async (name, one) => {
    const { parameters, locks } = found.find((each) => each.name === functionOf(name)) as Found
    const called = await callsOf(app, ws.id, functionOf(name), one, parameters?.includes('p_workspace') ?? false)
    const present = await called()
    expect(present.refused).toBeUndefined()
    const texts = [...wroteAndLocked(present, names), `returns ${plain(present.result ?? null, present.now, names)}`]
    const locked = new Set(present.changed.length === 0 ? present.locked : [])
    if (one.changes) expect(present.changed).toContain(one.changes)
    if (one.accepted ?? one.afterwards) expect(present.result).toBe(true)
    const beside = await called({}, true)
    expect(beside, 'beside other rows').toMatchObject({ changed: present.changed, touched: one.touches ?? [] })
    if (one.accepted ?? one.afterwards) expect(beside.result, 'beside other rows').toBe(true)
    if (!one.isAboutAll) expect(beside.twins, `twins: ${beside.refusals}`).toBe(2)
    for (const [reason, late] of Object.entries(one.late)) {
      const outcome = await called(late)
      expect(
        outcome.changed.filter((table) => !one.also?.includes(table)),
        reason,
      ).toEqual([])
      if (one.accepted ?? one.afterwards) expect(outcome.result === true, reason).toBe(false)
      texts.push(`after ${reason}: ${outcome.refused === undefined ? plain(outcome.result ?? null, outcome.now, names) : outcome.refused}`)
      if (outcome.changed.length === 0) for (const table of outcome.locked) locked.add(table)
    }
    written[name] = texts.sort()
    if (locks) expect(LOCKED, 'what it locks is listed').toHaveProperty(functionOf(name))
    expect([...locked], 'what it locks').toEqual(expect.arrayContaining(LOCKED[name] ?? []))
  })
})

test('each writes, returns and refuses what is recorded of it (WRITTEN=write records it)', () => {
  expectWritten('late-facts.txt', written)
})

test.each([
  ['fold_workspaces', 'opportunity_deltas', ' opportunity counts'],
  ['fold_record_counts_after', 'record_count_deltas', ' record counts'],
])('%s goes on after the workspace that it is given, also when another worker has that one', async (name, table, lock) => {
  const [first, last] = [NOBODY, NOBODY.replace(/1$/, '2')]
  const added = [first, last].map(
    (id) =>
      `insert into ${table} select (jsonb_populate_record(d, jsonb_build_object('workspace_id', '${id}', 'id', uuidv7()))).* from ${table} d
        where d.workspace_id = '${ws.id}' limit 1`,
  )
  const text = `with recursive pages(at, n) as (select ${name}(null, 1), 1 union all select ${name}(at, 1), n + 1 from pages
    where at is not null and n < 1000)
    select array_agg(at) filter (where at in ('${first}', '${last}')) = array['${first}', '${last}']::uuid[] from pages`
  const left = `select array_agg(distinct workspace_id)::text as left from ${table} where workspace_id in ('${first}', '${last}')`
  const worker = await app.owner.connect()
  try {
    await worker.query(`select pg_advisory_lock(hashtextextended('${first}${lock}', 0))`)
    expect(await call(app, ws.id, added, { text })).toMatchObject({ result: true })
    expect(await call(app, ws.id, added, { text }, { afterwards: left })).toMatchObject({ result: `{${first}}` })
  } finally {
    await worker.query('select pg_advisory_unlock_all()')
    worker.release()
  }
})
