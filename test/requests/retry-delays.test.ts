import { expect, test, vi } from 'vitest'
import { consume } from '../../queues/index.ts'
import type { Env } from '../../src/env.ts'
import { newId } from '../../src/lib/ids.ts'

/** Nothing can be reached from it. */
const nowhere = {} as Env
const body = { type: 'work.run', kind: 'messages.send', workspace_id: newId() }

test.each([
  [1, 10],
  [2, 20],
  [4, 80],
  [9, 2560],
  [10, 3600],
])('a message that fails for the %d. time comes again after %d seconds', async (attempts, delaySeconds) => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  const [ack, retry] = [vi.fn(), vi.fn()]
  await consume({ queue: 'messages', messages: [{ id: 'm', body, attempts, ack, retry }] } as unknown as MessageBatch<unknown>, nowhere)
  logged.mockRestore()
  expect([ack.mock.calls, retry.mock.calls]).toEqual([[], [[{ delaySeconds }]]])
})
