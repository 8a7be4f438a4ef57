import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { linkClient, makeAgency, type PaymentIn, recordPayment, recordRefund } from '../agency/agency.ts'
import { recordSync, recordWebsite } from '../agency/websites.ts'
import { inTransaction } from '../migrations.ts'
import { connectAsOwner } from '../owner.ts'
import { program } from '../program.ts'
import { addressesOf, targetOf } from '../runs.ts'
import { Complaint } from '../settings.ts'
import { createOwnKey, createWorkspace } from '../workspace.ts'
import { type Api, apiOf, type Body, type Fetch } from './api.ts'

const USAGE = `Usage: npm run demo:agency [-- --data-dir <folder>]

Makes an agency with an owner, an account manager and a salesperson, links two clients to it, \
records what they pay and what is refunded, and
explains a cent of the commission. A payout is paid once, a client gets an answer to a service request, \
and a website is built, with an error.
The agency and its clients stay. It works in the database of "npm run dev"; of several runs, --data-dir names one.`

const PATIENCE_MS = 150_000

export type Surroundings = {
  fetch: Fetch
  /** The database as its owner: agencies and payments are recorded there by the operator of the platform. */
  database: pg.Client | pg.Pool
  /** The emails that the emulator has sent so far. */
  sent: () => Promise<{ To: string; TextBody?: string }[]>
  /** Lets some time pass. */
  pass: () => Promise<void>
}
type Actor = { id: string; api: Api; email: string }
type Stage = Surroundings & {
  unique: string
  print: (line: string) => void
  show: (text: string) => void
  apiWith: (key: string) => Api
  until: <Out>(what: string, look: () => Promise<Out | false | null | undefined>) => Promise<Out>
}
type Agency = { id: string; owner: Actor; manager: Actor; sales: Actor; clients: [Actor, Actor] }

/** The first day of the month that is this number of months before the present one. */
function monthsAgo(months: number): Date {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1))
}
const monthText = (months: number): string => monthsAgo(months).toISOString().slice(0, 7)
/** An instant in the middle of that month. */
const midOf = (months: number): string => `${monthText(months)}-15T10:00:00.000Z`

/** Runs the demonstration against the API at `base`; `print` receives every line of output. */
export async function demonstrateAgency(base: string, print: (line: string) => void, around: Surroundings): Promise<void> {
  const stage: Stage = {
    ...around,
    unique: Date.now().toString(36),
    print,
    show: (text) => print(`  → ${text}`),
    apiWith: (key) => apiOf(base, key, print, around.fetch),
    async until(what, look) {
      for (const end = Date.now() + PATIENCE_MS; ; await around.pass()) {
        const found = await look()
        if (found) return found
        if (Date.now() > end) throw new Complaint(`Waited in vain for ${what}`)
      }
    },
  }
  const agency = await openAgency(stage)
  await takePayments(stage, agency)
  await explainCents(stage, agency)
  await payOut(stage, agency)
  await answerClient(stage, agency)
  await buildWebsite(stage, agency)
  await readFigures(stage, agency)
}

async function openAgency(stage: Stage): Promise<Agency> {
  const { database, print, show, unique, apiWith } = stage
  print('\n1. An agency, its staff and two clients')
  const newWorkspace = async (name: string, handle: string): Promise<Actor> => {
    const email = `${handle}-${unique}@example.com`
    const made = await createWorkspace(database, { name, ownerEmail: email, ownerName: `${handle[0]?.toUpperCase()}${handle.slice(1)}` })
    return { id: made.workspace_id, api: apiWith(made.key), email }
  }
  const owner = await newWorkspace(`Harbour Agency ${unique}`, 'olga')
  await database.query("update workspaces set timezone = 'UTC' where id = $1", [owner.id])
  await makeAgency(database, owner.id, {
    commission_percent: 12.5,
    currency: 'AUD',
    signup_url: 'https://example.com/join',
    from_month: `${monthText(3)}-01`,
  })
  const manager = await join(stage, owner, 'mia', 'account_manager')
  const sales = await join(stage, owner, 'sam', 'salesperson')
  const clients: [Actor, Actor] = [await newWorkspace('Bright Roofs', 'rita'), await newWorkspace('Corner Bakery', 'ben')]
  await linkClient(database, owner.id, clients[0].id, { brought_in_by: sales.email, plan: 'growth' })
  await linkClient(database, owner.id, clients[1].id, { brought_in_by: manager.email, plan: 'starter' })
  const { data } = await owner.api('GET', '/agency')
  show(`${data.name} gets ${data.commission_percent} % of what its ${data.client_count} clients pay`)
  return { id: owner.id, owner, manager, sales, clients }
}

/** A member who is invited, joins by the link in the email, and is treated as a member since three months ago. */
async function join({ database, unique, sent, until, apiWith }: Stage, owner: Actor, handle: string, role: string): Promise<Actor> {
  const email = `${handle}-${unique}@example.com`
  const { data: member } = await owner.api('POST', '/company/users/invite', { email, full_name: handle, role })
  const token = await until(`the invitation of ${handle}`, async () =>
    (await sent())
      .filter(({ To }) => To.includes(email))
      .map(({ TextBody = '' }) => /\/invitations\/([\w-]+)/.exec(TextBody)?.[1])
      .find(Boolean),
  )
  await owner.api('POST', '/invitations/accept', { token })
  await database.query('update memberships set joined_at = $3 where workspace_id = $1 and user_id = $2', [
    owner.id,
    member.id,
    monthsAgo(3),
  ])
  const { key } = await createOwnKey(database, { workspaceId: owner.id, email })
  return { id: member.id, api: apiWith(key), email }
}

async function takePayments({ database, print, show, unique }: Stage, { id, owner, clients }: Agency): Promise<void> {
  print('\n2. The clients pay, and one of them gets a part back')
  const pay = async (client: Actor, kind: PaymentIn['kind'], amount_cents: number, paid_at: string, name: string) => {
    const reference = `${name} ${unique}`
    await recordPayment(database, id, { client_id: client.id, kind, paid_at, amount_cents, currency: 'AUD', reference })
    show(`${name}: ${(amount_cents / 100).toFixed(2)} AUD, ${kind}, ${paid_at.slice(0, 10)}`)
  }
  await pay(clients[0], 'setup', 100_020, midOf(2), 'Invoice 1')
  await pay(clients[0], 'subscription', 19_900, midOf(2), 'Invoice 2')
  await pay(clients[1], 'subscription', 9_900, midOf(1), 'Invoice 3')
  await pay(clients[0], 'subscription', 19_900, midOf(1), 'Invoice 4')
  const refund = { payment_reference: `Invoice 1 ${unique}`, refunded_at: midOf(1), amount_cents: 33_333, reference: `Refund 1 ${unique}` }
  await recordRefund(database, id, refund)
  show('Refund 1: 333.33 AUD of Invoice 1; recorded twice, it counts once')
  await recordRefund(database, id, refund)
  const { data } = await owner.api('GET', `/agency/clients/${clients[0].id}`)
  show(`${data.name} has paid ${data.amount_paid} AUD`)
}

async function explainCents({ print, show }: Stage, { owner, manager, sales }: Agency): Promise<void> {
  print('\n3. What the agency gets, who sees it, and why a line has this cent')
  const { data } = await owner.api('GET', '/agency/commission')
  for (const { month, commission, payable, line_count } of data.statements)
    show(`${month}: ${commission} AUD in ${line_count} lines, ${payable} payable`)
  const { data: mine } = await manager.api('GET', '/agency/commission')
  show(`the account manager sees ${mine.statements[0].line_count} of ${data.statements[0].line_count} lines, and no payable sum`)
  await sales.api('GET', '/agency/commission', undefined, 403)
  const refund = data.statements[0].lines.find(({ refund_id }: Body) => refund_id)
  const { data: line } = await owner.api('GET', `/agency/commission/lines/${refund.id}`)
  const shares = line.shares.map(({ sign, amount, exact, rounded }: Body) => `${sign < 0 ? '-' : '+'}${rounded} (${exact} of ${amount})`)
  show(`the refund changes the commission by ${line.commission}: ${line.rate_percent} %, ${shares.join(' ')}`)
}

async function payOut({ print, show }: Stage, { owner, sales }: Agency): Promise<void> {
  print('\n4. The salesperson has a plan, and a payout is paid once')
  const plan = { one_off_percent: 10, first_months: 1, first_months_percent: 50, ongoing_percent: 5, ongoing_forever: true }
  const { data: version } = await owner.api('PATCH', `/agency/team-commission/plans/${sales.id}`, plan)
  show(`version ${version.version} of the plan counts since ${version.from_month}, when the salesperson has joined`)
  await owner.api('PATCH', `/agency/team-commission/plans/${sales.id}`, { first_months_percent: 100.01 }, 400)
  const { data: own } = await sales.api('GET', '/agency/team-commission')
  const { payouts } = own.members[0]
  for (const { month, commission, carried_in, payable, status } of payouts)
    show(`${month}: ${commission} AUD, carried in ${carried_in}, payable ${payable}, ${status}`)
  const owed = payouts.find(({ status }: Body) => status === 'owed')
  const path = `/agency/team-commission/payouts/${owed.payout_id}`
  await owner.api('PATCH', path, { paid: true, payment_reference: 'Transfer 4711' })
  await owner.api('PATCH', path, { paid: true, payment_reference: 'Transfer 4711' }, 409)
  const file: string = await sales.api('GET', `/agency/commission/statements/${owed.payout_id}/export`)
  for (const row of file.trim().split('\r\n')) print(`  ${row}`)
}

async function answerClient({ print, show }: Stage, { manager, clients: [client] }: Agency): Promise<void> {
  print('\n5. A client asks for help, and reads the answer of the agency')
  const wish = { title: 'The form on our website sends nothing', type: 'bug', queue: 'agency' }
  const { data: request } = await client.api('POST', '/service-requests', wish)
  const { data: waiting } = await manager.api('GET', `/agency/service-requests?status=open&client=${client.id}`)
  show(`waiting on the ${waiting[0].queue}: ${waiting[0].title}`)
  const notes = `/agency/service-requests/${request.id}/notes`
  const { data: note } = await manager.api('POST', notes, { content: 'We have found the cause.' })
  await manager.api('PATCH', `${notes}/${note.id}`, { content: 'We have found the cause: the address was wrong.' })
  const { data: seen } = await client.api('GET', `/service-requests/${request.id}`)
  show(`the client reads: ${seen.notes[0].content} The request is still ${seen.status}, with the ${seen.queue}`)
}

async function buildWebsite({ database, print, show, unique }: Stage, { id, owner, clients: [client] }: Agency): Promise<void> {
  print('\n6. The website of a client is built, with an error, and published')
  const repository = 'https://git.example.com/bright-roofs'
  const website_id = await recordWebsite(database, id, { client_id: client.id, name: 'Main website', repository })
  const secret = `swordfish-${unique}`
  const log = `${'Copied a page\n'.repeat(1_000)}DEPLOY_TOKEN=${unique}\nlogin with ${secret}\nError: form.html has no address`
  const broken = await recordSync(database, id, { website_id, status: 'queued', commit: '4f2a9c1' })
  for (const status of ['copying', 'building', 'failed'] as const)
    await recordSync(database, id, { id: broken, website_id, status, log }, [secret])
  const preview_url = 'https://preview.example.com/9b1d7e0'
  const mended = await recordSync(database, id, { website_id, status: 'queued', commit: '9b1d7e0' })
  for (const status of ['building', 'ready', 'published'] as const)
    await recordSync(database, id, { id: mended, website_id, status, preview_url })
  const { data } = await owner.api('GET', `/agency/websites?client_id=${client.id}`)
  for (const { status, commit, preview_url: preview, log_tail } of data[0].syncs) {
    const tail = log_tail?.split('\n').slice(-3).join(' | ')
    show(`${commit} ${status}${preview ? `, ${preview}` : ''}${tail ? `, the end of ${Buffer.byteLength(log_tail)} bytes: ${tail}` : ''}`)
  }
}

async function readFigures({ print, show, until }: Stage, { owner }: Agency): Promise<void> {
  print('\n7. The figures of the clients, which the background reads; nothing that they store is among them')
  const data: Body[] = await until('the figures of the clients', async () => {
    const { data } = await owner.api('GET', '/agency/clients')
    return data.every(({ checked_at }: Body) => checked_at) && data
  })
  for (const { name, plan, amount_paid, user_count, open_service_requests, unfinished_setup } of data)
    show(
      `${name}: ${plan}, ${amount_paid} AUD, ${user_count} user, ${open_service_requests} open requests, ` +
        `lacks ${unfinished_setup.join(', ')}`,
    )
}

await program(import.meta, { usage: USAGE, options: { 'data-dir': { type: 'string' } } }, async (flags) => {
  const { base, run } = targetOf(flags)
  const { email, database: url } = addressesOf(run)
  // The API must answer before anything is recorded.
  await fetch(base)
  const client = await connectAsOwner(url)
  // A statement that a lock or a deadlock ends, as beside `npm run migrate`, is repeated.
  const query = (text: string, values?: unknown[]) => inTransaction(client, () => client.query(text, values))
  const database = { query } as pg.Pool
  const sent = async () => (await (await fetch(`${email}/__sent`)).json()) as { To: string; TextBody?: string }[]
  try {
    await demonstrateAgency(base, console.log, { fetch: fetch as unknown as Fetch, database, sent, pass: () => pause(2_000) })
  } finally {
    await client.end()
  }
})
