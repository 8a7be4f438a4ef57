import type { Facts, Host } from './facts.ts'
import type { Slot } from './slots.ts'

type Share = Pick<Host, 'user_id' | 'priority' | 'weight' | 'booked' | 'last_booked'>

/** What a host without bookings starts with: the mean of the others, by weight, so that a new host does not receive everything. */
export function startingCount(host: Pick<Share, 'weight'>, all: readonly Share[]): number {
  const known = all.filter(({ booked }) => booked !== null)
  if (known.length === 0) return 0
  const mean = known.reduce((sum, { booked, weight }) => sum + (booked as number) / weight, 0) / known.length
  return Math.floor(mean * host.weight)
}

/**
 * The order in which a round robin tries its hosts: by priority, then the smallest share for its weight, then the longest without a
 * booking.
 */
export function inTurn<Member extends Share>(free: Member[], all: readonly Share[]): Member[] {
  // Half a booking more than there are keeps every host within one booking of its share (Sainte-Laguë).
  const share = (host: Share) => ((host.booked ?? startingCount(host, all)) + 0.5) / host.weight
  return free.toSorted(
    (a, b) =>
      b.priority - a.priority || share(a) - share(b) || (a.last_booked ?? 0) - (b.last_booked ?? 0) || (a.user_id < b.user_id ? -1 : 1),
  )
}

/**
 * The sets of hosts that could take a slot, in the order in which they are tried. The first host of a set leads the booking. A booking that
 * is moved keeps its host if that host is free.
 */
export function candidatesOf(
  { rules, hosts: all }: Facts,
  slot: Slot,
  request: { host_id?: string | undefined; kept?: string | undefined } = {},
): string[][] {
  const ids = (hosts: Share[]) => hosts.map(({ user_id }) => user_id)
  if (rules.assignment === 'collective' || slot.hosts.every(({ is_fixed }) => is_fixed)) {
    const order = rules.hosts.map(({ user_id }) => user_id)
    return [ids(slot.hosts).toSorted((a, b) => order.indexOf(a) - order.indexOf(b))]
  }
  const fixed = ids(slot.hosts.filter(({ is_fixed }) => is_fixed))
  const shares = rules.hosts.flatMap((role): Share[] => {
    const known = all.find(({ user_id }) => user_id === role.user_id)
    return known ? [{ ...role, booked: known.booked, last_booked: known.last_booked }] : []
  })
  const turning = slot.hosts.filter(
    ({ is_fixed, user_id }) =>
      !is_fixed && (request.host_id === undefined || fixed.includes(request.host_id) || user_id === request.host_id),
  )
  const ordered = ids(
    inTurn(
      turning,
      shares.filter(({ user_id }) => !fixed.includes(user_id)),
    ),
  )
  const kept = request.kept
  const first = kept !== undefined && ordered.includes(kept) ? [kept, ...ordered.filter((id) => id !== kept)] : ordered
  return first.map((id) => [id, ...fixed])
}
