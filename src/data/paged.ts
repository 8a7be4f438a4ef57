import type { About } from './reading.ts'

/** One page of a list, and the cursor of the next. */
export class Page<Item> {
  readonly items: Item[]
  readonly limit: number
  readonly next: string | null
  readonly about: About

  constructor(items: Item[], limit: number, next: string | null, about: About = {}) {
    this.items = items
    this.limit = limit
    this.next = next
    this.about = about
  }
}
