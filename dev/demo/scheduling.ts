import { program, TARGET_FLAGS, TARGET_USAGE } from '../program.ts'
import { addressesOf, targetOf } from '../runs.ts'
import { Complaint } from '../settings.ts'
import type { Body, Fetch } from './api.ts'
import { aroundNextChange, type Call, callsOf, inLanes } from './booking-calls.ts'
import { SELLERS } from './sellers.ts'

const USAGE = `Usage: npm run demo:scheduling [-- <flags>]

Makes the 35 sellers of the sales data hosts in three time zones and books 500 times with them; \
lets 50 clients race for one slot; calls as a voice
agent does, with a retry, a choice and a move; and shows slots around a change of the clocks. \
It prints what the caller hears, and at the end an
audit: no host has two bookings at a time. Invitations, bookings and contacts stay in the workspace. \
It takes about two minutes, because a key may
send 100 requests in ten seconds.
${TARGET_USAGE}`

const RACERS = 50
const PHONE = '+12125550123'
const DAY = 86_400_000
const dayIn = (days: number) => new Date(Date.now() + days * DAY).toISOString().slice(0, 10)

export type Surroundings = {
  fetch: Fetch
  /** The emails that the emulator has sent so far. */
  sent: () => Promise<{ To: string; TextBody?: string }[]>
  /** Lets the background work for a moment. */
  pass: () => Promise<void>
}

/** Runs the demonstration against the API at `base`; `print` receives every line of output. */
export async function demonstrateScheduling(
  base: string,
  key: string,
  print: (line: string) => void,
  { fetch, sent, pass }: Surroundings,
  { bookings = 500 } = {},
): Promise<void> {
  const call = callsOf(base, key, fetch)
  const show = (text: string) => print(`  → ${text}`)
  const make = async (path: string, body: unknown, method = 'POST'): Promise<Body> => {
    const { status, data, text } = await call(method, path, body)
    if (status >= 400) throw new Complaint(`${method} ${path} answered ${status}: ${text}`)
    return data
  }
  const unique = Date.now().toString(36)

  print('\n1. The 35 sellers become hosts, in three time zones')
  const hosts = await inviteSellers(call, make, sent, pass)
  for (const [zone, names] of Object.entries(SELLERS)) {
    const own = names.map((name) => hosts.get(name) as string)
    await inLanes(
      5,
      own.map((id) => () => make(`/scheduling/availability/users/${id}`, { timezone: zone }, 'PUT')),
    )
    show(`${names.length} hosts work from 9 to 5, ${zone}`)
  }

  print(`\n2. ${bookings} bookings, given to the hosts in turn`)
  const ids = [...hosts.values()]
  const event = await make('/scheduled-event-types', {
    name: `Product call ${unique}`,
    hosts: ids.map((user_id) => ({ user_id })),
    horizon_days: 365,
  })
  const week = { from: dayIn(14), to: dayIn(27), timezone: 'America/New_York' }
  const offered = await make('/scheduling-bookings/available-slots', { event_type: event.id, ...week })
  const starts: string[] = offered.days.flatMap(({ slots }: Body) => slots.map(({ starts_at }: Body) => starts_at))
  const began = Date.now()
  const answers = await inLanes(
    16,
    Array.from(
      { length: bookings },
      (_, n) => () =>
        call('POST', '/scheduling-bookings', {
          event_type: event.id,
          starts_at: starts[(n * 7) % starts.length],
          name: `Buyer ${n}`,
          email: `buyer-${n}-${unique}@example.com`,
        }),
    ),
  )
  const booked = answers.filter(({ status }) => status === 201).length
  show(`${booked} booked in ${((Date.now() - began) / 1_000).toFixed(1)} s, ${bookings - booked} refused`)

  print(`\n3. ${RACERS} clients race for one slot of one host`)
  const single = await make('/scheduled-event-types', { name: `Visit ${unique}`, hosts: [{ user_id: ids[0] }], horizon_days: 365 })
  const [slot] = (await make('/scheduling-bookings/available-slots', { event_type: single.id, from: dayIn(35), to: dayIn(42) })).days[0]
    .slots
  const race = await Promise.all(
    Array.from({ length: RACERS }, (_, n) =>
      call('POST', '/scheduling-bookings', {
        event_type: single.id,
        starts_at: slot.starts_at,
        name: `Racer ${n}`,
        email: `racer-${n}-${unique}@example.com`,
      }),
    ),
  )
  const won = race.filter(({ status }) => status === 201).length
  const refused = race.find(({ status }) => status === 409)
  show(`${won} won, ${race.filter(({ status }) => status === 409).length} were refused with SLOT_UNAVAILABLE`)
  if (refused) show(`the others are offered ${JSON.parse(refused.text).error.details.nearest_after?.label}`)

  print('\n4. A phone call')
  await phoneCall(call, event.id, unique, print)

  print('\n5. A change of the clocks')
  const [before, after] = aroundNextChange('America/New_York', new Date())
  for (const date of [before, after]) {
    const found = await make('/scheduling-bookings/available-slots', {
      event_type: event.id,
      from: date,
      to: weekLater(date),
      timezone: 'America/New_York',
    })
    const [day] = found.days
    show(
      `${day.label}: the first slot is at ${day.slots[0].key.slice(11)} local time (${day.slots[0].utc_offset}), ${day.slots[0].starts_at}`,
    )
  }

  print('\n6. Audit')
  await audit(call, [event.id, single.id], booked + won, hosts, show)
}

const weekLater = (date: string) => new Date(Date.parse(date) + 6 * DAY).toISOString().slice(0, 10)

/** The sellers' user ids by name. Those who are no members yet are invited and join by the link in their email. */
async function inviteSellers(
  call: Call,
  make: (path: string, body: unknown) => Promise<Body>,
  sent: Surroundings['sent'],
  pass: Surroundings['pass'],
): Promise<Map<string, string>> {
  const emailOf = (name: string) => `${name.toLowerCase().replace(/[^a-z]+/g, '.')}@sellers.example`
  const names = Object.values(SELLERS).flat()
  const known = new Map<string, Body>()
  for (let after = ''; ; ) {
    const { text } = await call('GET', `/company/users?limit=100${after && `&after=${after}`}`)
    const { data, page } = JSON.parse(text)
    for (const member of data) known.set(member.email, member)
    if (!page.next) break
    after = page.next
  }
  for (const name of names)
    if (!known.has(emailOf(name))) known.set(emailOf(name), await make('/company/users/invite', { email: emailOf(name), full_name: name }))
  for (let waited = 0; names.some((name) => known.get(emailOf(name))?.status === 'invited'); waited++) {
    if (waited > 60) throw new Complaint('The invitations did not arrive: is the email emulator of "npm run dev" running?')
    await pass()
    for (const { To, TextBody = '' } of await sent()) {
      const member = known.get(To)
      const token = /\/invitations\/([\w-]+)/.exec(TextBody)?.[1]
      if (member?.status === 'invited' && token && (await call('POST', '/invitations/accept', { token })).status < 300)
        member.status = 'active'
    }
  }
  return new Map(names.map((name) => [name, known.get(emailOf(name)).id as string]))
}

/** Books twice as a voice agent does, repeats a call, and moves one of the two bookings. */
async function phoneCall(call: Call, eventTypeId: string, unique: string, print: (line: string) => void): Promise<void> {
  const say = async (what: string, path: string, args: object) => {
    const envelope = { name: 'tool', call: { call_id: `call_${unique}`, direction: 'inbound', from_number: PHONE }, args }
    const { text } = await call('POST', `/scheduling/voice${path}`, envelope)
    print(`  ${what}:`)
    for (const line of text.split('\n')) print(`  ☎ ${line}`)
    return text
  }
  const days = { from: dayIn(45), to: dayIn(50), timezone: 'America/New_York' }
  const offered = await say('The agent asks for times', `/${eventTypeId}/slots`, days)
  const keys = [...offered.matchAll(/\[(\d{4}-\d\d-\d\d \d\d:\d\d)\]/g)].map(([, slot]) => slot as string)
  const [first, second, third] = keys as [string, string, string]
  const caller = { name: 'Ana Lee', timezone: 'America/New_York' }
  const booked = await say('It books the first', `/${eventTypeId}/book`, { ...caller, slot: first })
  const again = await say('The provider repeats the call', `/${eventTypeId}/book`, { ...caller, slot: first })
  print(`  → the repetition ${again === booked ? 'got the first answer: nothing was booked twice' : 'DIFFERS'}`)
  await say('It books a second time', `/${eventTypeId}/book`, { ...caller, slot: second })
  await say('The caller wants to move a booking', '/reschedule-booking', { slot: third, timezone: 'America/New_York' })
  await say('The caller means the first', '/reschedule-booking', { slot: third, timezone: 'America/New_York', booking_selector: 1 })
}

/** Reads every booking again and looks for two that overlap for one host. */
async function audit(
  call: Call,
  eventTypes: string[],
  least: number,
  hosts: Map<string, string>,
  show: (text: string) => void,
): Promise<void> {
  const all: Body[] = []
  for (const id of eventTypes)
    for (let after = ''; ; ) {
      const { text } = await call('GET', `/scheduling-bookings?event_type_id=${id}&limit=100${after && `&after=${after}`}`)
      const { data, page } = JSON.parse(text)
      all.push(...data)
      if (!page.next) break
      after = page.next
    }
  const live = all.filter(({ status }) => status !== 'cancelled')
  const byHost = Map.groupBy(live, ({ host_id }) => host_id as string)
  const overlaps = [...byHost.values()].flatMap((own) => {
    const sorted = own.toSorted((a, b) => a.starts_at.localeCompare(b.starts_at))
    return sorted.filter((booking, n) => n > 0 && sorted[n - 1].ends_at > booking.starts_at)
  })
  const ofPool = live.filter(({ event_type_id }) => event_type_id === eventTypes[0])
  const shares = [...hosts.values()].map((id) => ofPool.filter(({ host_id }) => host_id === id).length)
  show(
    `${live.length} bookings, ${overlaps.length} overlaps; each host has ${Math.min(...shares)} to ` +
      `${Math.max(...shares)} of the product calls`,
  )
  if (overlaps.length > 0 || live.length < least) throw new Complaint('The audit failed: see the line above')
  const { data: proof } = await call('GET', `/scheduling-bookings/${(live[0] as Body).id}/proof`)
  show(
    `the proof of the first one: ${proof.checks.filter(({ passed }: Body) => passed).length} checks passed, decided at ${proof.decided_at}`,
  )
}

await program(import.meta, { usage: USAGE, options: TARGET_FLAGS }, async (flags) => {
  const { base, key, run } = targetOf(flags)
  const { email } = addressesOf(run)
  const sent = async () => (await (await fetch(`${email}/__sent`)).json()) as { To: string; TextBody?: string }[]
  const pass = () => new Promise<void>((done) => setTimeout(done, 1_000))
  await demonstrateScheduling(base, key, console.log, { fetch: fetch as unknown as Fetch, sent, pass })
})
