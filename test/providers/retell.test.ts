import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startVoiceEmulator, type VoiceEmulator, type VoiceFailMode } from '../../dev/voice-emulator.ts'
import type { VoiceProvider } from '../../src/features/phone/provider/port.ts'
import { retell } from '../../src/features/phone/provider/retell.ts'

const NUMBER = '+61491570156'
const bound = (id: string, version: number | null = null) => ({ id, version })
const AGENTS = { phone_number: NUMBER, inbound: bound('agent_1'), outbound: null }
let emulator: VoiceEmulator
let provider: VoiceProvider
beforeAll(async () => {
  emulator = await startVoiceEmulator()
  const options = { terminationUri: 'crm.pstn.twilio.com', inboundUrl: 'https://api.example.com/call-events/retell' }
  provider = retell({ url: emulator.url, key: emulator.key, timeoutMs: 150, ...options })
})
afterAll(() => emulator.close())
beforeEach(() => emulator.clear())

test('a number is imported the first time and changed after that', async () => {
  await provider.setAgents({ ...AGENTS, inbound: null })
  expect(emulator.numbers).toEqual([])
  await provider.setAgents(AGENTS)
  await provider.setAgents({ ...AGENTS, outbound: bound('agent_2', 3) })
  expect(emulator.requests).toEqual([`POST import-phone-number ${NUMBER}`, `PATCH update-phone-number ${NUMBER}`])
  expect(emulator.numbers).toEqual([
    {
      phone_number: NUMBER,
      termination_uri: 'crm.pstn.twilio.com',
      inbound_webhook_url: 'https://api.example.com/call-events/retell',
      inbound_agents: [{ agent_id: 'agent_1', weight: 1 }],
      outbound_agents: [{ agent_id: 'agent_2', agent_version: 3, weight: 1 }],
    },
  ])
  await provider.setAgents({ ...AGENTS, inbound: null })
  expect(emulator.numbers).toMatchObject([{ inbound_agents: null, outbound_agents: null, inbound_webhook_url: null }])
})

test.each(['429', '500', '503'] as VoiceFailMode[])('after %s it asks once more, and no third time', async (mode) => {
  emulator.fail(mode)
  await provider.setAgents(AGENTS)
  emulator.fail(mode, 2)
  await expect(provider.setAgents(AGENTS)).rejects.toThrow(`answers with ${mode}: The request fails`)
})

test.each(['401', '402', '422', 'timeout', 'drop'] as VoiceFailMode[])('%s is an error at once', async (mode) => {
  emulator.fail(mode)
  await expect(provider.setAgents(AGENTS)).rejects.toThrow()
  await provider.setAgents(AGENTS)
  expect(emulator.numbers).toHaveLength(1)
})

test('a change whose answer was lost is made again', async () => {
  emulator.numbers.push({
    phone_number: NUMBER,
    termination_uri: 'x',
    inbound_agents: null,
    outbound_agents: null,
    inbound_webhook_url: null,
  })
  emulator.fail('timeout', 1, true)
  await expect(provider.setAgents(AGENTS)).rejects.toThrow()
  await provider.setAgents(AGENTS)
  expect(emulator.numbers).toHaveLength(1)
})
