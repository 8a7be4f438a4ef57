import { dayAfter } from '../../../../domain/local-days.ts'
import { isCalendarDate } from '../../../../lib/text.ts'
import { weekdayOf } from '../working-hours.ts'
import { dayOfDate } from '../zone-table.ts'

/** Calendar days, `YYYY-MM-DD`, first and last. */
export type DayRange = { from: string; to: string }
/** The days that a caller means, seen from today; undefined for a text that is not understood, or that languages understand differently. */
export type DayReader = (text: string, today: string) => DayRange | undefined

/** The longest text that is read as a day. */
const MOST_CHARACTERS = 60

type ParsedDay = {
  text: string
  start: {
    get: (part: 'year' | 'month' | 'day' | 'weekday') => number | null
    isCertain: (part: 'day' | 'weekday' | 'hour') => boolean
    tags: () => Set<string>
  }
  end?: unknown
}
type Parser = (text: string, today: { instant: Date; timezone: number }, options: { forwardDate: true }) => ParsedDay[]

const single = (day: string): DayRange => ({ from: day, to: day })
const monday = (today: string) => dayAfter(today, -weekdayOf(dayOfDate(today)))
const week = (today: string, weeks: number): DayRange => ({
  from: weeks === 0 ? today : dayAfter(monday(today), 7 * weeks),
  to: dayAfter(monday(today), 7 * weeks + 6),
})
function nextMonth(today: string): DayRange {
  const last = (day: string) => dayAfter(`${dayAfter(`${day.slice(0, 8)}28`, 4).slice(0, 8)}01`, -1)
  const from = dayAfter(last(today), 1)
  return { from, to: last(from) }
}
const weekend = (today: string): DayRange => {
  const to = dayAfter(monday(today), 6)
  return { from: today === to ? to : dayAfter(to, -1), to }
}

/** What chrono-node reads as one day although it is several, reads only in part, or does not know. */
const PHRASES: [RegExp, (today: string) => DayRange][] = [
  [/^(this week|diese woche|cette semaine|esta semana|deze week)$/, (today) => week(today, 0)],
  [
    /^(next week|nächste woche|kommende woche|semaine prochaine|próxima semana|semana que viene|volgende week|komende week)$/,
    (today) => week(today, 1),
  ],
  [/^((this |at the |dieses |ce |este |dit )?(week-?end|wochenende|fin de semana)|am wochenende)$/, weekend],
  [/^(next month|nächsten monat|nächster monat|mois prochain|próximo mes|mes que viene|volgende maand)$/, nextMonth],
  [
    /^(day after tomorrow|übermorgen|uebermorgen|après-demain|apres-demain|pasado mañana|overmorgen)$/,
    (today) => single(dayAfter(today, 2)),
  ],
]
/** Words before a day that say nothing about it. */
const ARTICLES = /^(on|the|at|for|am|an|den|dem|der|die|le|la|el|los|op|de|coming|kommende[nrms]?|aanstaande)\s+/

/**
 * Loads the readers of English, German, French, Spanish and Dutch, on the first call of a voice agent. A text is understood only as a
 * whole, because chrono-node also finds days within other words: it reads `day after tomorrow` as tomorrow.
 */
export async function dayReader(): Promise<DayReader> {
  const languages = await Promise.all([
    import('chrono-node/en'),
    import('chrono-node/de'),
    import('chrono-node/fr'),
    import('chrono-node/es'),
    import('chrono-node/nl'),
  ])
  const parsers = languages.map(
    ({ casual }): Parser =>
      (text, today, options) =>
        casual.parse(text, today, options),
  )
  return (text, today) => readDays(parsers, text, today)
}

function readDays(parsers: Parser[], text: string, today: string): DayRange | undefined {
  const [, date] = /^(\d{4}-\d\d-\d\d)(?:[T ]\d\d:\d\d.*)?$/.exec(text) ?? []
  if (date !== undefined) return isCalendarDate(date) ? single(date) : undefined
  if (text.length > MOST_CHARACTERS) return undefined
  const phrase = withoutArticles(text.normalize('NFC').toLowerCase())
  for (const [pattern, range] of PHRASES) if (pattern.test(phrase)) return range(today)
  const found = new Set(parsers.flatMap((parse) => daysOf(parse, phrase, today)))
  const [only] = found
  return found.size === 1 && only !== undefined && isCalendarDate(only) ? single(only) : undefined
}

function withoutArticles(text: string): string {
  const rest = text.replace(/(?<![.,!?\s])[.,!?\s]+$/, '').trim()
  return ARTICLES.test(rest) ? withoutArticles(rest.replace(ARTICLES, '')) : rest
}

const pad = (value: number | null, length: number) => String(value ?? 0).padStart(length, '0')

/** The one day that the whole text is in a language. A weekday that contradicts its date, and a time of day, are not understood. */
function daysOf(parse: Parser, text: string, today: string): string[] {
  const [found, another] = parse(text, { instant: new Date(`${today}T12:00:00Z`), timezone: 0 }, { forwardDate: true })
  if (!found || another || found.end || withoutArticles(found.text) !== text) return []
  const { start } = found
  const hasTime = start.isCertain('hour') || /morning|afternoon|evening|night|noon/.test([...start.tags()].join(' '))
  if (hasTime || !(start.isCertain('day') || start.isCertain('weekday'))) return []
  const day = `${pad(start.get('year'), 4)}-${pad(start.get('month'), 2)}-${pad(start.get('day'), 2)}`
  if (start.isCertain('weekday') && isCalendarDate(day) && start.get('weekday') !== (weekdayOf(dayOfDate(day)) + 1) % 7) return []
  return [day]
}
