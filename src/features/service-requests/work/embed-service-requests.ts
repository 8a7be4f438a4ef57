import type { Kind } from '../../../../queues/work/kind.ts'
import { embedderOf } from '../../../http/deployment.ts'
import { embedRequest } from '../plans/vectors.ts'
import { type RequestTexts, VECTOR_WAITS } from '../rules/search.ts'

/** Service requests get the vectors by which they are found. */
export const serviceRequestsEmbed: Kind<RequestTexts> = {
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
  call({ env, item }) {
    const embedder = embedderOf(env)
    if (!embedder) throw new Error('This deployment has no provider of embeddings')
    return embedRequest(embedder, item)
  },
  failed: (error) => ({ error }),
}
