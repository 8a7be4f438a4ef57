import { availableParallelism, loadavg } from 'node:os'

/** What the loop below takes on the machine for which the time limits were chosen, when it is idle. */
const REFERENCE_MS = 150

/** How many times slower than that machine this one is at the moment, from 2 (for work that starts later) to 20. */
export function measureSlowness(): number {
  const began = performance.now()
  for (let step = 0, value = 0; step < 3e7; step++) value = (value * 31 + step) | 0
  const slower = (performance.now() - began) / REFERENCE_MS
  const crowded = (loadavg()[0] as number) / availableParallelism()
  return Math.min(20, Math.max(2, slower, 1 + crowded))
}

/** The factor that the run has measured at its start. */
export const slowness = Number(process.env.TEST_SLOWNESS ?? 2)

/** A time limit in milliseconds, scaled to the speed of the machine. */
export const limit = (milliseconds: number) => Math.round(milliseconds * slowness)
