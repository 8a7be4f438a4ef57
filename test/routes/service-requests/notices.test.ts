import { afterAll, expect, test } from 'vitest'
import { startWebhookReceiver } from '../../../dev/webhook-receiver.ts'
import { created, found, useCrm } from '../crm.ts'

const receiver = await startWebhookReceiver()
const crm = useCrm({ own: true, vars: { LOCAL_RECEIVERS: receiver.host, ENGINEERING_WEBHOOK_URL: `${receiver.url}/engineering` } })
afterAll(() => receiver.close())

const due = () => crm.app.owner.query('update service_request_notices set due_at = now() where due_at is not null')
async function tick() {
  await due()
  await crm.app.cron('* * * * *')
  await crm.app.drain()
}

test('the engineering team gets each request with one key, also when it has received it and its answer was lost', async () => {
  const about = (id: unknown) => receiver.received.filter(({ body }) => body.service_request.id === id)
  receiver.behaviours.set('/engineering', 'drop')
  const { id } = created(await crm.ws.post('/service-requests', { title: 'The export stops' }))
  await tick()
  receiver.behaviours.set('/engineering', 503)
  await tick()
  receiver.behaviours.delete('/engineering')
  await tick()
  await tick()
  const posts = about(id)
  expect(posts).toHaveLength(3)
  const keys = new Set(posts.map(({ headers }) => headers['idempotency-key']))
  expect(keys.size).toBe(1)
  expect(new Set(posts.map(({ body }) => body.id))).toEqual(keys)
  expect(posts[2]?.body.text).toContain('The export stops')

  const other = created(await crm.ws.post('/service-requests', { title: 'The import stops' }))
  found(await crm.ws.patch(`/service-requests/${other.id}`, { status: 'in_progress' }))
  await tick()
  await tick()
  expect(about(other.id)).toHaveLength(1)
  expect(keys).not.toContain(about(other.id)[0]?.headers['idempotency-key'])
})

test.each([
  [404, 1],
  [301, 1],
  [408, 2],
  [429, 2],
  [500, 2],
])('after the answer %i there are %i attempts: one that refuses ends them', async (status, attempts) => {
  receiver.behaviours.set('/engineering', status)
  const { id } = created(await crm.ws.post('/service-requests', { title: 'Nobody is there' }))
  await tick()
  receiver.behaviours.delete('/engineering')
  await tick()
  expect(receiver.received.filter(({ body }) => body.service_request.id === id)).toHaveLength(attempts)
})

test('the requester is notified by one email of each change', async () => {
  const { id } = created(await crm.ws.post('/service-requests', { title: 'The report is empty' }))
  found(await crm.ws.patch(`/service-requests/${id}`, { status: 'in_progress' }))
  await tick()
  await tick()
  const emails = crm.app.email.sent.filter(({ Subject }) => Subject === 'Your service request: The report is empty')
  expect(emails).toHaveLength(1)
  expect(emails[0]?.TextBody).toContain('Status: in progress (was open)')
  const texts = () =>
    crm.app.email.sent.filter(({ Subject }) => Subject === 'Your service request: The report is empty').map(({ TextBody }) => TextBody)
  for (const [n, [fields, line]] of (
    [
      [{ priority: 'urgent' }, /Priority: urgent \(was /],
      [{ queue: 'agency' }, /Queue: agency \(was platform\)/],
    ] as const
  ).entries()) {
    found(await crm.ws.patch(`/service-requests/${id}`, fields))
    await tick()
    expect(texts()).toHaveLength(2 + n)
    expect(texts().at(-1)).toMatch(line)
  }
})

test('a requester who has left the workspace is not notified', async () => {
  const member = await crm.ws.key({ role: 'client_editor' })
  const { id } = created(await member.post('/service-requests', { title: 'The board is slow' }))
  const emails = () => crm.app.email.sent.filter(({ Subject }) => Subject === 'Your service request: The board is slow')
  found(await crm.ws.patch(`/service-requests/${id}`, { status: 'in_progress' }))
  await tick()
  expect(emails()).toHaveLength(1)
  found(await crm.ws.patch(`/service-requests/${id}`, { priority: 'urgent' }))
  found(await crm.ws.delete(`/company/users/${member.userId}`))
  found(await crm.ws.patch(`/service-requests/${id}`, { status: 'done' }))
  await tick()
  await tick()
  expect(emails()).toHaveLength(1)
})
