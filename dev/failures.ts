export interface Failure<Mode extends string> {
  mode: Mode
  /** Whether the call is carried out first, so that only its response is lost. */
  accept: boolean
}

/** How the calls of an emulator fail: a number of the next ones, and after them every call until that is switched off. */
export class Failures<Mode extends string> {
  readonly modes: readonly Mode[]
  readonly #next: Failure<Mode>[] = []
  /** How every call fails for which no other failure is waiting. */
  always: Failure<Mode> | undefined

  constructor(modes: readonly Mode[]) {
    this.modes = modes
  }

  add(mode: Mode, times = 1, accept = false): void {
    for (let i = 0; i < times; i++) this.#next.push({ mode, accept })
  }

  /** The failure of the call that is being made, if it is to fail. */
  take(): Failure<Mode> | undefined {
    return this.#next.shift() ?? this.always
  }

  get pending(): number {
    return this.#next.length
  }

  clear(): void {
    this.#next.length = 0
    this.always = undefined
  }
}
