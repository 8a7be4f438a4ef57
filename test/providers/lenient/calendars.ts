import { createHash } from 'node:crypto'
import type { GoogleEmulator } from '../../../dev/google-emulator.ts'
import type { MicrosoftEmulator } from '../../../dev/microsoft-emulator.ts'
import { CALENDAR_SCOPES, googleGrants, MAILBOX_SCOPES } from '../../../src/features/accounts/provider/google-oauth.ts'
import type { GrantProvider } from '../../../src/features/accounts/provider/port.ts'
import { googleCalendar } from '../../../src/features/calendars/provider/google.ts'
import { icsCalendars } from '../../../src/features/calendars/provider/ics.ts'
import { microsoftCalendar } from '../../../src/features/calendars/provider/microsoft.ts'
import { microsoftGrants } from '../../../src/features/calendars/provider/microsoft-oauth.ts'
import type { CalendarProvider, EventOrder, OutsideEvent } from '../../../src/features/calendars/provider/port.ts'
import { gmail } from '../../../src/features/mailboxes/provider/gmail.ts'
import type { MailboxProvider } from '../../../src/features/mailboxes/provider/port.ts'
import { outsideHttp } from '../../../src/providers/http/client.ts'
import { type Done, run, TIMEOUT } from './runs.ts'

const HOST = 'host@example.com'
const BACK = { redirect_uri: 'https://api.example.com/callback' }
const verifier = 'a-verifier-of-more-than-forty-three-characters'
const challenge = createHash('sha256').update(verifier).digest('base64url')
const RANGE = { from: '2026-12-01T00:00:00Z', to: '2026-12-08T00:00:00Z' }
const ORDER: EventOrder = {
  event_id: 'a1b2c3d4e5',
  booking_id: '019a0000-0000-7000-8000-000000000001',
  title: 'Besuch in Köln',
  description: 'With Ann',
  starts_at: '2026-12-01T22:30:00.000Z',
  ends_at: '2026-12-01T23:00:00.000Z',
  timezone: 'Australia/Sydney',
  location: null,
  attendees: [{ email: 'ann@example.com', name: 'Ann' }],
  with_meeting: true,
}
const MOVED = { ...ORDER, ends_at: '2026-12-01T23:30:00.000Z' }
const CHANNEL = { channel_id: '019a0000-0000-7000-8000-000000000002', secret: 'the-secret', address: 'https://api.example.com/notified' }
const RAW = ['From: host@example.com', 'To: ana@example.com', 'Subject: Hello', 'Message-ID: <sent-1@example.com>', '', 'Hello'].join(
  '\r\n',
)
const FILE = Buffer.from('A file').toString('base64')
const RECEIVED = [
  ...['From: Ana <ana@example.com>', `To: ${HOST}`, 'Subject: =?utf-8?B?R3LDvMOfZQ==?=', 'Message-ID: <received-1@example.com>'],
  ...[
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="b"',
    '',
    '--b',
    'Content-Type: text/plain; charset=utf-8',
    '',
    'Grüße',
  ],
  ...['--b', 'Content-Type: text/plain; name="a.txt"', 'Content-Transfer-Encoding: base64'],
  ...['Content-Disposition: attachment; filename="a.txt"', '', FILE, '--b--', ''],
].join('\r\n')

const query = (grants: GrantProvider) => new URL(grants.consentUrl({ state: 's', challenge, ...BACK })).searchParams
const codeIn = (address: string) => new URL(address).searchParams.get('code') as string
const googleCode = (grants: GrantProvider, { accounts }: GoogleEmulator) => codeIn(accounts.consent(query(grants), { email: HOST }))
const microsoftCode = (grants: GrantProvider, { accounts }: MicrosoftEmulator) => codeIn(accounts.consent(query(grants), HOST))
const tokenOf = ({ exchange }: Done) => exchange.tokens.access_token as string
const mailToken = ({ exchangeMail }: Done) => exchangeMail.tokens.access_token as string
const at = (hour: number) => ({ dateTime: `2026-12-02T${String(hour).padStart(2, '0')}:00:00Z` })

/** The events of all pages. */
async function allEvents(calendar: CalendarProvider, token: string, reading: Parameters<CalendarProvider['events']>[2]) {
  const events: OutsideEvent[] = []
  for (let page: string | null = null; ; ) {
    const read = await calendar.events(token, 'primary', reading, page)
    if (read === 'expired') return read
    events.push(...read.events)
    page = read.next_page
    if (page === null) return { events, cursor: read.cursor }
  }
}

async function allEmails(mailbox: MailboxProvider, token: string) {
  const ids: string[] = []
  for (let page: string | null = null; ; ) {
    const read = await mailbox.list(token, new Date(Date.now() - 60_000), page)
    ids.push(...read.ids)
    page = read.next_page
    if (page === null) return { ids }
  }
}

export const google = run(
  'google',
  (at, { url, clientId, clientSecret }) => {
    const client = { consentUrl: at(url), oauthUrl: at(url), clientId, clientSecret, ...TIMEOUT }
    const feed = icsCalendars(outsideHttp({ rules: { own: [], local: [new URL(at(url)).host] } }))
    const address = `${at(url)}/calendar/ical/${encodeURIComponent(HOST)}/private-0/basic.ics`
    return {
      feed: { events: () => feed.events(address, 'feed', RANGE, null) },
      grants: googleGrants({ ...client, needed: CALENDAR_SCOPES }),
      mailGrants: googleGrants({ ...client, needed: MAILBOX_SCOPES }),
      calendar: googleCalendar({ url: at(url), ...TIMEOUT }),
      mailbox: gmail({ url: at(url), accountUrl: at(url), topic: 'projects/crm/topics/gmail', ...TIMEOUT }),
    }
  },
  {
    exchange: ({ grants }, emulator) => grants.exchange({ code: googleCode(grants, emulator), verifier, ...BACK }),
    refused: ({ grants }) => grants.exchange({ code: 'unknown', verifier, ...BACK }),
    refresh: ({ grants }, _, { exchange }) => grants.refresh(exchange.tokens.refresh_token),
    account: ({ calendar }, _, done) => calendar.account(tokenOf(done)),
    calendars({ calendar }, { world }, done) {
      world.addCalendar(HOST, { id: 'holidays', summary: 'Ferien – Köln', accessRole: 'reader', timeZone: 'Europe/Berlin' })
      return calendar.calendars(tokenOf(done))
    },
    insert: ({ calendar }, _, done) => calendar.insert(tokenOf(done), HOST, ORDER),
    insertAgain: ({ calendar }, _, done) => calendar.insert(tokenOf(done), HOST, MOVED),
    events({ calendar }, { world }, done) {
      if (world.eventsOf(HOST).length < 2) {
        world.create(HOST, { start: at(1), end: at(2), summary: 'Dentist' })
        world.create(HOST, {
          start: { date: '2026-12-03' },
          end: { date: '2026-12-04' },
          attendees: [{ email: HOST, self: true, responseStatus: 'declined' }],
        })
      }
      return allEvents(calendar, tokenOf(done), RANGE)
    },
    changes: ({ calendar }, _, done) => allEvents(calendar, tokenOf(done), { cursor: done.events.cursor }),
    feed: ({ feed }) => feed.events().then((page) => (page === 'expired' ? page : page.events)),
    busy: async ({ calendar }, _, done) => [...(await calendar.busy(tokenOf(done), [HOST, 'unknown'], RANGE.from, RANGE.to, 3_000))],
    update: ({ calendar }, _, done) => calendar.update(tokenOf(done), HOST, ORDER.event_id, ORDER),
    get: ({ calendar }, _, done) => calendar.get(tokenOf(done), HOST, ORDER.event_id),
    watch: ({ calendar }, _, done) => calendar.watch(tokenOf(done), HOST, CHANNEL),
    unwatch: ({ calendar }, _, done) => calendar.unwatch(tokenOf(done), done.watch),
    remove: ({ calendar }, _, done) => calendar.remove(tokenOf(done), HOST, ORDER.event_id),
    removeAgain: ({ calendar }, _, done) => calendar.remove(tokenOf(done), HOST, ORDER.event_id),
    exchangeMail: ({ mailGrants }, emulator) => mailGrants.exchange({ code: googleCode(mailGrants, emulator), verifier, ...BACK }),
    refreshMail: ({ mailGrants }, _, { exchangeMail }) => mailGrants.refresh(exchangeMail.tokens.refresh_token),
    mailAccount: ({ mailbox }, _, done) => mailbox.account(mailToken(done)),
    aliases({ mailbox }, emulator, done) {
      if (emulator.gmail.box(HOST).aliases.length === 1) emulator.gmail.addAlias(HOST, 'sales@example.com', 'Verkauf Köln')
      return mailbox.aliases(mailToken(done))
    },
    cursor: ({ mailbox }, _, done) => mailbox.cursor(mailToken(done)),
    send: ({ mailbox }, _, done) => mailbox.send(mailToken(done), { raw: RAW, thread_id: null }),
    find: ({ mailbox }, _, done) => mailbox.find(mailToken(done), 'sent-1@example.com'),
    findNothing: ({ mailbox }, _, done) => mailbox.find(mailToken(done), 'never@example.com'),
    list({ mailbox }, emulator, done) {
      if (emulator.gmail.box(HOST).messages.size < 2) emulator.gmail.receiveRaw(HOST, Buffer.from(RECEIVED))
      return allEmails(mailbox, mailToken(done))
    },
    mailChanges: ({ mailbox }, _, done) => mailbox.changes(mailToken(done), done.cursor),
    head: ({ mailbox }, _, done) => mailbox.head(mailToken(done), done.list.ids[0]),
    email: ({ mailbox }, _, done) => mailbox.email(mailToken(done), done.list.ids[0]),
    deleted: ({ mailbox }, _, done) => mailbox.email(mailToken(done), 'neverthere'),
    attachment({ mailbox }, _, done) {
      const file = done.email.payload.parts.find((part: { attachment_id: string | null }) => part.attachment_id !== null)
      return mailbox.attachment(mailToken(done), done.email.id, file.attachment_id)
    },
    watchMail: ({ mailbox }, _, done) => mailbox.watch(mailToken(done)),
    unwatchMail: ({ mailbox }, _, done) => mailbox.unwatch(mailToken(done)),
    revoke: ({ grants }, _, { exchange }) => grants.revoke(exchange.tokens.refresh_token),
    revokeMail: ({ mailGrants }, _, { exchangeMail }) => mailGrants.revoke(exchangeMail.tokens.refresh_token),
  },
  ['unwatch', 'remove', 'removeAgain', 'unwatchMail', 'revoke', 'revokeMail'],
)

export const microsoft = run(
  'microsoft',
  (at, { url, clientId, clientSecret }) => ({
    grants: microsoftGrants({ oauthUrl: at(url), clientId, clientSecret, ...TIMEOUT }),
    calendar: microsoftCalendar({ url: at(url), ...TIMEOUT }),
  }),
  {
    exchange: ({ grants }, emulator) => grants.exchange({ code: microsoftCode(grants, emulator), verifier, ...BACK }),
    refused: ({ grants }) => grants.exchange({ code: 'unknown', verifier, ...BACK }),
    refresh: ({ grants }, _, { exchange }) => grants.refresh(exchange.tokens.refresh_token),
    account: ({ calendar }, _, done) => calendar.account(tokenOf(done)),
    calendars: ({ calendar }, _, done) => calendar.calendars(tokenOf(done)),
    insert: ({ calendar }, _, done) => calendar.insert(tokenOf(done), done.calendars[0].id, ORDER),
    insertAgain: ({ calendar }, _, done) => calendar.insert(tokenOf(done), done.calendars[0].id, MOVED),
    events({ calendar }, { world }, done) {
      if (world.eventsOf(HOST).length < 2) {
        world.create(HOST, { subject: 'Zahnarzt – Köln', starts_at: '2026-12-02T09:00:00Z', ends_at: '2026-12-02T10:00:00Z' })
        world.create(HOST, { starts_at: '2026-12-03T09:00:00Z', ends_at: '2026-12-03T10:00:00Z', series: { days: 1, count: 3 } })
      }
      return calendar.events(tokenOf(done), done.calendars[0].id, RANGE, null)
    },
    changes: ({ calendar }, _, done) => calendar.events(tokenOf(done), done.calendars[0].id, { cursor: done.events.cursor }, null),
    busy: async ({ calendar }, _, done) => [
      ...(await calendar.busy(tokenOf(done), [done.calendars[0].id, 'unknown'], RANGE.from, RANGE.to, 3_000)),
    ],
    update: ({ calendar }, _, done) => calendar.update(tokenOf(done), done.calendars[0].id, done.insert.id, ORDER),
    get: ({ calendar }, _, done) => calendar.get(tokenOf(done), done.calendars[0].id, done.insert.id),
    getByOrder: ({ calendar }, _, done) => calendar.get(tokenOf(done), done.calendars[0].id, ORDER.event_id),
    watch({ calendar }, emulator, done) {
      emulator.post = async (url) => new Response(new URL(url).searchParams.get('validationToken'))
      return calendar.watch(tokenOf(done), done.calendars[0].id, CHANNEL)
    },
    watchAgain: ({ calendar }, _, done) => calendar.watch(tokenOf(done), done.calendars[0].id, CHANNEL),
    unwatch: ({ calendar }, _, done) => calendar.unwatch(tokenOf(done), done.watchAgain),
    remove: ({ calendar }, _, done) => calendar.remove(tokenOf(done), done.calendars[0].id, done.insert.id),
    removeAgain: ({ calendar }, _, done) => calendar.remove(tokenOf(done), done.calendars[0].id, done.insert.id),
    revoke: ({ grants }, _, { exchange }) => grants.revoke(exchange.tokens.refresh_token),
  },
  ['unwatch', 'remove', 'removeAgain', 'revoke'],
)
