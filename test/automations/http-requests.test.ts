import { afterAll, expect, test } from 'vitest'
import { startWebhookReceiver } from '../../dev/webhook-receiver.ts'
import { created, found, type Row, refused, useCrm } from '../routes/crm.ts'
import { useAutomations } from './automation.ts'

const receiver = await startWebhookReceiver()
afterAll(() => receiver.close())
const crm = useCrm({ ownServer: true, vars: { LOCAL_RECEIVERS: receiver.host } })
const { published, runs, steps, settle } = useAutomations(crm)
let paths = 0
const nextPath = () => `/service-${++paths}`
const at = (path: string) => receiver.received.filter((one) => one.path === path)
const task = (title: string) => ({ type: 'create_task', fields: { title } })
const call = (path: string, more: Row = {}) => ({
  type: 'http_request',
  key: 'call',
  method: 'POST',
  url: `${receiver.url}${path}`,
  ...more,
})
/** Lets the time of the next attempt come. */
async function later() {
  await crm.app.owner.query('update outgoing_requests set due_at = now() where workspace_id = $1 and due_at is not null', [crm.ws.id])
  await crm.app.cron('* * * * *')
  await settle()
}

test('an HTTP step sends a signed request with its templates filled in, and its output comes from the response', async () => {
  const path = nextPath()
  const webhook = created(await crm.ws.post('/webhooks', { url: `${receiver.url}/events`, event_types: ['exchange_rate.deleted'] }))
  receiver.secrets.push(webhook.secret)
  receiver.behaviours.set(path, 200)
  const { id } = await published({
    trigger: { type: 'contact_created' },
    steps: [
      call(path, {
        headers: { Authorization: 'Bearer very-secret', 'X-Run': '{{ run.id }}' },
        body: { name: '{{ contact.first_name }}', token: 'tok' },
        webhook_id: webhook.id,
      }),
      task('{{ steps.call.status }} {{ steps.call.body }}'),
    ],
  })
  const contact = await crm.contact()
  const [run] = await runs(id)
  expect(run).toMatchObject({ state: 'completed', moves: 2 })
  const [sent, ...others] = at(path)
  expect(others).toEqual([])
  const [step, last] = await steps(run?.id)
  expect(sent).toMatchObject({
    verified: 1,
    body: { name: 'Ana', token: 'tok' },
    headers: { authorization: 'Bearer very-secret', 'x-run': run?.id },
  })
  expect(sent?.headers['idempotency-key']).toBe(sent?.id)
  expect(step).toMatchObject({
    type: 'http_request',
    state: 'done',
    output: { status: 200, body: 'status 200' },
    input: { headers: { Authorization: '[redacted]' }, body: { name: 'Ana', token: '[redacted]' } },
  })
  expect(last).toMatchObject({ input: { title: '200 status 200', contact_id: contact.id } })
  const [logged] = found(await crm.ws.get('/outgoing-requests?state=done')) as Row[]
  expect(logged).toMatchObject({ id: sent?.id, attempts: 1, response: { status: 200 }, error: null })
  const { rows } = await crm.app.owner.query('select headers, body from outgoing_requests where id = $1', [sent?.id])
  expect(rows).toEqual([{ headers: {}, body: null }])
  // While the secret is rotated both sign, and then the new one alone.
  receiver.secrets.push(found(await crm.ws.post(`/webhooks/${webhook.id}/rotate-secret`)).secret)
  await crm.contact()
  await settle()
  await crm.app.owner.query('update webhooks set previous_expires_at = now() where id = $1', [webhook.id])
  await crm.contact()
  await settle()
  expect(at(path).map(({ verified }) => verified)).toEqual([1, 2, 1])
})

test.each([503, 429, 'drop'] as const)(
  'after %s it is sent again with the same key, five times in all, and the run then fails or goes on',
  async (behaviour) => {
    const path = nextPath()
    receiver.behaviours.set(path, behaviour)
    const { id } = await published({
      trigger: { type: 'contact_created' },
      steps: [call(path, { on_error: 'continue' }), task('Status {{ steps.call.status | default: "none" }}')],
    })
    await crm.contact()
    for (let tick = 0; tick < 2; tick++) {
      expect(await runs(id)).toMatchObject([{ state: 'waiting', awaits: expect.stringMatching(/^outgoing:/) }])
      await later()
    }
    if (behaviour === 503) receiver.behaviours.set(path, 200)
    for (let tick = 0; tick < 4; tick++) await later()
    const [run] = await runs(id)
    const keys = at(path).map(({ headers }) => headers['idempotency-key'])
    const isRecovered = behaviour === 503
    expect(new Set(keys).size).toBe(1)
    expect(keys).toHaveLength(isRecovered ? 4 : 5)
    expect(run).toMatchObject({ state: 'completed' })
    const [step, last] = await steps(run?.id)
    expect(step).toMatchObject(isRecovered ? { state: 'done' } : { state: 'failed', error: { code: 'PROVIDER_ERROR' } })
    expect(last).toMatchObject({ input: { title: `Status ${isRecovered ? 200 : behaviour === 429 ? 429 : 'none'}` } })
  },
)

test('a refusal or a redirect fails the run at once; a retry of the run sends another request', async () => {
  for (const status of [400, 302]) {
    const path = nextPath()
    receiver.behaviours.set(path, status)
    const { id } = await published({ trigger: { type: 'contact_created' }, steps: [call(path)] })
    await crm.contact()
    const [run] = await runs(id)
    expect(run).toMatchObject({ state: 'failed', error: { code: 'PROVIDER_ERROR', message: expect.stringContaining(String(status)) } })
    receiver.behaviours.set(path, 204)
    found(await crm.ws.post(`/automation-runs/${run?.id}/retry`))
    expect(await runs(id)).toMatchObject([{ state: 'completed' }])
    expect(new Set(at(path).map((one) => one.headers['idempotency-key'])).size).toBe(2)
    found(await crm.ws.post(`/automations/${id}/pause`))
  }
})

test.each([
  ['a NUL character', '\\u0000', { is: 'B' }, 'B'],
  ['half of a character', '\\ud83d', { is: 'A\uFFFD', 'is\uFFFD': 'B' }, 'A\uFFFD'],
])('an answer of JSON with %s is kept without it, and other runs go on', async (_, escaped, body, shown) => {
  const path = nextPath()
  receiver.behaviours.set(path, { body: `{"is": "A${escaped}", "is${escaped}": "B"}` })
  const { id } = await published({
    trigger: { type: 'manual' },
    steps: [call(path), task('{{ steps.call.body.is }}')],
  })
  const mapped = await published({
    trigger: { type: 'manual' },
    steps: [call(path, { output: { read: 'is' } }), task('{{ steps.call.read | default: "none" }}')],
  })
  const contact_id = (await crm.contact()).id
  for (const automation of [id, mapped.id]) found(await crm.ws.post(`/automations/${automation}/start`, { contact_id }))
  await settle()
  const [run] = await runs(id)
  expect(run).toMatchObject({ state: 'completed' })
  expect(await steps(run?.id)).toMatchObject([{ state: 'done', output: { status: 200, body } }, { input: { title: shown } }])
  const [other] = await runs(mapped.id)
  expect(await steps(other?.id)).toMatchObject([{ state: 'done', output: { status: 200, read: shown } }, { input: { title: shown } }])
})

test('a request whose worker dies after sending it is sent again with the same key, and its outcome counts once', async () => {
  const path = nextPath()
  const { id } = await published({ trigger: { type: 'contact_created' }, steps: [call(path), task('Once')] })
  await crm.app.drain()
  crm.app.proxy.onRequest = (request) => {
    if (JSON.stringify(request).includes('settle_outgoing')) throw new Error('The worker dies')
  }
  await crm.contact()
  await settle()
  crm.app.proxy.onRequest = undefined
  expect(await runs(id)).toMatchObject([{ state: 'waiting' }])
  await later()
  const message = { type: 'work.run', kind: 'outgoing.send', workspace_id: crm.ws.id }
  await Promise.all([crm.app.deliver('webhooks', [message, message]), crm.app.deliver('webhooks', [message])])
  expect(await runs(id)).toMatchObject([{ state: 'completed' }])
  const keys = at(path).map(({ headers }) => headers['idempotency-key'])
  expect(keys.length).toBeGreaterThan(1)
  expect(new Set(keys).size).toBe(1)
  expect(await crm.count('tasks')).toBe(1)
})

test('a request that waits for approval is sent after it, and the run waits for its outcome', async () => {
  const path = nextPath()
  receiver.behaviours.set(path, 200)
  const { id } = await published({
    trigger: { type: 'contact_created' },
    steps: [call(path, { require_approval: true }), task('Status {{ steps.call.status }}')],
  })
  await crm.contact()
  const [run] = await runs(id)
  expect(at(path)).toEqual([])
  found(await (await crm.ws.key()).post(`/approvals/${String(run?.awaits).replace('approval:', '')}/approve`))
  await settle()
  await later()
  expect(await runs(id)).toMatchObject([{ state: 'completed' }])
  expect(at(path)).toHaveLength(1)
  expect(await steps(run?.id)).toMatchObject([{ state: 'done', output: { status: 200 } }, { input: { title: 'Status 200' } }])
})

/** Spellings of 169.254.169.254, and names and addresses that lead inside. */
const INSIDE = [
  ...[
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '0xa9.0xfe.0xa9.0xfe',
    '169.254.43518',
    '[::ffff:169.254.169.254]',
  ],
  ...['[::ffff:a9fe:a9fe]', '169.254.169.254.', '[64:ff9b::a9fe:a9fe]', 'localhost', '10.0.0.1', 'metadata.google.internal'],
]

test('a private address in any spelling is refused by validation, and one that a template gives when the step runs', async () => {
  const of = (url: string) => ({
    name: 'A',
    trigger: { type: 'manual' },
    steps: [{ type: 'http_request', key: 'call', method: 'GET', url }],
  })
  for (const host of INSIDE) {
    const checked = found(await crm.ws.post('/automations/validate', of(`http://${host}/latest/{{ run.id }}`)))
    expect(checked, host).toMatchObject({ valid: false, issues: [{ path: 'steps.0.url', message: expect.stringContaining('must') }] })
  }
  expect(await crm.ws.post('/automations', of('ftp://example.com/'))).toMatchObject(refused('steps.0.url'))
  expect(await crm.ws.post('/outgoing-requests', { method: 'GET', url: 'http://127.0.0.1:1/' })).toMatchObject(refused('url'))
  expect(found(await crm.ws.post('/automations/validate', of('https://example.com/{{ run.id }}')))).toMatchObject({ valid: true })
  const { id } = await published({
    trigger: { type: 'manual' },
    steps: [
      {
        type: 'for_each',
        items: '{{ trigger.data.hosts }}',
        steps: [{ type: 'http_request', method: 'GET', url: 'http://{{ item }}/', on_error: 'continue' }],
      },
    ],
  })
  found(await crm.ws.post(`/automations/${id}/start`, { data: { hosts: INSIDE } }))
  await runs(id)
  for (let count = 0; count < INSIDE.length; count++) await settle()
  const [run] = await runs(id)
  const taken = (await steps(run?.id)).slice(1)
  expect(taken.map(({ state, error }) => [state, error?.code])).toEqual(INSIDE.map(() => ['failed', 'VALIDATION_ERROR']))
  const catalogue = found(await crm.ws.get('/automation-catalogue'))
  expect(catalogue.steps.map(({ type }: Row) => type)).toEqual(
    expect.arrayContaining(['http_request', 'send_email', 'send_sms', 'send_whatsapp', 'notify']),
  )
})
