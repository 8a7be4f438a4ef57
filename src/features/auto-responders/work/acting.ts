import { sql } from 'drizzle-orm'
import type { Claimed } from '../../../../queues/work/kind.ts'
import { allEndpoints } from '../../../../routes/index.ts'
import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import type { Statement } from '../../../data/db.ts'
import { asJson, decodeResult } from '../../../data/query.ts'
import { jobsDatabaseOf } from '../../../env.ts'
import { AppError } from '../../../errors.ts'
import { deploymentOf } from '../../../http/deployment.ts'
import { execute } from '../../../http/execute.ts'
import { finderIn, isTool, textsOf } from '../../../http/operations.ts'
import { dataOf } from '../../../http/respond.ts'
import type { Request } from '../../../http/transaction.ts'
import { newId } from '../../../lib/ids.ts'
import type { Loop } from '../../models/plans/loop.ts'
import type { Ports } from '../plans/answer.ts'
import type { FindOperations } from '../plans/responders.ts'

/** What an auto responder does, with the rights of its key. */
export type Acting = {
  read: Ports['read']
  does(statement: Statement): Promise<unknown>
  find: FindOperations
  call: Loop['call']
  /** Sends a request to an endpoint. */
  send(id: string, input: Partial<Request['input']>, more?: Partial<Request>): ReturnType<typeof execute>
}

export function actingFor({ env, workspaceId, id }: Claimed<unknown>, key_id: string): Acting {
  const caller = { kind: 'auto_reply' as const, auto_reply_id: id, workspace_id: workspaceId, key_id }
  const database = jobsDatabaseOf(env)
  const begin = (write: boolean) =>
    call('begin_request', JSON.stringify({ ...caller, scopes: [], write, mode: 'read', request_id: newId() }))
  const send: Acting['send'] = async (name, { params = {}, query = {}, body }, more = {}) => {
    const endpoint = (await allEndpoints()).find((one) => one.id === name)
    if (!endpoint) throw new AppError('NOT_FOUND', `There is no operation ${name}`)
    const input = { params, query, body }
    const deployment = deploymentOf(env)
    return execute(database, { endpoint, input, caller, requestId: newId(), now: new Date(), deployment, appUrl: env.APP_URL, ...more })
  }
  return {
    read: async (query) => decodeResult(query, (await batch(database, [begin(false), sql`select ${asJson(query)}`])).at(-1) as unknown[][]),
    does: async (statement) => (await batch(database, [begin(true), statement])).at(-1),
    find: finderIn(allEndpoints),
    send,
    call: async (name, { params, query, body }) => {
      const endpoint = (await allEndpoints()).find((one) => one.id === name)
      if (!endpoint || !isTool(endpoint)) throw new AppError('NOT_FOUND', `There is no operation ${name}`)
      const input = { params: textsOf(params), query: textsOf(query), body: endpoint.body ? (body ?? {}) : undefined }
      return { kind: 'done', data: dataOf(endpoint, await send(name, input), input.params) }
    },
  }
}
