import type { PoolClient, QueryResult } from 'pg'
import { describe, expect, test } from 'vitest'
import { held } from '../routes/approving.ts'
import { created, failed, found, type Row, useCrm } from '../routes/crm.ts'
import { merge } from '../routes/merging.ts'
import { addRows } from './work-items.ts'

/**
 * A row that another session holds: a call that decides from it waits, and then decides from what the other session has committed. A call
 * that takes whatever it finds passes over the row, and does not wait.
 */
const crm = useCrm()

type Call = () => Promise<unknown>
/** A case that waits. */
interface Waiting {
  /** What the other session does to the row. */
  change: string
  call: Call
  /** What the other session does while the call waits for it. */
  meanwhile?: string
  /** What the caller gets, or what it refuses. */
  outcome: unknown
  /** A select of one value, and what it is in the end. */
  stored?: [string, unknown]
}
/** A case that does not wait: two rows, how the other session holds the first, and a call that returns the rows that it took. */
interface Passing {
  rows: [string, string]
  hold: string
  call: () => Promise<string[]>
}

/** Calls a function of the database as a request of the workspace would. */
async function called(text: string): Promise<QueryResult> {
  const client = await crm.app.owner.connect()
  try {
    await client.query(`begin; select set_config('app.workspace_id', '${crm.ws.id}', true)`)
    const result = await client.query(text)
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

/** Starts the call while another session holds what the statement locks. Returns whether it comes to wait for that session. */
async function beside(statement: string, call: Call, then: (other: PoolClient, waits: boolean, result: Call) => Promise<void>) {
  const other = await crm.app.owner.connect()
  try {
    const { rows } = await other.query<{ pid: number }>('select pg_backend_pid() as pid')
    await other.query('begin; set local session_replication_role = replica')
    await other.query(statement)
    let isDone = false
    const result = call().finally(() => {
      isDone = true
    })
    result.catch(() => {})
    const waiting = 'select from pg_stat_activity where datname = current_database() and $1 = any (pg_blocking_pids(pid))'
    let waits = false
    while (!isDone && !waits) waits = (await crm.app.owner.query(waiting, [rows[0]?.pid])).rowCount !== 0
    await then(other, waits, () => result)
  } finally {
    await other.query('rollback')
    other.release()
  }
}

const WAITING: Record<string, () => Promise<Waiting>> = {
  async lockSettings() {
    const path = '/company/crm-settings'
    const etag = (await crm.ws.get(path)).headers.get('etag') as string
    return {
      change: `update crm_settings set version = version + 1, lost_reasons = '{Price}' where workspace_id = '${crm.ws.id}'`,
      call: () => crm.ws.patch(path, { lost_reasons: ['Time'] }, { 'if-match': etag }),
      outcome: failed(412, 'PRECONDITION_FAILED'),
      stored: [`select lost_reasons as value from crm_settings where workspace_id = '${crm.ws.id}'`, ['Price']],
    }
  },
  async reopen_job() {
    const { id } = await crm.contact()
    const job = (await crm.app.owner.query(
      `insert into deletions (workspace_id, type, table_name, record_id, state, error)
        values ($1, 'purge', 'contacts', $2, 'failed', 'Held') returning id`,
      [crm.ws.id, id],
    )) as QueryResult<{ id: string }>
    return {
      change: `update deletions set state = 'completed', error = null, ended_at = now() where id = '${job.rows[0]?.id}'`,
      call: () => called(`select reopen_job('${job.rows[0]?.id}')`),
      outcome: { rowCount: 1 },
      stored: [`select state as value from deletions where id = '${job.rows[0]?.id}'`, 'completed'],
    }
  },
  async unmerge_records() {
    const [winner, loser] = [await crm.contact(), await crm.contact({ first_name: 'Anna' })]
    const { merge_id } = await merge(crm, 'contacts', winner.id, [loser.id])
    return {
      change: `update merges set undone = true, undone_at = now() where id = '${merge_id}'`,
      call: () => crm.ws.post(`/contacts/merges/${merge_id}/undo`),
      outcome: failed(409, 'INVALID_STATE'),
      stored: [`select count(*)::int as value from contacts where id = '${loser.id}'`, 0],
    }
  },
  async plan_merge() {
    const [winner, loser, third] = [await crm.contact(), await crm.contact({ first_name: 'Anna' }), await crm.contact({ first_name: 'Bo' })]
    const { id } = created(await crm.ws.post('/tasks', { title: 'Call', contact_id: loser.id }))
    return {
      change: `update tasks set contact_id = '${third.id}' where id = '${id}'`,
      call: () => crm.ws.post('/contacts/merge', { winner_id: winner.id, loser_ids: [loser.id] }),
      outcome: { status: 200 },
      stored: [`select contact_id as value from tasks where id = '${id}'`, third.id],
    }
  },
  async purge_record() {
    const { id } = await crm.contact()
    return {
      change: `update contacts set version = version + 1, city = 'Perth' where id = '${id}'`,
      call: () => crm.ws.delete(`/contacts/${id}?purge=true`, { 'if-match': '"1"' }),
      outcome: failed(412, 'PRECONDITION_FAILED'),
      stored: [`select city as value from contacts where id = '${id}'`, 'Perth'],
    }
  },
  async start_deletion() {
    const { id } = await crm.contact({ city: 'Sydney' })
    created(await crm.ws.post('/tasks', { title: 'Call', contact_id: id }))
    return {
      change: `update contacts set city = 'Perth' where id = '${id}'`,
      call: () => called(`select start_deletion('contacts', '${id}', 0)`),
      outcome: { rowCount: 1 },
      stored: [`select fields -> 'city' ->> 'before' as value from changes where entity_id = '${id}' and action = 'deleted'`, 'Perth'],
    }
  },
  async receive_email() {
    const [id, thread_id] = [crypto.randomUUID(), crypto.randomUUID()]
    const email = { id: crypto.randomUUID(), from_email: 'ana@example.com', subject: 'Hello', body_text: 'Hello', internet_id: 'held' }
    await crm.app.owner.query("insert into inbound_emails (workspace_id, id, provider_message_id) values ($1, $2, 'held')", [crm.ws.id, id])
    const received = { thread_id, references: [], attachments: [], participants: [], snippet: 'Hello', activity_body: 'Hello', email }
    return {
      change: `update inbound_emails set state = 'failed', error = 'Held', ended_at = now() where id = '${id}'`,
      call: () => called(`select receive_email('${crm.ws.id}', '${id}', '${JSON.stringify(received)}', 10, 10) as is_received`),
      outcome: { rows: [{ is_received: false }] },
      stored: [`select count(*)::int as value from email_messages where workspace_id = '${crm.ws.id}'`, 0],
    }
  },
  // What a worker has concluded is not stored if the item has changed meanwhile: it is due again.
  async end_work() {
    const [id, claim] = [crypto.randomUUID(), crypto.randomUUID()]
    const until = new Date(Date.now() + 3_600_000)
    await addRows(crm.app.owner, 'memory_vectors', [
      { workspace_id: crm.ws.id, id, claim_id: claim, due_at: until, claimed_until: until, turn: 1, model: null, embedding: null },
    ])
    return {
      change: `update memory_vectors set turn = turn + 1 where id = '${id}'`,
      call: () =>
        called(`select end_work('memory.embed', '${crm.ws.id}', '${id}', '${claim}', 1, '{"results": {"error": "Late"}}') as seconds`),
      outcome: { rows: [{ seconds: 0 }] },
      stored: [`select error is null and due_at <= now() and claim_id is null as value from memory_vectors where id = '${id}'`, true],
    }
  },
  // The oldest other employer of the contact is being deleted, so the next one takes the place of its main company.
  async choose_main_company() {
    const [main, going, next] = [await crm.company('Main'), await crm.company('Going'), await crm.company('Next')]
    const { id } = await crm.contact({ customer_id: main })
    for (const company of [going, next]) created(await crm.ws.post(`/contacts/${id}/employers/${company}`))
    return {
      change: `set local session_replication_role = origin; delete from companies where id = '${going}'`,
      call: () => crm.ws.delete(`/contacts/${id}/employers/${main}`),
      outcome: { status: 200 },
      stored: [`select customer_id as value from contacts where id = '${id}'`, next],
    }
  },
  async company_by_mail_domain() {
    const company = created(await crm.ws.post('/companies', { name: 'Going', website_url: 'https://going.example' })).id
    found(await crm.ws.patch('/company/crm-settings', { link_contacts_by_domain: true }))
    return {
      change: `set local session_replication_role = origin; delete from companies where id = '${company}'`,
      call: () => crm.ws.post('/contacts', { first_name: 'Ana', email: 'ana@going.example' }),
      outcome: { status: 201, body: { data: { customer_id: null } } },
    }
  },
  async apply_stage() {
    const [{ stages }] = found(await crm.ws.get('/pipelines')) as [Row]
    return {
      change: `set local session_replication_role = origin; delete from stages where id = '${stages[0].id}'`,
      call: () => crm.ws.post('/opportunities', { name: 'Deal' }),
      outcome: { status: 201, body: { data: { stage_id: stages[1].id } } },
    }
  },
  // The session that ends a recording has the notetaker, and then takes the balance: neither may have what the other waits for.
  async grant_credits() {
    const credits = 10
    const { rows } = await crm.app.owner.query(
      `insert into notetakers (workspace_id, state, meeting_url, join_at, ends_at, limit_minutes, credits, due_at)
        values ($1, 'done', 'https://meet.example.com', now(), now(), 60, $2, null) returning id`,
      [crm.ws.id, credits],
    )
    const { id } = rows[0]
    await crm.app.owner.query('insert into credit_accounts (workspace_id, balance) values ($1, 4)', [crm.ws.id])
    return {
      change: `select from notetakers where id = '${id}' for update`,
      meanwhile: `select charge_recording('${crm.ws.id}', '${id}')`,
      call: () => called(`select grant_credits('${crm.ws.id}', 100, 'held') as balance`),
      outcome: { rows: [{ balance: 94 }] },
      stored: [`select credits_charged as value from notetakers where id = '${id}'`, credits],
    }
  },
}

/** An approval that has become stale. */
async function staleApproval(): Promise<string> {
  const { id } = await crm.contact()
  const approval = await held(crm.ws, 'PATCH', `/contacts/${id}`, { city: 'Hobart', require_approval: true })
  found(await crm.ws.patch(`/contacts/${id}`, { city: 'Darwin' }))
  return approval
}
/** An event that is to be delivered, by the row that it is about. */
async function undelivered(): Promise<string> {
  const { id } = await crm.contact()
  await crm.app.owner.query('update outbox set needs_delivery = true where workspace_id = $1 and entity_id = $2', [crm.ws.id, id])
  return id
}
const claim =
  (prepare: () => string): (() => Promise<Passing>) =>
  async () => {
    const [first, second] = [await undelivered(), await undelivered()]
    return {
      rows: [first, second],
      hold: `select from outbox where workspace_id = '${crm.ws.id}' and entity_id = '${first}' for update`,
      call: async () =>
        (await called(`select event ->> 'entity_id' as id from claim_events(${prepare()}, 100000)`)).rows.map(({ id }) => id),
    }
  }
const PASSING: Record<string, () => Promise<Passing>> = {
  'claim_events of all workspaces': claim(() => 'null'),
  'claim_events of one': claim(() => `'${crm.ws.id}'`),
  async mark_stale_approvals() {
    const rows: [string, string] = [await staleApproval(), await staleApproval()]
    return {
      rows,
      hold: `select from approvals where id = '${rows[0]}' for update`,
      async call() {
        await called('select mark_stale_approvals(100000)')
        const marked = await crm.app.owner.query('select id from approvals where id = any ($1) and stale_at is not null', [rows])
        return marked.rows.map(({ id }) => id)
      },
    }
  },
}

test('of the events of a record, the first is claimed while the next ones wait', async () => {
  const id = await undelivered()
  for (const city of ['Hobart', 'Perth']) found(await crm.ws.patch(`/contacts/${id}`, { city }))
  await crm.app.owner.query(
    'update outbox set needs_delivery = entity_id = $2, delivered_at = null, claimed_at = null, attempts = 0 where workspace_id = $1',
    [crm.ws.id, id],
  )
  const claimed = async () =>
    (await called(`select event ->> 'type' as type from claim_events('${crm.ws.id}', 1)`)).rows.map(({ type }) => type)
  expect(await claimed()).toEqual(['contact.created'])
  expect(await claimed()).toEqual([])
})

describe('waits for the session that holds the row, and decides from what that commits', () => {
  test.each(Object.entries(WAITING))('%s', async (_, prepare) => {
    const { change, call, meanwhile, outcome, stored } = await prepare()
    await beside(change, call, async (other, waits, result) => {
      expect(waits, 'whether it waits').toBe(true)
      if (meanwhile) await other.query(meanwhile)
      await other.query('commit')
      expect(await result()).toMatchObject(outcome as Row)
    })
    if (stored) expect((await crm.app.owner.query(stored[0])).rows[0].value).toEqual(stored[1])
  })
})

describe('passes over the row that another session holds, without waiting, and takes it later', () => {
  test.each(Object.entries(PASSING))('%s', async (_, prepare) => {
    const { rows, hold, call } = await prepare()
    const taken = async () => (await call()).filter((id) => rows.includes(id))
    await beside(hold, taken, async (other, waits, result) => {
      await other.query('rollback')
      expect(waits, 'whether it waits').toBe(false)
      expect(await result()).toEqual([rows[1]])
    })
    expect(await taken()).toContain(rows[0])
  })
})
