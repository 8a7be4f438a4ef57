import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { created, failed, found, type Row, refused, useCrm } from './crm.ts'

const crm = useCrm({ ownServer: true, rateLimit: true })

const incoming = async (fields: Row = {}): Promise<Row> =>
  created(
    await crm.ws.post('/incoming-webhooks', {
      name: 'Website form',
      action: 'upsert_contact',
      mapping: { email: 'data.email', first_name: 'data.name', 'metadata.plan': 'data.plan', source: { value: 'form_submission' } },
      ...fields,
    }),
  )
async function send(path: string, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await crm.app.fetch(path, { method: 'POST', body: text, headers: { 'content-type': 'application/json', ...headers } })
  return { status: response.status, body: (await response.json()) as Row }
}
const requests = async (id: string) => found(await crm.ws.get(`/incoming-webhooks/${id}/requests`)) as Row[]
const settle = () => crm.app.drain()

test('a request is answered at once, creates a contact, and a second one updates it', async () => {
  const webhook = await incoming()
  expect(webhook.path).toMatch(/^\/v1\/hooks\/[0-9a-f]{48}$/)
  expect(found(await crm.ws.get(`/incoming-webhooks/${webhook.id}`))).not.toHaveProperty('path')
  const answer = await send(webhook.path, { data: { email: 'ana@example.com', name: 'Ana', plan: 'gold' } })
  expect(answer).toMatchObject({ status: 200, body: { data: { duplicate: false } } })
  await send(webhook.path, 'data.email=x&data=y', { 'content-type': 'application/x-www-form-urlencoded' })
  await settle()
  const [contact] = found(
    await crm.ws.post('/contacts/search', { filter: { field: 'email', op: 'eq', value: 'ana@example.com' } }),
  ) as Row[]
  expect(contact).toMatchObject({ first_name: 'Ana', source: 'form_submission', metadata: { plan: 'gold' } })
  await send(webhook.path, { data: { email: 'ana@example.com', name: 'Anna' } })
  await settle()
  expect(found(await crm.ws.get(`/contacts/${contact?.id}`))).toMatchObject({ first_name: 'Anna', metadata: { plan: 'gold' } })
  const log = await requests(webhook.id)
  expect(log.map(({ state, error_code }) => [state, error_code])).toEqual([
    ['done', null],
    ['failed', 'VALIDATION_ERROR'],
    ['done', null],
  ])
  expect(log[0]).toMatchObject({ result_id: contact?.id, has_payload: true })
  const history = found(await crm.ws.get(`/contacts/${contact?.id}/history`)) as Row[]
  expect(history[0]).toMatchObject({ cause_type: 'incoming_webhook', cause_id: log[0]?.id, key_id: crm.ws.keyId })
  // After a change of the mapping the failed one is processed again.
  await crm.ws.patch(`/incoming-webhooks/${webhook.id}`, { mapping: { external_id: 'data', first_name: { value: 'Form' } } })
  found(await crm.ws.post(`/incoming-webhooks/${webhook.id}/requests/${log[1]?.id}/retry`))
  await crm.app.deliver('webhooks', [{ type: 'work.run', kind: 'incoming.run', workspace_id: crm.ws.id, item_id: log[1]?.id }])
  expect(found(await crm.ws.get(`/incoming-webhooks/${webhook.id}/requests/${log[1]?.id}`))).toMatchObject({
    state: 'done',
    payload: { 'data.email': 'x', data: 'y' },
  })
})

test('duplicate ids and repeated messages are processed once', async () => {
  const webhook = await incoming({ action: 'create_opportunity', id_path: 'id', mapping: { name: 'title', value: 'amount' } })
  const body = { id: 7, title: 'Deck', amount: '1250.50' }
  const answers = await Promise.all([0, 1, 2].map(() => send(webhook.path, body)))
  expect(answers.map(({ body: { data } }) => data.duplicate).toSorted()).toEqual([false, true, true])
  const { id } = (answers[0] as Row).body.data
  const message = { type: 'work.run', kind: 'incoming.run', workspace_id: crm.ws.id, item_id: id }
  await Promise.all([0, 1, 2].map(() => crm.app.deliver('webhooks', [message])))
  await settle()
  // The end of a run is lost: the next one finds what the first has done.
  await crm.app.owner.query("update incoming_requests set state = 'received', created_at = now() - interval '1 hour' where id = $1", [id])
  await crm.app.cron('* * * * *')
  await settle()
  const deals = found(await crm.ws.get('/opportunities')) as Row[]
  expect(deals).toMatchObject([{ name: 'Deck', value: 1250.5 }])
  // A worker that comes late changes nothing of it.
  await crm.app.owner.query("select end_incoming($1, $2, 'failed', null, 'UNAVAILABLE', 'Late')", [crm.ws.id, id])
  expect(await requests(webhook.id)).toMatchObject([{ state: 'done', result_id: deals[0]?.id, message_id: '7', error_code: null }])
  await send(webhook.path, { id: 8, title: 'Roof' }, { 'webhook-id': 'ignored' })
  await settle()
  expect(await crm.count('opportunities')).toBe(2)
})

test('without id_path and secret an Idempotency-Key is the id of a request', async () => {
  const webhook = await incoming({ action: 'create_opportunity', mapping: { name: 'title' } })
  const sent = (key: string, title: string) => send(webhook.path, { title }, { 'idempotency-key': key })
  const answers = [await sent('one', 'Deck'), await sent('one', 'Deck'), await sent('two', 'Roof')]
  expect(answers.map(({ body: { data } }) => data.duplicate)).toEqual([false, true, false])
  await settle()
  expect(await crm.count('opportunities')).toBe(2)
})

test('a webhook with a secret takes signed requests only, in hex with a prefix or in base64', async () => {
  const secret = 'shared with the sender'
  const webhook = await incoming({ signature_secret: secret, signature_header: 'X-Hub-Signature-256', action: 'record_only' })
  expect(webhook).toMatchObject({ is_signed: true })
  const body = JSON.stringify({ data: { email: 'ana@example.com' } })
  const sign = (encoding: 'hex' | 'base64', text = body) => createHmac('sha256', secret).update(text).digest(encoding)
  const sent = (signature?: string) => send(webhook.path, body, signature ? { 'x-hub-signature-256': signature } : {})
  expect(await sent()).toMatchObject({ status: 401 })
  expect(await sent(sign('hex', `${body} `))).toMatchObject({ status: 401 })
  expect(await sent(`sha256=${sign('hex')}`)).toMatchObject({ status: 200 })
  expect(await sent(sign('hex'))).toMatchObject({ status: 200 })
  await crm.ws.patch(`/incoming-webhooks/${webhook.id}`, { signature_encoding: 'base64' })
  expect(await sent(sign('hex'))).toMatchObject({ status: 401 })
  expect(await sent(sign('base64'))).toMatchObject({ status: 200 })
  // The signature covers no time and no id: the body is stored once, also under other names.
  const renamed = { 'x-hub-signature-256': sign('base64'), 'webhook-id': 'another' }
  expect(await send(webhook.path, body, renamed)).toMatchObject({ status: 200, body: { data: { duplicate: true } } })
  expect(await requests(webhook.id)).toHaveLength(1)
  await crm.ws.patch(`/incoming-webhooks/${webhook.id}`, { status: 'disabled' })
  expect(await sent(sign('base64'))).toMatchObject({ status: 401 })
  const { rows } = await crm.app.owner.query(
    "select count(*)::int from changes where fields::text like '%signature_secret%' or fields::text like '%token_hash%'",
  )
  expect(rows[0].count).toBe(0)
})

test.each([
  ['of the libraries', `whsec_${Buffer.from('0123456789abcdef01234567').toString('base64')}`, {}],
  ['of one’s own', 'shared with the sender', { format: 'raw' as const }],
])('Standard Webhooks with a secret %s: a captured request is a duplicate, and one out of time is refused', async (_, secret, options) => {
  const webhook = await incoming({ signature_secret: secret, action: 'record_only', id_path: 'nothing.here' })
  const body = JSON.stringify({ data: { email: 'ana@example.com' } })
  const headersOf = (id: string, at = Date.now(), text = body, by = new Webhook(secret, options)) => ({
    'webhook-id': id,
    'webhook-timestamp': `${Math.floor(at / 1000)}`,
    'webhook-signature': by.sign(id, new Date(at), text),
  })
  const signed = headersOf('msg_1')
  const first = await send(webhook.path, body, signed)
  expect(first).toMatchObject({ status: 200, body: { data: { duplicate: false } } })
  for (const captured of [signed, headersOf('msg_1', Date.now() - 60_000)])
    expect(await send(webhook.path, body, captured)).toEqual({
      status: 200,
      body: { ...first.body, data: { ...first.body.data, duplicate: true } },
    })
  const other = new Webhook('another secret', { format: 'raw' })
  const refusals: [string, Row, string?][] = [
    ['late', headersOf('msg_2', Date.now() - 301_000)],
    ['future', headersOf('msg_2', Date.now() + 310_000)],
    ['other body', headersOf('msg_2'), `${body} `],
    ['other secret', headersOf('msg_2', Date.now(), body, other)],
    ['other id', { ...signed, 'webhook-id': 'msg_2' }],
    ['other time', { ...signed, 'webhook-timestamp': `${Number(signed['webhook-timestamp']) + 1}` }],
    ['no id', { ...signed, 'webhook-id': undefined }],
  ]
  for (const [name, { ...headers }, text = body] of refusals) {
    if (headers['webhook-id'] === undefined) delete headers['webhook-id']
    expect(await send(webhook.path, text, headers), name).toMatchObject(failed(401, 'UNAUTHENTICATED'))
  }
  expect(await send(webhook.path, body, headersOf('msg_2'))).toMatchObject({ status: 200, body: { data: { duplicate: false } } })
  expect((await requests(webhook.id)).map(({ message_id }) => message_id)).toEqual(['msg_2', 'msg_1'])
})

test('limits: 256 KB, JSON or a form, 100 requests in 10 seconds for each token, and no other workspace', async () => {
  const webhook = await incoming({ action: 'record_only' })
  // The connection of a body that nobody reads is used for nothing else.
  const large = JSON.stringify('x'.repeat(262_144))
  const headers = { 'content-type': 'application/json' }
  expect((await crm.app.client(webhook.path, { method: 'POST', headers, body: large, declares: large.length })).status).toBe(413)
  expect(await send(webhook.path, '{"a"')).toMatchObject(failed(400, 'INVALID_JSON'))
  expect(await send(webhook.path, '<a/>', { 'content-type': 'application/xml' })).toMatchObject({ status: 415 })
  expect(await send(webhook.path, '{"a": "\\u0000"}')).toMatchObject(failed(400, 'VALIDATION_ERROR'))
  expect(await send(`${webhook.path}0`, {})).toMatchObject({ status: 401 })
  const stranger = await crm.app.workspace()
  expect(await stranger.get(`/incoming-webhooks/${webhook.id}`)).toMatchObject({ status: 404 })
  expect(await stranger.get(`/incoming-webhooks/${webhook.id}/requests`)).toMatchObject({ status: 404 })
  const rotated = found(await crm.ws.post(`/incoming-webhooks/${webhook.id}/rotate-token`))
  expect(await send(webhook.path, {})).toMatchObject({ status: 401 })
  expect(await send(rotated.path, {})).toMatchObject({ status: 200 })
  // More than 100 of them are within the same ten seconds, whenever these begin.
  const statuses = await Promise.all(Array.from({ length: 210 }, () => send(rotated.path, {}).then(({ status }) => status)))
  expect(statuses).toContain(429)
  await settle()
  const { rows } = await crm.app.owner.query('select count(*)::int from incoming_requests where payload is not null and webhook_id = $1', [
    webhook.id,
  ])
  expect(rows[0].count).toBeGreaterThanOrEqual(10)
})

test('the last ten payloads stay as samples', async () => {
  const webhook = await incoming({ action: 'record_only' })
  for (let n = 0; n < 14; n++) {
    await send(webhook.path, { n })
    await settle()
  }
  const log = await requests(webhook.id)
  expect(log.filter(({ has_payload }) => has_payload).length).toBe(11)
})

test('it acts with the rights of its key: approvals hold it, and a revoked key ends it', async () => {
  const key = await crm.ws.key()
  const webhook = created(
    await key.post('/incoming-webhooks', { name: 'Form', action: 'upsert_contact', mapping: { email: 'email', first_name: 'email' } }),
  )
  const narrow = await crm.ws.key({ scopes: ['webhooks:*'] })
  expect(await narrow.post('/incoming-webhooks', { name: 'Form', action: 'upsert_contact' })).toMatchObject(
    failed(403, 'INSUFFICIENT_SCOPE'),
  )
  expect(await narrow.patch(`/incoming-webhooks/${webhook.id}`, { name: 'Mine' })).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
  created(await crm.ws.post('/approval-policies', { name: 'New people', events: ['contact.created'] }))
  await send(webhook.path, { email: 'ana@example.com' })
  await settle()
  const [held] = await requests(webhook.id)
  expect(held).toMatchObject({ state: 'held' })
  expect(found(await crm.ws.get(`/approvals/${held?.result_id}`))).toMatchObject({ status: 'pending' })
  await crm.ws.post(`/api-keys/${key.keyId}/revoke`)
  await send(webhook.path, { email: 'ben@example.com' })
  await settle()
  expect((await requests(webhook.id))[0]).toMatchObject({ state: 'failed', error_code: 'FORBIDDEN' })
})

test('an automation is started once, with the payload as its trigger data', async () => {
  const draft = { name: 'Greet', trigger: { type: 'incoming_webhook' }, steps: [{ type: 'stop', reason: '{{ trigger.order }}' }] }
  const { id: automation } = created(await crm.ws.post('/automations', draft))
  const webhook = await incoming({ action: 'start_automation', automation_id: automation, mapping: {} })
  await send(webhook.path, { order: 7 })
  await settle()
  expect(await requests(webhook.id)).toMatchObject([{ state: 'failed', error_message: expect.stringContaining('not published') }])
  await crm.ws.post(`/automations/${automation}/publish`)
  await send(webhook.path, { order: 8 })
  await settle()
  expect((await crm.ws.get(`/automation-runs?automation_id=${automation}`)).body.data).toMatchObject([
    { state: 'stopped', source: 'webhook' },
  ])
  // What is no id starts a run that is about nobody.
  const { id: contact_id } = await crm.contact({ email: 'cy@example.com' })
  const about = await incoming({ action: 'start_automation', automation_id: automation, mapping: { contact_id: 'who' } })
  for (const who of [contact_id, 'nobody', 7]) {
    await send(about.path, { who })
    await settle()
  }
  expect((await requests(about.id)).map(({ state }) => state)).toEqual(['done', 'done', 'done'])
  const runs = (await crm.ws.get(`/automation-runs?automation_id=${automation}`)).body.data as Row[]
  expect(runs.map((run) => run.contact_id).toSorted()).toEqual([contact_id, null, null, null].toSorted())
  expect(await crm.ws.post('/incoming-webhooks', { name: 'x', action: 'start_automation' })).toMatchObject(refused('automation_id'))
  expect(await crm.ws.post('/incoming-webhooks', { name: 'x', action: 'upsert_contact', mapping: { colour: 'a' } })).toMatchObject(
    refused('mapping'),
  )
  // Also when the action or the mapping alone is changed.
  const form = await incoming({ action: 'upsert_contact', mapping: { email: 'email', 'metadata.plan': 'plan' } })
  const patched = (fields: Row) => crm.ws.patch(`/incoming-webhooks/${form.id}`, fields)
  expect(await patched({ mapping: { email: 'email', colour: 'a' } })).toMatchObject(refused('mapping.colour'))
  expect(await patched({ action: 'create_opportunity' })).toMatchObject(refused('mapping.email'))
  found(await patched({ action: 'create_opportunity', mapping: { name: 'title', 'metadata.plan': 'plan' } }))
  found(await patched({ action: 'record_only', mapping: { whatever: 'a' } }))
  expect(await crm.ws.post('/incoming-webhooks', { name: 'x', action: 'start_automation', automation_id: webhook.id })).toMatchObject(
    refused('automation_id'),
  )
})

test('a key that may only read any longer starts no automation', async () => {
  const { id: automation_id } = created(
    await crm.ws.post('/automations', { name: 'Greet', trigger: { type: 'incoming_webhook' }, steps: [{ type: 'stop', reason: 'Met' }] }),
  )
  found(await crm.ws.post(`/automations/${automation_id}/publish`))
  const key = await crm.ws.key()
  const fields = { name: 'Form', action: 'start_automation', automation_id }
  const webhook = created(await key.post('/incoming-webhooks', fields))
  found(await crm.ws.patch(`/api-keys/${key.keyId}`, { level: 'read_only' }))
  await send(webhook.path, { order: 9 })
  await settle()
  expect(await requests(webhook.id)).toMatchObject([{ state: 'failed', error_code: 'FORBIDDEN' }])
  expect(found(await crm.ws.get(`/automation-runs?automation_id=${automation_id}`))).toEqual([])
})

test('the enrolment of an automation counts the records that webhooks start it for, and their runs end with them', async () => {
  const wait = { type: 'wait', for: { amount: 2, unit: 'days' } }
  const trigger = { type: 'incoming_webhook' }
  const { id: contact_id } = await crm.contact()
  const about = async (enrolment: Row) => {
    const { id } = created(await crm.ws.post('/automations', { name: `Greet ${crypto.randomUUID()}`, trigger, enrolment, steps: [wait] }))
    found(await crm.ws.post(`/automations/${id}/publish`))
    const { path } = await incoming({ action: 'start_automation', automation_id: id, mapping: { contact_id: 'who' } })
    for (let sent = 0; sent < 2; sent++) {
      await send(path, { who: contact_id })
      await settle()
    }
    return async () =>
      (found(await crm.ws.get(`/automation-runs?automation_id=${id}`)) as Row[]).map(({ state, reason }) => [state, reason]).toReversed()
  }
  const [once, replacing] = [await about({ mode: 'once' }), await about({ concurrency: 'replace' })]
  expect(await once()).toEqual([['waiting', null]])
  expect(await replacing()).toEqual([
    ['cancelled', 'replaced'],
    ['waiting', null],
  ])
  found(await crm.ws.delete(`/contacts/${contact_id}`))
  expect(await once()).toEqual([['cancelled', 'record_deleted']])
})
