import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../dev/settings.ts'
import { Message } from '../../queues/messages.ts'
import { KINDS, SETS, WORK_NAMES } from '../../queues/work/registry.ts'
import { MAX_ATTEMPTS } from '../../src/features/dead-letters/rules/dead-letters.ts'
import { WOKEN } from '../../src/wake.ts'
import { expectWritten } from '../requests/written-rows.ts'

/** Sets that are claimed by the hundred thousand, with claims of their own, and refreshes of access tokens, which are no work. */
const REGISTERED = ['automation-runs.sql', 'outgoing-requests.sql', 'webhook-deliveries.sql']
const ASSIGNS = /(?<![\w.])(claim_id|claimed_until|leased_until)\s*=(?!=)(?!\s*(p_claim|any)\b)/

test('only the mechanism and the registered sets write the columns of a claim', () => {
  const functions = join(root, 'schema/functions')
  const writers = readdirSync(functions).filter((file) => {
    // A comparison is within a condition; an assignment follows `set` or a comma.
    const text = readFileSync(join(functions, file), 'utf8').replaceAll(/refresh_claim\w+/g, '')
    return [...text.matchAll(/\bset\s([\s\S]*?)(?:\bfrom\b|\bwhere\b|\breturning\b|;)/g)].some(([, set]) => ASSIGNS.test(set as string))
  })
  expect(writers).toEqual(REGISTERED)
  const programs = ['src', 'routes', 'queues', 'cron', 'objects'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => join(entry.parentPath, entry.name)),
  )
  const inTypeScript = programs.filter((file) => /set\s[^`]*\b(claim_id|claimed_until)\s*=/.test(readFileSync(file, 'utf8')))
  expect(inTypeScript).toEqual([])
})

test('whoever wakes work sends its message to its own queue', () => {
  const queueOf = Object.fromEntries([...KINDS, ...SETS].map(({ name, queue }) => [name, queue]))
  for (const [name, queue] of Object.entries(WOKEN)) expect([name, queueOf[name]]).toEqual([name, queue])
})

test('messages have at most twelve types', () => {
  expect(Message.options.length).toBeLessThanOrEqual(12)
})

test('the names of work are distinct, and each kind bounds what a message and a worker do', () => {
  expect(new Set(WORK_NAMES).size).toBe(KINDS.length + SETS.length)
  expect(SETS.filter(({ run }) => !run)).toEqual([])
  for (const { name, atOnce, claims, lease, retry = [] } of KINDS) {
    expect(atOnce, name).toBeLessThanOrEqual(6)
    expect(claims, name).toBeLessThanOrEqual(100)
    expect(lease, name).toBeLessThanOrEqual(600)
    expect(retry.length, name).toBeLessThanOrEqual(2 * MAX_ATTEMPTS)
  }
})

/** The columns that a failure writes, without their times. */
const shownOf = (value: object | undefined) => JSON.stringify(value ?? {}).replaceAll(/"\d{4}-\d\d-\d\dT[^"]+"/g, '"now"')

test('the bounds and times of each kind, and what its failures write, are recorded (WRITTEN=write records them)', () => {
  const kinds = KINDS.map(({ name, queue, lease, atOnce, inTurn, claims, workers, retry, isReplayed, emits, failed }) => [
    name,
    [
      `claims ${atOnce} at once${inTurn ? ', in turn' : ''}, for ${lease} s`,
      `continues after ${claims} claims with another message of ${queue}, with ${workers ?? 1} workers`,
      `repeats after ${retry ? `${retry.join(', ')} s` : 'another delivery'}`,
      `ends${isReplayed ? ' with a dead letter' : ''}${emits ? ' with events' : ''}`,
      ...(failed ? [false, true].map((isLast) => `writes ${shownOf(failed('why', isLast))} ${isLast ? 'at last' : 'before'}`) : []),
    ].sort(),
  ])
  expectWritten('kinds.txt', Object.fromEntries(kinds))
})
