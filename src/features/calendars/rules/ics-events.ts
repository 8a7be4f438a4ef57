import { DAY } from '../../scheduling/rules/zone-table.ts'
import { FeedError, MAX_EVENTS } from './ics-limits.ts'
import { type Component, firstOf, paramOf, scanComponents, textOf } from './ics-lines.ts'
import { type Rule, readRule } from './ics-rule.ts'
import { type Duration, type Listed, listOf, readDuration, type When, whenOf } from './ics-values.ts'

/** An event of a file, or one occurrence of a series that differs from it (`replaces`); with `isFollowed`, so do all later ones. */
export type IcsEvent = {
  uid: string
  start: When
  /** Where it ends, or how long it lasts; null if the file says neither. */
  end: When | Duration | null
  rules: Rule[]
  added: Listed[]
  excluded: Listed[]
  replaces: When | null
  isFollowed: boolean
  isBusy: boolean
}

export type IcsFile = { name: string | null; zone: string | null; zones: Component[]; events: IcsEvent[]; busy: Listed[] }

/** No two zones show times that are further apart. */
const ZONE_SPREAD = 2 * DAY
const FREE_STATUS = ['FREE', 'WORKINGELSEWHERE']

/** Reads the parts of a file that matter for a range of instants. Single events outside of it are dropped at once. @throws FeedError */
export function readFile(text: string, from: number, to: number): IcsFile {
  const file: IcsFile = { name: null, zone: null, zones: [], events: [], busy: [] }
  let events = 0
  scanComponents(text, (component) => {
    if (component.kind === 'VEVENT') {
      if (++events > MAX_EVENTS) throw new FeedError(`The calendar has more than ${MAX_EVENTS.toLocaleString('en')} events`)
      const event = eventOf(component)
      if (event && mayTouch(event, from, to)) file.events.push(event)
    } else if (component.kind === 'VTIMEZONE') file.zones.push(component)
    else if (component.kind === 'VFREEBUSY') file.busy.push(...busyOf(component))
    else {
      file.name ??= textOf(component, 'X-WR-CALNAME') || null
      file.zone ??= textOf(component, 'X-WR-TIMEZONE') || null
    }
  })
  return file
}

/** An event whose start cannot be read has no time, so it is left out. */
function eventOf(component: Component): IcsEvent | undefined {
  const { properties } = component
  const start = whenOf(firstOf(component, 'DTSTART'))
  if (!start) return undefined
  const replaced = firstOf(component, 'RECURRENCE-ID')
  const isCancelled = textOf(component, 'STATUS')?.toUpperCase() === 'CANCELLED'
  const isTransparent = textOf(component, 'TRANSP')?.toUpperCase() === 'TRANSPARENT'
  const shown = textOf(component, 'X-MICROSOFT-CDO-BUSYSTATUS')?.toUpperCase() ?? ''
  return {
    uid: textOf(component, 'UID') ?? '',
    start,
    end: endOf(component),
    rules: (replaced ? [] : (properties.get('RRULE') ?? [])).map(({ value }) => readRule(value)),
    added: replaced ? [] : listOf(properties.get('RDATE')),
    excluded: listOf(properties.get('EXDATE')),
    replaces: whenOf(replaced) ?? null,
    isFollowed: replaced !== undefined && paramOf(replaced, 'RANGE')?.toUpperCase() === 'THISANDFUTURE',
    isBusy: !isCancelled && !isTransparent && !FREE_STATUS.includes(shown),
  }
}

function endOf(component: Component): When | Duration | null {
  const duration = textOf(component, 'DURATION')
  return whenOf(firstOf(component, 'DTEND')) ?? (duration === undefined ? undefined : readDuration(duration)) ?? null
}

const busyOf = ({ properties }: Component): Listed[] =>
  listOf(properties.get('FREEBUSY')?.filter((property) => paramOf(property, 'FBTYPE')?.toUpperCase() !== 'FREE'))

/** Whether an event can have a time in the range, whatever its zone; an occurrence that differs always matters for its series. */
function mayTouch({ start, end, rules, added, replaces }: IcsEvent, from: number, to: number): boolean {
  if (replaces || added.length > 0) return true
  if (start.wall > to + ZONE_SPREAD) return false
  if (rules.length > 0) return true
  const last = end === null ? start.wall + DAY : 'wall' in end ? end.wall : start.wall + end.days * DAY + end.time
  return last > from - ZONE_SPREAD
}
