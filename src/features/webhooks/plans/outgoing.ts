import { eq, sql } from 'drizzle-orm'
import { outgoingRequests } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Keys, page } from '../../../data/page.ts'
import { plan, waking } from '../../../data/plan.ts'
import { assertField, oneOrThrow } from '../../../data/query.ts'
import { columnsFor } from '../../../data/store.ts'
import { newId } from '../../../lib/ids.ts'
import { signatureHeaders } from '../../../lib/webhook-signatures.ts'
import type { OutsideHttp } from '../../../providers/http/port.ts'
import type { Secrets } from '../../../providers/secrets/port.ts'
import { MAX_OUTGOING_ATTEMPTS, outcomeOf } from '../rules/outgoing.ts'
import { type NewOutgoingRequest, OutgoingRequest } from '../schemas/outgoing-requests.ts'
import { storedOf } from './send.ts'
import { assertOutside, secretPlace } from './webhooks.ts'

const fields = columnsFor(outgoingRequests, OutgoingRequest)
const record = (id: string) => oneOrThrow(db.select(fields).from(outgoingRequests).where(eq(outgoingRequests.id, id)), 'outgoing request')
export const getOutgoing = (id: string) => plan([], record(id))

const requestsWith = (keys: Keys) => db.select({ ...fields, ...keys }).from(outgoingRequests)

/** Requests to other services, newest first. */
export function listOutgoing({ state, ...query }: { limit: number; after?: string | undefined; state?: string | undefined }) {
  const { id, created_at } = outgoingRequests
  const where = [state === undefined ? undefined : sql`${outgoingRequests.state} = ${state}`]
  return plan([], page({ select: requestsWith, id, where, sorts: { created_at }, name: 'outgoing requests', query }))
}

/** Reserves a request to another service, which the background sends after the commit. */
export function requestOutgoing(ctx: Ctx, { method, url, headers = {}, body, webhook_id }: NewOutgoingRequest) {
  assertOutside(ctx, 'url', url)
  const id = newId()
  const isText = typeof body === 'string'
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const type = body !== undefined && { 'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json' }
  const row = { id, method, url, webhook_id, dedupe_key: ctx.effectKey, headers: { ...type, ...named } }
  const text = body === undefined || isText ? body : JSON.stringify(body)
  const exists = webhook_id && sql`exists (select from webhooks where id = ${webhook_id})`
  return waking(
    'outgoing.send',
    plan(
      [
        exists ? assertField(exists, 'webhook_id', 'webhook_id does not exist in this workspace') : undefined,
        db.insert(outgoingRequests).values({ ...row, body: text ?? null }),
      ],
      record(id),
    ),
  )
}

/** A request that was claimed (claim_outgoing). */
export type ClaimedRequest = {
  id: string
  method: string
  url: string
  headers: Record<string, string>
  body: string | null
  attempts: number
  secrets: string[] | null
}

/** Sends a claimed request and returns its outcome, as settle_outgoing takes it. Never throws. */
export async function sendOutgoing(workspaceId: string, request: ClaimedRequest, outside: { http: OutsideHttp; secrets: Secrets }) {
  const { id, method, url, body, attempts } = request
  const failed = (message: string) => ({ id, state: 'failed' as const, error: { code: 'UNAVAILABLE', message } })
  if (attempts > MAX_OUTGOING_ATTEMPTS) return failed('It is not known whether the request arrived')
  if (request.secrets?.length === 0) return failed('The webhook that signs the request was deleted')
  try {
    const headers = { ...request.headers, 'idempotency-key': id, ...(await signatureOf(workspaceId, request, outside.secrets)) }
    const sent = await outside.http.send({ method, url, headers, ...(body !== null && { body }) })
    return { id, ...outcomeOf(sent, attempts), ...(sent.ok && { response: storedOf(sent, MAX_KEPT) }) }
  } catch (error) {
    return { id, ...outcomeOf({ ok: false, failure: 'failed', reason: String(error) }, attempts) }
  }
}

/** The most characters of a response that are kept: all that is read. */
const MAX_KEPT = 65_536

async function signatureOf(workspaceId: string, { id, body, secrets }: ClaimedRequest, sealed: Secrets): Promise<Record<string, string>> {
  if (!secrets) return { 'webhook-id': id }
  const keys = await Promise.all(secrets.map((secret) => sealed.unseal(secretPlace(workspaceId), secret)))
  return signatureHeaders(keys, id, Math.floor(Date.now() / 1000), body ?? '')
}

export const claimOutgoing = (workspaceId: string, claimId: string, most: number, lease: number): Statement =>
  call('claim_outgoing', workspaceId, claimId, most, lease)
export const settleOutgoing = (workspaceId: string, claimId: string, results: object[]): Statement =>
  call('settle_outgoing', workspaceId, claimId, JSON.stringify(results))
