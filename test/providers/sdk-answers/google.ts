import { type GoogleEmulator, startGoogleEmulator } from '../../../dev/google-emulator.ts'
import { loadSdk } from '../../sdks.ts'
import { heard, type Provider, type RecordedAnswer, typed, withEmulator } from './recorded.ts'

const HOST = 'host@example.com'
const BACK = 'https://api.example.com/back'
const SCOPES = ['calendar', 'gmail.send', 'gmail.readonly'].map((name) => `https://www.googleapis.com/auth/${name}`)
/** The package of accounts has a type of tokens, and of the claims about a person; the address of a person has some of these. */
const DECLARATIONS = `import type { calendar_v3 as Calendar } from '@googleapis/calendar'
import type { gmail_v1 as Gmail } from '@googleapis/gmail'
import type { CredentialRequest } from 'google-auth-library/build/src/auth/credentials'
import type { TokenPayload } from 'google-auth-library'
type Person = Pick<TokenPayload, 'sub' | 'email' | 'email_verified' | 'name'>
`

// biome-ignore lint/suspicious/noExplicitAny: the types of the packages are not installed with the project
type Client = any
type Call = (accounts: Client, calendar: Client, gmail: Client) => Promise<unknown>

/** Records what the packages receive in calls, which share the tokens of an account. */
function recorder({ url, clientId, clientSecret }: GoogleEmulator) {
  const { OAuth2Client } = loadSdk('google-auth-library')
  let credentials: object | undefined
  return (call: Call) =>
    heard(async (fetchImplementation) => {
      const endpoints = { oauth2TokenUrl: `${url}/token`, oauth2RevokeUrl: `${url}/revoke` }
      const auth = new OAuth2Client({ clientId, clientSecret, redirectUri: BACK, endpoints, transporterOptions: { fetchImplementation } })
      if (credentials) auth.setCredentials(credentials)
      const options = { auth, rootUrl: `${url}/` }
      const calendar = loadSdk('@googleapis/calendar').calendar({ version: 'v3', ...options })
      const gmail = loadSdk('@googleapis/gmail').gmail({ version: 'v1', ...options })
      await call(auth, calendar, gmail)
      credentials = auth.credentials
    })
}
type Record = ReturnType<typeof recorder>

async function ofAccounts(record: Record, { url, accounts }: GoogleEmulator): Promise<RecordedAnswer[]> {
  const tokens = await record(async (auth) => {
    const { codeVerifier, codeChallenge } = await auth.generateCodeVerifierAsync()
    const challenge = { code_challenge: codeChallenge, code_challenge_method: 'S256' }
    const consent = new URL(auth.generateAuthUrl({ access_type: 'offline', scope: SCOPES, state: 's', ...challenge }))
    const code = new URL(accounts.consent(consent.searchParams, { email: HOST })).searchParams.get('code')
    auth.setCredentials((await auth.getToken({ code, codeVerifier })).tokens)
  })
  const refreshed = await record((auth) => auth.refreshAccessToken())
  const person = await record((auth) => auth.request({ url: `${url}/oauth2/v3/userinfo` }))
  return [...typed('CredentialRequest', undefined, [...tokens, ...refreshed]), ...typed('Person', 'sub', person)]
}

async function ofCalendars(record: Record, { world }: GoogleEmulator): Promise<RecordedAnswer[]> {
  const [timeMin, timeMax] = ['2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z']
  const [start, end] = [{ dateTime: '2026-11-02T08:00:00Z', timeZone: 'Australia/Sydney' }, { dateTime: '2026-11-02T09:00:00Z' }]
  const calendarId = 'primary'
  const requestBody = {
    id: 'abcde',
    summary: 'Call',
    description: 'About the roof',
    location: '1 George St',
    start,
    end,
    transparency: 'opaque',
    attendees: [{ email: 'ana@example.com', displayName: 'Ana' }],
    extendedProperties: { private: { booking: 'b' } },
    conferenceData: { createRequest: { requestId: 'r', conferenceSolutionKey: { type: 'hangoutsMeet' } } },
  }
  const recurrence = ['RRULE:FREQ=DAILY;COUNT=3']
  world.create(HOST, { start, end, recurrence, summary: 'Daily', attendees: [{ email: HOST, self: true, responseStatus: 'accepted' }] })
  const events = (more: object) => record((_, calendar) => calendar.events.list({ calendarId, ...more }))
  const calendars = await record((_, calendar) => calendar.calendarList.list())
  const one = await record(async (_, calendar) => {
    await calendar.events.insert({ calendarId, requestBody, conferenceDataVersion: 1 })
    await calendar.events.get({ calendarId, eventId: 'abcde' })
    await calendar.events.patch({ calendarId, eventId: 'abcde', requestBody: { summary: 'Visit' } })
  })
  const listed = await events({ timeMin, timeMax, singleEvents: true, maxResults: 2 })
  const [{ nextSyncToken: syncToken }] = (await events({ timeMin, timeMax })) as [{ nextSyncToken: string }]
  const [channel] = await record((_, calendar) =>
    calendar.events.watch({ calendarId, requestBody: { id: 'channel', type: 'web_hook', address: BACK, token: 't' } }),
  )
  const busy = await record((_, calendar) =>
    calendar.freebusy.query({ requestBody: { timeMin, timeMax, items: [{ id: HOST }, { id: 'unknown' }] } }),
  )
  await record(async (_, calendar) => {
    await calendar.channels.stop({ requestBody: { id: 'channel', resourceId: (channel as { resourceId: string }).resourceId } })
    await calendar.events.delete({ calendarId, eventId: 'abcde' })
  })
  return [
    ...typed('Calendar.Schema$CalendarList', undefined, calendars),
    ...typed('Calendar.Schema$Event', undefined, one),
    ...typed('Calendar.Schema$Events', undefined, [...listed, ...(await events({ syncToken }))]),
    ...typed('Calendar.Schema$Channel', undefined, [channel]),
    ...typed('Calendar.Schema$FreeBusyResponse', undefined, busy),
  ]
}

async function ofMail(record: Record, { gmail: world }: GoogleEmulator): Promise<RecordedAnswer[]> {
  const userId = 'me'
  const received = world.receive(HOST, {
    from: 'Ana <ana@example.com>',
    subject: 'Roof',
    attachments: [{ name: 'plan.txt', content_type: 'text/plain', content: 'YQ==' }],
  })
  const raw = Buffer.from(`From: ${HOST}\r\nTo: ana@example.com\r\nSubject: Hi\r\n\r\nHello`).toString('base64url')
  const mail = (call: (users: Client) => Promise<unknown>) => record((_auth, _calendar, gmail) => call(gmail.users))
  const sent = await mail((users) => users.messages.send({ userId, requestBody: { raw, threadId: received.threadId } }))
  const one = await mail(async ({ messages }) => {
    await messages.get({ userId, id: received.id, format: 'full' })
    await messages.get({ userId, id: received.id, format: 'metadata', metadataHeaders: ['From', 'Subject'] })
  })
  const files = JSON.stringify(one).match(/(?<="attachmentId":")[^"]+/g) ?? []
  const attached = await mail(async ({ messages }) => {
    for (const id of files) await messages.attachments.get({ userId, messageId: received.id, id })
  })
  const topic = { topicName: 'projects/crm/topics/gmail', labelIds: ['INBOX'] }
  const watched = await mail(async (users) => {
    await users.watch({ userId, requestBody: topic })
    await users.stop({ userId })
  })
  return [
    ...typed('Gmail.Schema$Profile', undefined, await mail((users) => users.getProfile({ userId }))),
    ...typed('Gmail.Schema$ListSendAsResponse', undefined, await mail((users) => users.settings.sendAs.list({ userId }))),
    ...typed('Gmail.Schema$Message', undefined, [...sent, ...one]),
    ...typed('Gmail.Schema$MessagePartBody', undefined, attached),
    ...typed('Gmail.Schema$ListMessagesResponse', undefined, await mail((users) => users.messages.list({ userId, maxResults: 1 }))),
    ...typed('Gmail.Schema$ListHistoryResponse', undefined, await mail((users) => users.history.list({ userId, startHistoryId: '1000' }))),
    ...typed('Gmail.Schema$WatchResponse', undefined, watched),
  ]
}

export const google: Provider = {
  declarations: DECLARATIONS,
  types: 14,
  record: () =>
    withEmulator(startGoogleEmulator, async (emulator) => {
      const record = recorder(emulator)
      const accounts = await ofAccounts(record, emulator)
      return [...accounts, ...(await ofCalendars(record, emulator)), ...(await ofMail(record, emulator))]
    }),
}
