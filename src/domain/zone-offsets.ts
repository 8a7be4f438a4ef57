/** From when on a time zone is so many seconds ahead of UTC, in seconds since 1970, in order. The first offset has no beginning. */
export type ZoneOffsets = { from: number[]; seconds: number[] }

const FIRST = Date.UTC(1900, 0, 1) / 1000
const LAST = Date.UTC(2100, 0, 1) / 1000
/** No zone changes its offset twice in so short a time. */
const STEP = 10 * 86_400

const known = new Map<string, ZoneOffsets>()
const MOST_KNOWN = 100

/** The offsets of an IANA time zone from 1900 to 2100; before and after, the first and the last one hold. */
export function zoneOffsets(zone: string): ZoneOffsets {
  const found = known.get(zone)
  if (found) return found
  if (known.size >= MOST_KNOWN) known.clear()
  const offsets = compute(zone)
  known.set(zone, offsets)
  return offsets
}

function compute(zone: string): ZoneOffsets {
  const offsetAt = offsetsOf(zone)
  const offsets: ZoneOffsets = { from: [Number.NEGATIVE_INFINITY], seconds: [offsetAt(FIRST)] }
  for (let at = FIRST + STEP; at <= LAST; at += STEP) {
    const offset = offsetAt(at)
    if (offset === offsets.seconds.at(-1)) continue
    let [low, high] = [at - STEP, at]
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (offsetAt(middle) === offset) high = middle
      else low = middle
    }
    offsets.from.push(high)
    offsets.seconds.push(offset)
  }
  return offsets
}

/**
 * The instant of a local time, both in seconds since 1970; the local time as if it were one of UTC. Of a time that the clocks repeat, the
 * first one; of one that they skip, that by the offset from before.
 */
export function instantOf(offsets: ZoneOffsets, local: number): number {
  const [before, after] = [offsetAt(offsets, local - 86_400), offsetAt(offsets, local + 86_400)]
  const first = local - before
  if (before === after || offsetAt(offsets, first) === before) return first
  return offsetAt(offsets, local - after) === after ? local - after : first
}

function offsetAt({ from, seconds }: ZoneOffsets, at: number): number {
  let [low, high] = [0, from.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((from[middle] as number) <= at) low = middle
    else high = middle - 1
  }
  return seconds[low] as number
}

/** The offset of a zone in seconds at a time in seconds. */
function offsetsOf(zone: string): (at: number) => number {
  const digits = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', ...digits })
  return (at) => {
    const [month, day, year, hour, minute, second] = format
      .format(at * 1000)
      .split(/\D+/)
      .map(Number) as [number, number, number, number, number, number]
    return Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - at
  }
}
