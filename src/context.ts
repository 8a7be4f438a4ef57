import type { Database } from './data/batch.ts'
import type { Statement } from './data/db.ts'
import type { Query } from './data/query.ts'
import type { CalendarKinds } from './features/calendars/provider/index.ts'
import type { Mailer } from './features/email/provider/port.ts'
import type { Images } from './features/files/provider/images-port.ts'
import type { MailboxKinds } from './features/mailboxes/provider/index.ts'
import type { Payments } from './features/orders/provider/port.ts'
import type { Challenge } from './features/pages/provider/port.ts'
import type { Voice } from './features/phone/provider/port.ts'
import type { Telephony } from './features/sms/provider/port.ts'
import type { Feed } from './providers/feed/port.ts'
import type { Files } from './providers/files/port.ts'
import type { OutsideHttp, OutsideRules } from './providers/http/port.ts'
import type { Embedder } from './providers/models/embed-port.ts'
import type { Models } from './providers/models/port.ts'
import type { Secrets } from './providers/secrets/port.ts'
import type { Wake } from './wake.ts'

/** What a service may know of the deployment: which addresses it may call for a customer, and what seals secrets or
 * enqueues work. */
export type Deployment = {
  outside: OutsideRules
  /** The client for addresses that customers choose. */
  outsideHttp: OutsideHttp
  secrets: Secrets
  /** Sends the emails of the workspace. */
  mailer: Mailer
  /** The account at the provider of SMS and phone numbers, if there is one. */
  telephony: Telephony | undefined
  /** The calendars that members can connect, and where their providers send them back to. */
  calendars: CalendarKinds
  calendarCallback: string
  /** The mailboxes that members can connect, and where their providers send them back to. */
  mailboxes: MailboxKinds
  mailboxCallback: string
  /** The database as the background has it, for calls of calendars and mailboxes. */
  background: Database
  /** The payment provider, at which each workspace has its own account. */
  payments: Payments
  /** What checks that visitors of pages are people, if there are keys for it. */
  challenge: Challenge | undefined
  /** The origin of checkout pages, if it is not that of the provider itself. */
  checkoutOrigin: string | undefined
  /** Turns texts into vectors, if there is an account at a provider of that. */
  embedder: Embedder | undefined
  /** Whether there is an account at a provider of bots that record meetings. */
  hasNotetakers: boolean
  /** Whether there is an account at a provider that transcribes recordings. */
  hasTranscriber: boolean
  /** Decodes and encodes pictures. */
  images: Images
  /** The address of this API, to which providers report, and below which images are served. */
  apiUrl: string
  /** The digest of a caller without a key, such as an address, under a secret of the deployment. */
  digestOf(text: string): string
  /** What the addresses and PINs of portals follow from. */
  linkSecret: string
  /** The voice provider, if there is one. */
  voice: Voice | undefined
  /** The models that answer, if there are any. */
  models: Models | undefined
  /** Has work done now that the request has stored. Cron finds what a lost wake-up leaves. */
  wake(kind: Wake, workspaceId: string, itemId?: string): Promise<void>
  /** Lets the Durable Object of the workspace's pairing look at the provider of WhatsApp; it does so by itself later, if that fails. */
  watchWhatsApp(workspaceId: string, wish: 'pair' | 'look'): Promise<void>
}

/** The context of a request, as services see it. HTTP, queues and cron each create one. */
export type Ctx = {
  /** The current time. */
  now: Date
  requestId: string
  /** What makes an effect of this request unique, however often it is tried: the step of a run that sends it, or else the request. */
  effectKey: string
  /** The version that the record must have (If-Match). */
  ifMatch: number | undefined
  /**
   * Runs a query before the plan exists, as the same caller and in a round trip of its own. Use it only for a decision that SQL cannot
   * make; the values may have changed by the time the plan runs.
   */
  read<Out>(query: Query<Out>): Promise<Out>
  /**
   * As `read`, for what a write is decided by: its transaction reads it again, before the statements. If another request has changed it,
   * everything is rolled back, and the request is planned again with the present result.
   */
  readConfirmed<Out>(query: Query<Out>): Promise<Out>
  /**
   * Plans with a likely value instead of reading it first. `holds` is checked before the statements, in the same transaction. If it is
   * false, everything is rolled back, and the request is planned again with the result of the query, which is then confirmed as that of
   * `readConfirmed`. If `holds` is a function of the value, it is checked again for every value that the request was planned with.
   */
  assume<Out>(query: Query<Out>, likely: Out, holds: Statement | ((value: Out) => Statement | Promise<Statement>)): Promise<Out>
  /**
   * The workspace's IANA time zone, as an assumption: an isolate remembers it for each caller, so it costs a round trip only when it is
   * first needed or has changed.
   */
  zone(): Promise<string>
  /** As `read`, for a select of one text, which is returned unchanged. */
  readText(query: Statement): Promise<string>
  /** The headers and the exact bytes of a request received by HTTP, for the signature of a provider. */
  received?: { headers: Headers; bytes: Uint8Array } | undefined
  /** The uploaded file and the file store. A request that runs after its approval has no uploaded file. */
  files: Files
  /** The web application's address, for links. Only of a request received by HTTP. */
  appUrl: string
  /** Tells when the workspace has new events. Only a request received by HTTP can wait for them. */
  feed: Feed
  /** Not there for steps of automations. */
  deployment: Deployment
}
