import { expect, test } from 'vitest'
import { unsubscribePages } from '../../routes/campaigns/unsubscribe.ts'
import { reputationPages } from '../../routes/growth/reputation-pages.ts'
import { reviewPages } from '../../routes/growth/review-pages.ts'
import { orderPages } from '../../routes/orders/order-pages.ts'
import { portalPages } from '../../routes/portals/portal-pages.ts'
import { bookingPages } from '../../routes/scheduling/booking-pages.ts'
import { createApp } from '../../src/app.ts'
import { stateOf } from '../contract/state.ts'
import { connecting } from './calendars/connecting.ts'
import { campaigning } from './campaigning.ts'
import { created, found, type Row, useCrm } from './crm.ts'
import { portalVisits } from './delivery/portal-visits.ts'
import { pngOf, useForms } from './documents/forms.ts'
import { asking } from './growth/asking.ts'
import { messaging } from './messaging.ts'
import { openShop, order, orderForm } from './ordering.ts'
import { book, eventType, sydney } from './scheduling/scheduling.ts'
import { day, formAt, openPage, visitor, visits } from './scheduling/visitor.ts'
import { fileOf, useFiles } from './uploads.ts'

const crm = useCrm({ docs: true })
const { booked, filled } = visits(crm)
const { emailsTo } = messaging(crm)
const { google, start } = connecting(crm)
const { draft, people, send, sentOf } = campaigning(crm)
const { linkTo, uploaded } = useFiles(crm)
const forms = useForms(crm)
const { delivery, received } = portalVisits(crm)
const { ready, person, linked } = asking(crm)
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><rect width="1" height="1"/></svg>'
const IMAGE: [string, string | File][] = [
  ['context', 'form-avatar'],
  ['file', fileOf('logo.svg', SVG)],
]

/** What a GET may change there. */
const MAY_CHANGE: Record<string, string[]> = {
  // The state works once: the request becomes the account that waits for the member.
  '/calendar-connections/callback': ['grant_requests'],
  '/mailboxes/callback': ['grant_requests'],
  // When it was read last.
  '/work-calendar/*': ['work_order_feeds'],
}

const linkIn = (address: string, part: string) =>
  new URL(new RegExp(`http\\S+/${part}/\\S+`).exec((emailsTo(address).at(-1) as Row).TextBody)?.[0] ?? 'http://no.link/').pathname

/**
 * Working addresses of every page: with a booking, a time that is held, a place on a waiting list, and accounts that come back from their
 * provider.
 */
async function addresses(): Promise<Record<string, string>> {
  const { ws, app } = crm
  const event = await eventType(ws, { seats: 2, waiting_list: true })
  const page = await openPage(ws)
  const manage = await booked(page, '09:00')
  for (const email of ['one@example.com', 'two@example.com']) created(await book(ws, { starts_at: sydney(day, '11:00'), email }))
  const wait = { event_type: 'first-meeting', starts_at: sydney(day, '11:00'), name: 'Wil Wu', email: 'wil@example.com' }
  created(await ws.post('/scheduling-waiting-list', wait))
  found(await ws.patch(`/scheduled-event-types/${event.id}`, { confirm_email: true }))
  await visitor(app).post(`${page}/first-meeting`, await filled(page, '14:00', { email: 'new@example.com' }))
  await app.cron('* * * * *', new Date())
  await app.drain()
  const back = (query: URLSearchParams) => google().accounts.consent(query, { email: 'stranger@example.com' })
  const mailbox = new URL(found(await ws.post('/mailboxes/start', {})).url).searchParams
  const after = (address: string) => new URL(address).pathname + new URL(address).search
  await people(1)
  const campaign = await draft()
  await send(campaign.id)
  await app.drain()
  const unsubscribe = sentOf(campaign.id)[0]?.Headers?.[0]?.Value.slice(1, -1) as string
  const { id } = await crm.opportunity()
  const file = await linkTo(id, (await uploaded(id)).id)
  const portal = await received(await delivery())
  const calendar = created(await ws.post('/work-order-feeds', {}))
  await openShop(app, ws)
  const form = await orderForm(crm)
  const session = await order(app, form.slug)
  return {
    '/': '/',
    '/v1': '/v1',
    '/v1/': '/v1/',
    '/healthz': '/healthz',
    '/docs/*': '/docs/index.html',
    '/v1/openapi.json': '/v1/openapi.json',
    '/v1/openapi.legacy.json': '/v1/openapi.legacy.json',
    '/book/embed/v1.js': '/book/embed/v1.js',
    '/book/page/v1.js': '/book/page/v1.js',
    '/files/*': file.pathname + file.search,
    '/images/*': after((await forms.uploaded('logo.png', await pngOf(20, 10), 'image')).url),
    '/public-images/*': after(created(await forms.post('/public-image-upload', IMAGE, {})).url),
    '/order/:slug': `/order/${form.slug}`,
    '/order/:slug/done/:order_id': `/order/${form.slug}/done/${session.client_reference_id}`,
    '/portal/:token': `/portal/${portal.token}`,
    ...(await reputationAddresses(ws)),
    '/work-calendar/*': calendar.calendar_path,
    '/unsubscribe/:workspace_id/:recipient_id': after(unsubscribe),
    '/book/:company_slug': page,
    '/book/:company_slug/:event_type_slug': formAt(page, '15:00'),
    '/book/:company_slug/manage/:token': manage,
    '/book/:company_slug/manage/:token/booking.ics': `${manage}/booking.ics`,
    '/book/:company_slug/manage/:token/move': `${manage}/move`,
    '/book/:company_slug/confirm/:token': linkIn('new@example.com', 'confirm'),
    '/book/:company_slug/waiting/:token': linkIn('wil@example.com', 'waiting'),
    '/calendar-connections/callback': after(back(await start())),
    '/mailboxes/callback': after(back(mailbox)),
  }
}

async function reputationAddresses(ws: typeof crm.ws) {
  const profile = await ready({ accepts_reviews: true })
  const study = created(await ws.post('/reputation/case-studies', { profile_id: profile.id, title: 'A roof' }))
  for (const verb of ['approve', 'publish']) await ws.post(`/reputation/case-studies/${study.id}/${verb}`)
  return {
    '/reputation/:slug': `/reputation/${profile.slug}`,
    '/reputation/:slug/case-studies/:case_study_id': `/reputation/${profile.slug}/case-studies/${study.id}`,
    '/reputation/:slug/review': `/reputation/${profile.slug}/review`,
    '/review/:token': (await linked(await person())).path,
  }
}

test('no GET of a public page changes anything, however often it is sent', async () => {
  const routes = [createApp([]), bookingPages, orderPages, portalPages, reputationPages, reviewPages, unsubscribePages].flatMap(
    (app) => app.routes as { method: string; path: string }[],
  )
  const paths = routes.filter(({ method, path }) => method === 'GET' && path !== '*').map(({ path }) => path)
  const known = await addresses()
  expect(Object.keys(known).toSorted()).toEqual([...new Set(paths)].toSorted())
  const wildcards = routes.filter(({ method }) => method === 'ALL').map(({ path }) => path)
  expect(wildcards.toSorted(), 'the paths of other applications, whose pages are among those above').toEqual([
    '/book/*',
    '/order/*',
    '/portal/*',
    '/reputation/*',
    '/review/*',
    '/unsubscribe/*',
  ])

  for (const [path, address] of Object.entries(known)) {
    const before = await stateOf(crm.app.owner)
    const statuses: number[] = []
    for (const _ of [1, 2]) {
      const response = await crm.app.fetch(address)
      await response.text()
      statuses.push(response.status)
    }
    await crm.app.drain()
    const after = await stateOf(crm.app.owner)
    const changed = Object.keys(after).filter((table) => after[table] !== before[table])
    expect(changed, path).toEqual(MAY_CHANGE[path] ?? [])
    // A state works once.
    expect(statuses, path).toEqual(path.endsWith('callback') ? [200, 404] : [200, 200])
  }
})
