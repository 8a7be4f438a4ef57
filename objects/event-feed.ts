import { MOST_READERS } from '../src/domain/events.ts'
import { type Env, jobsDatabaseOf } from '../src/env.ts'
import { sleep } from '../src/lib/sleep.ts'

/** The least time between two polls. */
const POLL_MS = 1000
/** A reader that has said nothing for so long is gone. Those who wait say where they are with every heartbeat. */
const SILENT_MS = 150_000

/** `behind`: the position behind which it waits for events; undefined while it reads. `heard`: when it last said something. */
type Reader = { behind: bigint | undefined; heard: number }

/**
 * The object of one workspace (a Durable Object), to which everyone is connected who waits for its events. It asks the database once a second how far the feed goes, but only
 * while somebody is connected, and tells those whose position is behind that. They then read their own page with their own authority: no event
 * passes through here. It stores nothing; when it is stopped, its readers lose their connections and ask again.
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
    this.#readers.set(socket, { behind: undefined, heard: Date.now() })
    socket.addEventListener('message', ({ data }) => {
      this.#readers.set(socket, { behind: BigInt(String(data)), heard: Date.now() })
      this.#tell(socket)
    })
    socket.addEventListener('close', () => this.#dismiss(socket))
    socket.addEventListener('error', () => this.#dismiss(socket))
  }

  #dismiss(socket: WebSocket): void {
    if (this.#readers.delete(socket)) socket.close()
  }

  /** Tells a reader if there are events behind its position. */
  #tell(socket: WebSocket): void {
    const reader = this.#readers.get(socket)
    if (reader?.behind === undefined || reader.behind >= this.#newest) return
    reader.behind = undefined
    socket.send('')
  }

  /** Polls until nobody is connected. A reader has just read when it connects, so the first poll is a second later. */
  async #poll(workspaceId: string): Promise<void> {
    this.#polling = true
    const { newestPosition } = await import('../src/services/events/newest.ts')
    for (let left = POLL_MS; ; ) {
      await sleep(left)
      for (const [socket, { heard }] of this.#readers) if (Date.now() - heard > SILENT_MS) this.#dismiss(socket)
      if (this.#readers.size === 0) break
      const begun = Date.now()
      // A poll that fails is repeated; readers who come to read find out for themselves.
      this.#newest = await newestPosition(jobsDatabaseOf(this.#env), workspaceId).catch(() => this.#newest)
      for (const socket of this.#readers.keys()) this.#tell(socket)
      left = Math.max(0, begun + POLL_MS - Date.now())
    }
    this.#polling = false
  }
}
