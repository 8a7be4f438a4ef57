import { setTimeout as pause } from 'node:timers/promises'
import { program, TARGET_FLAGS, TARGET_USAGE } from '../program.ts'
import { addressesOf, targetOf } from '../runs.ts'
import { Complaint } from '../settings.ts'
import { type Api, apiOf, type Body, type Fetch } from './api.ts'
import { actAt, type Browse, browse, formOf } from './emulators.ts'

const USAGE = `Usage: npm run demo:delivery [-- <flags>]

Wins an opportunity, makes work orders from the components of what was sold, opens the page of the client by its link and PIN \
as a browser without
scripts does, reschedules, and orders and pays on the page of an order form while each report of the payment comes twice. \
It prints the timelines.
Afterwards the page of the client is closed and the form is inactive; the contact, the opportunities and the work orders stay.
${TARGET_USAGE}`

const PATIENCE_MS = 120_000
const DAY = 86_400_000
const dayIn = (days: number) => new Date(Date.now() + days * DAY).toISOString().slice(0, 10)

export type Surroundings = {
  fetch: Fetch
  browse: Browse
  stripe: string
  /** The emails that the emulator has sent so far. */
  sent: () => Promise<{ To: string; TextBody?: string }[]>
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
  client: { id: string; email: string }
}

/** Runs the demonstration against the API at `base`; `print` receives every line of output. */
export async function demonstrateDelivery(base: string, key: string, print: (line: string) => void, around: Surroundings): Promise<void> {
  const undo: Stage['undo'] = []
  const [api, quiet] = [apiOf(base, key, print, around.fetch), apiOf(base, key, () => {}, around.fetch)]
  const unique = Date.now().toString(36)
  const email = `ana-${unique}@example.com`
  const { data } = await quiet('POST', '/contacts', { first_name: 'Ana', last_name: 'Lee', email })
  const stage: Stage = {
    ...around,
    base,
    api,
    quiet,
    print,
    undo,
    unique,
    client: { id: data.id, email },
    show: (text) => print(`  → ${text}`),
    async until(what, look) {
      for (const end = Date.now() + PATIENCE_MS; ; await around.pass()) {
        const found = await look()
        if (found) return found
        if (Date.now() > end) throw new Complaint(`Waited in vain for ${what}`)
      }
    },
  }
  try {
    const deal = await winDeal(stage)
    const orders = await planWork(stage, deal)
    const look = await openPortal(stage, deal)
    await reschedule(stage, orders, look)
    const ordered = await orderOnPage(stage)
    print('\n6. The timelines')
    await printTimeline(stage, 'the work', deal.id)
    await printTimeline(stage, 'the order', ordered)
  } finally {
    for (const step of undo.toReversed()) await step()
  }
}

async function winDeal({ api, quiet, print, show, undo, unique, client }: Stage): Promise<Body> {
  print('\n1. An opportunity is won, and what was sold is listed')
  const { data: settings } = await quiet('GET', '/company/crm-settings')
  const { component_instances_on_win } = settings
  await quiet('PATCH', '/company/crm-settings', { component_instances_on_win: true })
  undo.push(() => quiet('PATCH', '/company/crm-settings', { component_instances_on_win }))
  const { data: product } = await quiet('POST', '/products', { name: `Solar roof ${unique}`, price: 12_400 })
  const components = ['Panels', 'Mounting rails', 'Inverter'].map((label) => ({ product_id: product.id, label }))
  await api('POST', '/product-components/bulk', { components })
  const contacts = [{ contact_id: client.id, is_primary: true }]
  const { data: deal } = await quiet('POST', '/opportunities', { name: `Roof of Ana Lee ${unique}`, contacts })
  const { data: item } = await quiet('POST', `/opportunities/${deal.id}/products`, { product_id: product.id })
  const won = await wonStage(quiet, deal)
  await api('POST', `/opportunities/${deal.id}/move`, { stage_id: won })
  const { data: sold } = await quiet('GET', `/component-instances?opportunity_id=${deal.id}`)
  show(
    `sold: ${sold
      .map(({ label }: Body) => label)
      .toSorted()
      .join(', ')}`,
  )
  return { id: deal.id, item: item.id }
}

const wonStage = async (quiet: Api, { pipeline_id }: Body): Promise<string> => {
  const { data: pipelines } = await quiet('GET', '/pipelines')
  const { stages } = pipelines.find(({ id }: Body) => id === pipeline_id)
  return stages.find(({ kind }: Body) => kind === 'won').id
}

async function planWork({ api, quiet, print, show }: Stage, deal: Body): Promise<Body[]> {
  print('\n2. Work orders are made from the components, and planned for one member')
  const { data: me } = await quiet('GET', '/me')
  const { data } = await api('POST', '/work-orders/from-components', { deal_product_id: deal.item })
  for (const [n, { id }] of data.made.entries()) {
    const plan = { status: 'scheduled', assigned_to: me.user.id, schedule_date: dayIn(7), schedule_time: n === 2 ? null : '09:30' }
    const { _warnings: warnings = [] } = await api('PATCH', `/work-orders/${id}`, { ...plan, duration_minutes: 120 })
    for (const { code, message } of warnings) show(`${code}: ${message}`)
  }
  return data.made
}

async function senderOf({ quiet, undo, unique }: Stage): Promise<void> {
  const { data: known } = await quiet('GET', '/email/configs')
  if (known.length > 0) return
  const sender = { from_email_handle: `delivery-${unique}`, from_name: 'Harbour Roofs', staff_email: 'team@example.com' }
  const { data } = await quiet('POST', '/email/configs', sender)
  undo.push(() => quiet('DELETE', `/email/configs/${data.id}`))
}

type Look = () => Promise<string>

/** Opens the page with the link and the PIN of the two emails, and returns how to look at it again. */
async function openPortal(stage: Stage, deal: Body): Promise<Look> {
  const { base, api, quiet, browse: open, sent, client, until, show, print, undo } = stage
  print('\n3. The client opens the page, with the link of one email and the PIN of another')
  await senderOf(stage)
  const { data: portal } = await api('POST', '/work-orders/send-work-status', { deal_id: deal.id })
  undo.push(() => quiet('POST', `/portals/${portal.portal_id}/revoke`))
  const { link, code: pin } = await until('the two emails', async () => {
    const texts = (await sent()).filter(({ To }) => To.includes(client.email)).map(({ TextBody = '' }) => TextBody)
    const link = texts.map((text) => /\/portal\/[\w-]+/.exec(text)?.[0]).find(Boolean)
    const code = texts.map((text) => /your PIN is (\d{6})\./.exec(text)?.[1]).find(Boolean)
    return link && code ? { link, code } : undefined
  })
  const page = base + link
  const wrong = await open(page, new URLSearchParams({ pin: String((Number(pin) + 1) % 1_000_000).padStart(6, '0') }))
  const right = await open(page, new URLSearchParams({ pin }))
  show(`a wrong PIN is answered with ${wrong.status}, the right one with ${right.status} and a session`)
  const look = async () => (await open(page, undefined, right.cookie ?? '')).text
  for (const line of linesOf(await look())) show(line)
  return look
}

/** The work orders on the page, each in a line. */
const linesOf = (html: string): string[] =>
  [...html.matchAll(/<li class="card">([\s\S]*?)<\/li>/g)].map(([, card = '']) =>
    card
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  )

async function reschedule({ api, print, show }: Stage, orders: Body[], look: Look): Promise<void> {
  print('\n4. The work is rescheduled, and the page shows it at once')
  const records = orders.map(({ id }) => ({ id, schedule_date: dayIn(14) }))
  const { data } = await api('POST', '/work-orders/bulk-reschedule', { records })
  show(`${data.results.length} work orders moved to ${dayIn(14)}`)
  for (const line of linesOf(await look())) show(line)
}

async function orderOnPage(stage: Stage): Promise<string> {
  const { base, quiet, browse: open, stripe, client, until, show, print, undo, unique } = stage
  print('\n5. The client orders on a page, and pays while each report of the payment comes twice')
  const { data: account } = await quiet('GET', '/company/payment-settings')
  if (!account.has_webhook_secret)
    throw new Complaint('The workspace is not connected with Stripe: "npm run dev" connects its demo workspace.')
  const items = [{ label: 'Yearly inspection', unit_price: 180, quantity_max: 3, tax_rate: 10 }]
  const { data: form } = await quiet('POST', '/order-forms', { name: `Inspection ${unique}`, items })
  undo.push(() => quiet('PATCH', `/order-forms/${form.id}`, { is_active: false }))
  await actAt(stripe, '/__faults', { duplicated: true })
  undo.push(() => actAt(stripe, '/__faults', { duplicated: false }))
  const page = `${base}/order/${form.slug}`
  const fields = formOf(await open(page))
  for (const [name, value] of Object.entries({ quantity_0: '2', name: 'Ana Lee', email: client.email })) fields.set(name, value)
  const { status, location } = await open(page, fields)
  if (status !== 303 || !location) throw new Complaint(`${page} answered ${status}`)
  show(`${page} → ${location.replace(/cs_test_.*/, 'cs_test_…')}`)
  const paid = await open(location, new URLSearchParams({ action: 'pay', name: 'Ana Lee' }))
  const thanks = paid.location && (await open(base + new URL(paid.location).pathname + new URL(paid.location).search))
  show(`Stripe leads back to: ${/<h1[^>]*>([^<]*)/.exec(thanks ? thanks.text : '')?.[1]}`)
  const logs = async (): Promise<Body[]> => (await quiet('GET', `/order-forms/${form.id}/logs`)).data
  const entry = await until('the report of the payment', async () => (await logs()).find(({ event }) => event === 'paid'))
  await stage.pass()
  for (const { event, amount, currency } of (await logs()).toReversed()) show(`log: ${event}, ${amount} ${currency}`)
  const payments = (await logs()).filter(({ event }) => event === 'paid').length
  show(
    `${payments} payment is recorded, ` +
      `for ${entry.contact_id === client.id ? 'the contact who is known by this address' : 'ANOTHER CONTACT'}`,
  )
  if (payments !== 1 || entry.contact_id !== client.id) throw new Complaint('A payment was recorded wrongly: see the lines above')
  return entry.opportunity_id
}

async function printTimeline({ quiet, print }: Stage, what: string, id: string): Promise<void> {
  print(`  ${what}:`)
  const { data } = await quiet('GET', `/opportunities/${id}/timeline?limit=100`)
  const [{ data: statuses }, { data: me }] = [await quiet('GET', '/work-order-statuses'), await quiet('GET', '/me')]
  const names = new Map<string, string>([...statuses.map((one: Body) => [one.id, one.label]), [me.user.id, 'you']])
  for (const { at, kind, data: entry } of data.toReversed()) print(`  ${at} ${sentenceOf(kind, entry, names)}`)
}

/** The changed fields, with the names of what ids stand for. */
const changesOf = (fields: Record<string, Body>, names: Map<string, string>) =>
  Object.entries(fields)
    .map(([field, { before, after }]) => `${field} ${[before, after].map((value) => names.get(value) ?? value ?? 'none').join(' → ')}`)
    .join(', ')

function sentenceOf(kind: string, entry: Body, names: Map<string, string>): string {
  if (kind === 'stage_move') return `moved to ${entry.to_stage_name}`
  if (kind === 'activity') return `${entry.activity_type}: ${entry.subject ?? entry.body ?? ''}`
  if (kind === 'change') return `${entry.entity} ${entry.action}${entry.action === 'updated' ? `: ${changesOf(entry.fields, names)}` : ''}`
  return `${kind}: ${entry.title ?? entry.name ?? ''}`
}

await program(import.meta, { usage: USAGE, options: TARGET_FLAGS }, async (flags) => {
  const { base, key, run } = targetOf(flags)
  const { email, stripe } = addressesOf(run)
  const sent = async () => (await (await fetch(`${email}/__sent`)).json()) as { To: string; TextBody?: string }[]
  await demonstrateDelivery(base, key, console.log, {
    fetch: fetch as unknown as Fetch,
    browse,
    stripe,
    sent,
    pass: () => pause(1_000),
  })
})
