import type { RequestInit } from 'miniflare'
import { expect, test } from 'vitest'
import { demonstrateBooking } from '../../dev/demo/booking.ts'
import { type Browse, browse } from '../../dev/demo/emulators.ts'
import { calendaring } from '../routes/calendars/calendars.ts'
import { useCrm } from '../routes/crm.ts'
import { notetaking } from '../routes/scheduling/notetaking.ts'
import { limit } from '../speed.ts'

const crm = useCrm({ ownServer: true })
const BASE = 'http://api.test'

/** The pages of the Worker come from the Worker, and those of the providers from their emulators. */
const visit: Browse = async (url, form) => {
  const { origin, pathname, search } = new URL(url)
  if (origin !== BASE && !pathname.startsWith('/calendar-connections')) return browse(url, form)
  const sent = form && { method: 'POST', body: form.toString() }
  const headers = { 'accept-language': 'en', ...(form && { 'content-type': 'application/x-www-form-urlencoded' }) }
  const response = await crm.app.fetch(pathname + search, { redirect: 'manual', headers, ...sent } as RequestInit)
  return { status: response.status, text: await response.text(), location: response.headers.get('location') }
}

test('two calendars are connected, a booking follows its event, a lost grant has a reason, and a meeting is recorded', {
  timeout: limit(240_000),
}, async () => {
  const lines: string[] = []
  const { google, microsoft, notetaker } = crm.app
  await notetaking(crm).grant(1_000)
  await demonstrateBooking(BASE, crm.ws.apiKey, (line) => lines.push(line), {
    fetch: (url, init) => crm.app.fetch(url.slice(BASE.length), init as RequestInit),
    browse: visit,
    google: google.url,
    microsoft: microsoft.url,
    notetaker: notetaker.url,
    async pass() {
      await calendaring(crm).later()
      await notetaking(crm).later()
    },
  })
  const output = lines.join('\n')
  for (const part of [
    'google: "',
    'bookings are copied into it',
    'the first time that is offered is now',
    'its event in the Google calendar is synced, with https://',
    'the booking follows, from',
    'the connection is in error: invalid_grant',
    'not available: calendar_read',
    'on the timeline of the opportunity:',
    'Ben Fox: Shall we begin with the offer?',
    'notice: no_show by email',
  ])
    expect(output).toContain(part)
  expect(output.indexOf(' is available')).toBeGreaterThan(0)
})
