import type { Hono } from 'hono'
import { startNeonProxy } from '../../dev/neon-proxy.ts'
import type { Env } from '../../src/env.ts'
import type { App } from '../../src/http/router.ts'
import { createDatabase, openPool } from '../database.ts'
import { FILE_SECRET } from '../harness.ts'
import { createTestWorkspace } from '../workspace.ts'

/** Calls a router in this process, on a database of its own: for endpoints and middleware that the Worker does not serve. */
export async function startInProcess() {
  const { name, url } = await createDatabase()
  const owner = openPool(url, 2)
  const proxy = await startNeonProxy({ postgresPort: Number(new URL(url).port) })
  const pending: Promise<unknown>[] = []
  const sent: unknown[] = []
  const queue = { send: async (message: unknown) => void sent.push(message) }
  /** The keys that each rate limit was asked about. */
  const limited: Record<string, string[]> = { RATE_LIMIT: [], SEND_RATE_LIMIT: [], WORKSPACE_RATE_LIMIT: [], ADDRESS_RATE_LIMIT: [] }
  const rateLimit = (binding: string, most: number) => ({
    limit: async ({ key }: { key: string }) => ({ success: (limited[binding] as string[]).push(key) <= most }),
  })
  const env = {
    DATABASE_URL: `postgres://app:app@db.local/${name}`,
    DATABASE_JOBS_URL: `postgres://jobs:jobs@db.local/${name}`,
    NEON_PROXY: proxy.url,
    FILE_SECRET,
    REQUEST_LOG_MILLISECONDS: '1',
    EVENTS: queue,
    REQUESTS: queue,
    RATE_LIMIT: rateLimit('RATE_LIMIT', 1e9),
    SEND_RATE_LIMIT: rateLimit('SEND_RATE_LIMIT', 2),
    WORKSPACE_RATE_LIMIT: rateLimit('WORKSPACE_RATE_LIMIT', 1e9),
    ADDRESS_RATE_LIMIT: rateLimit('ADDRESS_RATE_LIMIT', 1e9),
  } as unknown as Env
  const context = { waitUntil: (promise: Promise<unknown>) => void pending.push(promise), passThroughOnException: () => {}, props: {} }
  const workspace = await createTestWorkspace(owner, () => Promise.reject(new Error('call a router')))

  return {
    owner,
    workspace,
    env,
    limited,
    trips: () => proxy.trips,
    call: (router: Hono<App>, path: string, init: RequestInit = {}) => router.request(path, init, env, context),
    /** With the key of the workspace's owner. */
    callWithKey: (router: Hono<App>, path: string, init: RequestInit = {}) =>
      router.request(path, { ...init, headers: { authorization: `Bearer ${workspace.apiKey}`, ...init.headers } }, env, context),
    async close() {
      await Promise.allSettled(pending)
      await Promise.all([proxy.close(), owner.end()])
    },
  }
}
