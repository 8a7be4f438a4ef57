/** A map of at most `max` entries that each last for `ttl` milliseconds. A new entry beyond `max` displaces the oldest one. */
export class ExpiringMap<Value> {
  readonly #entries = new Map<string, { value: Value; expires: number }>()
  readonly #max: number
  readonly #ttl: number

  constructor(max: number, ttl: number) {
    this.#max = max
    this.#ttl = ttl
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry && entry.expires > Date.now()) return entry.value
    if (entry) this.#entries.delete(key)
    return undefined
  }

  has(key: string): boolean {
    return this.get(key) !== undefined
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key)
    if (this.#entries.size >= this.#max) this.#entries.delete(this.#entries.keys().next().value as string)
    this.#entries.set(key, { value, expires: Date.now() + this.#ttl })
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }
}
