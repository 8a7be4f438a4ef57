import { startSpeechEmulator } from '../../../dev/speech-emulator.ts'
import { startVoiceEmulator } from '../../../dev/voice-emulator.ts'
import { Retell } from '../../sdks.ts'
import { heard, type Provider, typed, withEmulator } from './recorded.ts'

export const voices: Provider = {
  declarations: `import type { Retell } from 'retell-sdk'\n`,
  types: 4,
  record: () =>
    withEmulator(startVoiceEmulator, async (voice) => {
      const client = (fetch: typeof globalThis.fetch) => new Retell({ apiKey: voice.key, baseURL: voice.url, fetch })
      const [engine] = (await heard((fetch) => client(fetch).llm.create({ general_prompt: 'Hello' }))) as [{ llm_id: string }]
      const response_engine = { type: 'retell-llm', llm_id: engine.llm_id }
      const [agent] = (await heard((fetch) => client(fetch).agent.create({ response_engine, voice_id: '11labs-Adrian' }))) as [
        { agent_id: string },
      ]
      const versions = await heard((fetch) => client(fetch).agent.listVersions(agent.agent_id))
      return [
        ...typed('Retell.LlmResponse', 'llm_id', [engine]),
        ...typed('Retell.AgentResponse', 'response_engine', [agent]),
        ...typed('Retell.AgentListVersionsResponse', 'items', versions),
        ...typed('Retell.VoiceResponse', 'provider', (await heard((fetch) => client(fetch).voice.list())).flat()),
      ]
    }),
}

export const transcripts: Provider = {
  declarations: `import type { Deepgram } from '@deepgram/sdk'\n`,
  types: 2,
  record: () =>
    withEmulator(startSpeechEmulator, async (speech) => {
      const listen = async (query: string) => {
        const init = { method: 'POST', headers: { authorization: `Token ${speech.key}`, 'content-type': 'application/json' } }
        const body = JSON.stringify({ url: 'https://files.example.com/call.mp3' })
        return (await fetch(`${speech.url}/v1/listen?model=nova-3&diarize=true&utterances=true${query}`, { ...init, body })).json()
      }
      return [
        ...typed('Deepgram.ListenV1Response', 'results', [await listen('')]),
        ...typed('Deepgram.ListenV1AcceptedResponse', 'request_id', [await listen('&callback=https%3A%2F%2Fapi.example.com%2Fx')]),
      ]
    }),
}
