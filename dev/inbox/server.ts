import type { IncomingMessage, ServerResponse } from 'node:http'
import { dispositionOf } from '../../src/domain/file-names.ts'
import type { EmailEmulator } from '../email-emulator.ts'
import type { GoogleEmulator } from '../google-emulator.ts'
import { type LocalServer, startLocalServer } from '../local-server.ts'
import type { SmsEmulator } from '../sms-emulator.ts'
import type { StripeEmulator } from '../stripe-emulator.ts'
import type { WhatsAppEmulator } from '../whatsapp-emulator.ts'
import { changesOf } from './changes.ts'
import { smsOf, whatsAppOf } from './chats.ts'
import { emailsOf } from './emails.ts'
import { faultsOf } from './faults.ts'
import { gmailEmails } from './gmail.ts'
import { pageFiles } from './page-files.ts'
import { paymentsOf } from './payments.ts'
import { postmarkEmails } from './postmark.ts'
import { assertOwnPage, bodyOf, type Post, postOverHttp, Refusal, sendContent, sendFile, sendJson } from './web.ts'
import { EMAIL_KINDS, type EmailKind } from './wire.ts'

export interface InboxOptions {
  email: EmailEmulator
  sms: SmsEmulator
  whatsapp: WhatsAppEmulator
  google: GoogleEmulator
  /** Without it there are no payments. */
  stripe?: StripeEmulator
  /** Where the Worker is. */
  apiUrl: string
  /** What authorises reports about emails. */
  emailToken: string
  port?: number
  /** Replaces the requests to the Worker. */
  post?: Post
}

export interface Inbox extends LocalServer {
  /** Where the Worker takes the emails that somebody sends to the workspace; undefined until it is known. */
  inboundPath: string | undefined
}

function wantedEmails(query: URLSearchParams): Parameters<ReturnType<typeof emailsOf>['list']>[0] {
  const [kind = 'all', search = '', campaign = '', after = ''] = ['kind', 'search', 'campaign', 'after'].map(
    (name) => query.get(name) || undefined,
  )
  if (!Object.hasOwn(EMAIL_KINDS, kind)) throw new Refusal(400, `kind is one of ${Object.keys(EMAIL_KINDS).join(', ')}`)
  return { search, kind: kind as EmailKind, campaign, after }
}

/** Serves a page that shows what the emulators have received, and acts as the people and the providers on the other side. */
export async function startInbox({ apiUrl, emailToken, port, post = postOverHttp, ...emulators }: InboxOptions): Promise<Inbox> {
  const ofWorkspaces = postmarkEmails({
    emulator: emulators.email,
    post,
    eventsUrl: `${apiUrl}/email-events/${emailToken}`,
    inboundUrl: () => inbox.inboundPath && apiUrl + inbox.inboundPath,
  })
  const emails = emailsOf([ofWorkspaces, gmailEmails(emulators.google.gmail)])
  const sms = smsOf(emulators.sms, post)
  const whatsapp = whatsAppOf(emulators.whatsapp.world)
  const payments = paymentsOf(emulators.stripe)
  const faults = faultsOf(emulators)
  const summary = () => ({
    emails: emails.count(),
    sms: sms.list().threads.length,
    whatsapp: whatsapp.list().threads.length,
    payments: payments.count(),
    faults: faults.count(),
    connections: whatsapp.list().connections.map(({ state }) => state),
    api: apiUrl,
    has_inbox: inbox.inboundPath !== undefined,
  })
  const changes = changesOf(() => [
    emulators.email.sent.at(-1)?.MessageID,
    [...emulators.google.gmail.boxes.values()].map(({ email, changes }) => [email, changes]),
    [...emails.acts],
    emails.count(),
    sms.list(),
    whatsapp.list(),
    payments.list(),
    faults.list(),
    summary(),
  ])
  const files = pageFiles()

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    assertOwnPage(request)
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://inbox')
    if (request.method === 'POST') {
      await act(pathname.split('/').slice(2), await bodyOf(request))
      return sendJson(response, 200, { ok: true })
    }
    if (request.method !== 'GET') throw new Refusal(405, 'GET and POST only')
    const file = files.get(pathname)
    if (file) return sendFile(response, file.type, file.content)
    const [area = '', part, id = '', detail, index] = pathname.split('/').slice(1)
    if (area !== 'api') throw new Refusal(404, 'No such page')
    if (part === 'changes') return changes.follow(response)
    if (part === 'summary') return sendJson(response, 200, summary())
    if (part === 'sms') return sendJson(response, 200, sms.list())
    if (part === 'whatsapp' && id === 'files') return download(response, whatsapp.file(detail ?? ''))
    if (part === 'whatsapp') return sendJson(response, 200, whatsapp.list())
    if (part === 'payments') return sendJson(response, 200, payments.list())
    if (part === 'faults') return sendJson(response, 200, faults.list())
    if (part !== 'emails') throw new Refusal(404, 'No such path')
    if (!id) return sendJson(response, 200, emails.list(wantedEmails(searchParams)))
    if (detail === 'html') return sendContent(response, emails.html(id))
    if (detail !== 'attachments') return sendJson(response, 200, emails.show(id))
    download(response, emails.attachment(id, Number(index)))
  }

  function download(response: ServerResponse, { name, content }: { name: string; content: Buffer }) {
    sendFile(response, 'application/octet-stream', content, { 'content-disposition': dispositionOf(name) })
  }

  async function act([part, id = '', action = '']: string[], body: Record<string, unknown>): Promise<void> {
    if (part === 'emails' && id === 'clear') emails.clear()
    else if (part === 'emails') await emails.act(id, action, body)
    else if (part === 'sms' && id === 'receive') await sms.receive(body)
    else if (part === 'whatsapp') whatsapp.act(id, body)
    else if (part === 'payments') payments.act(id, action)
    else if (part === 'faults' && id === 'presets') faults.preset(action)
    else if (part === 'faults') faults.set(id, action, body)
    else throw new Refusal(404, 'No such action')
  }

  const server = await startLocalServer(answer, { port, onError: sendFailure })
  const inbox: Inbox = {
    ...server,
    inboundPath: undefined,
    async close() {
      changes.close()
      await server.close()
    },
  }
  return inbox
}

function sendFailure(response: ServerResponse, error: unknown) {
  if (error instanceof Refusal) return sendJson(response, error.status, { message: error.message })
  console.error(error)
  sendJson(response, 500, { message: 'The inbox failed: its terminal shows why' })
}
