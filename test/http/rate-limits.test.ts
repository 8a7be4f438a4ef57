import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { unstable_readConfig } from 'wrangler'
import { root } from '../../dev/settings.ts'
import { meRouter } from '../../routes/access/keys.ts'
import type { Env } from '../../src/env.ts'
import { startInProcess } from './in-process.ts'

let crm: Awaited<ReturnType<typeof startInProcess>>
beforeAll(async () => {
  crm = await startInProcess()
})
afterAll(() => crm.close())

/** Replaces a limiter while `act` runs. */
async function withLimiter<Out>(binding: keyof Env, limit: () => Promise<{ success: boolean }>, act: () => Promise<Out>): Promise<Out> {
  const real = crm.env[binding]
  Object.assign(crm.env, { [binding]: { limit } })
  try {
    return await act()
  } finally {
    Object.assign(crm.env, { [binding]: real })
  }
}

const me = async () => crm.callWithKey(meRouter, '/')

test('a request counts for its key, by the hash of the key, and for its workspace, from the first one on', async () => {
  expect((await me()).status).toBe(200)
  expect(crm.limited.WORKSPACE_RATE_LIMIT).toEqual([crm.workspace.id])
  expect((await me()).status).toBe(200)
  expect(crm.limited.WORKSPACE_RATE_LIMIT).toEqual([crm.workspace.id, crm.workspace.id])
  const [first, second] = crm.limited.RATE_LIMIT!
  expect(first).toMatch(/^[0-9a-f]{64}$/)
  expect(second).toBe(first)
  expect(crm.limited.ADDRESS_RATE_LIMIT).toEqual([])
})

test('a workspace with too many requests gets 429, whichever of its keys', async () => {
  await me()
  const response = await withLimiter('WORKSPACE_RATE_LIMIT', async () => ({ success: false }), me)
  expect(response.status).toBe(429)
  expect(response.headers.get('ratelimit-policy')).toBe('"workspace";q=1000;w=10')
  expect(await response.json()).toMatchObject({ error: { code: 'RATE_LIMITED', details: { limit: 'workspace' } } })
})

test('a limiter that fails lets requests pass, and is logged', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  const fail = () => Promise.reject(new Error('the limiter is down'))
  expect((await withLimiter('RATE_LIMIT', fail, me)).status).toBe(200)
  expect(logged.mock.calls.flat().join()).toMatch(/a rate limit failed and was passed.*RATE_LIMIT.*the limiter is down/)
  logged.mockRestore()
})

test('the limits that a refusal names are those of wrangler.toml', async () => {
  const config: { ratelimits: { name: string; simple: object }[] } = unstable_readConfig({ config: join(root, 'wrangler.toml') })
  const limits = Object.fromEntries(config.ratelimits.map(({ name, simple }) => [name, simple]))
  expect(limits).toEqual({
    RATE_LIMIT: { limit: 100, period: 10 },
    SEND_RATE_LIMIT: { limit: 20, period: 10 },
    WORKSPACE_RATE_LIMIT: { limit: 1000, period: 10 },
    ADDRESS_RATE_LIMIT: { limit: 20, period: 10 },
  })
})
