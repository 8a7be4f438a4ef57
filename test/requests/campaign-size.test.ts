import { expect, test } from 'vitest'
import { proving } from '../proof.ts'
import { campaigning } from '../routes/campaigning.ts'
import { useCrm } from '../routes/crm.ts'

const PEOPLE = proving ? 100_000 : 2_000
const crm = useCrm({ ownServer: true })
const { draft, later, send, sentOf, show } = campaigning(crm)

test(`a campaign to ${PEOPLE} takes at most one statement for each hundred recipients`, { timeout: 900_000 }, async () => {
  await crm.app.owner.query(`begin; set local session_replication_role = replica;
    insert into contacts (workspace_id, first_name, email) select '${crm.ws.id}', 'C' || n, 'c' || n || '@example.com' from generate_series(1, ${PEOPLE}) n; commit`)
  await crm.app.owner.query('analyze contacts')
  const { id } = await draft({ segment_filter: {} })
  let statements = 0
  crm.app.proxy.onRequest = (request) => {
    const queries = 'queries' in request ? request.queries : [request]
    if (queries.some(({ query }) => /next_campaign_step|add_recipients|settle_campaign_batch/.test(query))) statements += queries.length
  }
  const begun = Date.now()
  await send(id)
  // Each message continues with another, for longer than a drain waits.
  for (let n = 0; n < 60 && (await show(id)).status === 'sending'; n++) await crm.app.drain().catch(() => {})
  const seconds = (Date.now() - begun) / 1000
  crm.app.proxy.onRequest = undefined
  expect(await show(id)).toMatchObject({ status: 'sent', stats: { audience: PEOPLE, recipients: PEOPLE, sent: PEOPLE, queued: 0 } })
  expect(new Set(sentOf(id).map(({ To }) => To)).size).toBe(PEOPLE)
  expect(sentOf(id)).toHaveLength(PEOPLE)
  console.log(`${Math.round(PEOPLE / seconds)} recipients per second, ${statements / PEOPLE} statements per recipient`)
  expect(statements / PEOPLE).toBeLessThanOrEqual(0.01)
  await later()
  expect(sentOf(id)).toHaveLength(PEOPLE)
})
