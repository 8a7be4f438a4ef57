import { expect, test } from 'vitest'
import { failed, found, type Row, useCrm } from '../crm.ts'
import { portalVisits } from './portal-visits.ts'

const crm = useCrm()
const { mail, delivery, received, browser } = portalVisits(crm)

test('spaces, hyphens and Arabic digits in a PIN are accepted', async () => {
  await mail.config()
  const { token, pin } = await received(await delivery())
  const arabic = [...pin].map((digit) => String.fromCodePoint(0x660 + Number(digit))).join('')
  const persian = [...pin].map((digit) => String.fromCodePoint(0x6f0 + Number(digit))).join(' ')
  for (const typed of [`${pin.slice(0, 3)} ${pin.slice(3)}`, ` ${pin.slice(0, 3)}-${pin.slice(3)} `, arabic, persian])
    expect((await browser().enter(token, typed)).status, typed).toBe(303)
  for (const typed of ['', pin.slice(1), `${pin}0`, 'abcdef']) expect((await browser().enter(token, typed)).status, typed).toBe(422)
})

test('five wrong PINs lock the portal for 15 minutes, for everybody, and the sixth is refused though it is right', async () => {
  await mail.config()
  const { token, pin, portal_id } = await received(await delivery())
  const wrong = pin === '000000' ? '000001' : '000000'
  const statuses = []
  for (let n = 0; n < 5; n++) statuses.push((await browser().enter(token, wrong)).status)
  expect(statuses).toEqual([422, 422, 422, 422, 429])
  const locked = await browser().enter(token, pin)
  expect([locked.status, locked.cookie]).toEqual([429, null])
  expect(locked.text).toContain('Try again in 15 minutes')
  await crm.app.owner.query("update portals set locked_until = now() - interval '1 second' where id = $1", [portal_id])
  expect((await browser().enter(token, pin)).status).toBe(303)
})

test('five wrong PINs of one network lock it for all portals, and not the portals for others', async () => {
  await mail.config()
  const [one, two] = [await received(await delivery()), await received(await delivery())]
  const wrong = (pin: string) => (pin === '000000' ? '000001' : '000000')
  const address = '203.0.113.250'
  for (let n = 0; n < 3; n++) expect((await browser(address).enter(one.token, wrong(one.pin))).status).toBe(422)
  expect((await browser(address).enter(two.token, wrong(two.pin))).status).toBe(422)
  expect((await browser(address).enter(two.token, wrong(two.pin))).status).toBe(429)
  expect((await browser(address).enter(one.token, one.pin)).status).toBe(429)
  expect((await browser().enter(one.token, one.pin)).status).toBe(303)
})

test('wrong PINs at the same time are all counted', async () => {
  await mail.config()
  const { token, pin } = await received(await delivery())
  const wrong = pin === '000000' ? '000001' : '000000'
  const answers = await Promise.all(Array.from({ length: 8 }, () => browser().enter(token, wrong)))
  expect(answers.map(({ status }) => status).sort()).toEqual([422, 422, 422, 422, 429, 429, 429, 429])
})

test('a second call replaces token and PIN; a session ends with the PIN, and with the portal', async () => {
  await mail.config()
  const place = await delivery()
  const first = await received(place)
  const visitor = browser()
  await visitor.enter(first.token, first.pin)
  const second = await received(place)
  expect(second.portal_id).toBe(first.portal_id)
  expect(second.token).not.toBe(first.token)
  expect((await visitor.get(first.token)).status).toBe(404)
  await visitor.enter(second.token, second.pin)
  expect((await visitor.get(second.token)).text).toContain('Install panels')
  const { pin } = found(await crm.ws.post(`/portals/${second.portal_id}/new-pin`)) as Row
  expect((await visitor.get(second.token)).text).not.toContain('Install panels')
  expect((await browser().enter(second.token, second.pin)).status).toBe(pin === second.pin ? 303 : 422)
  expect((await visitor.enter(second.token, pin)).status).toBe(303)
  expect(found(await crm.ws.post(`/portals/${second.portal_id}/revoke`)).revoked_at).toEqual(expect.any(String))
  found(await crm.ws.post(`/portals/${second.portal_id}/revoke`))
  const [revoked, unknown] = [await visitor.get(second.token), await visitor.get('x'.repeat(43))]
  expect([revoked.status, unknown.status]).toEqual([404, 404])
  expect(revoked.text.replaceAll(second.token, '')).toBe(unknown.text.replaceAll('x'.repeat(43), ''))
  expect(await crm.ws.post(`/portals/${second.portal_id}/new-pin`)).toMatchObject(failed(409, 'INVALID_STATE'))
  const third = await received(place)
  expect((await browser().enter(third.token, third.pin)).status).toBe(303)
})

test('a session of one portal opens no other one, and nobody forges one', async () => {
  await mail.config()
  const [one, two] = [await received(await delivery()), await received(await delivery())]
  const visitor = browser()
  await visitor.enter(one.token, one.pin)
  const mine = visitor.cookie()
  visitor.use(mine)
  expect((await visitor.get(two.token)).text).not.toContain('Install panels')
  visitor.use(mine.replace(/\.\d{10}\./, '.9999999999.'))
  expect((await visitor.get(one.token)).text).not.toContain('Install panels')
  visitor.use(mine)
  expect((await visitor.get(one.token)).text).toContain('Install panels')
})

test('a portal whose time is over gets no other PIN, which would open nothing', async () => {
  await mail.config()
  const { token, portal_id } = await received(await delivery())
  await crm.app.owner.query("update portals set expires_at = now() - interval '1 second' where id = $1", [portal_id])
  expect((await browser().get(token)).status).toBe(404)
  expect(await crm.ws.post(`/portals/${portal_id}/new-pin`)).toMatchObject({
    status: 409,
    body: { error: { code: 'INVALID_STATE', details: { state: 'expired', allowed: ['active'] } } },
  })
})
