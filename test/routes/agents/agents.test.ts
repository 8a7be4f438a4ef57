import { beforeEach, expect, test } from 'vitest'
import type { VoiceFailMode } from '../../../dev/voice-emulator.ts'
import { created, failed, found, type Row, useCrm } from '../crm.ts'
import { phoning } from '../phoning.ts'

const crm = useCrm()
const { agent: externalAgent, atVoice, number, postRetell } = phoning(crm)
beforeEach(() => {
  crm.app.voice.clear()
  crm.app.sms.clear()
})

const VOICE = { type: 'voice', name: 'Receptionist', prompt: 'You answer the phone.', voice_id: 'retell-Cimo', tools: ['end_call'] }
const draft = async (fields: Row = {}, ws = crm.ws): Promise<Row> => created(await ws.post('/agents', { ...VOICE, ...fields }))
const publish = async (id: string): Promise<Row> => found(await crm.ws.post(`/agents/${id}/publish`))
const agentOf = async (id: string): Promise<Row> => found(await crm.ws.get(`/agents/${id}`))
const versionsOf = async (id: string): Promise<Row[]> => found(await crm.ws.get(`/agents/${id}/versions`)) as Row[]
const eventType = async (ws = crm.ws): Promise<string> =>
  created(await ws.post('/scheduled-event-types', { name: 'Site visit', duration_minutes: 30 })).id
const spoken = (id: string) => {
  const version = crm.app.voice.agents.version(id)
  return version && crm.app.voice.agents.engineOf(version)
}
/** Lets what waits be due, and the queue do it. */
async function later() {
  for (const [table, column] of [
    ['agent_versions', 'due_at'],
    ['phone_numbers', 'voice_sync_due_at'],
  ])
    await crm.app.owner.query(
      `update ${table} set ${column} = now() - interval '1 second' where workspace_id = $1 and ${column} is not null`,
      [crm.ws.id],
    )
  await crm.app.deliver(
    'messages',
    ['agents.publish', 'phone.voice'].map((kind) => ({ type: 'work.run', kind, workspace_id: crm.ws.id })),
  )
}

test('voice agents and text agents are one list, and those that speak are also voice agents of the phone', async () => {
  const speaks = await draft()
  const writes = created(await crm.ws.post('/agents', { type: 'text', name: 'Writer', prompt: 'You write.', tools: ['getContact'] }))
  expect(speaks).toMatchObject({ status: 'draft', published_version: null, provider_agent_id: null, language: 'en-AU' })
  const ids = async (path: string) => (found(await crm.ws.get(path)) as Row[]).map(({ id }) => id)
  expect(await ids('/agents?sort=created_at')).toEqual([speaks.id, writes.id])
  expect(await ids('/agents?type=voice')).toEqual([speaks.id])
  expect(await ids('/agents?type=text')).toEqual([writes.id])
  expect(await ids('/phone/voice-agents')).toEqual([speaks.id])
  expect(await crm.ws.get(`/phone/voice-agents/${writes.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await crm.ws.patch(`/phone/voice-agents/${writes.id}`, { name: 'Mine' })).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await crm.ws.delete(`/phone/voice-agents/${writes.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  const external = await externalAgent()
  expect(await agentOf(external.id)).toMatchObject({ is_external: true, status: 'published', has_unpublished_changes: false })
})

test('publishing freezes a version, hands it to the voice provider, and then moves the numbers; a rollback is a new version', async () => {
  const { id } = await draft({ greeting: 'Good morning.' })
  const first = await publish(id)
  expect(first).toMatchObject({ status: 'published', published_version: 1, has_unpublished_changes: false, publish_error: null })
  const { provider_agent_id: there } = first
  expect(spoken(there)).toMatchObject({
    general_prompt: VOICE.prompt,
    begin_message: 'Good morning.',
    general_tools: [{ type: 'end_call' }],
  })
  const phone = await number()
  found(await crm.ws.patch(`/phone/numbers/${phone.id}`, { inbound_voice_agent_config_id: id }))
  expect(atVoice(phone.phone_number)).toMatchObject({ inbound_agents: [{ agent_id: there, agent_version: 0, weight: 1 }] })

  expect(found(await crm.ws.patch(`/agents/${id}`, { prompt: 'You are brief.' }))).toMatchObject({ has_unpublished_changes: true })
  expect(spoken(there)).toMatchObject({ general_prompt: VOICE.prompt })
  expect(await publish(id)).toMatchObject({ published_version: 2, provider_agent_id: there })
  await crm.app.drain()
  expect(atVoice(phone.phone_number)).toMatchObject({ inbound_agents: [{ agent_id: there, agent_version: 1 }] })
  expect(await publish(id)).toMatchObject({ published_version: 2 })

  const back = found(await crm.ws.post(`/agents/${id}/rollback`, { version: 1 }))
  expect(back).toMatchObject({ published_version: 3, prompt: VOICE.prompt, greeting: 'Good morning.' })
  expect(spoken(there)).toMatchObject({ general_prompt: VOICE.prompt })
  expect((await versionsOf(id)).map((one) => [one.number, one.status, one.content.prompt])).toEqual([
    [3, 'published', VOICE.prompt],
    [2, 'published', 'You are brief.'],
    [1, 'published', VOICE.prompt],
  ])
  expect(found(await crm.ws.get(`/agents/${id}/versions/2`)).content).toMatchObject({ prompt: 'You are brief.', tools: ['end_call'] })
  expect(await crm.ws.post(`/agents/${id}/rollback`, { version: 9 })).toMatchObject(failed(400, 'VALIDATION_ERROR'))
  expect(await crm.ws.get(`/agents/${id}/versions/9`)).toMatchObject(failed(404, 'NOT_FOUND'))
})

test('a number gets no agent that is not published', async () => {
  const [{ id }, phone] = [await draft(), await number()]
  const response = await crm.ws.patch(`/phone/numbers/${phone.id}`, { inbound_voice_agent_config_id: id })
  expect(response).toMatchObject(failed(400, 'VALIDATION_ERROR'))
  expect(JSON.stringify(response.body)).toContain('publish it first')
  expect(atVoice(phone.phone_number)).toBeUndefined()
})

test('the tools of an agent call this API with a key of its own, which has their scopes only and ends with the agent', async () => {
  const type = await eventType()
  const { id } = await draft({
    tools: ['find_slots', 'find_booking', 'transfer_call'],
    event_type_id: type,
    transfer_number: '0412 345 678',
  })
  const { provider_agent_id: there } = await publish(id)
  const [slots, find, transfer] = (spoken(there) as Row).general_tools as Row[]
  expect(slots).toMatchObject({ type: 'custom', method: 'POST', url: `http://api.test/v1/scheduling/voice/${type}/slots` })
  expect(transfer).toMatchObject({ type: 'transfer_call', transfer_destination: { type: 'predefined', number: '+61412345678' } })
  const call = (tool: Row | undefined, body: object) =>
    crm.app.fetch(new URL(tool?.url).pathname, {
      method: 'POST',
      headers: { ...tool?.headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  expect((await call(slots, { name: 'find_slots', args: { date: '2026-12-01' } })).status).toBe(200)
  expect((await call(find, { args: { phone: '+61412345678' } })).status).toBe(200)
  const { Authorization: authorization } = (slots as Row).headers
  expect(JSON.stringify(await agentOf(id))).not.toContain('wck_')
  const keys = found(await crm.ws.get('/api-keys')) as Row[]
  expect(keys.find(({ name }) => name === 'Voice agent Receptionist')).toMatchObject({ scopes: ['scheduling:read'], level: 'execute' })
  const book = await crm.app.fetch(`/v1/scheduling/voice/${type}/book`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: '{"args":{}}',
  })
  expect(book.status).toBe(403)
  found(await crm.ws.patch(`/agents/${id}`, { tools: ['find_slots', 'book'] }))
  await publish(id)
  expect(spoken(there)?.general_tools).toMatchObject([{ headers: { Authorization: authorization } }, { name: 'book' }])
  found(await crm.ws.delete(`/agents/${id}`))
  expect((await call(slots, { args: {} })).status).toBe(401)
  found(await crm.ws.post(`/agents/${id}/restore`))
  expect(await agentOf(id)).toMatchObject({ status: 'published', has_unpublished_changes: true })
  expect(await publish(id)).toMatchObject({ published_version: 3, has_unpublished_changes: false })
  const [slotsAgain] = (spoken(there) as Row).general_tools as Row[]
  expect((await call(slotsAgain, { name: 'find_slots', args: { date: '2026-12-01' } })).status).toBe(200)
})

test('publishing again gives the tools of an agent a key that works, after theirs was revoked or rotated', async () => {
  const { id } = await draft({ tools: ['find_booking'] })
  const { provider_agent_id: there } = await publish(id)
  const keyAtProvider = () => ((spoken(there) as Row).general_tools as Row[])[0]?.headers.Authorization as string
  const works = async () =>
    (
      await crm.app.fetch('/v1/scheduling/voice/find-booking', {
        method: 'POST',
        headers: { authorization: keyAtProvider(), 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'find_booking', args: { phone: '+61412345678' } }),
      })
    ).status === 200
  const keyOf = async (): Promise<string> =>
    (found(await crm.ws.get('/api-keys')) as Row[]).find(({ name, revoked_at }) => name === `Voice agent ${VOICE.name}` && !revoked_at)?.id
  for (const end of [
    async () => found(await crm.ws.post(`/api-keys/${await keyOf()}/revoke`)),
    async () => found(await crm.ws.post(`/api-keys/${await keyOf()}/rotate`, {})),
  ]) {
    expect(await works()).toBe(true)
    await end()
    expect(await works()).toBe(false)
    expect(await agentOf(id)).toMatchObject({ status: 'published', has_unpublished_changes: true })
    expect(await publish(id)).toMatchObject({ status: 'published', has_unpublished_changes: false })
    expect(await works()).toBe(true)
  }
  expect((await publish(id)).published_version).toBe(3)
  const keys = found(await crm.ws.get('/api-keys')) as Row[]
  expect(keys.filter(({ name, revoked_at }) => name === `Voice agent ${VOICE.name}` && !revoked_at)).toHaveLength(1)
})

test('a key without the scopes of a tool can neither give it to an agent nor publish it', async () => {
  const limited = await crm.ws.key({ scopes: ['voice-agents:read', 'voice-agents:write'] })
  const type = await eventType()
  const refused = failed(403, 'INSUFFICIENT_SCOPE')
  expect(await limited.post('/agents', { ...VOICE, tools: ['book'], event_type_id: type })).toMatchObject(refused)
  expect(await limited.post('/agents', { type: 'text', name: 'W', prompt: 'x', tools: ['deleteContact'] })).toMatchObject(refused)
  const { id } = await draft({ tools: ['book'], event_type_id: type })
  expect(await limited.post(`/agents/${id}/publish`)).toMatchObject(refused)
  expect(crm.app.voice.requests.filter((one) => one.includes('create'))).toEqual([])
})

test('what an agent names must be there, in this workspace, and enough', async () => {
  const issues = async (fields: Row) => {
    const response = await crm.ws.post('/agents', { ...VOICE, ...fields })
    expect(response).toMatchObject(failed(400, 'VALIDATION_ERROR'))
    return (response.body as Row).error.details.issues.map(({ path }: Row) => path)
  }
  const foreign = await eventType(await crm.app.workspace())
  expect(await issues({ voice_id: 'nobody' })).toEqual(['voice_id'])
  expect(await issues({ voice_id: undefined })).toEqual(['voice_id'])
  expect(await issues({ tools: ['book'] })).toEqual(['event_type_id'])
  expect(await issues({ tools: ['transfer_call'] })).toEqual(['transfer_number'])
  expect(await issues({ tools: ['fly'] })).toEqual(['tools.0'])
  expect(await issues({ model: 'gpt-1' })).toEqual(['model'])
  expect(await issues({ tools: ['book'], event_type_id: foreign })).toEqual(['event_type_id'])
  expect(await issues({ type: 'text', voice_id: undefined, tools: ['flyAway'] })).toEqual(['tools.0'])
  const external = await externalAgent()
  expect(await crm.ws.patch(`/agents/${external.id}`, { prompt: 'x' })).toMatchObject(failed(409, 'INVALID_STATE'))
  expect(await crm.ws.post(`/agents/${external.id}/publish`)).toMatchObject(failed(409, 'INVALID_STATE'))
})

test.each(['500', 'drop'] as VoiceFailMode[])(
  'after %s at any call the version is publishing, numbers stay, and the background finishes it without a second agent',
  async (mode) => {
    for (const [at, accept] of [
      ...[0, 1, 2].map((call): [number, boolean] => [call, false]),
      ...[0, 1, 2].map((call): [number, boolean] => [call, true]),
    ]) {
      crm.app.voice.clear()
      const { id } = await draft({ name: `Agent ${at} ${accept}` })
      crm.app.voice.fail(mode, 2, accept, at)
      const begun = await publish(id)
      if (begun.status === 'publishing') {
        expect(begun).toMatchObject({ published_version: null, provider_agent_id: null })
        expect(begun.publish_error).toMatch(/./)
        expect(await crm.ws.post(`/agents/${id}/publish`)).toMatchObject(failed(409, 'CONFLICT'))
      }
      crm.app.voice.calm()
      await later()
      const after = await agentOf(id)
      expect(after).toMatchObject({ status: 'published', published_version: 1, publish_error: null })
      expect(crm.app.voice.agents.agents).toHaveLength(1)
      expect(crm.app.voice.agents.engines).toHaveLength(1)
      expect(spoken(after.provider_agent_id)).toMatchObject({ general_prompt: VOICE.prompt })
    }
  },
)

test('what the provider refuses is said, and the draft can be corrected', async () => {
  const { id } = await draft()
  crm.app.voice.fail('422')
  expect(await publish(id)).toMatchObject({ status: 'draft', published_version: null, publish_error: expect.stringContaining('422') })
  expect(await versionsOf(id)).toMatchObject([{ number: 1, status: 'failed', error: expect.stringContaining('422') }])
  expect(await publish(id)).toMatchObject({ status: 'published', published_version: 2, publish_error: null })
})

test('of 100 publishes at once there is one version and one agent at the provider', async () => {
  const { id } = await draft()
  const responses = await Promise.all(Array.from({ length: 100 }, () => crm.ws.post(`/agents/${id}/publish`)))
  const statuses = new Set(responses.map(({ status }) => status))
  expect([...statuses].every((status) => [200, 409, 429].includes(status))).toBe(true)
  expect(statuses.has(200)).toBe(true)
  await later()
  expect(await agentOf(id)).toMatchObject({ status: 'published', published_version: 1 })
  expect(await versionsOf(id)).toHaveLength(1)
  expect(crm.app.voice.agents.agents).toHaveLength(1)
})

test('a text agent is published without a provider', async () => {
  const { id } = created(await crm.ws.post('/agents', { type: 'text', name: 'Writer', prompt: 'You write.' }))
  expect(await publish(id)).toMatchObject({ status: 'published', published_version: 1, provider_agent_id: null })
  expect(crm.app.voice.requests).toEqual([])
})

test('a call names the version that was on the line, its tools and its cost', async () => {
  const { id } = await draft()
  const { provider_agent_id } = await publish(id)
  const phone = await number()
  found(await crm.ws.patch(`/phone/numbers/${phone.id}`, { inbound_voice_agent_config_id: id }))
  const call = {
    call_id: `call_${id.slice(-12)}`,
    call_type: 'phone_call',
    direction: 'inbound',
    call_status: 'ended',
    agent_id: provider_agent_id,
    agent_version: 0,
    from_number: '+61412000111',
    to_number: phone.phone_number,
    start_timestamp: Date.now() - 60_000,
    end_timestamp: Date.now(),
    duration_ms: 60_000,
    disconnection_reason: 'user_hangup',
    call_cost: { combined_cost: 21.5 },
    transcript_with_tool_calls: [
      { role: 'agent', content: 'Hi' },
      { role: 'tool_call_invocation', tool_call_id: 't1', name: 'end_call', arguments: '{}' },
    ],
  }
  expect((await postRetell({ event: 'call_ended', call })).status).toBe(204)
  await crm.app.drain()
  const [log] = found(await crm.ws.get(`/phone/call-logs?voice_agent_config_id=${id}`)) as Row[]
  expect(log).toMatchObject({ agent_version: 1, cost_cents: 21.5, tool_calls: ['end_call'] })
})
