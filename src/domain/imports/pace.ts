const SHORTEST = 1_000
const LONGEST = 5_000

/** Milliseconds until the next look at an import: a second while something happens, and longer and longer while nothing does. */
export const nextDelay = (delay: number | undefined, hasChanged: boolean): number =>
  delay === undefined || hasChanged ? SHORTEST : Math.min(LONGEST, Math.round(delay * 1.5))
