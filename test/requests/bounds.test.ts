import { expect, test } from 'vitest'
import { PUSH_TOKEN } from '../../dev/google-emulator.ts'
import { TOKEN } from '../routes/campaigning.ts'
import { type Row, useCrm } from '../routes/crm.ts'

const crm = useCrm()

async function refusal(path: string, body: unknown): Promise<{ status: number; error: Row; size: number }> {
  const response = await crm.app.fetch(`/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${crm.ws.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, error: JSON.parse(text).error, size: text.length }
}

test('an error names a hundred issues, and how many more there are', async () => {
  const { status, error } = await refusal('/opportunities', { name: 'Deal', tags: Array(5_000).fill(1) })
  expect([status, error.code, error.details.issues.length, error.details.more_issues]).toEqual([
    400,
    'VALIDATION_ERROR',
    100,
    expect.any(Number),
  ])
  expect(error.details.more_issues).toBeGreaterThanOrEqual(4_900)
  const few = await refusal('/contacts', { first_name: 'Ana', nobody: 1 })
  expect(few.error.details).toEqual({ issues: [{ path: 'nobody', message: expect.any(String) }] })
})

test('an error stays small, however long the name of a field is', async () => {
  const { error, size } = await refusal('/contacts', { first_name: 'Ana', ['x'.repeat(900_000)]: 1 })
  expect(error.details.issues[0].path).toHaveLength(501)
  expect(size).toBeLessThan(2_000)
})

test('a list of nothing but mistakes is refused, and so is a body of more values than any call needs', async () => {
  const tags = await refusal('/opportunities', { name: 'Deal', tags: Array(40_000).fill(1) })
  expect([tags.status, tags.error.details.issues.length]).toEqual([400, 100])
  const values = await refusal('/opportunities', { name: 'Deal', tags: Array(400_000).fill(1) })
  expect([values.status, values.error.details.issues[0].message]).toEqual([400, expect.stringContaining('50000 values')])
})

test.each([
  ['conditions', Array(8_000).fill({ field: 'zork', op: 'eq', value: 1 })],
  ['groups', Array(16_000).fill({ all: [] })],
])('a filter of far too many %s is refused in few words', async (_, all) => {
  const { status, error, size } = await refusal('/contacts/search', { filter: { all } })
  expect([status, error.details.issues.length]).toEqual([400, 1])
  expect(size).toBeLessThan(1_000)
})

test('a bulk call names a thousand issues in all, and at least one of each bad record', async () => {
  const record = { first_name: 'Ana', alternate_emails: Array(150).fill(1) }
  const { body } = await crm.ws.post('/contacts/bulk-create', { records: Array(100).fill(record) })
  const errors: Row[] = body.data.errors
  const counts = errors.map(({ error }) => error.details.issues.length)
  expect([errors.length, Math.min(...counts), Math.max(...counts)]).toEqual([100, 1, 100])
  expect(counts.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(1_100)
  expect(errors.at(-1)?.error.details.more_issues).toBeGreaterThanOrEqual(149)
})

test('what a provider posts is read up to its bound: 10 MB are refused by every path that takes less', async () => {
  const inboxes = await Promise.all(['/email/inbox/rotate-token', '/whatsapp/pair'].map((path) => crm.ws.post(path)))
  expect(inboxes.map(({ status }) => status)).toEqual([200, 200])
  const token = new URL(crm.app.whatsapp.world.connections.values().next().value!.webhook!.url).pathname
  const paths = [
    ...[`/email-events/${TOKEN}`, `/sms-events/${crm.ws.id}`, `/sms-events/${crm.ws.id}/${crm.ws.id}`, '/call-events/retell', token],
    ...[`/call-events/twilio/${crm.ws.id}`, `/bundle-events/${crm.ws.id}/${crm.ws.id}`, '/notetaker-events'],
    ...[`/mailbox-notifications/gmail/${PUSH_TOKEN}`, '/calendar-notifications/microsoft'],
  ]
  const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"event":"', declares: 10_000_000 }
  for (const path of paths) {
    const { status, text } = await crm.app.client(path, sent)
    expect([path, status, JSON.parse(text).error.code]).toEqual([path, 413, 'PAYLOAD_TOO_LARGE'])
  }
})
