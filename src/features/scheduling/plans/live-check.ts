import type { Ctx } from '../../../context.ts'
import { checkLive, type LiveAnswer, type LiveHost } from '../../calendars/plans/live.ts'
import type { Check } from '../rules/slots.ts'
import { MINUTE } from '../rules/zone-table.ts'
import type { Decision } from './claims.ts'

/** The hosts of a booking whose calendars are checked at most; further ones are not chosen. */
const MOST_HOSTS = 5

/** What the providers have answered to a request, however often it is planned. */
const known = new WeakMap<object, Map<number, Promise<Map<string, LiveAnswer>>>>()

/**
 * Asks the calendars of the hosts who could take the chosen time, once for each request. Those who are occupied, and those of whom nothing
 * young is known, are no candidates any more; undefined if none is left. Costs nothing for hosts without calendars. The seats of a session
 * that exists are in its hosts' calendars already.
 */
export async function checkCalendars(ctx: Ctx, decision: Decision): Promise<Decision | undefined> {
  const { stored, slot, candidates } = decision
  const { deployment } = ctx
  const chosen = [...new Set(candidates.flat())]
  const hosts = stored.hosts.flatMap(({ user_id, calendars, read_at = null }): LiveHost[] =>
    calendars && chosen.includes(user_id) ? [{ user_id, calendars, read_at }] : [],
  )
  // Steps of automations have no deployment: the stored times decide, which are at most 15 minutes old.
  if (hosts.length === 0 || !deployment || stored.sessions.some(([start]) => start === slot.start)) return decision
  const checked = hosts.toSorted((a, b) => chosen.indexOf(a.user_id) - chosen.indexOf(b.user_id)).slice(0, MOST_HOSTS)
  const { buffer_before_minutes, buffer_after_minutes } = stored.event_type
  const range: [number, number] = [slot.start - buffer_before_minutes * MINUTE, slot.end + buffer_after_minutes * MINUTE]
  const { background, secrets, calendars } = deployment
  const answers = known.get(deployment) ?? new Map<number, Promise<Map<string, LiveAnswer>>>()
  known.set(deployment, answers)
  const answer =
    answers.get(slot.start) ?? checkLive({ database: background, secrets, kinds: calendars }, stored.workspace_id, checked, range)
  answers.set(slot.start, answer)
  const found = await answer
  const withCalendars = new Set(hosts.map(({ user_id }) => user_id))
  const isFree = (id: string) => !withCalendars.has(id) || found.get(id) === 'free' || found.get(id) === 'cached'
  const left = candidates.filter((set) => set.every(isFree))
  if (left.length === 0) return undefined
  return { ...decision, candidates: left, checks: [...decision.checks, ...checksOf(found)] }
}

/** What the proof of the booking says: whether the provider or the stored times have decided. */
const checksOf = (found: Map<string, LiveAnswer>): Check[] =>
  [...found].flatMap(([host_id, answer]): Check[] =>
    answer === 'free' || answer === 'cached'
      ? [{ check: answer === 'free' ? 'calendar_live' : 'calendar_cached', passed: true, host_id }]
      : [],
  )
