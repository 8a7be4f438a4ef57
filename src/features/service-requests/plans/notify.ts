import * as v from 'valibot'
import { storableText } from '../../../lib/text.ts'
import type { OutsideHttp } from '../../../providers/http/port.ts'
import type { Email, Mailer } from '../../email/provider/port.ts'
import { changedRequestLines, linesAsEmail, newRequestLines } from '../rules/email.ts'
import type { ServiceRequest } from '../schemas/service-requests.ts'

type NoticeRequest = Pick<
  ServiceRequest,
  'id' | 'title' | 'description' | 'type' | 'priority' | 'status' | 'queue' | 'context' | 'created_at'
>

/** A notice that a worker has claimed (read_service_request_notices). */
export type ClaimedNotice = {
  id: string
  workspace_name: string
  requester_name: string | null
  requester_email: string | null
  changes: Record<string, { from: string; to: string }>
  request: NoticeRequest
}

type Done = { results: { status: 'sent'; error: null; message_reference?: object | null } }
type Failed = { failure: string; isFinal: boolean }
const SENT: Done = { results: { status: 'sent', error: null } }

const Reference = v.object({ channel: v.pipe(v.string(), v.maxLength(200)), ts: v.pipe(v.string(), v.maxLength(200)) })

/**
 * Posts a new request to the webhook of the engineering team. Its `text` is what a chat shows; the id of the notice is the same for each
 * attempt.
 */
export async function postNotice(http: OutsideHttp, url: string, notice: ClaimedNotice): Promise<Done | Failed> {
  const { id, workspace_name, request } = notice
  const answer = await http.send({
    method: 'POST',
    url,
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': id },
    body: JSON.stringify({
      id,
      text: newRequestLines(workspace_name, request).join('\n'),
      workspace: workspace_name,
      service_request: request,
    }),
  })
  if (!answer.ok) return { failure: answer.reason, isFinal: answer.failure === 'refused' }
  const { status, body } = answer
  const isTemporary = status >= 500 || status === 429 || status === 408
  if (status < 200 || status > 299) return { failure: `The webhook of the engineering team answers with ${status}`, isFinal: !isTemporary }
  return { results: { status: 'sent', error: null, message_reference: referenceIn(body) } }
}

/** The place of the message, if the webhook answers as the API of Slack does. */
function referenceIn(body: string): v.InferOutput<typeof Reference> | null {
  try {
    const parsed = v.safeParse(Reference, JSON.parse(body))
    return parsed.success ? parsed.output : null
  } catch {
    return null
  }
}

/** Sends a new request to the address of the engineering team. */
export function mailEngineering(mailer: Mailer, to: string, notice: ClaimedNotice, attempts: number): Promise<Done | Failed> {
  const { workspace_name, request } = notice
  const subject = `Service request: ${request.title}`
  const context = Object.keys(request.context).length > 0 ? [`Context: ${JSON.stringify(request.context)}`] : []
  const lines = [...newRequestLines(workspace_name, request), ...context, `Id: ${request.id}`]
  return mailOnce(mailer, { ...linesAsEmail(subject, lines), to }, notice.id, attempts)
}

/** Notifies the requester of what has changed, unless the requester is no longer known. */
export async function mailRequester(mailer: Mailer, notice: ClaimedNotice, attempts: number): Promise<Done | Failed> {
  const { requester_email: to, request, changes } = notice
  if (!to) return { failure: 'The requester has no email address', isFinal: true }
  const subject = `Your service request: ${request.title}`
  return mailOnce(mailer, { ...linesAsEmail(subject, changedRequestLines(request, changes)), to }, notice.id, attempts)
}

type Content = Pick<Email, 'to' | 'subject' | 'text' | 'html'>

/** Sends an email that an earlier attempt has not sent, which the provider knows by its metadata. */
async function mailOnce({ from, provider }: Mailer, content: Content, id: string, attempts: number): Promise<Done | Failed> {
  const key = 'request_notice_id'
  if (attempts > 1 && (await provider.find(key, id)) !== undefined) return SENT
  const delivery = await provider.send({ ...content, from, tag: 'service-request', metadata: { [key]: id } })
  return delivery.outcome === 'sent' ? SENT : { failure: storableText(delivery.reason), isFinal: delivery.outcome === 'refused' }
}
