import { inTransaction } from '../migrations.ts'
import { connectAsOwner } from '../owner.ts'
import { program, TARGET_FLAGS, TARGET_USAGE } from '../program.ts'
import { addressesOf, targetOf } from '../runs.ts'
import { Complaint } from '../settings.ts'
import { type Api, apiOf, type Body, type Fetch } from './api.ts'
import { type Browse, browse } from './emulators.ts'
import { type Ask, auditWeek, letTimePass, sendsOf, sundayAhead, wall } from './growth-week.ts'

const USAGE = `Usage: npm run demo:growth [-- <flags>]

Publishes reviews and opens their page; writes to fifteen people during a week whose clock runs ahead, \
while some of them leave, bounce or are
converted; and finds a service request by other words. After each it compares what is shown and counted with a recount. \
Afterwards the reviews and
the initiative are deleted, and the request is closed; the people stay.
${TARGET_USAGE}`

const DAY = 86_400_000
const PEOPLE = 15

export type Surroundings = {
  fetch: Fetch
  browse: Browse
  /** For the clock of the week, which the API does not have. */
  askIn: (workspace: string) => Ask
}
type Stage = {
  base: string
  api: Api
  quiet: Api
  browse: Browse
  ask: Ask
  print: (line: string) => void
  show: (text: string) => void
  undo: (() => Promise<unknown>)[]
  unique: string
}

/** Runs the demonstration against the API at `base`; `print` receives every line of output. */
export async function demonstrateGrowth(
  base: string,
  key: string,
  print: (line: string) => void,
  { fetch, browse: open, askIn }: Surroundings,
): Promise<void> {
  const undo: Stage['undo'] = []
  const [api, quiet] = [apiOf(base, key, print, fetch), apiOf(base, key, () => {}, fetch)]
  const { data: me } = await quiet('GET', '/me')
  const unique = Date.now().toString(36)
  const stage: Stage = {
    base,
    api,
    quiet,
    browse: open,
    ask: askIn(me.workspace.id),
    print,
    undo,
    unique,
    show: (text) => print(`  → ${text}`),
  }
  try {
    await publishReviews(stage)
    await writeForAWeek(stage)
    await findByOtherWords(stage)
  } finally {
    for (const step of undo.toReversed()) await step()
  }
}

const REVIEWS = [
  ['Ana Silva', 5, 'On time and tidy.'],
  ['Bo Lind', 4, 'Good work, and a scaffolding that stood too long.'],
  ['Mia Chen', 2, 'Nobody called back </script><b>for a week</b>.'],
] as const

async function publishReviews({ base, api, quiet, browse: open, print, show, undo, unique }: Stage): Promise<void> {
  print('\n1. Reviews and their page')
  const { data: stats } = await quiet('GET', '/reputation/stats')
  const first = { slug: `growth-${unique}`, display_name: 'Harbour Roofs' }
  const { data: profile } = await api('POST', '/reputation/profile', { ...(stats.profile ? {} : first), is_published: true })
  if (!stats.profile?.is_published) undo.push(() => quiet('POST', '/reputation/profile', { is_published: false }))
  for (const [n, [reviewer_name, rating, testimonial_text]] of REVIEWS.entries()) {
    const { data: review } = await api('POST', '/reputation/reviews', { profile_id: profile.id, reviewer_name, rating, testimonial_text })
    undo.push(() => quiet('DELETE', `/reputation/reviews/${review.id}`))
    if (n === 0) {
      const refused = await api('POST', `/reputation/reviews/${review.id}/publish`, {}, 409)
      show(`a draft is not published: ${refused.error.code}`)
    }
    for (const verb of ['approve', 'publish']) await quiet('POST', `/reputation/reviews/${review.id}/${verb}`, {})
    if (rating < 3) await api('PATCH', `/reputation/reviews/${review.id}`, { vendor_response: 'We are sorry, and have called you today.' })
  }
  const page = await open(`${base}/reputation/${profile.slug}`)
  const [, json = '{}'] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(page.text) ?? []
  const shown = JSON.parse(json).aggregateRating
  show(`/reputation/${profile.slug} answers with ${page.status}, and tells programs: ${shown?.ratingValue} of 5 from ${shown?.reviewCount}`)
  const published = await all(quiet, '/reputation/reviews?status=published')
  const { data: figures } = await quiet('GET', '/reputation/stats')
  const recount = published.length
  const average = Math.round((published.reduce((sum, { rating }) => sum + rating, 0) / recount) * 10) / 10
  const isEqual =
    figures.reviews.published === recount &&
    sumOf(figures.rating_distribution) === recount &&
    shown?.reviewCount === recount &&
    Number(shown?.ratingValue) === average
  show(`audit: ${recount} published reviews with ${average} on average; the figures and the page ${isEqual ? 'say the same' : 'DIFFER'}`)
  if (!isEqual) throw new Complaint('The figures of the reviews differ from a recount: see the lines above')
}

const sumOf = (counts: Record<string, number>) => Object.values(counts).reduce((sum, count) => sum + count, 0)

async function all(api: Api, path: string, after = ''): Promise<Body[]> {
  const { data, page } = await api('GET', `${path}&limit=100${after && `&after=${after}`}`)
  return page.next ? [...data, ...(await all(api, path, page.next))] : data
}

async function writeForAWeek(stage: Stage): Promise<void> {
  const { api, quiet, ask, print, show, undo, unique } = stage
  print('\n2. A week of outreach, on a clock that runs ahead')
  const sunday = sundayAhead(Date.now())
  const cadence = { daily_send_cap: 5, send_window_start: '09:00', send_window_end: '12:00', timezone: 'Australia/Sydney' }
  const { data: initiative } = await api('POST', '/lead-gen/initiatives', { name: `Hotels ${unique}`, ...cadence, is_active: true })
  const before = await ask('select to_json((select next_at from lead_senders where workspace_id = current_workspace())) as result', [])
  // The address that sends is free again when our clock says so.
  undo.push(() => ask('update lead_senders set next_at = $1 where workspace_id = current_workspace()', [before.result ?? '-infinity']))
  undo.push(() => quiet('DELETE', `/lead-gen/initiatives/${initiative.id}`))
  const mail = (subject: string) => ({
    action_type: 'send_email',
    action_config: { subject, text: 'Good morning {{ contact.first_name }}' },
  })
  const wait = Math.ceil((sunday - Date.now()) / 60_000)
  await api('POST', `/lead-gen/initiatives/${initiative.id}/steps`, { ...mail('Your rooms'), delay: wait })
  await api('POST', `/lead-gen/initiatives/${initiative.id}/steps`, { ...mail('Shall we talk?'), delay: 2 * 24 * 60 })
  const ids: string[] = []
  for (let n = 0; n < PEOPLE; n++) {
    const lead = { name: `Guest ${n}`, email: `guest-${n}-${unique}@example.com`, country: 'Australia', consent_basis: 'published_address' }
    ids.push((await quiet('POST', '/lead-gen/results', lead)).data.id)
  }
  const { data: double } = await api('POST', '/lead-gen/results', { name: 'The first again', email: `GUEST-0-${unique}@example.com` })
  show(`a person who is known already: ${double.status}, by ${double.matched_by}`)
  const { data: enrolled } = await quiet('POST', `/lead-gen/initiatives/${initiative.id}/enrol`, { lead_result_ids: ids })
  const people: Body[] = enrolled.results
  show(`${people.length} people are enrolled`)
  const happenings: Record<number, () => Promise<unknown>> = {
    1: () => quiet('PATCH', `/contacts/${people[0].contact_id}`, { email_unsubscribed: true }),
    2: () => bounce(stage, `guest-1-${unique}@example.com`),
    3: () => quiet('POST', '/lead-gen/results/convert', { lead_result_ids: [ids[2]], create_opportunities: false }),
  }
  for (let day = 0; day < 7; day++) {
    await happenings[day]?.()
    await letTimePass(ask, initiative.id, sunday + day * DAY, sunday + (day + 1) * DAY)
  }
  for (const [day, sends] of Map.groupBy(await sendsOf(ask, initiative.id), (send) => send.day)) {
    const [from, to] = [sends[0], sends.at(-1)].map((send) => wall(initiative.timezone, send?.at ?? 0).time)
    show(`${day}: ${sends.length} emails, ${from} to ${to}`)
  }
  const { data: ended } = await quiet('GET', `/lead-gen/initiatives/${initiative.id}/enrolments?limit=100`)
  for (const [how, those] of Map.groupBy(ended as Body[], ({ status, end_reason }) => end_reason ?? status))
    show(`${how}: ${those.length} ${those.length === 1 ? 'person' : 'people'}`)
  await auditWeek(ask, initiative, (text) => show(`audit: ${text}`))
}

async function bounce({ quiet, undo }: Stage, address: string): Promise<void> {
  const { data } = await quiet('POST', '/suppressions', { channel: 'email', address, reason: 'hard_bounce' })
  undo.push(() => quiet('DELETE', `/suppressions/${data.id}`))
}

async function findByOtherWords({ api, quiet, print, show, undo, unique }: Stage): Promise<void> {
  print('\n3. A service request is found by other words')
  const title = `Clients cannot open their portal (${unique})`
  const { data: request } = await api('POST', '/service-requests', { title, description: 'The page asks for a PIN that never arrives.' })
  undo.push(() => quiet('PATCH', `/service-requests/${request.id}`, { status: 'closed' }))
  const { data: other } = await api('POST', '/service-requests', { title: `Invoices have no logo (${unique})` })
  undo.push(() => quiet('PATCH', `/service-requests/${other.id}`, { status: 'closed' }))
  const query = 'customers never get the PIN of the page'
  const { data: hits, _warnings: warnings = [] } = await api('POST', '/service-requests/search', { query, limit: 5 })
  for (const { message } of warnings) show(message)
  for (const { title, found_by, similarity } of hits) show(`${similarity?.toFixed(2) ?? '-'} ${title}, by ${found_by}`)
  const again = await quiet('POST', '/service-requests', { title, description: request.description })
  undo.push(() => quiet('PATCH', `/service-requests/${again.data.id}`, { status: 'closed' }))
  show(`whoever reports it again is answered with: ${again.data.similar.map(({ title }: Body) => title).join(', ')}`)
  const isFound = hits[0]?.id === request.id && again.data.similar.some(({ id }: Body) => id === request.id)
  show(`audit: the request ${isFound ? 'is the first that is found' : 'IS NOT FOUND'}`)
  if (!isFound) throw new Complaint('The service request was not found: see the lines above')
}

await program(import.meta, { usage: USAGE, options: TARGET_FLAGS }, async (flags) => {
  const { base, key, run } = targetOf(flags)
  // The API must answer before anything is changed.
  await fetch(base)
  const client = await connectAsOwner(addressesOf(run).database)
  const askIn =
    (workspace: string): Ask =>
    (text, values) =>
      inTransaction(client, async () => {
        await client.query("select set_config('app.workspace_id', $1, true)", [workspace])
        return (await client.query(text, values)).rows[0]
      })
  try {
    await demonstrateGrowth(base, key, console.log, { fetch: fetch as unknown as Fetch, browse, askIn })
  } finally {
    await client.end()
  }
})
