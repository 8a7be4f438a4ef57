import type { GoogleEvent } from './google-world.ts'

/** What a listing shows: an event, or an occurrence of a series. */
export type Shown = Omit<GoogleEvent, 'changed'> & { recurringEventId?: string; originalStartTime?: GoogleEvent['start'] }

/** When an event begins and ends; a whole day is one of UTC here. */
export const spanOf = ({ start, end }: Pick<GoogleEvent, 'start' | 'end'>): [number, number] => [
  Date.parse(start.dateTime ?? start.date ?? ''),
  Date.parse(end.dateTime ?? end.date ?? ''),
]

/** An event as it is, or with `single` the occurrences of a series. */
export function occurrencesOf({ changed: _, ...event }: GoogleEvent, single: boolean): Shown[] {
  const rule = event.recurrence?.[0]
  if (!rule || !single) return [event]
  const part = (name: string) => new RegExp(`${name}=(\\w+)`).exec(rule)?.[1]
  const days = (part('FREQ') === 'WEEKLY' ? 7 : 1) * Number(part('INTERVAL') ?? 1)
  const [starts, ends] = spanOf(event)
  const { recurrence: _rule, ...rest } = event
  return Array.from({ length: Number(part('COUNT') ?? 1) }, (_none, at) => {
    const shift = at * days * 86_400_000
    const start = { ...event.start, dateTime: new Date(starts + shift).toISOString() }
    const stamp = start.dateTime.replace(/[-:]|\.\d+/g, '')
    return {
      ...rest,
      id: `${event.id}_${stamp}`,
      recurringEventId: event.id,
      originalStartTime: start,
      start,
      end: { ...event.end, dateTime: new Date(ends + shift).toISOString() },
    }
  })
}

/** Whether an event takes its owner's time. */
export const isBusy = ({ status, transparency, attendees = [] }: Shown): boolean =>
  status !== 'cancelled' && transparency !== 'transparent' && !attendees.some((one) => one.self && one.responseStatus === 'declined')

/** Times that overlap or touch are one. */
export function joined(spans: [number, number][]): { start: string; end: string }[] {
  const together: [number, number][] = []
  for (const [from, to] of spans.toSorted((a, b) => a[0] - b[0])) {
    const last = together.at(-1)
    if (last && from <= last[1]) last[1] = Math.max(last[1], to)
    else together.push([from, to])
  }
  return together.map(([from, to]) => ({ start: new Date(from).toISOString(), end: new Date(to).toISOString() }))
}
