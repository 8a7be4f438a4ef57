import type { Kind } from '../../../../queues/work/kind.ts'
import { embedderOf } from '../../../http/deployment.ts'
import { embedText } from '../../models/plans/vectors.ts'
import { VECTOR_WAITS } from '../../models/rules/vectors.ts'
import { embeddedText, type RequestTexts } from '../rules/search.ts'

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
    return embedText(embedder, embeddedText(item))
  },
  failed: (error) => ({ error }),
}
