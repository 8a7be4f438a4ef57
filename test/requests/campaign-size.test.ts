import { expect, test } from 'vitest'
import { proving } from '../proof.ts'
import { campaigning } from '../routes/campaigning.ts'
import { useCrm } from '../routes/crm.ts'
import { limit } from '../speed.ts'

const PEOPLE = proving ? 100_000 : 2_000
/** Writing, reading and deleting a message are operations of a queue. */
const OPERATIONS = 3
/** An isolate has 128 MB for all that it does at a time; this leaves half of it to others. */
const MOST_BYTES = 64e6
const crm = useCrm({ ownServer: true, inspected: true })
const { draft, later, send, sentOf, show } = campaigning(crm)

async function addPeople(): Promise<void> {
  await crm.app.owner.query(`begin; set local session_replication_role = replica;
    insert into contacts (workspace_id, first_name, email) select '${crm.ws.id}', 'C' || n, 'c' || n || '@example.com'
      from generate_series(1, ${PEOPLE}) n; commit`)
  await crm.app.owner.query('analyze contacts')
}
/** Sends a campaign to everybody, and waits for its end: each message continues with another, for longer than a drain waits. */
async function sendToAll(): Promise<string> {
  const { id } = await draft({ segment_filter: {} })
  await send(id)
  for (let n = 0; n < 60 && (await show(id)).status === 'sending'; n++) await crm.app.drain().catch(() => {})
  return id
}
const queued = async (): Promise<number> => ((await (await crm.app.fetch('/__test/sent')).json()) as Record<string, number>).campaigns ?? 0

test(`a campaign to ${PEOPLE} takes at most one statement and one queue operation for each hundred recipients`, {
  timeout: limit(900_000),
}, async () => {
  await addPeople()
  let statements = 0
  crm.app.proxy.onRequest = (request) => {
    const queries = 'queries' in request ? request.queries : [request]
    if (queries.some(({ query }) => /next_campaign_step|add_recipients|settle_campaign_batch/.test(query))) statements += queries.length
  }
  const before = await queued()
  const begun = Date.now()
  const id = await sendToAll()
  const seconds = (Date.now() - begun) / 1000
  crm.app.proxy.onRequest = undefined
  expect(await show(id)).toMatchObject({ status: 'sent', stats: { audience: PEOPLE, recipients: PEOPLE, sent: PEOPLE, queued: 0 } })
  expect(new Set(sentOf(id).map(({ To }) => To)).size).toBe(PEOPLE)
  expect(sentOf(id)).toHaveLength(PEOPLE)
  const operations = OPERATIONS * ((await queued()) - before)
  console.log(
    `${Math.round(PEOPLE / seconds)} recipients per second; of each recipient ${statements / PEOPLE} statements, ` +
      `${operations / PEOPLE} queue operations`,
  )
  expect(statements / PEOPLE).toBeLessThanOrEqual(0.01)
  expect(operations / PEOPLE).toBeLessThanOrEqual(0.01)
  await later()
  expect(sentOf(id)).toHaveLength(PEOPLE)
})

test('the sending of a campaign holds little memory', { timeout: 1_800_000 }, async () => {
  await addPeople()
  const memory = await crm.app.memory()
  try {
    const peak = await memory.peak(sendToAll)
    console.log(`${(peak / 1e6).toFixed(1)} MB at most`)
    expect(peak).toBeLessThan(MOST_BYTES)
  } finally {
    memory.close()
  }
})
