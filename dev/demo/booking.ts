import { setTimeout as pause } from 'node:timers/promises'
import { program, TARGET_FLAGS, TARGET_USAGE } from '../program.ts'
import { addressesOf, targetOf } from '../runs.ts'
import { Complaint } from '../settings.ts'
import { type Api, apiOf, type Body, type Fetch } from './api.ts'
import { actAt, type Browse, browse, formOf } from './emulators.ts'

const USAGE = `Usage: npm run demo:booking [-- <flags>]

Connects a Google and a Microsoft calendar, books on the public page as a browser without scripts does, \
moves the meeting in the Google calendar, lets a
grant expire, runs a no-show, and records a meeting with a notetaker. The emulators of "npm run dev" play the providers and the \
people. Afterwards the
calendars are disconnected and the bookings cancelled; the contact and the event type, which is inactive then, stay.
${TARGET_USAGE}`

const PATIENCE_MS = 120_000
const HOUR = 3_600_000
const ZONE = 'Australia/Sydney'
const VISITOR = { name: 'Ana Lee', phone: '', notes: 'I come by train.' }

export type Surroundings = {
  fetch: Fetch
  browse: Browse
  google: string
  microsoft: string
  notetaker: string
  /** Lets some time pass. */
  pass: () => Promise<void>
}
type Stage = Surroundings & {
  base: string
  api: Api
  quiet: Api
  print: (line: string) => void
  show: (text: string) => void
  /** Waits for what is looked for, and returns it. */
  until: <Out>(what: string, look: () => Promise<Out | false | null | undefined>) => Promise<Out>
  undo: (() => Promise<unknown>)[]
  unique: string
}

/** Runs the demonstration against the API at `base`; `print` receives every line of output. */
export async function demonstrateBooking(base: string, key: string, print: (line: string) => void, around: Surroundings): Promise<void> {
  const undo: Stage['undo'] = []
  const [api, quiet] = [apiOf(base, key, print, around.fetch), apiOf(base, key, () => {}, around.fetch)]
  const stage: Stage = {
    ...around,
    base,
    api,
    quiet,
    print,
    undo,
    show: (text) => print(`  → ${text}`),
    unique: Date.now().toString(36),
    async until(what, look) {
      for (const end = Date.now() + PATIENCE_MS; ; await around.pass()) {
        const found = await look()
        if (found) return found
        if (Date.now() > end) throw new Complaint(`Waited in vain for ${what}`)
      }
    },
  }
  try {
    const event = await prepare(stage)
    const outlook = await connectCalendars(stage)
    await keepFree(stage, event)
    const booking = await bookOnPage(stage, event)
    const moved = await moveInGoogle(stage, booking)
    await loseGrant(stage, event, outlook)
    await record(stage, moved)
    await missVisitor(stage, moved)
  } finally {
    for (const step of undo.toReversed()) await step()
  }
}

const account = (provider: string, unique: string) => `${provider}-${unique}@example.com`
const dayIn = (days: number) => new Date(Date.now() + days * 24 * HOUR).toISOString().slice(0, 10)

async function prepare({ quiet, undo, unique }: Stage): Promise<Body> {
  const [{ data: settings }, { data: me }] = [await quiet('GET', '/company/crm-settings'), await quiet('GET', '/me')]
  await quiet('PATCH', '/company/crm-settings', { booking_page_enabled: true, notetaker_enabled: true })
  const { booking_page_enabled, notetaker_enabled } = settings
  undo.push(() => quiet('PATCH', '/company/crm-settings', { booking_page_enabled, notetaker_enabled }))
  const { data: event } = await quiet('POST', '/scheduled-event-types', {
    name: `Consultation ${unique}`,
    hosts: [{ user_id: me.user.id }],
    create_video_meeting: true,
    horizon_days: 60,
    notices: ['no_show', 'rebooking'].map((kind) => ({ kind, is_enabled: true })),
  })
  undo.push(() => quiet('PATCH', `/scheduled-event-types/${event.id}`, { is_active: false }))
  return event
}

async function connectCalendars(stage: Stage): Promise<Body> {
  stage.print('\n1. A member connects two calendars')
  await connect(stage, 'google', 'allow')
  return connect(stage, 'microsoft', 'accept')
}

/** Gives consent on the page of the provider, which sends the browser back. */
async function connect({ api, quiet, browse: open, undo, unique, show }: Stage, provider: string, button: string): Promise<Body> {
  const email = account(provider, unique)
  const { url } = (await api('POST', '/calendar-connections/start', { provider })).data
  const form = formOf(await open(url))
  form.set('email', email)
  form.set('answer', button)
  const { location } = await open(url, form)
  if (!location || !(await confirm(open, location))) throw new Complaint(`${provider} did not connect: see ${location}`)
  const connection = (await connectionsOf(quiet)).find(({ account_email }) => account_email === email) as Body
  undo.push(async () => {
    const found = (await connectionsOf(quiet)).find(({ id }) => id === connection.id)
    if (found && found.status !== 'disconnected') await quiet('DELETE', `/calendar-connections/${connection.id}`)
  })
  for (const { name, busy_from, write_to } of (await quiet('GET', `/calendar-connections/${connection.id}/calendars`)).data)
    show(
      `${provider}: "${name}"${busy_from ? ', its events make the member unavailable' : ''}` +
        `${write_to ? ', bookings are copied into it' : ''}`,
    )
  return connection
}

/** Confirms the account on the page of this API, which names the member and the workspace, and returns whether it is connected. */
async function confirm(open: Browse, location: string): Promise<boolean> {
  const form = formOf(await open(location))
  if (!form.has('token')) return false
  form.set('answer', 'connect')
  return (await open(location.replace(/\?.*/, ''), form)).status === 200
}

const connectionsOf = async (quiet: Api): Promise<Body[]> => (await quiet('GET', '/calendar-connections?limit=100')).data

const slotsOf = async ({ quiet }: Stage, event: Body): Promise<Body[]> => {
  const days = { from: dayIn(7), to: dayIn(13), timezone: ZONE }
  const { data } = await quiet('POST', '/scheduling-bookings/available-slots', { event_type: event.id, ...days })
  return data.days.flatMap(({ slots }: Body) => slots)
}

async function keepFree(stage: Stage, event: Body): Promise<void> {
  const { microsoft, unique, until, show, print } = stage
  print('\n2. A meeting in the Microsoft calendar takes away times')
  const [first] = await until('slots', async () => {
    const slots = await slotsOf(stage, event)
    return slots.length > 0 && slots
  })
  await actAt(microsoft, '/__create', {
    email: account('microsoft', unique),
    event: { subject: 'Dentist', starts_at: first?.starts_at, ends_at: new Date(Date.parse(first?.starts_at) + HOUR).toISOString() },
  })
  const left = await until('the reading of the calendar', async () => {
    const slots = await slotsOf(stage, event)
    return slots.every(({ starts_at }) => starts_at !== first?.starts_at) && slots
  })
  show(`the dentist at ${first?.label}: the first time that is offered is now ${left[0]?.label}`)
}

async function bookOnPage(stage: Stage, event: Body): Promise<Body> {
  const { base, quiet, browse: open, unique, until, show, print } = stage
  print('\n3. A visitor books on the page, without a script')
  const { data: company } = await quiet('GET', '/company')
  const slot = (await slotsOf(stage, event)).at(-1)
  const page = `${base}/book/${company.slug}/${event.slug}`
  const form = formOf(await open(`${page}?${new URLSearchParams({ tz: ZONE, at: slot?.starts_at })}`))
  for (const [name, value] of Object.entries({ ...VISITOR, email: `ana-${unique}@example.com` })) form.set(name, value)
  const { status, location } = await open(page, form)
  if (status !== 303) throw new Complaint(`${page} answered ${status}`)
  show(`${page} → ${location?.replace(/manage\/.*/, 'manage/…')}`)
  const booking = await until('the booking with its video meeting', async () => {
    const { data } = await quiet('GET', `/scheduling-bookings?event_type_id=${event.id}&limit=1`)
    return data[0]?.video_meet_link && data[0]
  })
  stage.undo.push(() => cancelAll(stage, event))
  const { data: copies } = await quiet('GET', `/scheduling-bookings/${booking.id}/calendar-copies`)
  show(`booked for ${booking.starts_at}; its event in the Google calendar is ${copies[0]?.state}, with ${booking.video_meet_link}`)
  return booking
}

async function cancelAll({ quiet }: Stage, event: Body): Promise<void> {
  const { data } = await quiet('GET', `/scheduling-bookings?event_type_id=${event.id}&status=confirmed&limit=100`)
  for (const { id } of data) await quiet('POST', `/scheduling-bookings/${id}/cancel`, {})
}

const eventsAt = async (base: string, email: string): Promise<Body[]> =>
  ((await actAt(base, '/__events')) as Body[]).filter((one) => one.email === email).flatMap(({ events }) => events)

async function moveInGoogle({ quiet, google, unique, until, show, print }: Stage, booking: Body): Promise<Body> {
  print('\n4. The host moves the event in the Google calendar')
  const email = account('google', unique)
  const [event] = (await eventsAt(google, email)).filter(({ status }) => status === 'confirmed')
  const later = (instant: string) => new Date(Date.parse(instant) + 24 * HOUR).toISOString()
  const [starts_at, ends_at] = [later(booking.starts_at), later(booking.ends_at)]
  await actAt(google, '/__move', { email, event_id: event.id, starts_at, ends_at })
  const moved = await until('the booking', async () => {
    const { data } = await quiet('GET', `/scheduling-bookings?event_type_id=${booking.event_type_id}&status=confirmed&limit=1`)
    return data[0]?.id !== booking.id && data[0]
  })
  show(`the booking follows, from ${booking.starts_at} to ${moved.starts_at}`)
  const { data: notices } = await quiet('GET', `/scheduling-bookings/${moved.id}/notices?limit=100`)
  for (const { kind, state, channel } of notices) show(`notice: ${kind} by ${channel}, ${state}`)
  return moved
}

async function loseGrant(stage: Stage, event: Body, connection: Body): Promise<void> {
  const { api, quiet, microsoft, unique, until, show, print } = stage
  print('\n5. The grant at Microsoft ends')
  const time = (await slotsOf(stage, event)).at(-1)?.starts_at
  const check = async () => {
    const { data } = await quiet('POST', '/scheduling-bookings/check-availability', {
      event_type: event.id,
      starts_at: time,
      explain: true,
    })
    const failing = data.checks.filter(({ passed }: Body) => !passed).map((one: Body) => one.check)
    show(`${time} is ${data.available ? 'available' : `not available: ${failing.join(', ')}`}`)
  }
  await check()
  await actAt(microsoft, '/__revoke', { email: account('microsoft', unique) })
  await quiet('POST', `/calendar-connections/${connection.id}/resync`)
  const ended = await until('the end of the grant', async () => {
    const { data } = await quiet('GET', `/calendar-connections/${connection.id}`)
    return data.status === 'error' && data
  })
  show(`the connection is in error: ${ended.error}`)
  await check()
  await api('DELETE', `/calendar-connections/${connection.id}`)
  await check()
}

async function record({ api, quiet, notetaker, until, show, print }: Stage, booking: Body): Promise<void> {
  print('\n6. A notetaker attends the meeting')
  const { state, join_at } = (await api('POST', `/scheduling-bookings/${booking.id}/notetaker`)).data
  show(`the notetaker is ${state}, and joins at ${join_at}`)
  const bot = await until('the bot', async () => {
    const bots: Body[] = await actAt(notetaker, '/__bots')
    return bots.find(({ meeting_url, deleted }) => meeting_url === booking.video_meet_link && !deleted)
  })
  await actAt(notetaker, '/__meet', { bot_id: bot.id, seconds: 90 })
  const { transcript, activity_id } = await until('the transcript', async () => {
    const { data } = await quiet('GET', `/scheduling-bookings/${booking.id}/notetaker`)
    return data.transcript && data
  })
  const { data: timeline } = await quiet('GET', `/opportunities/${booking.deal_id}/timeline?limit=100`)
  const isListed = timeline.some((entry: Body) => JSON.stringify(entry).includes(activity_id))
  show(`the transcript is ${isListed ? '' : 'not '}on the timeline of the opportunity:`)
  for (const { speaker, text } of transcript) show(`${speaker}: ${text}`)
}

async function missVisitor({ api, quiet, until, show, print }: Stage, booking: Body): Promise<void> {
  print('\n7. The visitor does not come')
  await api('POST', `/scheduling-bookings/${booking.id}/mark-no-show`)
  const notices = await until('the notices', async () => {
    const { data } = await quiet('GET', `/scheduling-bookings/${booking.id}/notices?limit=100`)
    const kinds: Body[] = data.filter(({ kind }: Body) => kind === 'no_show' || kind === 'rebooking')
    return kinds.length === 2 && kinds
  })
  for (const { kind, channel, state, send_at } of notices) show(`notice: ${kind} by ${channel}, ${state}, for ${send_at}`)
}

await program(import.meta, { usage: USAGE, options: TARGET_FLAGS }, async (flags) => {
  const { base, key, run } = targetOf(flags)
  const { google, microsoft, notetaker } = addressesOf(run)
  await demonstrateBooking(base, key, console.log, {
    fetch: fetch as unknown as Fetch,
    browse,
    pass: () => pause(1_000),
    google,
    microsoft,
    notetaker,
  })
})
