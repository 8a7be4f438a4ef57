import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'
import { limit } from '../speed.ts'
import type { TestWorkspace } from '../workspace.ts'
import { bodyOf, type Ids, idsFor, type Operation, operations } from './samples.ts'
import { seed } from './seed.ts'
import { type Change, sendSample } from './send.ts'

/** Calls that do the same once more when they are sent again. */
const ONCE_MORE: Record<string, string> = {
  'POST /tasks/:task_id/skip': 'Skips the next occurrence',
  'POST /automations/:automation_id/publish': 'Makes the caller the publisher',
  'POST /auto-schedules/:auto_schedule_id/fire-now': 'Fires again',
  'POST /company/users/:userId/resend-invitation': 'Sends another email',
  'PATCH /approvals/:approval_id': 'Tries the request again, whose changes may be others by now',
  'POST /dead-letters/:dead_letter_id/replay': 'Tries the message again',
  'POST /api-keys/:api_key_id/rotate': 'Makes another secret',
  'POST /webhooks/:webhook_id/rotate-secret': 'Makes another secret',
  'POST /email-campaigns/:email_campaign_id/test-send': 'Sends another email',
  'PUT /whiteboards/:whiteboard_id/content': 'Draws random numbers for an element that comes without them',
  'POST /whiteboards/:whiteboard_id/elements': 'Adds other elements',
  'POST /notepads/:notepad_id/append': 'Adds the text again',
  'POST /notepads/:notepad_id/prepend': 'Adds the text again',
}
/** Calls that the samples, or the calls before them, do not allow. */
const REFUSED = [
  'POST /imports/:import_id/check',
  'POST /imports/:import_id/start',
  'POST /approvals/:approval_id/reject',
  'POST /whatsapp/messages/:whatsapp_message_id/reaction',
  'POST /scheduling-bookings/:booking_id/reassign',
  'POST /scheduling-bookings/:booking_id/confirm',
  'POST /scheduling-bookings/:booking_id/decline',
]
const ALL_FIELDS = 100

let app: Harness
let ws: TestWorkspace
let ids: Ids
beforeAll(async () => {
  app = await start({ ownServer: true })
  ws = await app.workspace()
  ids = await seed(app, ws)
  await app.drain()
})
afterAll(() => app.close())

const isUpdate = ({ endpoint: { method, path, returns } }: Operation) =>
  method === 'PATCH' || method === 'PUT' || (method === 'POST' && /:\w+\/[\w-]+$|upsert/.test(path) && returns.as === 'one')
/** The settings replace lists whose entries other calls update. */
const updates = operations
  .filter((operation) => !operation.endpoint.successor && !operation.endpoint.access.public && isUpdate(operation))
  .toSorted((a, b) => Number(a.name.includes('settings')) - Number(b.name.includes('settings')))

/** The sample with all fields where these may be sent together. */
async function sampleOf(operation: Operation): Promise<Change> {
  const own = idsFor(operation, ids)
  const body = operation.body && bodyOf(operation, own, ALL_FIELDS)
  if (!body) return {}
  const { status } = await sendSample(app, ws, operation, ids, { body, query: { dry_run: 'true' } })
  return { body: status === 200 ? body : bodyOf(operation, own) }
}

/** The entries of the history and the events, also of the client of an agency. */
async function traces(): Promise<string[]> {
  const { rows } = await app.owner.query<{ trace: string }>(
    `select concat_ws(' ', id, entity, action, fields) as trace from changes union all select concat_ws(' ', id, type) from outbox`,
  )
  return rows.map(({ trace }) => trace)
}

test('an update that is sent again leaves no history, no event and no new version', { timeout: limit(300_000) }, async () => {
  const again: string[] = []
  const refused: string[] = []
  for (const operation of updates) {
    const change = await sampleOf(operation)
    const send = async () => {
      const answer = await sendSample(app, ws, operation, ids, change)
      await app.drain()
      return answer
    }
    const first = await send()
    if (first.status >= 300) {
      refused.push(operation.name)
      continue
    }
    const known = new Set(await traces())
    const second = await send()
    const added = (await traces()).filter((trace) => !known.has(trace))
    const [was, is] = [first, second].map(({ body }) => body.data?.version)
    if (added.length > 0 || (second.status < 300 && was !== is)) again.push([operation.name, was, is, ...added].join('; '))
  }
  const unexpected = again.filter((entry) => !ONCE_MORE[entry.split(';')[0] as string])
  expect(unexpected).toEqual([])
  expect(again.map((entry) => entry.split(';')[0]).toSorted()).toEqual(Object.keys(ONCE_MORE).toSorted())
  expect(refused.toSorted()).toEqual(REFUSED.toSorted())
  expect(updates.length).toBeGreaterThan(150)
})
