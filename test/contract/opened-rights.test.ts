import { expect, test } from 'vitest'
import { allEndpoints } from '../../routes/index.ts'
import { created, found, type Row, useCrm } from '../routes/crm.ts'
import type { ApiResponse, TestWorkspace } from '../workspace.ts'

/**
 * Whoever gets a key, a token, a secret or a path uses what it opens, and whoever starts an automation uses the rights of its publisher: so
 * a caller needs these scopes as well as that of the endpoint. Every endpoint whose calls never wait for approval, because they carry
 * secrets, is in one of the two lists.
 */
const crm = useCrm()
const scopesOf = new Map((await allEndpoints()).map(({ method, path, access }) => [`${method} ${path}`, access.scopes as string[]]))

type Case = { opens: string[]; prepare?: () => Promise<Row>; path?: (made: Row) => string; body?: (made: Row) => object; dry?: true }
const hook = (fields: Row) => async () => created(await crm.ws.post('/incoming-webhooks', { name: 'Form', mapping: {}, ...fields }))
const UPSERT = { action: 'upsert_contact', mapping: { first_name: 'name', external_id: 'id' }, match_on: ['external_id'] }
const automation = async (fields: Row = {}) => {
  const steps = [
    { type: 'create_task', fields: { title: 'Call' } },
    { type: 'update_contact', fields: { city: 'Perth' } },
  ]
  const { id } = created(
    await crm.ws.post('/automations', { name: `Steps ${crypto.randomUUID()}`, trigger: { type: 'manual' }, steps, ...fields }),
  )
  return found(await crm.ws.post(`/automations/${id}/publish`)) as Row
}
const startHook = async () => hook({ action: 'start_automation', automation_id: (await automation()).id })()
const STEPS = ['contacts:write', 'tasks:write']

const CASES: Record<string, Case> = {
  'POST /api-keys': { opens: ['contacts:read', 'tasks:read'], body: () => ({ name: 'New', scopes: ['contacts:read', 'tasks:read'] }) },
  'POST /api-keys/:api_key_id/rotate': {
    opens: ['contacts:read', 'tasks:read'],
    prepare: async () => created(await crm.ws.post('/api-keys', { name: 'Old', scopes: ['contacts:read', 'tasks:read'] })),
    path: ({ id }) => `/api-keys/${id}/rotate`,
    body: () => ({}),
  },
  'POST /incoming-webhooks': { opens: ['contacts:write'], body: () => ({ name: 'Form', ...UPSERT }) },
  'PATCH /incoming-webhooks/:incoming_webhook_id': {
    opens: ['contacts:write'],
    prepare: hook(UPSERT),
    path: ({ id }) => `/incoming-webhooks/${id}`,
    body: () => ({ name: 'Renamed' }),
  },
  'POST /incoming-webhooks/:incoming_webhook_id/rotate-token': {
    opens: ['contacts:write'],
    prepare: hook(UPSERT),
    path: ({ id }) => `/incoming-webhooks/${id}/rotate-token`,
    body: () => ({}),
  },
  'POST /incoming-webhooks/:incoming_webhook_id/rotate-token of one that starts an automation': {
    opens: ['automations:write', ...STEPS],
    prepare: startHook,
    path: ({ id }) => `/incoming-webhooks/${id}/rotate-token`,
    body: () => ({}),
  },
  'POST /incoming-webhooks for an automation': {
    opens: ['automations:write', ...STEPS],
    prepare: automation,
    body: ({ id }) => ({ name: 'Form', mapping: {}, action: 'start_automation', automation_id: id }),
  },
  'POST /webhooks': {
    opens: ['events:read', 'contacts:read'],
    body: () => ({ url: 'https://hooks.example.com/in', event_types: ['contact.created'] }),
  },
  'POST /automations/:automation_id/start': {
    opens: STEPS,
    prepare: automation,
    path: ({ id }) => `/automations/${id}/start`,
    body: () => ({ data: { text: 'Own words' } }),
    dry: true,
  },
  'POST /auto-schedules': {
    opens: ['users:read', ...STEPS],
    prepare: automation,
    body: ({ id }) => ({
      name: `Daily ${crypto.randomUUID()}`,
      automation_id: id,
      cron_expression: '0 9 * * *',
      timezone: 'UTC',
      audience_type: 'users',
    }),
    dry: true,
  },
}

/** Endpoints whose answer opens nothing beyond the scope that they need themselves. */
const OPENS_NOTHING: Record<string, string> = {
  attachments: 'The answer has the file that was sent',
  'POST /email/inbox/rotate-token': 'The address only receives emails, and the scope is that of the inbox',
  'POST /imports': 'The answer has no secret; starting the import needs the scopes of what it writes',
  'POST /invitations/accept': 'The token of the invitation is the right, and the answer has none',
  approvals: 'A decision needs the rights of the request (authorize), and the answer has no secret',
  'PATCH /api-keys/:api_key_id': 'The answer has no secret; widening is refused by assert_key_change',
  'POST /api-keys/:api_key_id/revoke': 'The answer has no secret',
  'POST /webhooks/:webhook_id/rotate-secret': 'The secret proves who sends; what is sent keeps its address and the rights of its key',
  'POST /webhooks/subscribe': 'As POST /webhooks, by the same function',
  '/calendar-connections': 'Its address opens the consent of the caller’s own account; see assert_own_account',
  '/mailboxes': 'Its address opens the consent of the caller’s own account; see assert_own_account',
  'PUT /scheduling/voice-providers/:provider': 'The secret is sent, and never returned',
  'PATCH /company/payment-settings': 'The secrets are sent, and never returned',
  'DELETE /company/payment-settings': 'The answer has no secret',
  'POST /skills/run': 'Tools are called with the key of the request, and the answer has no secret',
  'POST /auto-responders/:auto_responder_id/test': 'As POST /skills/run',
  'POST /knowledge-bases/:kb_id/ingest-file': 'The answer has the entry, and no secret',
  'POST /files': 'The answer has the file that was sent',
  'POST /agent-proposals': 'The write is tried with the key of the request, and waits for approval',
  'POST /agent-proposals/:agent_proposal_id/withdraw': 'Only who has proposed it may, and nothing is executed',
}

test('every endpoint whose calls carry secrets is in one of the lists', async () => {
  const direct = (await allEndpoints())
    .filter(({ access, method }) => access.direct && isWriting(method))
    .map(({ method, path }) => `${method} ${path}`)
  const isListed = (name: string) =>
    name in CASES || Object.keys(OPENS_NOTHING).some((one) => name === one || name.includes(`/${one.replace(/^\//, '')}`))
  expect(direct.filter((name) => !isListed(name))).toEqual([])
  expect(direct.length).toBeGreaterThan(20)
})
const isWriting = (method: string) => method !== 'GET'

test.each(Object.entries(CASES))('%s needs each scope of what it opens, in a dry run as in a run', async (name, one) => {
  const [endpoint = ''] = / (?:of|for) /.exec(name) ? name.split(/ (?:of|for) /) : [name]
  const [method = '', path = ''] = endpoint.split(' ')
  const own = scopesOf.get(endpoint) as string[]
  const made = (await one.prepare?.()) ?? {}
  const call = (ws: TestWorkspace, query = ''): Promise<ApiResponse> =>
    ws.call(method, `${one.path?.(made) ?? path}${query}`, one.body?.(made))
  const all = [...own, ...one.opens]
  for (const scope of one.opens) {
    const key = await crm.ws.key({ scopes: all.filter((held) => held !== scope) })
    if (one.dry) expect(await call(key, '?dry_run=true'), `dry run without ${scope}`).toMatchObject({ status: 403 })
    expect(await call(key), `without ${scope}`).toMatchObject({ status: 403 })
  }
  const complete = await crm.ws.key({ scopes: all })
  if (one.dry) expect((await call(complete, '?dry_run=true')).status).toBe(200)
  const answer = await call(complete)
  expect([200, 201], JSON.stringify(answer.body)).toContain(answer.status)
})

test('an automation that its publisher has opened is started by others, from the next version on', async () => {
  const { id } = await automation()
  const narrow = await crm.ws.key({ scopes: ['automations:write', 'automations:read'] })
  const start = (query = '') => narrow.post(`/automations/${id}/start${query}`, {})
  found(await crm.ws.patch(`/automations/${id}`, { open_to_start: true }))
  expect([(await start('?dry_run=true')).status, (await start()).status]).toEqual([403, 403])
  expect(found(await crm.ws.post(`/automations/${id}/publish`))).toMatchObject({ open_to_start: true, has_changes: false })
  expect([(await start('?dry_run=true')).status, (await start()).status]).toEqual([200, 200])
})
