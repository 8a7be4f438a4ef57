import type { Env } from '../src/env.ts'
import { pageRequest } from '../src/http/page-requests.ts'
import type { Posted, Reply } from '../src/http/posted.ts'
import type { AppContext } from '../src/http/serve.ts'

type Pages = { fetch: (request: Request, env: Env, context: AppContext['executionCtx']) => Response | Promise<Response> }
export type Callback = (posted: Posted) => Promise<Reply>

/** A path outside /v1, for those who have no key: pages, which answer by themselves, or what a provider posts. */
export type Outside = { methods: string[]; path: string } & (
  | { pages: () => Promise<Pages>; read: (request: Request) => Request }
  | { callback: () => Promise<Callback> }
)

const asSent = (request: Request) => request

/**
 * Pages. What `load` returns is loaded with the first request. `read`: the parameters of the URL that the pages see; all of them by
 * default.
 */
const pages = (path: string, load: () => Promise<Pages>, { methods = ['ALL'], read = asSent } = {}): Outside => ({
  methods,
  path,
  pages: load,
  read,
})
const posted = (path: string, load: () => Promise<Callback>): Outside => ({ methods: ['POST'], path, callback: load })

const grants = () => import('./accounts/grant-callback.ts').then((file) => file.grantCallback)
const phoneEvents = () => import('../src/features/phone/callbacks/call-events.ts').then((file) => file.receivePhoneEvent)
const calendarNotifications = () => import('../src/features/calendars/callbacks/calendar-notifications.ts')

/** All of them. The public files and images are served by app.ts. */
export const OUTSIDE: Outside[] = [
  pages('/unsubscribe/*', () => import('./campaigns/unsubscribe.ts').then((file) => file.unsubscribePages)),
  pages('/book/*', () => import('./scheduling/booking-pages.ts').then((file) => file.bookingPages), { read: pageRequest }),
  pages('/order/*', () => import('./orders/order-pages.ts').then((file) => file.orderPages), { read: pageRequest }),
  pages('/portal/*', () => import('./portals/portal-pages.ts').then((file) => file.portalPages), { read: pageRequest }),
  pages('/reputation/*', () => import('./growth/reputation-pages.ts').then((file) => file.reputationPages), { read: pageRequest }),
  pages('/review/*', () => import('./growth/review-pages.ts').then((file) => file.reviewPages), { read: pageRequest }),
  pages('/work-calendar/*', () => import('./work-orders/work-calendars.ts').then((file) => file.workCalendars), {
    methods: ['GET'],
    read: pageRequest,
  }),
  pages('/payment-events/*', () => import('./orders/payment-events.ts').then((file) => file.paymentEvents), { methods: ['POST'] }),
  pages('/calendar-connections/callback', grants, { methods: ['GET', 'POST'] }),
  pages('/mailboxes/callback', grants, { methods: ['GET', 'POST'] }),
  posted('/email-events/:token', () => import('../src/features/email/callbacks/email-events.ts').then((file) => file.receiveEmailEvent)),
  posted('/sms-events/*', () => import('../src/features/sms/callbacks/sms-events.ts').then((file) => file.receiveSmsEvent)),
  posted('/call-events/*', phoneEvents),
  posted('/bundle-events/*', phoneEvents),
  posted('/transcript-events/:workspace/:transcript/:token', () =>
    import('../src/features/transcripts/callbacks/transcript-events.ts').then((file) => file.receiveTranscript),
  ),
  posted('/notetaker-events', () =>
    import('../src/features/notetakers/callbacks/notetaker-events.ts').then((file) => file.receiveNotetakerEvent),
  ),
  posted('/calendar-notifications/google', () => calendarNotifications().then((file) => file.receiveGoogleNotification)),
  posted('/calendar-notifications/microsoft', () => calendarNotifications().then((file) => file.receiveMicrosoftNotification)),
  posted('/mailbox-notifications/gmail/:token', () =>
    import('../src/features/mailboxes/callbacks/mailbox-notifications.ts').then((file) => file.receiveGmailNotification),
  ),
]
