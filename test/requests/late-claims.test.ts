import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seed } from '../contract/seed.ts'
import { type Harness, start } from '../harness.ts'
import { created } from '../routes/crm.ts'
import type { TestWorkspace } from '../workspace.ts'
import { type Called, call, wroteAndLocked } from './late-calls.ts'
import { expectWritten, namesOf, reportWrites } from './written-rows.ts'

/**
 * Whoever comes back after the lease has ended and another worker has claimed the work changes nothing: every function that takes a claim,
 * called with the one before and with the present one. Beside other rows with the same claim it
 * changes only its own. The functions are those of the catalogue.
 */
let app: Harness
let ws: TestWorkspace
let names: Map<string, string>
const written: Record<string, string[]> = {}
const [LATE, PRESENT] = [crypto.randomUUID(), crypto.randomUUID()]
beforeAll(async () => {
  app = await start({ own: true })
  ws = await app.workspace()
  names = namesOf(await seed(app, ws))
  created(await ws.post('/contacts', { first_name: 'Late', email: 'late@example.com' }))
  await app.drain()
  await reportWrites(app.owner)
}, 120_000)
afterAll(() => app.close())

/** The table that has the claim, the argument with its row, and what is settled. */
type Case = {
  table: string
  row: string
  column?: string
  args: (row: Row) => Row
  where?: string
  also?: string
  /** What else the present claim changes, if it is not the table that has it. */
  changed?: string
  /** In what each twin of the row differs from it, besides its key. */
  differs?: Record<string, string>[]
  /** The tables of which it changes or locks rows beside that of the case, too. */
  touches?: string[]
}
type Row = Record<string, unknown>
const SOON = { p_lease: 60, p_read_at: '2027-01-01T00:00:00Z', p_full: false }
const calendar = (args: Row = {}): Case => ({ table: 'connection_calendars', row: 'p_id', args: () => ({ ...SOON, ...args }) })
const mailbox = (args: Row = {}): Case => ({
  table: 'mailboxes',
  row: 'p_id',
  where: "status = 'connected'",
  args: () => ({ ...SOON, p_until: '2027-01-01T00:00:00Z', ...args }),
})
const event = { source: 'late', times: [['2027-01-01T00:00:00Z', '2027-01-01T01:00:00Z']] }
const failed = ({ id }: Row) => ({ p_results: JSON.stringify([{ id, state: 'failed', error: {}, outcome: 'failure' }]) })
const EMAIL = {
  p: {
    direction: 'inbound',
    references: [],
    thread_id: crypto.randomUUID(),
    attachments: [],
    email: {
      id: crypto.randomUUID(),
      from_email: 'late@example.com',
      to_emails: [],
      cc_emails: [],
      subject: 'Late',
      body_text: 'Late',
      internet_id: 'late@example.com',
    },
    participants: ['late@example.com'],
    snippet: 'Late',
    activity_body: 'Late',
  },
  p_max_links: 10,
  p_max_participants: 10,
  p_max_contacts: 10,
}
const CASES: Record<string, Case> = {
  settle_token: {
    table: 'account_grants',
    row: 'p_account',
    column: 'refresh_claim_id',
    where: 'connection_id is not null',
    differs: Array(2).fill({ connection_id: 'gen_random_uuid()', mailbox_id: 'null' }),
    args: ({ connection_id }) => ({ p_account: connection_id, p: { sealed_access_token: 'late' } }),
  },
  // For every kind of background work; with each of them in work-schedules.test.ts.
  extend_work: calendar({ p_kind: 'calendars.sync', p_facts: {} }),
  end_work: {
    ...calendar(),
    args: ({ turn }) => ({ p_kind: 'calendars.sync', p_turn: turn, p: { results: { error: 'Late' }, wait: 60 } }),
  },
  hold_calendar: calendar(),
  store_calendar_page: calendar({ p_events: JSON.stringify([event]) }),
  begin_calendar_channel: calendar({ p_channel: crypto.randomUUID(), p_hash: 'ab'.repeat(32) }),
  drop_calendar_channel: calendar(),
  note_mailbox_watch: mailbox(),
  receive_mailbox_email: { ...mailbox(), row: 'p_mailbox', args: () => EMAIL, changed: 'email_messages' },
  run_restore: {
    table: 'deletions',
    row: 'p_id',
    args: () => ({ p_limit: 10 }),
    also:
      "state = 'running', ended_at = null, type = 'restore', phase = 'clean', record_id = (select id from contacts where workspace_id " +
      '= deletions.workspace_id limit 1)',
  },
  run_deletion: {
    table: 'deletions',
    row: 'p_id',
    args: () => ({ p_limit: 10 }),
    also: "state = 'running', ended_at = null, type = 'deletion'",
  },
  settle_outgoing: { table: 'outgoing_requests', row: 'id', args: failed, where: "state = 'pending'" },
  settle_webhook: {
    table: 'webhook_deliveries',
    row: 'id',
    args: (row) => ({ ...failed(row), p_webhook: row.webhook_id }),
    also: "state = 'pending', ended_at = null",
  },
}
/** What is no settlement: the functions that claim. */
const CLAIMING = /^claim_/

type Found = { name: string; parameters: string[] }
async function functions(): Promise<Found[]> {
  const { rows } = await app.owner.query<Found>(
    `select p.proname as name, p.proargnames as parameters from pg_proc p
      where p.pronamespace = 'public'::regnamespace and 'p_claim' = any (p.proargnames)`,
  )
  return rows.filter(({ name }) => !CLAIMING.test(name))
}

/** The tables that a call changes, and with neighbours also those of which it has reached one; what it does is rolled back. */
async function calledWith({ name, parameters }: Found, one: Case, row: Row, claim: string, isBeside = false): Promise<Called> {
  const args: Row = { [one.row]: row.id, ...one.args(row), p_workspace: ws.id, p_claim: claim }
  const values = parameters.map((parameter) => args[parameter] ?? null)
  const text = `select ${name}(${values.map((_, at) => `$${at + 1}`).join(', ')})`
  const { table, differs } = one
  return call(app, ws.id, [], { text, values }, isBeside ? { beside: { table, key: 'id', row: String(row.id), differs } } : {})
}

test('each function that takes a claim has a case', async () => {
  expect((await functions()).map(({ name }) => name).sort()).toEqual(Object.keys(CASES).sort())
})

describe('with a claim that another worker has replaced, nothing is changed, and with the present one it is, by', () => {
  test.each(Object.entries(CASES))('%s', async (name, one) => {
    const found = (await functions()).find((each) => each.name === name) as Found
    const { rows } = await app.owner.query(
      `select * from ${one.table} where workspace_id = $1 and ${one.where ?? 'true'} order by id limit 1`,
      [ws.id],
    )
    expect(rows, `${one.table} of the sample data`).toHaveLength(1)
    const [row] = rows as [Row]
    const column = one.column ?? 'claim_id'
    const lease = { claim_id: 'claimed_until', refresh_claim_id: 'refresh_claimed_until' }[column]
    const leased = lease && lease in row ? `, ${lease} = now() + interval '1 hour'` : ''
    const due = lease && lease in row && 'due_at' in row ? ", due_at = now() + interval '1 hour'" : ''
    await app.owner.query(
      `update ${one.table} set ${column} = $3${leased}${due}${one.also ? `, ${one.also}` : ''} where workspace_id = $1 and id = $2`,
      [ws.id, row.id, PRESENT],
    )
    expect((await calledWith(found, one, row, LATE)).changed).toEqual([])
    const present = await calledWith(found, one, row, PRESENT)
    const { changed } = present
    written[name] = wroteAndLocked(present, names)
    expect(changed).toContain(one.changed ?? one.table)
    const beside = await calledWith(found, one, row, PRESENT, true)
    expect(beside, 'beside other rows').toMatchObject({ changed, touched: one.touches ?? [] })
    expect(beside.twins, `twins: ${beside.refusals}`).toBe(2)
  })
})

test('each writes what is recorded of it (WRITTEN=write records it)', () => {
  expectWritten('late-claims.txt', written)
})

test('an access that is renewed without a new refresh token keeps the one before', async () => {
  const { rows } = await app.owner.query(
    `update account_grants set refresh_claim_id = $2, sealed_refresh_token = 'kept' where workspace_id = $1 and connection_id is not null
      returning id, connection_id`,
    [ws.id, PRESENT],
  )
  const [{ id, connection_id }] = rows
  const values = [ws.id, connection_id, PRESENT, { sealed_access_token: 'new' }]
  const afterwards = `select sealed_refresh_token || sealed_access_token from account_grants
    where workspace_id = '${ws.id}' and id = '${id}'`
  const { result } = await call(app, ws.id, [], { text: 'select settle_token($1, $2, $3, $4)', values }, { afterwards })
  expect(result).toBe('keptnew')
})
