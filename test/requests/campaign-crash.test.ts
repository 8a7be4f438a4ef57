import { expect, test } from 'vitest'
import { proving } from '../proof.ts'
import { campaigning, LINK } from '../routes/campaigning.ts'
import { useCrm } from '../routes/crm.ts'
import { limit } from '../speed.ts'

const PEOPLE = proving ? 100_000 : 2_000
/** A body with which some 190 emails fit in a batch, so that a small audience takes many; a large one has the largest batches. */
const BODY = proving ? LINK : `<p>Hello</p><!-- ${'x'.repeat(20_000)} -->${LINK}`
const crm = useCrm({ ownServer: true })
const { draft, later, send, sentOf, show } = campaigning(crm)

/** What happens to one call of the provider after the other: whether it is carried out before it fails. */
const CALLS = [undefined, ['drop', true], undefined, ['429', false], ['500', true], undefined, ['partial', false], ['drop', false]] as const
/** What happens to one request to the database after the other: it is lost, or only its answer. */
const REQUESTS = ['', '', 'lost', '', 'lose_answer', '', ''] as const
const STEPS = /next_campaign_step|add_recipients|settle_campaign_batch/

/** Lets the requests of a send fail. While the cron job runs, no answer is lost: it would be that of any request. */
function failing() {
  const { email, proxy } = crm.app
  const faults = { isCron: false, count: 0 }
  let [requests, calls] = [0, 0]
  proxy.onRequest = (request) => {
    proxy.outage = 'none'
    const queries = 'queries' in request ? request.queries : [request]
    if (!queries.some(({ query }) => STEPS.test(query))) return
    if (queries.some(({ query }) => query.includes('next_campaign_step')) && email.failures.pending === 0) {
      const call = CALLS[calls++ % CALLS.length]
      if (call) email.fail(call[0], 1, call[1])
      faults.count += call ? 1 : 0
    }
    const mode = REQUESTS[requests++ % REQUESTS.length]
    if (mode === 'lose_answer' && faults.isCron) return
    faults.count += mode ? 1 : 0
    if (mode === 'lose_answer') proxy.outage = mode
    if (mode === 'lost') throw new Error('The request is lost')
  }
  return faults
}

/** As if the time until failed batches are due had gone by, and the cron job came. */
async function again(): Promise<void> {
  for (const table of ['campaign_recipients', 'campaign_sends'])
    await crm.app.owner.query(`update ${table} set due_at = now() where due_at > now() and workspace_id = $1`, [crm.ws.id])
  await crm.app.cron('* * * * *')
  await crm.app.drain().catch(() => {})
}

test(`of ${PEOPLE} recipients nobody gets a campaign twice and nobody is lost, whichever requests of its send fail`, {
  timeout: proving ? 3_600_000 : limit(120_000),
}, async () => {
  await crm.app.owner.query(`begin; set local session_replication_role = replica;
    insert into contacts (workspace_id, first_name, email) select '${crm.ws.id}', 'C' || n, 'c' || n || '@example.com'
      from generate_series(1, ${PEOPLE}) n; commit`)
  await crm.app.owner.query('analyze contacts')
  const { id } = await draft({ segment_filter: {}, body_html: BODY })
  const faults = failing()
  await send(id)
  for (let round = 0; round < 200 && (await show(id)).status === 'sending'; round++) {
    await crm.app.drain().catch(() => {})
    if (round === 1) await crm.app.restart()
    faults.isCron = true
    await again()
    faults.isCron = false
  }
  crm.app.proxy.onRequest = undefined
  crm.app.proxy.outage = 'none'
  await later(2)
  expect(await show(id)).toMatchObject({ status: 'sent', stats: { audience: PEOPLE, recipients: PEOPLE, sent: PEOPLE, queued: 0 } })
  const addresses = sentOf(id).map(({ To }) => To)
  expect([addresses.length, new Set(addresses).size]).toEqual([PEOPLE, PEOPLE])
  expect(faults.count).toBeGreaterThan(8)
  console.log(`${faults.count} requests failed`)
})
