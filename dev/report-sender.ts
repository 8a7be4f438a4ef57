import { setTimeout as sleep } from 'node:timers/promises'

/** Hands one event of a provider to its receiver; resolves to whether the receiver has taken it. */
export type Report = () => Promise<boolean>

/** How reports misbehave, as those of every provider do at times. */
export type ReportFault = 'duplicated' | 'reordered' | 'withheld'
export const REPORT_FAULTS: readonly ReportFault[] = ['duplicated', 'reordered', 'withheld']

const LANES = 8
const ATTEMPTS = 3
const RETRY_MS = 1_000
const REORDER_MS = 1_000

/** Sends the events of a provider: a few at a time, again if they are not taken, and wrongly while a fault is on. */
export class ReportSender {
  readonly faults = new Set<ReportFault>()
  readonly #waiting: Report[] = []
  #running = 0
  #reordering = false

  send(report: Report): void {
    this.#waiting.push(report)
    this.#continue()
  }

  /** Switches a fault on or off; what was withheld is sent as soon as it no longer is. */
  set(fault: ReportFault, on: boolean): void {
    if (on) this.faults.add(fault)
    else this.faults.delete(fault)
    this.#continue()
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Forgets what was not sent yet. */
  clear(): void {
    this.faults.clear()
    this.#waiting.length = 0
  }

  #continue(): void {
    if (this.faults.has('withheld') || this.#reordering) return
    if (this.faults.has('reordered')) return void this.#reorder()
    while (this.#running < LANES && this.#waiting.length > 0) void this.#run(this.#waiting.shift() as Report)
  }

  /** Collects for a moment what is reported, and sends the last first. */
  async #reorder(): Promise<void> {
    if (this.#waiting.length === 0) return
    this.#reordering = true
    await sleep(REORDER_MS, undefined, { ref: false })
    const reports = this.#waiting.splice(0).toReversed()
    for (const report of reports) await this.#run(report)
    this.#reordering = false
    this.#continue()
  }

  async #run(report: Report): Promise<void> {
    this.#running++
    const copies = this.faults.has('duplicated') ? 2 : 1
    for (let copy = 0; copy < copies; copy++) await this.#deliver(report)
    this.#running--
    this.#continue()
  }

  async #deliver(report: Report): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      if (await report().catch(() => false)) return
      if (attempt < ATTEMPTS) await sleep(RETRY_MS * attempt, undefined, { ref: false })
    }
  }
}

const PATIENCE_MS = 30_000

/** A report that is posted; taken is what is not answered with an error. */
export const posted =
  (url: string, init: { headers: Record<string, string>; body: string }): Report =>
  async () =>
    (await fetch(url, { ...init, method: 'POST', signal: AbortSignal.timeout(PATIENCE_MS) })).ok
