import { sql } from 'drizzle-orm'
import { outbox } from '../../../../schema/index.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { asJson, decodeResult, mapResult, type Query, rows } from '../../../data/query.ts'
import { signatureHeaders } from '../../../lib/webhook-signatures.ts'
import type { OutsideHttp, OutsideResponse } from '../../../providers/http/port.ts'
import type { Secrets } from '../../../providers/secrets/port.ts'
import { eventFields } from '../../events/plans/feed.ts'
import type { Event } from '../../events/schemas/events.ts'
import { shownEvent } from '../../events/schemas/snapshots.ts'
import { delayAfter, hasFailedTooLong, isAccepted, isGone } from '../rules/retries.ts'
import type { DeliveryAttempt, StoredResponse } from '../rules/types.ts'
import { bodyOf, CONTENT_HEADERS, type PlacedEvent, testBody } from './payload.ts'
import { secretPlace } from './webhooks.ts'

/** Deliveries of a claim, and requests at a time: a Worker has six connections. */
const MAX_CLAIMED = 12
const PARALLEL = 6

type Claimed = { id: string; event_id: string | null; event_type: string; attempts: number; created_at: string }
/** What claim_webhook returns. */
export type Claim = {
  busy?: true
  invalid?: true
  url: string
  secret: string
  previous_secret: string | null
  failing_since: string | null
  now: string
  deliveries: Claimed[]
}
/** What happens to a claimed delivery. `outcome` is missing where no request was made. */
export type DeliveryResult = {
  id: string
  state: 'pending' | 'delivered' | 'failed' | 'skipped'
  outcome?: 'success' | 'failure'
  seconds?: number
  released?: true
  attempt?: DeliveryAttempt
  response?: StoredResponse
  gone?: true
}

/** The events of a claim, in the transaction of the claim, as its webhook may read them. */
function eventsOf(claimId: string): Query<PlacedEvent[]> {
  const fields = { ...eventFields, _workspace: outbox.workspace_id, _xid: sql<string>`outbox.xid::text`.as('_xid') }
  const claimed = sql`array(select event_id from webhook_deliveries where claim_id = ${claimId})`
  const readable = sql`outbox.entity = any((select readable_entities())::text[])`
  return mapResult(rows(db.select(fields).from(outbox).where(sql`${outbox.id} = any(${claimed}) and ${readable}`)), (found) =>
    found.map(({ _workspace, _xid, ...event }) => ({ event: shownEvent(event as Event), xid: _xid, workspace_id: _workspace })),
  )
}

export const claimStatements = (workspaceId: string, webhookId: string, claimId: string): Statement[] => [
  call('claim_webhook', workspaceId, webhookId, claimId, MAX_CLAIMED),
  sql`select ${asJson(eventsOf(claimId))}`,
]
export const readEvents = (claimId: string, found: unknown): PlacedEvent[] => decodeResult(eventsOf(claimId), found as unknown[][])

/** Sends the deliveries of a claim, some at a time. After a failure the rest is released, so that a failing receiver costs one round. */
export async function sendClaim(
  workspaceId: string,
  claim: Claim,
  events: PlacedEvent[],
  outside: { http: OutsideHttp; secrets: Secrets },
): Promise<DeliveryResult[]> {
  const byId = new Map(events.map((placed) => [placed.event.id, placed]))
  const sealed = [claim.secret, ...(claim.previous_secret ? [claim.previous_secret] : [])]
  const secrets = await Promise.all(sealed.map((secret) => outside.secrets.unseal(secretPlace(workspaceId), secret)))
  const results: DeliveryResult[] = []
  for (let from = 0; from < claim.deliveries.length; from += PARALLEL) {
    const wave = claim.deliveries.slice(from, from + PARALLEL)
    const hasFailed = results.some(({ outcome }) => outcome === 'failure')
    const send = (delivery: Claimed) => sendOne(delivery, claim, byId.get(delivery.event_id ?? ''), secrets, outside.http)
    results.push(
      ...(hasFailed
        ? wave.map(({ id }) => ({ id, state: 'pending' as const, released: true as const }))
        : await Promise.all(wave.map(send))),
    )
  }
  return results
}

async function sendOne(
  delivery: Claimed,
  { url, now }: Claim,
  placed: PlacedEvent | undefined,
  secrets: string[],
  http: OutsideHttp,
): Promise<DeliveryResult> {
  const { id, event_id, attempts, created_at } = delivery
  const at = new Date().toISOString()
  if (event_id !== null && !placed) {
    const error = 'The event was erased or has expired, or the key of the webhook may no longer read it'
    return { id, state: 'skipped', attempt: { at, status: null, error, duration: 0 } }
  }
  const body = placed ? bodyOf(placed, Date.parse(now)) : testBody(created_at)
  const signature = await signatureHeaders(secrets, event_id ?? id, Math.floor(Date.now() / 1000), body)
  const sent = await http.send({ method: 'POST', url, headers: { ...CONTENT_HEADERS, ...signature }, body })
  const attempt = { at, status: sent.ok ? sent.status : null, error: sent.ok ? null : printable(sent.reason, 500), duration: sent.duration }
  const response = sent.ok ? storedOf(sent) : undefined
  const known = { id, attempt, ...(response && { response }) }
  if (sent.ok && isAccepted(sent.status)) return { ...known, state: 'delivered', outcome: 'success' }
  if (sent.ok && isGone(sent.status)) return { ...known, state: 'failed', outcome: 'failure', gone: true }
  const seconds = delayAfter(attempts, Math.random())
  return seconds === undefined
    ? { ...known, state: 'failed', outcome: 'failure' }
    : { ...known, state: 'pending', outcome: 'failure', seconds }
}

/** Why the webhook must be disabled after these results, if it must. */
export function reasonToDisable({ failing_since, now }: Claim, results: DeliveryResult[]): 'gone' | 'failing' | undefined {
  if (results.some(({ gone }) => gone)) return 'gone'
  const failed = results.some(({ outcome }) => outcome === 'failure') && results.every(({ outcome }) => outcome !== 'success')
  return failed && hasFailedTooLong(failing_since, now) ? 'failing' : undefined
}

export const settleStatements = (
  workspaceId: string,
  webhookId: string,
  claimId: string,
  results: DeliveryResult[],
  reason?: string,
): Statement[] => [
  call('settle_webhook', workspaceId, webhookId, claimId, JSON.stringify(results)),
  ...(reason ? [call('disable_webhook', workspaceId, webhookId, reason)] : []),
]

const MAX_BODY = 2000
const SHOWN_HEADERS = ['content-type', 'content-length', 'date', 'location', 'retry-after', 'server', 'x-request-id']

const printable = (text: string, most: number): string => text.slice(0, most).toWellFormed().replaceAll('\0', '\uFFFD')

/** What the log keeps of a response. Other headers may hold secrets. */
export function storedOf({ status, headers, body, truncated }: OutsideResponse, most = MAX_BODY): StoredResponse {
  const kept = Object.entries(headers).filter(([name]) => SHOWN_HEADERS.includes(name))
  return {
    status,
    headers: Object.fromEntries(kept.map(([name, value]) => [name, printable(value, 500)])),
    body: printable(body, most),
    truncated: truncated || body.length > most,
  }
}
