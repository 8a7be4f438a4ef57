import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Env } from '../../src/env.ts'
import { LogBuffer, type LogMessage } from '../../src/http/log-buffer.ts'
import type { RequestLogEntry } from '../../src/http/request-log.ts'

const DELAY = 800
let sent: LogMessage[]
let buffer: LogBuffer
beforeEach(() => {
  vi.useFakeTimers()
  sent = []
  buffer = new LogBuffer()
})
afterEach(() => {
  vi.useRealTimers()
})

const send = async (message: LogMessage) => void sent.push(message)
const env = { REQUEST_LOG_MILLISECONDS: String(DELAY), REQUESTS: { send } } as unknown as Env
const add = (id: string | number, key = 'key', path = '/contacts') => buffer.add(env, { id: String(id), path } as RequestLogEntry, key)
const ids = () => sent.map(({ entries }) => entries.map(({ id }) => id))

test('entries are sent together after the delay, and not before', async () => {
  const first = add(1)
  await add(2)
  await vi.advanceTimersByTimeAsync(DELAY - 1)
  expect(sent).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  await first
  void add(3)
  await vi.advanceTimersByTimeAsync(DELAY)
  expect(ids()).toEqual([['1', '2'], ['3']])
})

test('a message with a hundred entries is sent at once, and once', async () => {
  for (let n = 0; n < 99; n++) void add(n)
  expect(sent).toEqual([])
  void add(99)
  void add(100)
  expect(sent.map(({ entries }) => entries.length)).toEqual([100])
  await vi.advanceTimersByTimeAsync(DELAY)
  expect(sent.map(({ entries }) => entries.length)).toEqual([100, 1])
})

test('an entry that does not fit into 40,000 characters begins the next message, and none is lost or sent twice', async () => {
  for (let n = 0; n < 10; n++) void add(n, 'key', 'x'.repeat(9_000))
  await vi.advanceTimersByTimeAsync(2 * DELAY)
  expect(sent.map(({ entries }) => entries.length)).toEqual([4, 4, 2])
  expect(ids().flat()).toEqual(Array.from({ length: 10 }, (_, n) => String(n)))
  for (const { entries } of sent) expect(JSON.stringify(entries).length).toBeLessThan(40_100)
})

test('a request whose context has ended before it sent its entries leaves them to the next one', async () => {
  void add(1)
  // Its timer never fires.
  vi.clearAllTimers()
  vi.setSystemTime(Date.now() + 2 * DELAY + 1000)
  await add(2)
  expect(sent).toEqual([])
  vi.setSystemTime(Date.now() + 1)
  const third = add(3)
  await vi.advanceTimersByTimeAsync(DELAY)
  await third
  expect(ids().toSorted()).toEqual([['1', '2'], ['3']])
})

test('an isolate numbers the requests of ten thousand keys; a count that begins again has another name', async () => {
  for (let n = 0; n < 10_000; n++) void add(n, `key ${n}`)
  void add('again', 'key 0')
  void add('more', 'key 10000')
  void add('begun again', 'key 0')
  await vi.advanceTimersByTimeAsync(2 * DELAY)
  const found = (id: string) => {
    const message = sent.find(({ entries }) => entries.some((entry) => entry.id === id)) as LogMessage
    return { isolate: message.isolate, sequence: message.entries.find((entry) => entry.id === id)?.sequence }
  }
  const { isolate } = found('0')
  expect(isolate).toMatch(/^[0-9a-f]{12}$/)
  expect([found('9999'), found('again')]).toEqual([
    { isolate, sequence: 1 },
    { isolate, sequence: 2 },
  ])
  const more = found('more')
  expect(more.isolate).not.toBe(isolate)
  expect([more.sequence, found('begun again')]).toEqual([1, { isolate: more.isolate, sequence: 1 }])
})
