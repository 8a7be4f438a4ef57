import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { CONVERSATION, type SpeechEmulator, startSpeechEmulator } from '../../dev/speech-emulator.ts'
import { startVoiceEmulator, type VoiceEmulator } from '../../dev/voice-emulator.ts'
import { voiceToolsOf } from '../../src/features/agents/rules/voice-tools.ts'
import { type AgentToPublish, VoiceRefusal } from '../../src/features/phone/provider/port.ts'
import { retell } from '../../src/features/phone/provider/retell.ts'
import { deepgram, reportedTranscript } from '../../src/features/transcripts/provider/transcribe.ts'
import { DeepgramClient, Retell } from '../sdks.ts'

let voice: VoiceEmulator
let speech: SpeechEmulator
beforeAll(async () => {
  ;[voice, speech] = [await startVoiceEmulator(), await startSpeechEmulator()]
})
afterAll(() => Promise.all([voice.close(), speech.close()]))
beforeEach(() => {
  voice.clear()
  speech.clear()
})

const CONTENT = {
  name: 'Receptionist',
  language: 'en-AU',
  prompt: 'You answer the phone.',
  greeting: 'Good morning.',
  voice_id: 'retell-Cimo',
  model: 'gpt-4.1',
  tools: ['find_slots', 'book', 'transfer_call', 'end_call'],
  event_type_id: 'visit',
  transfer_number: '+61412345678',
}
const agent = (fields: Partial<AgentToPublish> = {}): AgentToPublish => ({
  ...CONTENT,
  key: 'agent-one',
  version_key: 'version-one',
  provider_agent_id: null,
  tools: voiceToolsOf(CONTENT),
  tools_url: 'https://api.example.com',
  tools_key: 'wck_key',
  ...fields,
})
const provider = () =>
  retell({ url: voice.url, key: voice.key, timeoutMs: 500, terminationUri: 'x', inboundUrl: 'https://api.example.com/call-events/retell' })
const sdk = () => new Retell({ apiKey: voice.key, baseURL: voice.url, maxRetries: 0 })

test('what is published is read by the official package of the voice provider', async () => {
  const { provider_agent_id: id, provider_version: version } = await provider().publishAgent(agent(), false)
  const read = await sdk().agent.retrieve(id, { version })
  expect(read).toMatchObject({
    agent_id: id,
    version: 0,
    is_published: true,
    voice_id: 'retell-Cimo',
    language: 'en-AU',
    version_title: 'version-one',
  })
  if (read.response_engine.type !== 'retell-llm') throw new Error('The engine has another type')
  const engine = await sdk().llm.retrieve(read.response_engine.llm_id)
  expect(engine).toMatchObject({
    general_prompt: CONTENT.prompt,
    begin_message: CONTENT.greeting,
    model: 'gpt-4.1',
    start_speaker: 'agent',
  })
  expect(engine.general_tools).toMatchObject([
    {
      type: 'custom',
      name: 'find_slots',
      url: 'https://api.example.com/v1/scheduling/voice/visit/slots',
      headers: { Authorization: 'Bearer wck_key' },
    },
    { type: 'custom', name: 'book', parameters: { type: 'object', required: ['slot', 'name'] } },
    {
      type: 'transfer_call',
      transfer_destination: { type: 'predefined', number: '+61412345678' },
      transfer_option: { type: 'cold_transfer' },
    },
    { type: 'end_call', name: 'end_call' },
  ])
  const again = await provider().publishAgent(agent({ provider_agent_id: id, version_key: 'version-two', prompt: 'Be brief.' }), false)
  expect(again).toEqual({ provider_agent_id: id, provider_version: 1 })
  const { items } = await sdk().agent.listVersions(id)
  expect(items.map((one: { version: number; is_published: boolean }) => [one.version, one.is_published])).toEqual([
    [1, true],
    [0, true],
  ])
  await expect(sdk().agent.update(id, { version: '0', voice_id: 'openai-Nova' } as never)).rejects.toThrow('422')
})

test('an agent that the package has made is published with the same calls, and the voices are the same', async () => {
  const client = sdk()
  const { llm_id } = await client.llm.create({ general_prompt: 'Hello' })
  const made = await client.agent.create({ response_engine: { type: 'retell-llm', llm_id }, voice_id: '11labs-Adrian' })
  await client.agent.publish(made.agent_id, { version: made.version })
  const draft = await client.agent.createVersion(made.agent_id, { base_version: 0 })
  expect(draft).toMatchObject({ version: 1, is_published: false })
  const { items } = await client.agent.list({ filter_criteria: { query: made.agent_id } })
  expect(items).toHaveLength(1)
  const voices = await client.voice.list()
  expect((await provider().listVoices()).map(({ voice_id }) => voice_id)).toEqual(
    voices.map(({ voice_id }: { voice_id: string }) => voice_id),
  )
})

test('a repeated attempt finds what the first one has left, and a refusal is no unclear outcome', async () => {
  await provider().publishAgent(agent(), false)
  await provider().publishAgent(agent(), true)
  expect(voice.agents.agents).toHaveLength(1)
  expect(voice.agents.engines).toHaveLength(1)
  voice.fail('422')
  await expect(provider().publishAgent(agent({ version_key: 'three' }), false)).rejects.toThrow(VoiceRefusal)
  for (const mode of ['401', '402', '429', '500', 'drop', 'timeout'] as const) {
    voice.fail(mode, 2)
    const error = await provider()
      .publishAgent(agent({ version_key: mode }), false)
      .catch((thrown: unknown) => thrown)
    voice.calm()
    expect(error).toBeInstanceOf(Error)
    expect([mode, error instanceof VoiceRefusal]).toEqual([mode, false])
  }
})

test('a transcript that the official package of the provider reads is the one that is reported', async () => {
  const client = new DeepgramClient({ apiKey: speech.key, baseUrl: speech.url, maxRetries: 0, environment: environmentOf(speech.url) })
  const url = 'https://files.example.com/call.mp3'
  const result = await client.listen.v1.media.transcribeUrl({ url, diarize: true, utterances: true, model: 'nova-3' })
  if (!('results' in result)) throw new Error('The package reads no results')
  expect(result.results.utterances?.map(({ transcript }: { transcript: string }) => transcript)).toEqual(
    CONVERSATION.map(({ transcript }) => transcript),
  )
  const reported = reportedTranscript(result)
  expect(reported).toMatchObject({ outcome: 'done', duration_seconds: 20.4, language: 'en' })
  expect(reported?.outcome === 'done' && reported.utterances.map(({ text }) => text)).toEqual(
    CONVERSATION.map(({ transcript }) => transcript),
  )
  const accepted = await client.listen.v1.media.transcribeUrl({ url, callback: 'https://api.example.com/x' })
  expect(accepted).toMatchObject({ request_id: speech.accepted[1]?.request_id })
})

test('each response of the provider of transcripts is one outcome', async () => {
  const recording = { audio_url: 'https://files.example.com/a.mp3', language: 'de', callback: 'https://api.example.com/x' }
  const client = deepgram({ url: speech.url, key: speech.key, timeoutMs: 500 })
  expect(await client.hand(recording)).toEqual({ outcome: 'accepted', request_id: speech.accepted[0]?.request_id })
  expect(speech.accepted[0]?.query).toMatchObject({ language: 'de', callback: 'https://api.example.com/x', diarize: 'true' })
  for (const [mode, outcome] of Object.entries({
    400: 'refused',
    401: 'unavailable',
    402: 'unavailable',
    429: 'unavailable',
    500: 'unclear',
    drop: 'unclear',
  })) {
    speech.fail(mode as never)
    expect([mode, (await client.hand(recording)).outcome]).toEqual([mode, outcome])
  }
})

const environmentOf = (url: string) => ({ base: url, production: url, agent: url, agentRest: url })
