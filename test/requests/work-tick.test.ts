import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, type Message, start } from '../harness.ts'
import { proving } from '../proof.ts'
import { limit } from '../speed.ts'

/** What a tick enqueues of what is due, and in which order. */
const WORKSPACES = proving ? 10_000 : 1_000
const NOBODY = '00000000-0000-4000-8000-%'

let app: Harness
beforeAll(async () => {
  app = await start({ ownServer: true })
})
afterAll(() => app.close())

/** A file in each of so many workspaces, due one second after the other up to now, the first in workspace 1. */
const addFiles = (count: number) =>
  app.owner.query(`begin; set local session_replication_role = replica;
    delete from message_media;
    insert into message_media (workspace_id, sms_message_id, source, due_at)
      select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, gen_random_uuid(),
        'none', now() - make_interval(secs => ${count} - n) from generate_series(1, ${count}) n;
    commit`)
type Run = { type: string; kind: string; workspace_id: string }
const runsOf = (messages: Message[]) =>
  messages.map(({ body, delaySeconds }) => ({ ...(body as Run), delaySeconds })).filter(({ kind }) => kind === 'media.fetch')
const workspacesOf = (messages: Message[]) => runsOf(messages).map(({ workspace_id }) => Number(workspace_id.slice(-12)))
async function tick(): Promise<Message[]> {
  await app.capture(true)
  await app.cron('* * * * *')
  return app.capture(false)
}

test(`${WORKSPACES} workspaces with a due item are enqueued by one tick, longest waiting first, and claimed within two minutes`, {
  timeout: limit(300_000),
}, async () => {
  await addFiles(WORKSPACES)
  const began = Date.now()
  const messages = await tick()
  const found = Date.now() - began
  expect(workspacesOf(messages)).toEqual(Array.from({ length: WORKSPACES }, (_, n) => n + 1))
  const bodies = messages.filter(({ queue }) => queue === 'webhooks').map(({ body }) => body)
  // The consumer takes one message at a time, in up to twenty places at once.
  const lanes = Array.from({ length: 20 }, (_, lane) => bodies.filter((_, n) => n % 20 === lane))
  await app.capture(true)
  await Promise.all(lanes.map(async (lane) => app.deliver('webhooks', lane)))
  await app.capture(false)
  const claimed = Date.now() - began
  const { rows } = await app.owner.query(
    `select count(*)::int as n, count(distinct attempts)::int as kinds, max(attempts)::int as most from message_media
      where workspace_id::text like $1`,
    [NOBODY],
  )
  expect(rows).toEqual([{ n: WORKSPACES, kinds: 1, most: 1 }])
  if (proving) console.log(`${WORKSPACES} workspaces: enqueued in ${found} ms, claimed and ended in ${claimed} ms`)
  expect(claimed).toBeLessThan(limit(120_000))
})

test('a workspace with thousands of items that have waited longest gets one message, and keeps none from the others', async () => {
  await addFiles(20)
  await app.owner.query(`begin; set local session_replication_role = replica;
    insert into message_media (workspace_id, sms_message_id, source, due_at)
      select '00000000-0000-4000-8000-000000000021', gen_random_uuid(), 'none', now() - interval '1 day' from generate_series(1, 2500);
    commit`)
  expect(workspacesOf(await tick())).toEqual([21, ...Array.from({ length: 20 }, (_, n) => n + 1)])
})

test('what is due within a minute is woken in time, what is due later by a later tick, and what a worker has by nobody', async () => {
  await addFiles(4)
  const set = (n: number, values: string) =>
    app.owner.query(`update message_media set ${values} where workspace_id::text like '%' || $1`, [String(n).padStart(12, '0')])
  await set(1, "due_at = now() + interval '30 seconds'")
  await set(2, "due_at = now() + interval '5 minutes'")
  await set(3, "due_at = now() - interval '1 second', claim_id = gen_random_uuid(), claimed_until = now() + interval '1 minute'")
  const runs = runsOf(await tick())
  expect(runs.map(({ workspace_id, delaySeconds }) => [Number(workspace_id.slice(-12)), delaySeconds])).toEqual([
    [4, undefined],
    [1, expect.toSatisfy((seconds: number) => seconds > 20 && seconds <= 30)],
  ])
})
