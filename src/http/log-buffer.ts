import type { Env } from '../env.ts'
import { sleep } from '../lib/sleep.ts'
import type { RequestLogEntry } from './request-log.ts'

/** A message of the requests queue. */
export type LogMessage = { type: 'requests.answered'; isolate: string; entries: RequestLogEntry[] }

/** As many entries as are sent together, and as many characters: a message has at most 128 KB, of up to three bytes for each. */
const MOST_ENTRIES = 100
const MOST_CHARACTERS = 40_000
/** Keys that are counted at once. */
const MOST_KEYS = 10_000

type Batch = { isolate: string; entries: RequestLogEntry[]; characters: number; begun: number; sent: boolean }

/**
 * The log entries of an isolate on their way to the queue: one message for all of REQUEST_LOG_MILLISECONDS, or for as many as fit in it. Entries of an
 * isolate that ends first are lost. Each is numbered by isolate and key, so a loss shows as a number that is missing, to its own workspace alone.
 */
export class LogBuffer {
  #batch: Batch | undefined
  /** Made with the first entry: no random number may be made before there is a request. */
  #isolate: string | undefined
  readonly #sequences = new Map<string, number>()

  /** Ends when the entry is sent; or at once, when a request before it or after it sees to that. */
  async add(env: Env, entry: RequestLogEntry, keyHash: string): Promise<void> {
    const delay = Number(env.REQUEST_LOG_MILLISECONDS)
    const isolate = this.#isolateFor(keyHash)
    const numbered = { ...entry, sequence: this.#next(keyHash) }
    const characters = JSON.stringify(numbered).length
    const before = this.#closeUnless(
      (open) => open.isolate === isolate && open.characters + characters <= MOST_CHARACTERS && !isLate(open, delay),
    )
    const batch = this.#batch ?? { isolate, entries: [], characters: 0, begun: Date.now(), sent: false }
    this.#batch = batch
    batch.entries.push(numbered)
    batch.characters += characters
    if (batch.entries.length >= MOST_ENTRIES) await this.#send(env, batch)
    else if (batch.entries.length === 1) await sleep(delay).then(() => this.#send(env, batch))
    if (before) await this.#send(env, before)
  }

  /** The batch that cannot take the next entry, put aside. */
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

  /** Counting anew takes a new name, so that no number of an isolate comes twice. */
  #isolateFor(keyHash: string): string {
    if (this.#isolate === undefined || (!this.#sequences.has(keyHash) && this.#sequences.size >= MOST_KEYS)) {
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

/** Whoever opened it would have sent it by now, had its context not been ended. */
const isLate = ({ begun }: Batch, delay: number) => Date.now() - begun > 2 * delay + 1000
