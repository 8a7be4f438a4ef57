import { expect, test } from 'vitest'
import { created, found, type Row, useCrm } from '../routes/crm.ts'
import { useImports } from '../routes/importing.ts'
import { useAutomations } from './automation.ts'

/** Steps that share a transaction: each keeps its run as its cause, and what happens to one affects no other. */

const crm = useCrm({ ownServer: true })
const { published, runs, steps, elapse } = useAutomations(crm)
const { imported } = useImports(crm)
const PEOPLE = 12
const CITY = { type: 'update_contact', fields: { city: '{{ contact.notes }}', assigned_to: '{{ contact.contact_type }}' } }

type Sent = { queries?: { query: string }[] }
/**
 * Imports contacts, with what is to happen to the seventh of them; returns the runs, and how many steps shared the transaction of the
 * first.
 */
async function started(
  seventh: Row,
  during?: (run: Row) => Promise<unknown>,
  step: Row = CITY,
): Promise<{ all: Row[]; shared: number; id: string }> {
  const member = (await crm.ws.key()).userId
  const { id } = await published({ trigger: { type: 'contact_created' }, steps: [step] })
  await crm.app.drain()
  let shared = 0
  crm.app.proxy.onRequest = async (request) => {
    const taking = ((request as Sent).queries ?? []).filter(({ query }) => query.includes('take_step(')).length
    if (taking < 2) return
    if (shared === 0) {
      shared = taking
      const { rows } = await crm.app.owner.query(
        "select r.id from automation_runs r join contacts c on c.id = r.contact_id where r.automation_id = $1 and c.last_name = 'N6'",
        [id],
      )
      await during?.(rows[0])
    }
  }
  const rows = Array.from({ length: PEOPLE }, (_, n) =>
    [`Ana,N${n}`, n === 6 ? (seventh.notes ?? 'Perth') : 'Perth', n === 6 ? (seventh.member ?? member) : member].join(','),
  )
  await imported(['first_name,last_name,notes,contact_type', ...rows].join('\n'), { run_automations: true })
  const all = await runs(id)
  crm.app.proxy.onRequest = undefined
  return { all, shared, id }
}
const ofSeventh = async (all: Row[]): Promise<Row> => {
  const { rows } = await crm.app.owner.query("select id from contacts where workspace_id = $1 and last_name = 'N6'", [crm.ws.id])
  return all.find(({ contact_id }) => rows.some(({ id }) => id === contact_id)) as Row
}

test('each change has its own run as its cause, and its own request', async () => {
  const { all, shared } = await started({})
  expect(shared).toBeGreaterThan(5)
  expect(all.map(({ state }) => state)).toEqual(Array(PEOPLE).fill('completed'))
  for (const run of all) {
    const [step] = await steps(run.id)
    const { rows } = await crm.app.owner.query(
      "select cause_type, cause_id, request_id from changes where entity_id = $1 and action = 'updated'",
      [run.contact_id],
    )
    expect(rows).toEqual([{ cause_type: 'automation_run', cause_id: run.id, request_id: step?.request_id }])
    expect(found(await crm.ws.get(`/requests/${step?.request_id}`))).toMatchObject({ status: 200, path: `/contacts/${run.contact_id}` })
    expect(step).toMatchObject({ state: 'done', output: { id: run.contact_id, city: 'Perth' } })
  }
})

test.each<[string, Row, ((run: Row) => Promise<unknown>) | undefined, Row]>([
  ['is refused by the database', { member: crypto.randomUUID() }, undefined, { state: 'failed', error: { code: 'VALIDATION_ERROR' } }],
  ['is refused before', { member: 'nobody' }, undefined, { state: 'failed', error: { code: 'VALIDATION_ERROR' } }],
  ['is cancelled meanwhile', {}, async ({ id }) => found(await crm.ws.post(`/automation-runs/${id}/cancel`)), { state: 'cancelled' }],
])('one that %s affects no other', async (_, seventh, during, outcome) => {
  const { all, shared } = await started(seventh, during)
  expect(shared).toBeGreaterThan(5)
  const one = await ofSeventh(all)
  expect(one).toMatchObject(outcome)
  const others = all.filter((run) => run !== one)
  expect(others.map(({ state }) => state)).toEqual(Array(PEOPLE - 1).fill('completed'))
  const { rows } = await crm.app.owner.query(
    'select count(*)::int as updated from contacts where id = any ($1) and city = $2 and version = 2',
    [others.map(({ contact_id }) => contact_id), 'Perth'],
  )
  expect(rows[0].updated).toBe(PEOPLE - 1)
})

test('one that a policy holds affects no other', async () => {
  created(await crm.ws.post('/approval-policies', { name: 'Large', events: ['opportunity.updated'], value_over: 100, currency: 'AUD' }))
  const { id } = await published({ trigger: { type: 'manual' }, steps: [{ type: 'update_opportunity', fields: { notes: 'Seen' } }] })
  const deals = []
  for (let n = 0; n < PEOPLE; n++) deals.push(await crm.opportunity({ value: n === 6 ? 500 : 10, currency: 'AUD' }))
  await crm.app.drain()
  await crm.app.capture(true)
  for (const { id: opportunity_id } of deals) found(await crm.ws.post(`/automations/${id}/start`, { opportunity_id }))
  await crm.app.capture(false)
  await elapse()
  const all = await runs(id)
  const states = deals.map((deal) => all.find(({ opportunity_id }) => opportunity_id === deal.id)?.state)
  expect(states).toEqual(deals.map((_, n) => (n === 6 ? 'waiting' : 'completed')))
})
