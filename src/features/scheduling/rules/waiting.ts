import type { Facts } from './facts.ts'

type Sessions = Facts['sessions']

/** Sessions with a free seat each: somebody can wait for the times that are free then, and are not now. */
export const withFreeSeats = (sessions: Sessions): Sessions =>
  sessions.map(([start, taken, capacity, ...rest]) => [start, Math.min(taken, capacity - 1), capacity, ...rest])

/** The starts of the times that are full. */
export const fullStarts = (sessions: Sessions): Set<number> =>
  new Set(sessions.flatMap(([start, taken, capacity]) => (taken >= capacity ? [start] : [])))
