import { invalid } from '../errors.ts'
import { type Endpoint, type EndpointCtx, isWrite } from './endpoint.ts'
import { textsOf } from './operations.ts'
import { pendingRequest } from './pending-request.ts'

/** Whether a request to the endpoint can wait for approval. */
const canWait = (endpoint: Endpoint): boolean =>
  isWrite(endpoint) && !endpoint.access.direct && !endpoint.access.public && !endpoint.content && !endpoint.successor

type Proposed = {
  operation_id: string
  params?: Record<string, string> | undefined
  query?: Record<string, string> | undefined
  body?: unknown
}

/**
 * The dry run of a proposed write, with the rights of the caller. @throws VALIDATION_ERROR for an operation that cannot wait, and the
 * errors of the write
 */
export async function rehearseWrite(
  register: () => Promise<Endpoint[]>,
  ctx: EndpointCtx,
  { operation_id, params, query, body }: Proposed,
) {
  const endpoint = (await register()).find((one) => one.id === operation_id && canWait(one))
  if (!endpoint) throw invalid([{ path: 'operation_id', message: 'must be the operationId of a write that can wait for approval' }])
  const input = { params: textsOf(params ?? {}), query: textsOf(query ?? {}), body: endpoint.body ? (body ?? {}) : undefined }
  return pendingRequest(endpoint, input, await ctx.rehearse(endpoint, input))
}
