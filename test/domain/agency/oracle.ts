/**
 * Computes commissions by itself: it shares no code with the rules, and works with decimal fractions as text instead of rates of
 * integers.
 */

type Kind = 'setup' | 'service' | 'subscription'
type Plan = {
  at: number
  one_off_percent: number
  first_months: number
  first_months_percent: number
  ongoing_percent: number
  ongoing_months: number | null
}
/** A payment, or a refund of the event `payment`; months are counted from the first one. */
type Event = { client: number; kind: Kind; month: number; cents: number; payment: number; refundedBefore: number; refunded: number }
export type History = {
  plans: Plan[]
  events: Event[]
  /** When months were closed: the present month, and how many events were recorded by then. */
  closings: { month: number; known: number }[]
  clientMonths(client: number, known: number): Set<number>
}

/** Numbers from 0 to 1 that follow from the seed. */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const KINDS: Kind[] = ['setup', 'service', 'subscription']

/** A random history: plans that change, payments in any order, refunds in parts, and months that are closed now and then. */
export function historyOf(random: () => number): History {
  const upTo = (most: number) => Math.floor(random() * (most + 1))
  const percent = () => upTo(10_000) / 100
  const planAt = (at: number): Plan => ({
    at,
    one_off_percent: percent(),
    first_months: upTo(4),
    first_months_percent: percent(),
    ongoing_percent: percent(),
    ongoing_months: random() < 0.3 ? null : upTo(6),
  })
  const closings: History['closings'] = []
  const plans = [planAt(0)]
  const events: Event[] = []
  for (let month = 1 + upTo(2); month <= 14; month += 1 + upTo(2)) {
    for (let n = upTo(8); n > 0; n--) record(events, month, random)
    closings.push({ month, known: events.length })
    if (random() < 0.3) plans.push(planAt(month))
  }
  const clientMonths = (client: number, known: number) =>
    new Set(events.slice(0, known).flatMap((event, at) => (event.client === client && isPaid(event, at) ? [event.month] : [])))
  return { plans, events, closings, clientMonths }
}

const isPaid = (event: Event, at: number) => event.payment === at && event.kind === 'subscription'

/** Adds a payment of this month or an earlier one, or a refund of a payment. */
function record(events: Event[], present: number, random: () => number): void {
  const upTo = (most: number) => Math.floor(random() * (most + 1))
  const open = events.flatMap((event, at) => {
    const refunded = Math.max(0, ...events.filter(({ payment }) => payment === at).map((other) => other.refunded))
    return event.payment === at && refunded < event.cents ? [{ at, refunded }] : []
  })
  const chosen = random() < 0.35 ? open[upTo(open.length - 1)] : undefined
  const paid = chosen && events[chosen.at]
  if (chosen && paid) {
    const amount = random() < 0.4 ? paid.cents - chosen.refunded : 1 + upTo(paid.cents - chosen.refunded - 1)
    const month = paid.month + upTo(present - paid.month)
    events.push({ ...paid, month, payment: chosen.at, refundedBefore: chosen.refunded, refunded: chosen.refunded + amount })
    return
  }
  const kind = KINDS[upTo(2)] as Kind
  const refunds = { payment: events.length, refundedBefore: 0, refunded: 0 }
  events.push({ client: upTo(2), kind, month: present - upTo(Math.min(present, 3)), cents: 1 + upTo(99_999), ...refunds })
}

/** The share of an amount in cents, rounded half up by its decimal digits. */
function share(cents: number, percent: number): number {
  const digits = String(BigInt(cents) * BigInt(percent.toFixed(2).replace('.', ''))).padStart(5, '0')
  return Number(digits.slice(0, -4)) + (Number(digits.at(-4)) >= 5 ? 1 : 0)
}

/** Lines, what is payable, and what is carried on, of each month that was closed. */
export function statementsOf({ plans, events, closings }: History): [number, number, number][] {
  const results: [number, number, number][] = []
  const percentOf = new Map<number, number>()
  const done = new Set<number>()
  let carried = 0
  for (const { month: present, known } of closings) {
    const open = results.length
    // The terms of all that is new are decided first, by what is known now.
    events.slice(0, known).forEach((event, at) => {
      if (event.payment === at && !done.has(at)) percentOf.set(at, percentFor(plans, events.slice(0, known), event, present))
    })
    for (let month = open; month < present; month++) {
      let lines = 0
      events.slice(0, known).forEach((event, at) => {
        if (done.has(at) || Math.max(event.month, open) !== month) return
        done.add(at)
        const percent = percentOf.get(event.payment) as number
        lines += event.payment === at ? share(event.cents, percent) : share(event.refundedBefore, percent) - share(event.refunded, percent)
      })
      const total = lines + carried
      carried = total < 0 ? total : 0
      results.push([lines, total > 0 ? total : 0, carried])
    }
  }
  return results
}

function percentFor(plans: Plan[], known: Event[], payment: Event, present: number): number {
  const plan = plans.filter(({ at }) => at <= payment.month && at <= present).at(-1) as Plan
  if (payment.kind !== 'subscription') return plan.one_off_percent
  const paid = known.filter((event, at) => isPaid(event, at) && event.client === payment.client && event.month <= payment.month)
  const index = new Set(paid.map(({ month }) => month)).size
  if (index <= plan.first_months) return plan.first_months_percent
  return plan.ongoing_months !== null && index > plan.first_months + plan.ongoing_months ? 0 : plan.ongoing_percent
}
