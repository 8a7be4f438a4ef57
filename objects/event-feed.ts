import { MOST_READERS } from '../src/domain/events.ts'
import { type Env, jobsDatabaseOf } from '../src/env.ts'
import { sleep } from '../src/lib/sleep.ts'

/** The least time between two polls. */
const POLL_MS = 1000
/** A reader that has sent nothing for this long is dismissed. Readers that wait send their position with every heartbeat. */
const SILENT_MS = 150_000

/** `past`: the position behind which it waits for events; undefined while it reads. `sentAt`: when it last sent its position. */
type Reader = { past: bigint | undefined; sentAt: number }

/**
 * The Durable Object of one workspace. Every reader that waits for its events is connected to it. While a reader is connected, it asks the
 * database once a second how far the feed goes, and notifies the readers whose position is before that. They then read their own page with
 * their own authority: no event passes through here. It stores nothing; when it is stopped, its readers lose their connections and ask
 * again.
 */
export class EventFeed {
  readonly #env: Env
  readonly #readers = new Map<WebSocket, Reader>()
  #newest = 0n
  #polling = false

  constructor(_: DurableObjectState, env: Env) {
    this.#env = env
  }

  /** Connects a reader to the workspace whose id is the path. 429 when too many are connected. */
  async fetch(request: Request): Promise<Response> {
    if (this.#readers.size >= MOST_READERS) return new Response(null, { status: 429 })
    const { 0: theirs, 1: own } = new WebSocketPair()
    this.#admit(own)
    if (!this.#polling) void this.#poll(new URL(request.url).pathname.slice(1))
    return new Response(null, { status: 101, webSocket: theirs })
  }

  #admit(socket: WebSocket): void {
    socket.accept()
    this.#readers.set(socket, { past: undefined, sentAt: Date.now() })
    socket.addEventListener('message', ({ data }) => {
      this.#readers.set(socket, { past: BigInt(String(data)), sentAt: Date.now() })
      this.#wake(socket)
    })
    socket.addEventListener('close', () => this.#dismiss(socket))
    socket.addEventListener('error', () => this.#dismiss(socket))
  }

  #dismiss(socket: WebSocket): void {
    if (!this.#readers.delete(socket)) return
    try {
      socket.close()
    } catch {
      // Its reader is gone already.
    }
  }

  /** Tells a reader if there are events behind its position. */
  #wake(socket: WebSocket): void {
    const reader = this.#readers.get(socket)
    if (reader?.past === undefined || reader.past >= this.#newest) return
    reader.past = undefined
    try {
      socket.send('')
    } catch {
      this.#dismiss(socket)
    }
  }

  /** Polls until nobody is connected. A reader has just read when it connects, so the first poll is a second later. */
  async #poll(workspaceId: string): Promise<void> {
    this.#polling = true
    try {
      for (let left = POLL_MS; ; ) {
        await sleep(left)
        for (const [socket, { sentAt }] of this.#readers) if (Date.now() - sentAt > SILENT_MS) this.#dismiss(socket)
        if (this.#readers.size === 0) break
        const begun = Date.now()
        await this.#ask(workspaceId)
        for (const socket of this.#readers.keys()) this.#wake(socket)
        left = Math.max(0, begun + POLL_MS - Date.now())
      }
    } finally {
      this.#polling = false
    }
  }

  /** Asks how far the feed goes. A failure is repeated with the next poll; `batch` logs it. */
  async #ask(workspaceId: string): Promise<void> {
    const { newestPosition } = await import('../src/features/events/plans/newest.ts')
    this.#newest = await newestPosition(jobsDatabaseOf(this.#env), workspaceId).catch(() => this.#newest)
  }
}
