import * as v from 'valibot'
import { type ProviderKnowledge, type VoiceKnowledge, VoiceRefusal } from './port.ts'
import { isRefusal } from './retell-agents.ts'
import { type RetellReply, type RetellRequest, reasonOf } from './retell-http.ts'

type Send = (request: RetellRequest) => Promise<RetellReply>

const Source = v.object({
  source_id: v.string(),
  title: v.optional(v.nullable(v.string()), null),
  url: v.optional(v.nullable(v.string()), null),
})
const Base = v.pipe(
  v.object({
    knowledge_base_id: v.string(),
    knowledge_base_name: v.string(),
    knowledge_base_sources: v.optional(v.nullable(v.array(Source)), []),
  }),
  v.transform(
    ({ knowledge_base_id: id, knowledge_base_name: name, knowledge_base_sources }): ProviderKnowledge => ({
      id,
      name,
      sources: (knowledge_base_sources ?? []).map(({ source_id, title, url }) => ({ id: source_id, title, url })),
    }),
  ),
)
const Engines = v.object({
  items: v.array(v.object({ llm_id: v.string(), knowledge_base_ids: v.optional(v.nullable(v.array(v.string())), []) })),
  has_more: v.optional(v.nullable(v.boolean()), false),
  pagination_key: v.optional(v.nullable(v.string()), null),
})
const Agents = v.object({
  items: v.array(v.object({ agent_id: v.string(), response_engine: v.object({ llm_id: v.optional(v.nullable(v.string())) }) })),
  has_more: v.optional(v.nullable(v.boolean()), false),
  pagination_key: v.optional(v.nullable(v.string()), null),
})

const PAGE = 1_000
const MAX_PAGES = 10

/** Knowledge bases of Retell (https://docs.retellai.com/api-references/create-knowledge-base, and those that its list names). */
export function retellKnowledge(send: Send): VoiceKnowledge {
  async function ask<S extends v.GenericSchema>(schema: S, request: RetellRequest): Promise<v.InferOutput<S>> {
    const found = await askOrNone(schema, request)
    if (found === undefined) throw new VoiceRefusal('The voice provider does not have the knowledge base')
    return found
  }

  /** Undefined for what does not exist. */
  async function askOrNone<S extends v.GenericSchema>(schema: S, request: RetellRequest): Promise<v.InferOutput<S> | undefined> {
    const reply = await send(request)
    const isUnknown = reply.status === 404 || (reply.status === 422 && /cannot find/i.test(reasonOf(reply)))
    if (isUnknown) return undefined
    if (!reply.ok) throw isRefusal(reply.status) ? new VoiceRefusal(reasonOf(reply)) : new Error(reasonOf(reply))
    const body = v.safeParse(schema, reply.body)
    if (!body.success) throw new Error('The voice provider answers in an unknown form')
    return body.output
  }

  /** All items of a list, page by page. */
  async function all<Item>(
    page: (key: string | null) => Promise<{ items: Item[]; has_more: boolean | null; pagination_key: string | null }>,
  ) {
    const items: Item[] = []
    let key: string | null = null
    for (let n = 0; n < MAX_PAGES; n++) {
      const read = await page(key)
      items.push(...read.items)
      key = read.pagination_key
      if (!read.has_more || key === null) break
    }
    return items
  }
  const after = (key: string | null) => `?limit=${PAGE}${key === null ? '' : `&pagination_key=${encodeURIComponent(key)}`}`
  const at = (path: string, id: string) => `/${path}/${encodeURIComponent(id)}`

  return {
    create: (name) =>
      ask(Base, { method: 'POST', path: '/create-knowledge-base', body: formOf({ knowledge_base_name: name }), mayRepeat: false }),
    find: (id) => askOrNone(Base, { method: 'GET', path: at('get-knowledge-base', id) }),
    async findByName(name) {
      const bases = await ask(v.array(Base), { method: 'GET', path: '/list-knowledge-bases' })
      return bases.find((base) => base.name === name)
    },
    addTexts: (id, texts) =>
      ask(Base, {
        method: 'POST',
        path: at('add-knowledge-base-sources', id),
        body: formOf({ knowledge_base_texts: JSON.stringify(texts) }),
        mayRepeat: false,
      }),
    async removeSource(id, sourceId) {
      await askOrNone(v.unknown(), {
        method: 'DELETE',
        path: `${at('delete-knowledge-base-source', id)}/source/${encodeURIComponent(sourceId)}`,
      })
    },
    async remove(id) {
      await askOrNone(v.unknown(), { method: 'DELETE', path: at('delete-knowledge-base', id) })
    },
    async agentsOf(id) {
      const engines = await all((key) => ask(Engines, { method: 'GET', path: `/v2/list-retell-llms${after(key)}` }))
      const using = new Set(engines.filter((one) => one.knowledge_base_ids?.includes(id)).map(({ llm_id }) => llm_id))
      if (using.size === 0) return []
      const agents = await all((key) => ask(Agents, { method: 'POST', path: `/v2/list-agents${after(key)}`, body: {} }))
      return agents.filter(({ response_engine: { llm_id } }) => using.has(llm_id ?? '')).map(({ agent_id }) => agent_id)
    },
  }
}

function formOf(fields: Record<string, string>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}
