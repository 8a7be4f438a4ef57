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

test('the engineering team is notified once, again only after a failure, and the requester is notified of a change', async () => {
  receiver.behaviours.set('/engineering', 503)
  const { id } = created(await crm.ws.post('/service-requests', { title: 'The export stops' }))
  await tick()
  receiver.behaviours.delete('/engineering')
  await tick()
  await tick()
  const notices = receiver.received.filter(({ body }) => body.service_request.id === id)
  expect(notices).toHaveLength(2)
  expect(new Set(notices.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
  expect(notices[1]?.body.text).toContain('The export stops')

  found(await crm.ws.patch(`/service-requests/${id}`, { status: 'in_progress' }))
  await tick()
  await tick()
  const emails = crm.app.email.sent.filter(({ Subject }) => Subject === 'Your service request: The export stops')
  expect(emails).toHaveLength(1)
  expect(emails[0]?.TextBody).toContain('Status: in progress (was open)')
})
