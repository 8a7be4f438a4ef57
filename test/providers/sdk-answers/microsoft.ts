import { type MicrosoftEmulator, startMicrosoftEmulator } from '../../../dev/microsoft-emulator.ts'
import { type Provider, typed, withEmulator } from './recorded.ts'

const HOST = 'host@example.com'
/** The package has no types of lists, of what is removed, and of annotations, whose names begin with "@odata." in every answer of OData. */
const DECLARATIONS = `import type * as Graph from '@microsoft/microsoft-graph-types'
type Annotated<Type> = Type & { '@odata.etag'?: string }
type Listed<Type> = { value: Type[]; '@odata.nextLink'?: string; '@odata.deltaLink'?: string }
type Changed<Type> = Annotated<Type> | { id: string; '@removed': { reason: 'changed' | 'deleted' } }
type Notice = Omit<Graph.ChangeNotification, 'resourceData'> & { resourceData: { '@odata.type': string; id: string } }
`

/** Asks as the account, whose access token it fetches. */
async function askerOf({ url, accounts, clientId, clientSecret }: MicrosoftEmulator) {
  const verifier = 'v'.repeat(43)
  const challenge = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(verifier))).toString('base64url')
  const redirect_uri = 'https://api.example.com/back'
  const query = new URLSearchParams({ redirect_uri, code_challenge: challenge, state: 's', scope: 'Calendars.ReadWrite User.Read' })
  const code = new URL(accounts.consent(query, HOST)).searchParams.get('code') as string
  const client = { client_id: clientId, client_secret: clientSecret }
  const form = new URLSearchParams({ ...client, grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri })
  const response = await fetch(`${url}/common/oauth2/v2.0/token`, { method: 'POST', body: form })
  const { access_token } = (await response.json()) as { access_token: string }
  const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
  return async (method: string, path: string, body?: object): Promise<unknown> => {
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
    const answer = await fetch(path.startsWith('http') ? path : `${url}/v1.0${path}`, init)
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer.status === 204 ? undefined : answer.json()
  }
}

const EVENT = {
  subject: 'Call',
  body: { contentType: 'text', content: 'About the roof' },
  location: { displayName: '1 George St' },
  start: { dateTime: '2026-11-02T08:00:00', timeZone: 'UTC' },
  end: { dateTime: '2026-11-02T09:00:00', timeZone: 'UTC' },
  attendees: [{ type: 'required', emailAddress: { address: 'ana@example.com', name: 'Ana' } }],
  isOnlineMeeting: true,
  onlineMeetingProvider: 'teamsForBusiness',
  transactionId: 'booking-1',
  singleValueExtendedProperties: [{ id: 'String {1} Name booking', value: 'b' }],
}
const RANGE = 'startDateTime=2026-11-01T00:00:00Z&endDateTime=2026-12-01T00:00:00Z'

export const microsoft: Provider = {
  declarations: DECLARATIONS,
  types: 9,
  record: () =>
    withEmulator(startMicrosoftEmulator, async (emulator) => {
      const { world } = emulator
      const ask = await askerOf(emulator)
      emulator.post = async (url) => new Response(new URL(url).searchParams.get('validationToken'))
      const calendar = `/me/calendars/${encodeURIComponent(world.calendar(HOST)?.id as string)}`
      const [starts_at, ends_at] = ['2026-11-03T08:00:00Z', '2026-11-03T09:00:00Z']
      world.create(HOST, { subject: 'Daily', starts_at, ends_at, series: { days: 1, count: 3 } })
      const expirationDateTime = new Date(Date.now() + 86_400_000).toISOString()
      const subscription = {
        changeType: 'created,updated,deleted',
        notificationUrl: 'https://api.example.com/in',
        clientState: 'secret',
        resource: `${calendar.slice(1)}/events`,
        expirationDateTime,
      }
      const subscribed = (await ask('POST', '/subscriptions', subscription)) as { id: string }
      const created = (await ask('POST', `${calendar}/events`, EVENT)) as { id: string }
      const at = `${calendar}/events/${encodeURIComponent(created.id)}`
      const one = [created, await ask('GET', at), await ask('PATCH', at, { subject: 'Visit' })]
      const filter = encodeURIComponent("singleValueExtendedProperties/Any(ep: ep/id eq 'String {1} Name booking' and ep/value eq 'b')")
      emulator.pageSize = 2
      const lists = [await ask('GET', `${calendar}/events?$filter=${filter}`), await ask('GET', `${calendar}/calendarView?${RANGE}`)]
      const first = (await ask('GET', `${calendar}/calendarView/delta?${RANGE}`)) as { '@odata.nextLink': string }
      emulator.pageSize = 10
      const last = (await ask('GET', first['@odata.nextLink'])) as { '@odata.deltaLink': string }
      await ask('DELETE', at)
      const changes = [first, last, await ask('GET', last['@odata.deltaLink'])]
      const subscriptions = await ask('GET', '/subscriptions')
      await ask('DELETE', `/subscriptions/${subscribed.id}`)
      return [
        ...typed('Graph.User', undefined, [await ask('GET', '/me')]),
        ...typed('Graph.MailboxSettings', undefined, [await ask('GET', '/me/mailboxSettings')]),
        ...typed('Listed<Graph.Calendar>', 'value', [await ask('GET', '/me/calendars')]),
        ...typed('Annotated<Graph.Event>', undefined, one),
        ...typed('Listed<Annotated<Graph.Event>>', 'value', lists),
        ...typed('Listed<Changed<Graph.Event>>', 'value', changes),
        ...typed('Graph.Subscription', undefined, [subscribed]),
        ...typed('Listed<Graph.Subscription>', 'value', [subscriptions]),
        ...typed(
          'Listed<Notice>',
          'value',
          emulator.notifications.map(({ body }) => JSON.parse(body)),
        ),
      ]
    }),
}
