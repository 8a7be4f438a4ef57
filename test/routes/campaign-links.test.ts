import { expect, test } from 'vitest'
import type { SentEmail } from '../../dev/email-emulator.ts'
import { campaigning, LINK } from './campaigning.ts'
import { found, type Row, useCrm } from './crm.ts'

const crm = useCrm()
const { draft, people, path, report, reportOf, send, sentOf } = campaigning(crm)
const BODY = `<p><a href="https://example.com/offer">Offer</a> <a href="https://example.com/map?a=1">Map</a></p>${LINK}`

const linksOf = async (id: string) => found(await crm.ws.get(path(id, '/links'))) as Row[]
const click = (email: SentEmail, link: unknown, at = new Date().toISOString()) =>
  report({ ...reportOf(email, 'Click', at), OriginalLink: link })

async function sentTo(count: number): Promise<{ id: string; emails: SentEmail[] }> {
  await people(count, crypto.randomUUID())
  const { id } = await draft({ body_html: BODY })
  await send(id)
  await crm.app.drain()
  return { id, emails: sentOf(id) }
}

test('the provider tracks opens and links only in workspaces that have chosen it, and never other emails', async () => {
  const [before] = (await sentTo(1)).emails
  expect(before).toMatchObject({ TrackOpens: false, TrackLinks: 'None' })
  found(await crm.ws.patch('/company/crm-settings', { campaign_open_tracking: true, campaign_click_tracking: true }))
  const { id, emails } = await sentTo(1)
  expect(emails[0]).toMatchObject({ TrackOpens: true, TrackLinks: 'HtmlAndText' })
  found(await crm.ws.post(path(id, '/test-send'), { email: 'test@example.org' }))
  await crm.app.drain()
  expect(crm.app.email.sent.find(({ To }) => To === 'test@example.org')).toMatchObject({ TrackOpens: false, TrackLinks: 'None' })
})

test('each recipient counts once for each link, whatever is repeated, and everybody’s link to unsubscribe is one', async () => {
  const { id, emails } = await sentTo(3)
  const [one, two, three] = emails as [SentEmail, SentEmail, SentEmail]
  const unsubscribe = (email: SentEmail) => email.HtmlBody?.match(/href="([^"]+unsubscribe[^"]+)"/)?.[1]?.replaceAll('&amp;', '&')
  for (const email of [one, two, one, three]) await click(email, 'https://example.com/offer')
  await click(one, 'https://example.com/map?a=1', '2026-01-02T03:04:05.000Z')
  for (const email of [two, three]) await click(email, unsubscribe(email))
  for (const bad of ['javascript:alert(1)', 'no address', null, `https://example.com/${'a'.repeat(2000)}`]) await click(three, bad)
  await crm.app.drain()
  const links = await linksOf(id)
  expect(links.map(({ url, recipients }) => [url, recipients])).toEqual([
    ['https://example.com/offer', 3],
    ['{{unsubscribe_url}}', 2],
    ['https://example.com/map?a=1', 1],
  ])
  expect(links[2]).toMatchObject({ first_clicked_at: '2026-01-02T03:04:05.000Z', last_clicked_at: '2026-01-02T03:04:05.000Z' })
  const people = found(await crm.ws.get(path(id, `/links/${links[1]?.id}/recipients`))) as Row[]
  expect(people.map(({ email }) => email).toSorted()).toEqual([two.To, three.To].toSorted())
  const { id: other } = await draft()
  expect((await crm.ws.get(path(other, `/links/${links[1]?.id}/recipients`))).status).toBe(404)
  expect((found(await crm.ws.get(path(id))) as Row).stats.clicked).toBe(3)
})

test('the first 200 links of a campaign are recorded', async () => {
  const { id, emails } = await sentTo(1)
  const [email] = emails as [SentEmail]
  for (let from = 0; from < 250; from += 50)
    await Promise.all(Array.from({ length: 50 }, (_, n) => click(email, `https://example.com/${from + n}`)))
  await crm.app.drain()
  expect(await crm.walk(path(id, '/links?limit=100'))).toHaveLength(200)
})

test('what is deleted, restored and purged of a person is neither counted nor listed any longer', async () => {
  const { id, emails } = await sentTo(3)
  const [one, two, three] = emails as [SentEmail, SentEmail, SentEmail]
  const [early, middle, late] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z', '2026-01-03T00:00:00.000Z']
  await click(one, 'https://example.com/offer', early)
  await click(two, 'https://example.com/offer', middle)
  await click(three, 'https://example.com/offer', late)
  await click(one, 'https://example.com/for?name=One', middle)
  await report(reportOf(one, 'Open', early))
  await crm.app.drain()
  const contactOf = async ({ To }: SentEmail) => (await crm.walk(path(id, '/recipients'))).find(({ email }) => email === To)?.contact_id
  const [first, last] = [await contactOf(one), await contactOf(three)]

  const { campaign_clicks: clicks, records } = found(await crm.ws.get(`/contacts/${first}/data`))
  expect(clicks).toMatchObject([
    { campaign_id: id, campaign_name: 'Spring', url: 'https://example.com/for?name=One', clicked_at: middle },
    { campaign_id: id, campaign_name: 'Spring', url: 'https://example.com/offer', clicked_at: early },
  ])
  expect(records.campaign_recipients).toMatchObject([{ campaign_id: id, opened_at: early, clicked_at: early }])

  const offer = { url: 'https://example.com/offer', recipients: 3, first_clicked_at: early, last_clicked_at: late }
  const personal = { url: 'https://example.com/for?name=One', recipients: 1 }
  expect(await linksOf(id)).toMatchObject([offer, personal])
  found(await crm.ws.delete(`/contacts/${first}`))
  expect(await linksOf(id)).toMatchObject([{ ...offer, recipients: 2, first_clicked_at: middle }])
  found(await crm.ws.post(`/contacts/${first}/restore`))
  expect(await linksOf(id)).toMatchObject([offer, personal])
  found(await crm.ws.delete(`/contacts/${last}?purge=true`))
  expect(await linksOf(id)).toMatchObject([{ ...offer, recipients: 2, last_clicked_at: middle }, personal])
  found(await crm.ws.delete(`/contacts/${first}`))
  found(await crm.ws.delete(`/contacts/${first}?purge=true`))
  expect(await linksOf(id)).toMatchObject([{ ...offer, recipients: 1, first_clicked_at: middle, last_clicked_at: middle }])
  const { rows } = await crm.app.owner.query('select url from campaign_links where campaign_id = $1', [id])
  expect(rows).toEqual([{ url: 'https://example.com/offer' }])
})
