import type pg from 'pg'
import { linkClient, makeAgency, recordPayment } from '../../dev/agency/agency.ts'
import type { Harness } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import type { Ids } from './samples.ts'

/** A month in the past, and an instant in it. */
const MONTH = '2026-01-01'
const PAID_AT = '2026-01-15T10:00:00Z'

/** Makes the workspace an agency with a client, a service request with a note, a website, and a plan that owes a payout. */
export async function addAgency(app: Harness, ws: TestWorkspace, ids: Ids): Promise<void> {
  const { rowCount: isAgency } = await app.owner.query('select from agencies where workspace_id = $1', [ws.id])
  if (!isAgency)
    await makeAgency(app.owner, ws.id, {
      commission_percent: 20,
      currency: 'AUD',
      signup_url: 'https://example.com/join',
      from_month: MONTH,
    })
  const sales = await ws.key({ role: 'client_admin' })
  await app.owner.query('update memberships set joined_at = $3 where workspace_id = $1 and user_id = $2', [ws.id, sales.userId, PAID_AT])
  const { rows } = await app.owner.query('select email from users where id = $1', [sales.userId])
  const client = await app.workspace()
  await linkClient(app.owner, ws.id, client.id, { brought_in_by: rows[0].email, plan: 'growth', trial_ends_at: PAID_AT })
  ids.agency_client_id = client.id
  ids.agency_request_id = (await client.post('/service-requests', { title: 'Help', queue: 'agency' })).body.data.id
  ids.agency_note_id = (await ws.post(`/agency/service-requests/${ids.agency_request_id}/notes`, { content: 'Soon' })).body.data.id
  const website = 'insert into websites (workspace_id, client_id, name, repository) values ($1, $2, $3, $4) returning id'
  const site = await app.owner.query(website, [ws.id, client.id, 'Main website', 'https://git.example.com/site'])
  await app.owner.query("insert into website_syncs (workspace_id, website_id, status) values ($1, $2, 'ready')", [ws.id, site.rows[0].id])
  await recordPayment(app.owner, ws.id, {
    client_id: client.id,
    kind: 'service',
    paid_at: PAID_AT,
    amount_cents: 10_000,
    currency: 'AUD',
    reference: crypto.randomUUID(),
  })
  await ws.patch(`/agency/team-commission/plans/${sales.userId}`, { one_off_percent: 10 })
  const { members } = (await ws.get('/agency/team-commission')).body.data
  const member = members.find(({ user_id }: { user_id: string }) => user_id === sales.userId)
  const owed = member.payouts.find(({ status }: { status: string }) => status === 'owed')
  ids.payout_id = owed.payout_id
  ids.commission_line_id = owed.lines[0].id
}

export const AGENCY_OF_CALLS: Record<string, Ids> = {
  'GET /agency/clients/:client_id': { client_id: 'agency_client_id' },
  'GET /agency/commission/lines/:line_id': { line_id: 'commission_line_id' },
  'GET /agency/commission/statements/:statement_id/export': { statement_id: 'payout_id' },
  'POST /agency/service-requests/:request_id/notes': { request_id: 'agency_request_id' },
  'PATCH /agency/service-requests/:request_id/notes/:note_id': { request_id: 'agency_request_id', note_id: 'agency_note_id' },
}

/** A plan ends, or it does not. */
export const AGENCY_OVER: Record<string, () => { body: Record<string, unknown> }> = {
  'PATCH /agency/team-commission/plans/:user_id': () => ({ body: { ongoing_forever: undefined } }),
}

/** Makes a workspace an agency with this many clients, requests and websites. */
export async function fillAgency(session: pg.ClientBase, id: string, rows: number): Promise<void> {
  await makeAgency(session, id, { commission_percent: 20, currency: 'AUD', signup_url: null, from_month: MONTH })
  const each = `from generate_series(1, ${rows}) n`
  await session.query(`
    with clients as (insert into agency_clients (workspace_id, client_id, name, is_template)
        select '${id}', gen_random_uuid(), 'Client ' || n, n % 4 = 0 ${each} returning client_id),
      sent as (insert into agency_requests (workspace_id, id, client_id, title, type, priority, status, queue, created_at, updated_at)
        select '${id}', uuidv7(), client_id, 'Help', 'other', 'normal', 'open', 'agency', now(), now() from clients),
      sites as (insert into websites (workspace_id, client_id, name, repository) select '${id}', client_id, 'Site', 'git' from clients
        returning id)
    insert into website_syncs (workspace_id, website_id) select '${id}', id from sites`)
}

export const AGENCY_KEYS: Record<string, string> = {
  agency_clients_key: 'the operator links clients; agency/clients.test.ts',
  agency_payments_key: 'the operator records payments; agency/clients.test.ts',
  agency_refunds_key: 'the operator records refunds; agency/clients.test.ts',
  commission_causes_payment_key: 'the operator records payments',
  commission_causes_refund_key: 'the operator records refunds',
  commission_plans_key: 'a lock on the agency makes the versions of a plan follow each other',
  commission_statements_key: 'a lock on the agency makes whoever is first close a month',
  websites_key: 'no request adds a website',
}
