import { startEmbeddingsEmulator } from '../../../dev/embeddings-emulator.ts'
import { startModelEmulator } from '../../../dev/model-emulator.ts'
import { Anthropic, OpenAI } from '../../sdks.ts'
import { heard, type Provider, type RecordedAnswer, typed, withEmulator } from './recorded.ts'

export const models: Provider = {
  declarations: `import type { Anthropic } from '@anthropic-ai/sdk'\nimport type { OpenAI } from 'openai'\n`,
  types: 3,
  record: async () => [...(await ofModels()), ...(await ofEmbeddings())],
}

const ofModels = () =>
  withEmulator(startModelEmulator, async (emulator): Promise<RecordedAnswer[]> => {
    const tools = [{ name: 'lookUp', description: 'Looks up', input_schema: { type: 'object' } }]
    const turn = { text: 'Looking.', calls: [{ name: 'lookUp', arguments: { id: 'a' } }] }
    emulator.script('typed', [turn, turn])
    const messages = [{ role: 'user', content: 'typed' }]
    const { key: apiKey, url } = emulator
    const anthropic = await heard((fetch) =>
      new Anthropic({ baseURL: url, apiKey, fetch }).messages.stream({ model: 'm', max_tokens: 100, messages, tools }).finalMessage(),
    )
    const openai = await heard((fetch) =>
      new OpenAI({ baseURL: `${url}/v1`, apiKey, fetch }).chat.completions
        .stream({ model: 'm', messages, stream_options: { include_usage: true } })
        .finalChatCompletion(),
    )
    // The package passes over the event that keeps a connection open.
    const events = anthropic.filter((event) => (event as { type: string }).type !== 'ping')
    return [...typed('Anthropic.RawMessageStreamEvent', 'type', events), ...typed('OpenAI.ChatCompletionChunk', 'choices', openai)]
  })

const ofEmbeddings = () =>
  withEmulator(startEmbeddingsEmulator, async ({ key: apiKey, url: baseURL }) => {
    const vectors = await heard((fetch) =>
      new OpenAI({ apiKey, baseURL, fetch }).embeddings.create({
        model: 'text-embedding-3-small',
        input: ['Opening hours'],
        encoding_format: 'float',
      }),
    )
    return typed('OpenAI.CreateEmbeddingResponse', 'usage', vectors)
  })
