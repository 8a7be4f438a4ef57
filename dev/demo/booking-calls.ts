import { setTimeout as pause } from 'node:timers/promises'
import { eachOf } from '../../src/lib/each-of.ts'
import type { Body, Fetch } from './api.ts'

export type Result = { status: number; text: string; data: Body }
export type Call = (method: string, path: string, body?: unknown) => Promise<Result>

/** Calls the API and returns whatever it answers. A refusal by the rate limit is repeated until it is let through. */
export function callsOf(base: string, key: string, fetch: Fetch): Call {
  const root = `${base.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1`
  return async (method, path, body) => {
    for (;;) {
      const response = await fetch(root + path, {
        method,
        headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (response.status !== 429) return { status: response.status, text, data: text.startsWith('{') ? JSON.parse(text).data : undefined }
      await pause(1_000)
    }
  }
}

/** Runs the tasks, `lanes` at a time, and returns their results in order. */
export async function inLanes<Out>(lanes: number, tasks: (() => Promise<Out>)[]): Promise<Out[]> {
  const results: Out[] = []
  await eachOf(lanes, [...tasks.entries()], async ([at, task]) => {
    results[at] = await task()
  })
  return results
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

/**
 * Two dates around the next change of a zone's clocks within a year, `YYYY-MM-DD`: the fourth day before it, so that a working day lies
 * between them, and the day after it.
 */
export function aroundNextChange(zone: string, now: Date): [before: string, after: string] {
  const offsets = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
  const offset = (at: number) => offsets.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value
  const dateOf = (at: number) => new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(at)
  const shifted = (date: string, days: number) => new Date(Date.parse(date) + days * DAY).toISOString().slice(0, 10)
  for (let day = 6; day < 364; day++) {
    const at = now.getTime() + day * DAY
    if (offset(at) === offset(at + DAY)) continue
    let hour = at
    while (offset(hour) === offset(hour + HOUR)) hour += HOUR
    const change = dateOf(hour + HOUR)
    return [shifted(change, -4), shifted(change, 1)]
  }
  throw new Error(`The clocks of ${zone} do not change within a year`)
}
