import type { Kind } from '../../../../queues/work/kind.ts'
import { embedderOf } from '../../../http/deployment.ts'
import { EmbeddingFailure } from '../../../providers/models/embed-port.ts'
import { embeddedText, VECTOR_WAITS, vectorText } from '../rules/search.ts'

type Texts = { title: string; description: string | null }

/** Service requests get the vectors by which they are found. */
export const serviceRequestsEmbed: Kind<Texts> = {
  name: 'service_requests.embed',
  queue: 'IMPORTS',
  table: 'service_request_vectors',
  writes: ['model', 'embedding', 'error'],
  read: 'read_service_request_texts',
  settle: 'settle_service_request_vector',
  lease: 120,
  atOnce: 5,
  claims: 10,
  retry: VECTOR_WAITS,
  isOn: (env) => embedderOf(env) !== undefined,
  async call({ env, item }) {
    const embedder = embedderOf(env)
    if (!embedder) throw new Error('This deployment has no provider of embeddings')
    try {
      const [vector] = await embedder.embed([embeddedText(item)])
      return { results: { model: embedder.model, embedding: vectorText(vector as number[]), error: null } }
    } catch (error) {
      if (!(error instanceof EmbeddingFailure)) throw error
      return { failure: error.message }
    }
  },
  failed: (error) => ({ error }),
}
