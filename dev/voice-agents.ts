import { randomBytes } from 'node:crypto'
import type { Reply } from './local-server.ts'

type Body = Record<string, unknown>
type Engine = { llm_id: string; version: number; [field: string]: unknown }
type AgentVersion = {
  agent_id: string
  version: number
  is_published: boolean
  version_title: string | null
  voice_id: string
  agent_name?: string | null
  response_engine: { type: 'retell-llm'; llm_id: string }
  last_modification_timestamp: number
  [field: string]: unknown
}
export type EmulatedAgent = { agent_id: string; versions: AgentVersion[] }

const refusal = (status: number, message: string): Reply => [status, { status: 'error', message }]
const idOf = () => randomBytes(12).toString('hex')
const voice = (voice_id: string, voice_name: string, gender: 'female' | 'male', accent: string, provider = 'elevenlabs') => ({
  voice_id,
  voice_name,
  gender,
  accent,
  provider,
  age: 'Young',
  preview_audio_url: `https://example.com/${voice_id}.mp3`,
})
export const VOICES = [
  voice('retell-Cimo', 'Cimo', 'female', 'Australian'),
  voice('11labs-Adrian', 'Adrian', 'male', 'American'),
  voice('openai-Nova', 'Nova', 'female', 'American', 'openai'),
  voice('cartesia-Hugh', 'Hugh', 'male', 'British', 'cartesia'),
]
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/

/** The agents, response engines and voices of Retell. Published versions cannot be changed. */
export class VoiceAgents {
  readonly engines: Engine[] = []
  readonly agents: EmulatedAgent[] = []

  clear() {
    this.engines.length = 0
    this.agents.length = 0
  }

  /** A version of an agent: the one of this number, or the latest published one. */
  version(id: string, number?: number): AgentVersion | undefined {
    const versions = this.agents.find(({ agent_id }) => agent_id === id)?.versions ?? []
    return number === undefined ? versions.findLast((one) => one.is_published) : versions.find((one) => one.version === number)
  }

  /** The response engine that a version speaks with. */
  engineOf = ({ response_engine }: AgentVersion) => this.engines.find(({ llm_id }) => llm_id === response_engine.llm_id)

  /** Undefined for a path that is none of agents. */
  handle(method: string, path: string, query: URLSearchParams, body: Body): Reply | undefined {
    const [action = '', id = ''] = path.replace('/v2/', '/').split('/').slice(1)
    const limit = Number(query.get('limit') ?? 50)
    switch (`${method} ${action}`) {
      case 'GET list-voices':
        return [200, VOICES]
      case 'POST create-retell-llm':
        return this.#createEngine(body)
      case 'GET get-retell-llm': {
        const engine = this.engines.find(({ llm_id }) => llm_id === id)
        return engine ? [200, engine] : refusal(404, 'The response engine does not exist')
      }
      case 'GET list-retell-llms':
        return [200, { items: this.engines.toReversed().slice(0, limit), has_more: this.engines.length > limit }]
      case 'POST create-agent':
        return this.#createAgent(body)
      case 'POST list-agents': {
        const part = String((body.filter_criteria as Body | undefined)?.query ?? '').toLowerCase()
        const latest = this.agents.map(({ versions }) => versions.at(-1) as AgentVersion)
        const found = latest.filter(
          (one) =>
            String(one.agent_name ?? '')
              .toLowerCase()
              .includes(part) || one.agent_id.includes(part),
        )
        return [200, { items: found.slice(0, limit), has_more: found.length > limit }]
      }
      default:
        return /^(get|update|create|publish|list)-agent/.test(action) ? this.#ofAgent(method, action, id, query, body) : undefined
    }
  }

  #createEngine(body: Body): Reply {
    const tools = (body.general_tools ?? []) as Body[]
    if (tools.some(({ name }) => !TOOL_NAME.test(String(name)))) return refusal(422, 'A tool has no valid name')
    if (tools.some(({ type, url }) => type === 'custom' && !URL.canParse(String(url)))) return refusal(422, 'A tool has no valid url')
    const engine = { ...body, llm_id: `llm_${idOf()}`, version: 0, is_published: false, last_modification_timestamp: Date.now() }
    this.engines.push(engine)
    return [201, engine]
  }

  #faultOf({ voice_id, response_engine }: Body): string | undefined {
    if (!VOICES.some((one) => one.voice_id === voice_id)) return 'The voice does not exist'
    const { llm_id } = response_engine as { llm_id: string }
    return this.engines.some((one) => one.llm_id === llm_id) ? undefined : 'The response engine does not exist'
  }

  #createAgent(body: Body): Reply {
    const fault = this.#faultOf(body)
    if (fault) return refusal(422, fault)
    const agent_id = `agent_${idOf()}`
    const created = { ...body, agent_id, version: 0, is_published: false, version_title: null, last_modification_timestamp: Date.now() }
    this.agents.push({ agent_id, versions: [created as unknown as AgentVersion] })
    return [201, created]
  }

  #ofAgent(method: string, action: string, id: string, query: URLSearchParams, body: Body): Reply | undefined {
    const agent = this.agents.find(({ agent_id }) => agent_id === id)
    if (!agent) return refusal(404, 'The agent does not exist')
    const { versions } = agent
    const latest = versions.at(-1) as AgentVersion
    const numbered = (number: unknown) => versions.find(({ version }) => version === Number(number))
    switch (`${method} ${action}`) {
      case 'GET get-agent':
        return [200, (query.has('version') ? numbered(query.get('version')) : latest) ?? latest]
      case 'GET list-agent-versions': {
        // In this list a version without a title has no such field.
        const items = versions.toReversed().map(({ version, is_published, last_modification_timestamp, version_title }) => ({
          version,
          is_published,
          last_modification_timestamp,
          ...(version_title !== null && { version_title }),
        }))
        return [200, { items, has_more: false }]
      }
      case 'POST create-agent-version': {
        const base = numbered(body.base_version)
        if (!base) return refusal(422, 'The base version does not exist')
        versions.push({ ...base, version: latest.version + 1, is_published: false, version_title: null })
        return [201, versions.at(-1)]
      }
      case 'PATCH update-agent': {
        const draft = query.has('version') ? numbered(query.get('version')) : latest
        if (!draft || draft.is_published) return refusal(422, 'A published version cannot be changed')
        const fault = this.#faultOf({ ...draft, ...body })
        if (fault) return refusal(422, fault)
        return [200, Object.assign(draft, body, { last_modification_timestamp: Date.now() })]
      }
      case 'POST publish-agent-version': {
        const draft = numbered(body.version)
        if (!draft || draft.is_published) return refusal(422, 'The version is no draft')
        Object.assign(draft, { is_published: true, version_title: body.version_title ?? null })
        return [200, undefined]
      }
      default:
        return undefined
    }
  }
}
