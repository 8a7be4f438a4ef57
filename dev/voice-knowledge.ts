import { randomBytes } from 'node:crypto'
import type { Reply } from './local-server.ts'

type Text = { title: string; text: string }
export type EmulatedSource = { source_id: string; type: 'text' | 'url'; title?: string; url?: string; content?: string }
export type EmulatedKnowledge = {
  knowledge_base_id: string
  knowledge_base_name: string
  status: 'in_progress' | 'complete'
  knowledge_base_sources: EmulatedSource[]
  last_refreshed_timestamp: number
}

const refusal = (status: number, message: string): Reply => [status, { status: 'error', message }]
const idOf = (prefix: string) => `${prefix}_${randomBytes(8).toString('hex')}`
const MAX_NAME = 40

/**
 * The knowledge bases of Retell (https://docs.retellai.com/api-references/create-knowledge-base). Those whose id contains `sample` exist.
 */
export class VoiceKnowledgeBases {
  readonly bases: EmulatedKnowledge[] = []

  clear() {
    this.bases.length = 0
  }

  /** Adds a base with pages, as one that was made at the provider. */
  add(name: string, urls: string[]): EmulatedKnowledge {
    const base: EmulatedKnowledge = {
      knowledge_base_id: idOf('knowledge_base'),
      knowledge_base_name: name,
      status: 'complete',
      knowledge_base_sources: urls.map((url) => ({ source_id: idOf('source'), type: 'url', url })),
      last_refreshed_timestamp: Date.now(),
    }
    this.bases.push(base)
    return base
  }

  /** What a base answers from: its titles and texts. */
  textsOf = (id: string): Text[] =>
    (this.bases.find(({ knowledge_base_id }) => knowledge_base_id === id)?.knowledge_base_sources ?? []).flatMap(
      ({ type, title = '', content = '' }) => (type === 'text' ? [{ title, text: content }] : []),
    )

  /** Undefined for a path that is none of knowledge bases. `form`: the fields of a multipart body. */
  handle(method: string, path: string, form: FormData | undefined): Reply | undefined {
    const [action, id, , source] = path.split('/').slice(1)
    switch (`${method} ${action}`) {
      case 'POST create-knowledge-base': {
        const name = String(form?.get('knowledge_base_name') ?? '')
        if (name === '' || name.length >= MAX_NAME) return refusal(422, `knowledge_base_name must have less than ${MAX_NAME} characters`)
        const base = this.add(name, [])
        return this.#addTexts(base, form) ?? [201, shown(base)]
      }
      case 'GET list-knowledge-bases':
        return [200, this.bases.map(shown)]
      case 'GET get-knowledge-base':
        return this.#with(id, (base) => [200, shown(base)])
      case 'DELETE delete-knowledge-base':
        return this.#with(id, (base) => {
          this.bases.splice(this.bases.indexOf(base), 1)
          return [204, undefined]
        })
      case 'POST add-knowledge-base-sources':
        return this.#with(id, (base) => this.#addTexts(base, form) ?? [201, shown(base)])
      case 'DELETE delete-knowledge-base-source':
        return this.#with(id, (base) => {
          const at = base.knowledge_base_sources.findIndex(({ source_id }) => source_id === source)
          if (at === -1) return refusal(404, 'The source does not exist')
          base.knowledge_base_sources.splice(at, 1)
          return [200, shown(base)]
        })
      default:
        return undefined
    }
  }

  #with(id: string | undefined, then: (base: EmulatedKnowledge) => Reply): Reply {
    const known = this.bases.find(({ knowledge_base_id }) => knowledge_base_id === id)
    const base = known ?? (id?.includes('sample') ? Object.assign(this.add('Sample', []), { knowledge_base_id: id }) : undefined)
    return base ? then(base) : refusal(404, 'The knowledge base does not exist')
  }

  /** A refusal, if the texts are not in the form of the provider. */
  #addTexts(base: EmulatedKnowledge, form: FormData | undefined): Reply | undefined {
    if (!form) return refusal(400, 'multipart/form-data is required')
    const texts: unknown = JSON.parse(String(form.get('knowledge_base_texts') ?? '[]'))
    const isValid = (one: Text) => typeof one.title === 'string' && typeof one.text === 'string' && one.text !== ''
    if (!Array.isArray(texts) || !texts.every(isValid)) return refusal(422, 'knowledge_base_texts must be a list of title and text')
    for (const { title, text } of texts) {
      base.knowledge_base_sources.push({ source_id: idOf('source'), type: 'text', title, content: text })
    }
    return undefined
  }
}

/** The provider returns addresses of contents, and not the contents. */
const shown = ({ knowledge_base_sources, ...base }: EmulatedKnowledge) => ({
  ...base,
  enable_auto_refresh: false,
  knowledge_base_sources: knowledge_base_sources.map(({ content: _, ...source }) => ({
    ...source,
    ...(source.type === 'text' && { content_url: `https://example.com/${source.source_id}` }),
  })),
})
