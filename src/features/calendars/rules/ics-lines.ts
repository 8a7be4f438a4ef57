import { FeedError, MAX_TEXT } from './ics-limits.ts'

/** One property of a component. `params` starts with a semicolon, or is empty. */
export type Property = { name: string; params: string; value: string }

/** A component with the properties that are read, by name. VTIMEZONE contains those of its observances. */
export type Component = { kind: string; properties: Map<string, Property[]>; parts: Component[] }

/** The properties that are read, by component. Others are skipped without being unfolded. */
const OBSERVANCE = ['DTSTART', 'TZOFFSETFROM', 'TZOFFSETTO', 'RRULE', 'RDATE']
const READ: Record<string, Set<string>> = {
  VCALENDAR: new Set(['X-WR-TIMEZONE', 'X-WR-CALNAME']),
  VTIMEZONE: new Set(['TZID', 'X-LIC-LOCATION']),
  STANDARD: new Set(OBSERVANCE),
  DAYLIGHT: new Set(OBSERVANCE),
  VFREEBUSY: new Set(['FREEBUSY']),
  VEVENT: new Set([
    ...['UID', 'RECURRENCE-ID', 'DTSTART', 'DTEND', 'DURATION', 'RRULE', 'RDATE', 'EXDATE', 'TRANSP', 'STATUS'],
    'X-MICROSOFT-CDO-BUSYSTATUS',
  ]),
}
/** What a component may contain; everything else in it, such as an alarm of an event, is skipped. */
const INSIDE: Record<string, string[]> = {
  VCALENDAR: ['VTIMEZONE', 'VEVENT', 'VFREEBUSY'],
  VTIMEZONE: ['STANDARD', 'DAYLIGHT'],
}

/**
 * Reads the components of a file one after the other (RFC 5545, section 3.1): each is handed over when it ends, so the file is never in
 * memory twice. Several calendars may follow each other. @throws FeedError when the text is not a complete calendar.
 */
export function scanComponents(text: string, take: (component: Component) => void): void {
  const open: Component[] = []
  let skipped = 0
  let isCalendar = false
  for (const line of linesOf(text, (name) => READ[open.at(-1)?.kind ?? '']?.has(name) === true && skipped === 0)) {
    const { name, value } = line
    if (name === 'BEGIN') {
      const kind = value.trim().toUpperCase()
      const parent = open.at(-1)?.kind
      if (parent === undefined && kind !== 'VCALENDAR') throw new FeedError('The address leads to a file that is not a calendar')
      if (skipped > 0 || (parent !== undefined && !INSIDE[parent]?.includes(kind))) skipped++
      else open.push({ kind, properties: new Map(), parts: [] })
      isCalendar = true
    } else if (name === 'END') {
      if (skipped > 0) skipped--
      else finish(open, take)
    } else add((open.at(-1) as Component).properties, line)
  }
  if (!isCalendar) throw new FeedError('The address leads to a file that is not a calendar')
  if (open.length > 0) throw new FeedError('The calendar file is incomplete: END:VCALENDAR is missing')
}

function finish(open: Component[], take: (component: Component) => void): void {
  const ended = open.pop()
  if (!ended) throw new FeedError('The address leads to a file that is not a calendar')
  const parent = open.at(-1)
  if (parent?.kind === 'VTIMEZONE') parent.parts.push(ended)
  else take(ended)
}

function add(properties: Map<string, Property[]>, property: Property): void {
  const same = properties.get(property.name)
  if (same) same.push(property)
  else properties.set(property.name, [property])
}

/** The unfolded lines that begin or end a component, and those that are read. */
function* linesOf(text: string, isRead: (name: string) => boolean): Generator<Property> {
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0
  while (at < text.length) {
    const end = endOfLine(text, at)
    const name = nameAt(text, at, end)
    let next = end + 1
    if (name !== '' && (name === 'BEGIN' || name === 'END' || isRead(name))) {
      let line = text.slice(at, trimmed(text, at, end))
      for (; isFolded(text, next); next = endOfLine(text, next) + 1) {
        line += text.slice(next + 1, trimmed(text, next + 1, endOfLine(text, next)))
        if (line.length > MAX_TEXT) break
      }
      if (line.length > MAX_TEXT) throw new FeedError(`The calendar file has a line of more than ${MAX_TEXT} characters`)
      yield propertyOf(name, line)
    } else while (isFolded(text, next)) next = endOfLine(text, next) + 1
    at = next
  }
}

const endOfLine = (text: string, at: number): number => {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end
}
const trimmed = (text: string, from: number, end: number): number => (end > from && text.charCodeAt(end - 1) === 13 ? end - 1 : end)
const isFolded = (text: string, at: number): boolean => {
  const first = text.charCodeAt(at)
  return first === 32 || first === 9
}

const MAX_NAME = 60

/** The name of a property, in capitals; empty if the line has none. */
function nameAt(text: string, at: number, end: number): string {
  let stop = at
  const last = Math.min(end, at + MAX_NAME)
  while (stop < last && text.charCodeAt(stop) !== 58 && text.charCodeAt(stop) !== 59) stop++
  return stop < last ? text.slice(at, stop).toUpperCase() : ''
}

/** Splits a line at its first colon outside quotes. */
function propertyOf(name: string, line: string): Property {
  let quoted = false
  for (let at = name.length; at < line.length; at++) {
    const code = line.charCodeAt(at)
    if (code === 34) quoted = !quoted
    if (code === 58 && !quoted) return { name, params: line.slice(name.length, at), value: line.slice(at + 1) }
  }
  return { name, params: '', value: line.slice(name.length + 1) }
}

/** A parameter of a property, without its quotes. */
export function paramOf({ params }: Property, name: string): string | undefined {
  if (params === '') return undefined
  const match = new RegExp(`;${name}=(?:"([^"]*)"|([^";:]*))`, 'i').exec(params)
  return match ? (match[1] ?? match[2]) : undefined
}

export const firstOf = ({ properties }: Component, name: string): Property | undefined => properties.get(name)?.[0]
export const textOf = (component: Component, name: string): string | undefined => firstOf(component, name)?.value.trim()
