import type { Env } from '../src/env.ts'
import type { Wish } from '../src/features/whatsapp/plans/watch.ts'

/** When the watch looks again after a look that failed, or that was cut short. */
const RETRY_MS = 60_000

/**
 * The Durable Object of one workspace's pairing with WhatsApp. It lets one look at the provider happen after the other, and wakes itself
 * for the next. What it knows is in the database, so its eviction or restart loses nothing; a lost alarm is made up for by cron.
 */
export class WhatsAppPairing {
  readonly #state: DurableObjectState
  readonly #env: Env
  /** The look that runs, and those that wait for it: requests with the same wish share one. */
  #running: Promise<void> = Promise.resolve()
  readonly #waiting = new Map<Wish, Promise<void>>()

  constructor(state: DurableObjectState, env: Env) {
    this.#state = state
    this.#env = env
  }

  /** Looks at once. The path is the id of the workspace, and the query the wish. */
  async fetch(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url)
    const workspaceId = pathname.slice(1)
    await this.#state.storage.put('workspace_id', workspaceId)
    await this.#look(workspaceId, search === '?pair' ? 'pair' : 'look')
    return new Response(null, { status: 204 })
  }

  /** The next alarm is set first, so that one that fails does not end the watch. */
  async alarm(): Promise<void> {
    const workspaceId = await this.#state.storage.get<string>('workspace_id')
    if (workspaceId === undefined) return
    await this.#state.storage.setAlarm(Date.now() + RETRY_MS)
    await this.#look(workspaceId, 'look')
  }

  #look(workspaceId: string, wish: Wish): Promise<void> {
    const waiting = this.#waiting.get(wish)
    if (waiting) return waiting
    const look = this.#running.then(() => {
      this.#waiting.delete(wish)
      return this.#watch(workspaceId, wish)
    })
    this.#waiting.set(wish, look)
    this.#running = look.catch(() => {})
    return look
  }

  async #watch(workspaceId: string, wish: Wish): Promise<void> {
    const { watch } = await import('../src/features/whatsapp/plans/watch.ts')
    const due = await watch(this.#env, workspaceId, wish)
    if (due) await this.#state.storage.setAlarm(Math.max(due.getTime(), Date.now() + 1000))
    else await this.#state.storage.deleteAlarm()
  }
}
