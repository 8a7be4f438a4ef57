import type { Ctx } from '../../../context.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { constant, mapResult, type Query } from '../../../data/query.ts'
import { dayIn } from '../../../domain/local-days.ts'
import { countryOfPhone } from '../../../domain/phone.ts'
import { hasManyZones } from '../../../domain/time-zones.ts'
import type { Text } from '../../../lib/typed-text.ts'
import { NEAREST_DAYS } from '../rules/limits.ts'
import { findSlots } from '../rules/slots.ts'
import { clockArguments, daysArgument } from '../rules/voice/arguments.ts'
import { type DayReader, dayReader } from '../rules/voice/days.ts'
import { distinctCalls, readEnvelope } from '../rules/voice/envelope.ts'
import { spread } from '../rules/voice/offers.ts'
import { headerOf, ignoredLine, MOST_SPOKEN, moreLine, questionLines, spokenSlot } from '../rules/voice/texts.ts'
import { ignoredArguments } from '../rules/voice/tools.ts'
import { spokenTime, spokenZone } from '../rules/words.ts'
import { DAY, dayAt, MINUTE, wallAt, type ZoneTable } from '../rules/zone-table.ts'
import { contextFor, durationFor, readFacts, type StoredFacts, tableFor, zoneFor } from './facts.ts'
import { slotsBetween } from './slots.ts'
import { callAt, durationArgument, inFormat, knownType, orQuestion, textOrFailure, type VoiceCall, zoneArgument } from './voice-call.ts'
import { isFromProvider } from './voice-providers.ts'

/** What to ask a caller whose time zone the number does not tell, because its country has several. */
function zoneQuestion(stored: StoredFacts, timezone: string | undefined, caller: string | null, zone: string): string[] {
  const country = caller === null ? undefined : countryOfPhone(caller)
  const isKnown = timezone !== undefined || stored.caller_zone || stored.event_type.locked_timezone
  if (isKnown || country === undefined || !hasManyZones(country)) return []
  return [
    `The country of the caller has several time zones. Ask which city the caller is in. If it has not ${spokenZone(zone)}, ` +
      'call this tool again with timezone.',
  ]
}

/** The zones where a day begins last and first. */
const [EARLIEST, LATEST] = ['Etc/GMT+12', 'Etc/GMT-14']
/** The most tool calls of one message that are answered. */
const MOST_CALLS = 5

/** The free times that a caller is offered: at most six, each with its key. Several tool calls of one message are each answered. */
export async function voiceSlots(ctx: Ctx, eventTypeId: string, body: unknown): Promise<Plan<Text>> {
  await isFromProvider(ctx)
  const envelope = readEnvelope(body)
  const reader = await dayReader()
  const textOf = async (index: number) => slotsText(ctx, eventTypeId, await callAt('slots', envelope, index, eventTypeId), reader)
  const calls = distinctCalls(envelope).slice(0, MOST_CALLS)
  if (calls.length < 2) return read(mapResult(await textOf(0), (text) => inFormat(envelope, text)))
  const texts: string[] = []
  for (const index of calls) texts.push(await textOrFailure('slots', async () => ctx.read(await textOf(index))))
  return plan([], constant(inFormat(envelope, texts)))
}

function slotsText(ctx: Ctx, eventTypeId: string, call: VoiceCall, reader: DayReader): Query<string> {
  const { caller, call_key, call_id } = call
  const now = ctx.now.getTime()
  // What is today depends on a zone that only the facts decide: they are read for the days of every zone.
  const daysFrom = (zone: string, since = zone) =>
    orQuestion(() => daysArgument(call.args, dayIn(zone, ctx.now), reader, dayIn(since, ctx.now)))
  const first = Date.parse(daysFrom(EARLIEST).from)
  const last = Date.parse(daysFrom(LATEST, EARLIEST).to)
  const window: [number, number] = [first - 2 * DAY, last + (NEAREST_DAYS + 2) * DAY]
  const timezone = zoneArgument(call)
  const clock = orQuestion(() => clockArguments(call.args))
  const query = readFacts({ event_type: eventTypeId, from: window[0], to: window[1], caller, call_key, call_id })
  return mapResult(query, (found) => {
    const stored = knownType(found)
    const days = daysFrom(zoneFor(stored, timezone))
    return linesOf(stored, call, { ...days, timezone, clock, now, window }).join('\n')
  })
}

type Wanted = {
  from: string
  to: string
  timezone: string | undefined
  clock: [number, number]
  now: number
  window: [number, number]
}

function linesOf(stored: StoredFacts, call: VoiceCall, { from, to, timezone, clock, now, window }: Wanted): string[] {
  const request = { from, to, timezone, duration_minutes: durationArgument(call), host_id: undefined }
  const { table, slots, duration_minutes } = slotsBetween(stored, request, now, window)
  const { name, description, questions } = stored.event_type
  const company = tableFor(stored.company?.timezone ?? stored.workspace_zone, ...window)
  const times = localTimes(table, slots).filter(({ minute }) => minute >= clock[0] && minute < clock[1])
  const offered = spread(times, MOST_SPOKEN)
  const later = times.length > 0 ? undefined : nextAfter(stored, request, { now, window, from, clock, table })
  return [
    ...headerOf({ name, description, duration_minutes, hosts: stored.hosts.map((host) => host.name) }),
    `Today is ${spokenTime(table, now).replace(/,.*/, '')}. Times are in ${spokenZone(table.zone)}.`,
    ...zoneQuestion(stored, timezone, call.caller, table.zone),
    ...ignoredLine(ignoredArguments('slots', call.sent)),
    offered.length > 0 ? 'Available times:' : `There are no free times ${rangeText(from, to, clock)}.`,
    ...offered.map(({ start }) => `- ${spokenSlot(table, start, company)}`),
    ...moreLine(times.length - offered.length),
    ...(later !== undefined ? [`The next free time is ${spokenSlot(table, later, company)}.`] : []),
    offered.length > 0 ? 'Offer two or three of them. To book one, send the key in brackets as slot.' : 'Ask the caller for other days.',
    ...questionLines(questions),
  ]
}

const localTimes = (table: ZoneTable, slots: { start: number }[]) =>
  slots.map(({ start }) => {
    const day = dayAt(table, start)
    return { start, day, minute: Math.floor((wallAt(table, start) - day * DAY) / MINUTE) }
  })

const clockText = (minute: number) => `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
const rangeText = (from: string, to: string, [first, last]: [number, number]) =>
  `from ${from} to ${to}${first > 0 || last < 1_440 ? ` between ${clockText(first)} and ${clockText(last)}` : ''}`

type Around = Pick<Wanted, 'now' | 'window' | 'from' | 'clock'> & { table: ZoneTable }

/** The next free time, of those at the wanted times of day if there is one. */
function nextAfter(
  stored: StoredFacts,
  request: { duration_minutes: number | undefined },
  { now, window, from, clock, table }: Around,
): number | undefined {
  const wanted = { now, duration_minutes: durationFor(stored, request.duration_minutes) }
  const found = localTimes(table, findSlots(contextFor(stored, ...window), wanted, Math.max(now, Date.parse(from)), window[1]))
  return (found.find(({ minute }) => minute >= clock[0] && minute < clock[1]) ?? found[0])?.start
}
