/** The most bytes of a feed. */
export const MAX_FEED = 5_000_000
export const MAX_EVENTS = 50_000
/** The longest line that is read, in characters: a series with many exceptions may list them in one. */
export const MAX_TEXT = 500_000
/** What the rules of a feed may cost together: periods, days and times that are looked at. All of them take about a second. */
export const MAX_STEPS = 2_000_000
/** The most busy times that a feed results in. */
export const MAX_BUSY = 20_000

/** Why a feed cannot be read, for the person who has connected it. */
export class FeedError extends Error {}

/** The steps that are left of a feed. */
export class Steps {
  #left: number

  constructor(left = MAX_STEPS) {
    this.#left = left
  }

  /** @throws FeedError when none is left. */
  take(count = 1): void {
    this.#left -= count
    if (this.#left < 0) throw new FeedError('The recurring events of the calendar have too many occurrences to be read')
  }
}
