import { beforeEach, expect, test } from 'vitest'
import type { VoiceFailMode } from '../../dev/voice-emulator.ts'
import { failed, found, useCrm } from './crm.ts'
import { phoning } from './phoning.ts'

const crm = useCrm({ own: true })
const { agent, atTwilio, atVoice, later, number, numberOf, unused } = phoning(crm)
beforeEach(() => {
  crm.app.voice.clear()
  crm.app.sms.clear()
})

const bound = (id: string) => [{ agent_id: id, weight: 1 }]

test('numbers to buy are searched, and the one that is bought has the addresses that the provider asks', async () => {
  const { numbers } = found(await crm.ws.post('/phone/numbers/search', { country: 'au', contains: '157' }))
  expect(numbers[0]).toMatchObject({ phone_number: '+61491571570', capabilities: { voice: true, sms: true, mms: false } })
  crm.app.sms.failSearch('503', 3)
  expect(await crm.ws.post('/phone/numbers/search', { country: 'au' })).toMatchObject({
    status: 502,
    body: { error: { code: 'PROVIDER_ERROR', details: { provider: 'twilio', reason: expect.stringContaining('503') } } },
  })
  const { phone_number } = await number()
  const workspace = `http://api.test/call-events/twilio/${crm.ws.id}`
  expect(atTwilio(phone_number)).toMatchObject([{ voice_url: `${workspace}/answer`, status_callback: workspace }])
})

test('settings are changed without the voice provider, which gets the agents as soon as one is named', async () => {
  const { id, phone_number } = await number()
  const path = `/phone/numbers/${id}`
  expect(found(await crm.ws.patch(path, { friendly_name: 'Desk', transfer_number: '0412 345 678' }))).toMatchObject({
    friendly_name: 'Desk',
    transfer_number: '+61412345678',
    voice_provider_last_synced_at: null,
  })
  expect(crm.app.voice.requests).toEqual([])
  const [inbound, outbound] = [await agent(), await agent()]
  const tried = found(await crm.ws.patch(`${path}?dry_run=true`, { inbound_voice_agent_config_id: inbound.id }))
  expect(tried).toMatchObject({ id, inbound_voice_agent_config_id: inbound.id, voice_provider_last_synced_at: null })
  expect(tried).not.toHaveProperty('sync')
  expect([(await numberOf(id)).inbound_voice_agent_config_id, crm.app.voice.requests]).toEqual([null, []])
  const changed = found(
    await crm.ws.patch(path, { inbound_voice_agent_config_id: inbound.id, outbound_voice_agent_config_id: outbound.id }),
  )
  expect(changed).toMatchObject({ inbound_voice_agent_config_id: inbound.id, voice_provider_last_sync_error: null })
  expect(Date.parse(changed.voice_provider_last_synced_at)).toBeGreaterThan(0)
  expect(atVoice(phone_number)).toMatchObject({
    termination_uri: 'crm.pstn.twilio.com',
    inbound_webhook_url: 'http://api.test/call-events/retell',
    inbound_agents: bound(inbound.provider_agent_id),
    outbound_agents: bound(outbound.provider_agent_id),
  })
  expect(atTwilio(phone_number)[0]?.trunk_sid).toBe('TK0')
  found(await crm.ws.patch(path, { inbound_voice_agent_config_id: null }))
  expect(atVoice(phone_number)).toMatchObject({ inbound_agents: null, outbound_agents: bound(outbound.provider_agent_id) })
  expect(atTwilio(phone_number)[0]?.trunk_sid).toBeNull()
})

test('an agent of another workspace, and one that was added already, are refused', async () => {
  const { id } = await number()
  const other = await crm.app.workspace()
  const foreign = await agent(undefined, other)
  const body = { inbound_voice_agent_config_id: foreign.id }
  expect(await crm.ws.patch(`/phone/numbers/${id}`, body)).toMatchObject(failed(400, 'VALIDATION_ERROR'))
  const { provider_agent_id } = foreign
  expect(await crm.ws.post('/phone/voice-agents', { name: 'Mine', provider_agent_id })).toMatchObject(failed(409, 'CONFLICT'))
  expect(crm.app.voice.requests).toEqual([])
})

test('an agent that numbers have is not deleted, and they are named; another one is, and comes back', async () => {
  const [{ id }, voice] = [await number(), await agent()]
  const path = `/phone/voice-agents/${voice.id}`
  found(await crm.ws.patch(`/phone/numbers/${id}`, { outbound_voice_agent_config_id: voice.id }))
  expect(await crm.ws.delete(path)).toMatchObject({ ...failed(409, 'CONFLICT'), body: { error: { details: { ids: [id] } } } })
  found(await crm.ws.patch(`/phone/numbers/${id}`, { outbound_voice_agent_config_id: null }))
  found(await crm.ws.delete(path))
  expect(await crm.ws.patch(`/phone/numbers/${id}`, { outbound_voice_agent_config_id: voice.id })).toMatchObject(
    failed(400, 'VALIDATION_ERROR'),
  )
  found(await crm.ws.post(`${path}/restore`))
  found(await crm.ws.patch(`/phone/numbers/${id}`, { outbound_voice_agent_config_id: voice.id }))
})

test.each(['401', '402', '422', '429', '500', '503', 'drop'] as VoiceFailMode[])(
  'after %s the settings stay, the error is shown, and the background hands the agents over',
  async (mode) => {
    const { id, phone_number } = await number()
    const { id: config, provider_agent_id } = await agent()
    for (const accept of [false, true]) {
      crm.app.voice.fail(mode, 2, accept)
      const body = { inbound_voice_agent_config_id: config, outbound_voice_agent_config_id: accept ? config : null }
      const changed = found(await crm.ws.patch(`/phone/numbers/${id}`, body))
      expect(changed).toMatchObject(body)
      if (accept && ['429', '500', '503'].includes(mode)) crm.app.voice.fail(mode, 0)
      expect(changed.voice_provider_last_sync_error).toMatch(mode === 'drop' ? /./ : mode)
      while (await isDue(id)) await later()
      expect(await numberOf(id)).toMatchObject({ ...body, voice_provider_last_sync_error: null })
      expect(atVoice(phone_number)).toMatchObject({
        inbound_agents: bound(provider_agent_id),
        outbound_agents: accept ? bound(provider_agent_id) : null,
      })
    }
    expect(crm.app.voice.numbers.filter((one) => one.phone_number === phone_number)).toHaveLength(1)
  },
)

const rowOf = async (id: string) => (await crm.app.owner.query('select * from phone_numbers where id = $1', [id])).rows[0]
const isDue = async (id: string) => (await rowOf(id)).voice_sync_due_at !== null

test('a slow answer counts; without one, or after a crash, the background hands the agents over', async () => {
  const { id, phone_number } = await number()
  const { id: config, provider_agent_id } = await agent()
  const body = { outbound_voice_agent_config_id: config }
  crm.app.voice.fail('slow')
  expect(found(await crm.ws.patch(`/phone/numbers/${id}`, body)).voice_provider_last_sync_error).toBeNull()
  // As if the Worker had died between the commit of the settings and the answer.
  await crm.app.owner.query('update phone_numbers set voice_sync_due_at = now(), voice_sync_turn = 7 where id = $1', [id])
  crm.app.voice.clear()
  await later()
  expect(atVoice(phone_number)?.outbound_agents).toEqual(bound(provider_agent_id))
  expect(await isDue(id)).toBe(false)
})

test('an agent that does not exist is tried six times, and then left with its error', async () => {
  const { id } = await number()
  const { id: config } = await agent(`agent_missing${unused().slice(1)}`)
  found(await crm.ws.patch(`/phone/numbers/${id}`, { inbound_voice_agent_config_id: config }))
  for (let n = 0; n < 5; n++) {
    expect(await isDue(id)).toBe(true)
    await later()
  }
  expect(await rowOf(id)).toMatchObject({ voice_sync_due_at: null, voice_sync_attempts: 6 })
  expect((await numberOf(id)).voice_provider_last_sync_error).toMatch('422: The agent does not exist')
})

test('of two changes at the same time the voice provider ends with what is stored', async () => {
  const { id, phone_number } = await number()
  const agents = [await agent(), await agent(), await agent()]
  await Promise.all(agents.map((one) => crm.ws.patch(`/phone/numbers/${id}`, { outbound_voice_agent_config_id: one.id })))
  await later()
  const stored = await numberOf(id)
  const { provider_agent_id } = agents.find((one) => one.id === stored.outbound_voice_agent_config_id)!
  expect(atVoice(phone_number)?.outbound_agents).toEqual(bound(provider_agent_id))
  expect(await isDue(id)).toBe(false)
})

test('attempts are no versions: the history and the ETag show the settings only', async () => {
  const { id } = await number()
  const { id: config } = await agent()
  const before = (await numberOf(id)).version
  crm.app.voice.fail('500', 2)
  found(await crm.ws.patch(`/phone/numbers/${id}`, { inbound_voice_agent_config_id: config }))
  await later()
  expect((await numberOf(id)).version).toBe(before + 1)
})

test('a released number has no agents any more, also when the voice provider does not answer', async () => {
  const { id, phone_number } = await number()
  const { id: config } = await agent()
  found(await crm.ws.patch(`/phone/numbers/${id}`, { inbound_voice_agent_config_id: config }))
  found(await crm.ws.post(`/phone/numbers/${id}/release`))
  expect(atVoice(phone_number)?.inbound_agents).toBeNull()
  expect(atTwilio(phone_number)).toEqual([])
})
