import type { Env } from '../env.ts'
import { sleep } from '../lib/sleep.ts'
import type { RequestLogEntry } from './request-log.ts'

/** A message of the requests queue. */
export type LogMessage = { type: 'requests.answered'; isolate: string; entries: RequestLogEntry[] }

/** The limits of one message: entries and characters. A queue message has at most 128 KB, and a character at most three bytes. */
const MAX_ENTRIES = 100
const MAX_CHARACTERS = 40_000
/** The number of keys whose requests an isolate numbers at a time. */
const MAX_KEYS = 10_000

type Batch = { isolate: string; entries: RequestLogEntry[]; characters: number; begun: number; sent: boolean }

/**
 * Collects the log entries of an isolate and sends them to the queue in one message every REQUEST_LOG_MILLISECONDS, or when a message is
 * full. Entries of an isolate that is evicted first are lost. Entries are numbered by isolate and key, so a loss shows as a missing number,
 * and only to its workspace.
 */
export class LogBuffer {
  #batch: Batch | undefined
  /** Created with the first entry, because Workers allow no random values outside a request. */
  #isolate: string | undefined
  readonly #sequences = new Map<string, number>()

  /** Resolves when the entry is sent, or at once when another request is responsible for sending the batch. */
  async add(env: Env, entry: RequestLogEntry, keyHash: string): Promise<void> {
    const delay = Number(env.REQUEST_LOG_MILLISECONDS)
    const isolate = this.#isolateFor(keyHash)
    const numbered = { ...entry, sequence: this.#next(keyHash) }
    const characters = JSON.stringify(numbered).length
    const closed = this.#closeUnless(
      (open) => open.isolate === isolate && open.characters + characters <= MAX_CHARACTERS && !isLate(open, delay),
    )
    const batch = this.#batch ?? { isolate, entries: [], characters: 0, begun: Date.now(), sent: false }
    this.#batch = batch
    batch.entries.push(numbered)
    batch.characters += characters
    if (batch.entries.length >= MAX_ENTRIES) await this.#send(env, batch)
    else if (batch.entries.length === 1) await sleep(delay).then(() => this.#send(env, batch))
    if (closed) await this.#send(env, closed)
  }

  /** Closes and returns the open batch if it cannot take the next entry. */
  #closeUnless(fits: (open: Batch) => boolean): Batch | undefined {
    const open = this.#batch
    if (!open || fits(open)) return undefined
    this.#batch = undefined
    return open
  }

  async #send(env: Env, batch: Batch): Promise<void> {
    if (batch.sent) return
    batch.sent = true
    if (this.#batch === batch) this.#batch = undefined
    const message: LogMessage = { type: 'requests.answered', isolate: batch.isolate, entries: batch.entries }
    try {
      await env.REQUESTS.send(message)
    } catch (error) {
      const request_ids = batch.entries.map(({ id }) => id)
      console.error(JSON.stringify({ level: 'warn', message: 'requests were not logged', request_ids, error: String(error) }))
    }
  }

  /** A restarted count gets a new isolate name, so that no pair of isolate and number is used twice. */
  #isolateFor(keyHash: string): string {
    if (this.#isolate === undefined || (!this.#sequences.has(keyHash) && this.#sequences.size >= MAX_KEYS)) {
      this.#isolate = crypto.randomUUID().replaceAll('-', '').slice(0, 12)
      this.#sequences.clear()
    }
    return this.#isolate
  }

  #next(keyHash: string): number {
    const next = (this.#sequences.get(keyHash) ?? 0) + 1
    this.#sequences.set(keyHash, next)
    return next
  }
}

/** Whether the request that opened the batch should have sent it by now, so its context must have ended. */
const isLate = ({ begun }: Batch, delay: number) => Date.now() - begun > 2 * delay + 1000
