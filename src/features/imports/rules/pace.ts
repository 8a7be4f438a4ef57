const SHORTEST = 1_000
const LONGEST = 5_000

/** Milliseconds until the next poll: one second while the import changes, then increasingly longer. */
export const nextDelay = (delay: number | undefined, hasChanged: boolean): number =>
  delay === undefined || hasChanged ? SHORTEST : Math.min(LONGEST, Math.round(delay * 1.5))
