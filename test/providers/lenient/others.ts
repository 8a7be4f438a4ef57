import { readPage } from '../../../src/features/knowledge/provider/pages.ts'
import { articlesOf } from '../../../src/features/knowledge/provider/zendesk.ts'
import type { Bot, Creation } from '../../../src/features/notetakers/provider/port.ts'
import { recall } from '../../../src/features/notetakers/provider/recall.ts'
import { stripe } from '../../../src/features/orders/provider/stripe.ts'
import { turnstile as turnstileVerifier } from '../../../src/features/pages/provider/turnstile.ts'
import { retell } from '../../../src/features/phone/provider/retell.ts'
import { deepgram } from '../../../src/features/transcripts/provider/transcribe.ts'
import { outsideHttp } from '../../../src/providers/http/client.ts'
import { dnsOverHttps } from '../../../src/providers/http/resolver.ts'
import { anthropicModels } from '../../../src/providers/models/complete-anthropic.ts'
import { openaiModels } from '../../../src/providers/models/complete-openai.ts'
import { embedder } from '../../../src/providers/models/embed.ts'
import { type Done, run, TIMEOUT } from './runs.ts'

const PHONE = '+61491570156'
const bound = (id: string) => ({ id, version: null })
const AGENT = {
  key: 'agent-one',
  version_key: 'version-one',
  provider_agent_id: null,
  name: 'Empfang – Köln',
  language: 'de-DE',
  prompt: 'You answer.',
  greeting: 'Guten Tag',
  voice_id: 'retell-Cimo',
  model: null,
  tools: [],
  tools_url: 'https://api.example.com',
  tools_key: null,
}

export const voice = run(
  'voice',
  (at, { url, key }) => {
    const options = { terminationUri: 'crm.pstn.twilio.com', inboundUrl: 'https://api.example.com/call-events/retell' }
    const client = retell({ url: at(url), key, ...options, ...TIMEOUT })
    return { client, knowledge: client.knowledge }
  },
  {
    setAgents: ({ client }) => client.setAgents({ phone_number: PHONE, inbound: bound('agent_1'), outbound: null }),
    setAgentsAgain: ({ client }) => client.setAgents({ phone_number: PHONE, inbound: bound('agent_2'), outbound: null }),
    numbers: async (_, { numbers }) => numbers.map(({ inbound_agents }) => inbound_agents),
    listVoices: ({ client }) => client.listVoices().then((voices) => voices.map(({ voice_id, name }) => [voice_id, name])),
    create: ({ knowledge }) => knowledge.create('Öffnungszeiten').then(({ id, name }) => ({ id, name })),
    addTexts: ({ knowledge }, _, { create }) =>
      knowledge.addTexts(create.id, [{ title: 'Tage', text: 'Dienstag' }]).then(({ name }) => name),
    find: ({ knowledge }, _, { create }) =>
      knowledge.find(create.id).then((found) => found?.sources.filter(({ id }) => id !== 'source_later').length),
    findByName: ({ knowledge }) => knowledge.findByName('Öffnungszeiten').then((found) => found?.id),
    publish: ({ client }, _, { create }) => client.publishAgent({ ...AGENT, knowledge_ids: [create.id] }, false),
    publishAgain: ({ client }) => client.publishAgent(AGENT, true),
    agentsOf({ knowledge }, { agents }, { create }) {
      const [first] = agents.agents[0]?.versions ?? []
      if (first && agents.agents.length === 1)
        agents.agents.push({
          agent_id: 'agent_flow',
          versions: [
            { ...first, agent_id: 'agent_flow', response_engine: { type: 'conversation-flow', conversation_flow_id: 'c' } as never },
          ],
        })
      return knowledge.agentsOf(create.id)
    },
    publishNext: ({ client }, _, { publish }) =>
      client.publishAgent({ ...AGENT, version_key: 'version-two', provider_agent_id: publish.provider_agent_id }, false),
    removeSource: ({ knowledge }, _, { create }) => knowledge.removeSource(create.id, 'gone'),
    remove: ({ knowledge }, _, { create }) => knowledge.remove(create.id),
    findNothing: ({ knowledge }) => knowledge.find('gone'),
  },
  ['removeSource', 'remove'],
)

const TOOL = { name: 'getContact', description: 'Get a contact', schema: { type: 'object' } }
const ask = {
  model: 'standard' as const,
  system: 'You help.',
  messages: [{ role: 'user' as const, text: 'both' }],
  tools: [TOOL],
  max_tokens: 500,
}
const TURN = {
  text: 'Schöne Grüße',
  calls: ['a', 'b'].map((id) => ({ name: 'getContact', arguments: { id } })),
  fault: 'interleaved' as const,
}

export const models = run(
  'models',
  (at, { url, key }) => {
    const options = { url: at(url), key, names: { standard: 'large', small: 'tiny' }, ...TIMEOUT }
    return { anthropic: anthropicModels(options), openai: openaiModels(options) }
  },
  {
    anthropic({ anthropic }, emulator) {
      emulator.script('both', [TURN])
      return anthropic.complete(ask)
    },
    openai({ openai }, emulator) {
      emulator.script('both', [TURN])
      return openai.complete(ask)
    },
  },
)

export const embeddings = run(
  'embeddings',
  (at, { url, workersAiUrl, key }) => ({
    openai: embedder({ url: at(url), key, model: 'text-embedding-3-small', ...TIMEOUT }),
    workersAi: embedder({ url: at(workersAiUrl), key, model: '@cf/baai/bge-m3', ...TIMEOUT }),
  }),
  {
    openai: ({ openai }) => openai.embed(['one', 'two', 'three']),
    workersAi: ({ workersAi }) => workersAi.embed(['one', 'two', 'three']),
  },
)

export const site = run(
  'site',
  (at, { url, helpCenterUrl }) => {
    const http = outsideHttp({ rules: { own: [], local: [new URL(at(url)).host] } })
    return {
      help: { articles: (ids?: number[]) => articlesOf(http, at(helpCenterUrl), ids) },
      pages: { read: (path: string) => readPage(http, at(url) + path, null) },
    }
  },
  {
    articles({ help }, { articles }) {
      if (articles.length === 0)
        articles.push(...Array.from({ length: 120 }, (_, n) => ({ id: n + 1, title: `Größe ${n}`, body: `<p>Text ${n}</p>` })))
      return help.articles().then((found) => found.map(({ key }) => Number(key)).toSorted((a, b) => a - b))
    },
    chosen: ({ help }) => help.articles([1, 999]).then((found) => found.map(({ key }) => key)),
    page({ pages }, emulator) {
      emulator.pages.set('/page', { body: '<title>Größe</title><p>Ein Text</p>' })
      return pages.read('/page')
    },
  },
)

const ORDER = {
  workspace_id: 'w',
  notetaker_id: 'n-1',
  meeting_url: 'https://meet.google.com/abc',
  join_at: '2026-12-01T09:00:00Z',
  ordered_join_at: '2026-12-01T09:00:00Z',
  limit_seconds: 3_600,
}
/** A status that is not known means nothing. */
const knownStatuses = (creation: Creation): Creation =>
  creation.outcome === 'created' ? { ...creation, bot: knownOf(creation.bot) } : creation
const knownOf = (bot: Bot): Bot => ({ ...bot, statuses: bot.statuses.filter(({ code }) => code !== 'breakout_room_entered') })

export const notetaker = run(
  'notetaker',
  (at, { url, key }) => ({ bots: recall({ url: at(url), key, ...TIMEOUT }) }),
  {
    create: ({ bots }) => bots.create(ORDER).then(knownStatuses),
    refused: ({ bots }) => bots.create({ ...ORDER, meeting_url: 'nowhere' }),
    find: ({ bots }) => bots.find('n-1').then((found) => found.map(({ join_at }) => join_at)),
    update: ({ bots }, _, { create }) => bots.update(create.bot.id, { ...ORDER, limit_seconds: 60 }),
    tooEarly: ({ bots }, _, { create }) => bots.leave(create.bot.id),
    removed: ({ bots }, _, { create }) => bots.remove(create.bot.id),
    createSecond: ({ bots }) => bots.create({ ...ORDER, notetaker_id: 'n-2' }).then(knownStatuses),
    get({ bots }, emulator, { createSecond }) {
      const bot = emulator.bots.find(({ id }) => id === createSecond.bot.id)
      if (bot && !bot.recording) emulator.meet(bot)
      return bots.get(createSecond.bot.id).then((found) => found && knownOf(found))
    },
    getNothing: ({ bots }) => bots.get('gone'),
    transcript: ({ bots }, _, { get }) => bots.transcript(get.recordings[0].transcript.url),
    tooLate: ({ bots }, _, { createSecond }) => bots.update(createSecond.bot.id, ORDER),
    leave: ({ bots }, _, { createSecond }) => bots.leave(createSecond.bot.id),
  },
  ['update', 'tooEarly', 'removed', 'leave'],
)

export const speech = run('speech', (at, { url, key }) => ({ transcriber: deepgram({ url: at(url), key, ...TIMEOUT }) }), {
  hand: ({ transcriber }) =>
    transcriber.hand({ audio_url: 'https://files.example.com/a.mp3', language: null, callback: 'https://api.example.com/x' }),
})

const CHECKOUT = {
  order_id: '019a0000-0000-7000-8000-000000000003',
  attempt: '1',
  currency: 'AUD',
  email: 'ana@example.com',
  lines: [{ name: 'Küche', quantity: 2, unit_amount: 1_000 }],
  success_url: 'https://a.example.com',
  cancel_url: 'https://b.example.com',
}
const SECRET = 'sk_test_0123456789abcdefghijklmn'

export const payments = run('stripe', (at, { url }) => ({ payments: stripe({ url: at(url) }) }), {
  createCheckout: ({ payments }) => payments.createCheckout(SECRET, CHECKOUT as never),
  orderOf({ payments }, { world }, { createCheckout }) {
    const session = world.session(createCheckout.id)
    if (session && session.payment_intent === null) world.pay(session)
    return payments.orderOf(SECRET, session?.payment_intent ?? 'pi_1')
  },
  readReport({ payments }, emulator) {
    const event = emulator.world.events.at(-1)
    if (!event) throw new Error('Nothing was paid')
    const { body, headers } = emulator.report(event, { secret: 'whsec_local' })
    return payments.readReport('whsec_local', { bytes: Buffer.from(body), signature: headers['stripe-signature'] ?? null, now: new Date() })
  },
})

const token = ({ token: of }: Done) => of as string
export const turnstile = run(
  'turnstile',
  (at, { url, secret }) => ({ verifier: turnstileVerifier({ url: at(url), secret, ...TIMEOUT }) }),
  {
    token: async (_, emulator) => emulator.token({ hostname: 'crm.example.com', action: 'book' }),
    verify: ({ verifier }, _, done) =>
      verifier.verify({ response: token(done), remote_ip: undefined, idempotency_key: '019a0000-0000-4000-8000-000000000004' }),
    refused: ({ verifier }) =>
      verifier.verify({ response: 'x', remote_ip: '1.2.3.4', idempotency_key: '019a0000-0000-4000-8000-000000000005' }),
  },
)

export const dns = run('dns', (at, { url }) => ({ resolver: { find: dnsOverHttps(at(url)) } }), {
  find({ resolver }, { names }) {
    names.set('example.com', ['93.184.216.34', '2606:2800:220:1::1'])
    return resolver.find('example.com', AbortSignal.timeout(3_000))
  },
  findNothing: ({ resolver }) => resolver.find('nowhere.example.com', AbortSignal.timeout(3_000)),
})
