import { beforeEach, expect, test } from 'vitest'
import { TURNSTILE_FAILURES } from '../../../dev/turnstile-emulator.ts'
import { turnstile } from '../../../src/features/pages/provider/turnstile.ts'
import { start } from '../../harness.ts'
import { created, found, type Row, refused, useCrm } from '../crm.ts'
import { voiceOf } from './calling.ts'
import { audit, book, eventType, SILENT, sydney } from './scheduling.ts'
import { ANA, day, formAt, hiddenFields, openPage, type Page, visitor, visits } from './visitor.ts'

const crm = useCrm({ own: true })
const { filled, bookings } = visits(crm)
beforeEach(() => crm.app.turnstile.clear())

const FIELD = 'cf-turnstile-response'
/** What a visitor has for a form: a token of the page's widget, unless it is of something else. */
const tokenOf = (of: Row = {}) => crm.app.turnstile.token({ hostname: 'api.test', action: 'booking', ...of })
const challenged = async (fields: Row = {}) => {
  await eventType(crm.ws, { challenge: 'turnstile', notices: SILENT, ...fields })
  return openPage(crm.ws)
}
const send = (page: string, fields: Row, address?: string) =>
  visitor(crm.app, { ...(address && { address }) }).post(`${page}/first-meeting`, fields)
const sendWith = async (page: string, time: string, token: string, fields: Row = {}) =>
  send(page, await filled(page, time, { ...fields, [FIELD]: token }))

/** The form is shown again with all that was typed, what is wrong, and a widget for another token. */
function isShownAgain({ status, text }: Page, expected: number, says: string): void {
  expect([status, text.includes('value="Ana Lee"'), text.includes('value="ana@example.com"')]).toEqual([expected, true, true])
  expect(text).toContain(`<li><a href="#challenge">${says}`)
  expect(text).toContain(`<div class="cf-turnstile" data-sitekey="${crm.app.turnstile.siteKey}" data-action="booking" data-language="en"`)
}
const FAILED = 'The check that you are a person did not succeed'
const AWAY = 'At present nobody can check that you are a person.'

test('an event type with a challenge is booked on its page with a token; its other pages and the API need none', async () => {
  const page = await challenged()
  const [{ id } = { id: '' }] = found(await crm.ws.get('/scheduled-event-types'))
  await eventType(crm.ws, { name: 'Site visit', notices: SILENT })
  const form = await visitor(crm.app).get(formAt(page, '09:00'))
  expect(form.text).toContain('<noscript><p class="note">This form checks that you are a person, which needs JavaScript.')
  // The visitor checks the policy and the scripts of every page.
  const others = [
    page,
    `${page}/first-meeting`,
    `${page}/first-meeting?month=${day.slice(0, 7)}`,
    formAt(page, '09:00').replace('first-meeting', 'site-visit'),
  ]
  for (const path of others) expect((await visitor(crm.app).get(path)).text, path).not.toContain('turnstile')

  const { status, location } = await send(page, { ...hiddenFields(form), ...ANA, [FIELD]: tokenOf() }, '203.0.113.9')
  expect(status).toBe(303)
  expect(await bookings()).toMatchObject([{ name: 'Ana Lee', starts_at: sydney(day, '09:00'), source: 'page' }])
  expect(crm.app.turnstile.verified).toMatchObject([{ remoteip: '203.0.113.9', idempotency_key: expect.stringMatching(/^[0-9a-f-]{36}$/) }])

  const manage = (location as string).split('?')[0] as string
  const move = await visitor(crm.app).get(`${manage}/move?${new URLSearchParams({ at: sydney(day, '10:00') })}`)
  expect([move.status, move.text.includes('turnstile')]).toEqual([200, false])
  expect((await visitor(crm.app).post(`${manage}/move`, hiddenFields(move))).status).toBe(303)
  created(await book(crm.ws, { starts_at: sydney(day, '11:00') }))
  const voice = await voiceOf(crm)(`/${id}/book`, { starts_at: sydney(day, '12:00'), name: 'Di Ho', email: 'di@example.com' })
  expect(voice.text).toMatch(/^Booked/)
  const visit = { ...hiddenFields(await visitor(crm.app).get(others.at(-1) as string)), ...ANA }
  expect((await visitor(crm.app).post(`${page}/site-visit`, { ...visit, at: sydney(day, '14:00') })).status).toBe(303)
  expect(crm.app.turnstile.verified).toHaveLength(1)
  expect(
    (await bookings())
      .filter(({ status }) => status === 'confirmed')
      .map(({ starts_at }) => starts_at)
      .sort(),
  ).toEqual(['10:00', '11:00', '12:00', '14:00'].map((time) => sydney(day, time)))
  await audit(crm)
})

test.each([
  ['without a token', () => '', 'Wait until the check above the button has ended'],
  ['with one that nobody has issued', () => '0.made-up', FAILED],
  ['with one that is too long', () => 'x'.repeat(2_049), FAILED],
  ['with one that was used', () => tokenOf({ usedBy: null }), FAILED],
  ['with one that has expired', () => tokenOf({ at: Date.now() - 301_000 }), FAILED],
  ['with one of another widget', () => tokenOf({ sitekey: crm.app.turnstile.other.siteKey }), FAILED],
  ['with one of another host', () => tokenOf({ hostname: 'www.example.org' }), FAILED],
  ['with one of another action', () => tokenOf({ action: 'login' }), FAILED],
  ['with one of no action', () => tokenOf({ action: '' }), FAILED],
])('a form %s books nothing, and is shown again as it was filled in', async (_, token, says) => {
  const page = await challenged()
  for (const lenient of [false, true]) {
    crm.app.turnstile.lenient = lenient
    isShownAgain(await sendWith(page, '09:00', token()), 422, says)
  }
  crm.app.turnstile.lenient = false
  expect(await bookings()).toEqual([])
  const again = await sendWith(page, '09:00', tokenOf())
  expect(again.status).toBe(303)
})

test.each(TURNSTILE_FAILURES)(
  'while Turnstile fails (%s) nothing is booked, the form stays filled in, and the page says to try again',
  async (mode) => {
    const page = await challenged()
    crm.app.logs.length = 0
    crm.app.turnstile.failures.add(mode)
    const token = tokenOf()
    const fields = await filled(page, '09:00', { [FIELD]: token })
    isShownAgain(await send(page, fields), 503, AWAY)
    expect(await bookings()).toEqual([])
    expect(crm.app.logs.filter((line) => line.includes('"challenge"')).join()).toContain('Turnstile')
    // The token is still good for the same form.
    expect((await send(page, fields)).status).toBe(303)
    expect(crm.app.logs.filter((line) => line.includes(token))).toEqual([])
  },
)

test('of two bookings at once with one token one is made, and a form that is sent twice leads to its one booking', async () => {
  const page = await challenged()
  const token = tokenOf()
  const forms = await Promise.all(['09:00', '10:00', '11:00'].map((time) => filled(page, time, { [FIELD]: token })))
  const sent = await Promise.all(forms.map((form) => send(page, form)))
  expect(sent.map(({ status }) => status).sort()).toEqual([303, 422, 422])
  expect(await bookings()).toHaveLength(1)

  const form = await filled(page, '13:00', { [FIELD]: tokenOf() })
  const twice = await Promise.all([send(page, form), send(page, form)])
  twice.push(await send(page, form))
  expect(new Set(twice.map(({ location }) => location)).size).toBe(1)
  expect(await bookings()).toHaveLength(2)
  // Another person in the same form is another form.
  expect((await send(page, { ...form, token: crypto.randomUUID(), at: sydney(day, '14:00') })).status).toBe(422)
  await audit(crm)
})

test('wrong fields use no token, and a time that is taken asks for another one', async () => {
  const page = await challenged()
  const token = tokenOf()
  const wrong = await sendWith(page, '09:00', token, { email: 'ana@' })
  expect([wrong.status, wrong.text.includes('class="cf-turnstile"'), crm.app.turnstile.verified]).toEqual([422, true, []])
  const fields = await filled(page, '09:00', { [FIELD]: token })
  created(await book(crm.ws, { starts_at: sydney(day, '09:00') }))
  const taken = await send(page, fields)
  expect([taken.status, taken.text.includes('class="cf-turnstile"'), taken.text.includes('Nearest free times')]).toEqual([409, true, true])
  expect((await send(page, { ...fields, at: sydney(day, '09:30') })).status).toBe(422)
  expect((await send(page, { ...fields, at: sydney(day, '09:30'), [FIELD]: tokenOf() })).status).toBe(303)
})

test('a time that waits for the confirmation of an address, and a place on a waiting list, need a token too', async () => {
  const page = await challenged({ seats: 2, waiting_list: true, confirm_email: true })
  isShownAgain(await sendWith(page, '10:00', ''), 422, 'Wait until the check')
  const counts = async () =>
    (
      await crm.app.owner.query(
        `select (select count(*)::int from booking_confirmations where workspace_id = $1) as held,
          (select count(*)::int from waiting_list_entries where workspace_id = $1) as waiting`,
        [crm.ws.id],
      )
    ).rows[0]
  expect(await counts()).toEqual({ held: 0, waiting: 0 })
  expect((await sendWith(page, '10:00', tokenOf())).location).toContain('done=mail')
  for (const email of ['one@example.com', 'two@example.com']) created(await book(crm.ws, { starts_at: sydney(day, '09:00'), email }))
  for (const [token, says] of [
    ['', 'Wait until the check'],
    [tokenOf({ hostname: 'www.example.org' }), FAILED],
  ] as const)
    isShownAgain(await sendWith(page, '09:00', token), 422, says)
  expect(await counts()).toEqual({ held: 1, waiting: 0 })
  const fields = await filled(page, '09:00', { [FIELD]: tokenOf() })
  for (const _ of [1, 2]) expect((await send(page, fields)).location).toContain('done=waiting')
  // The token puts nobody else in line.
  expect((await send(page, { ...fields, email: 'other@example.com' })).status).toBe(422)
  expect(await counts()).toEqual({ held: 1, waiting: 1 })
})

test('no token is kept: not in the database, and not in the logs', async () => {
  const { app, ws } = crm
  const page = await challenged()
  const tokens = [tokenOf(), tokenOf({ hostname: 'www.example.org' }), '0.nobody-has-issued-this-one']
  for (const [index, token] of tokens.entries()) await sendWith(page, `0${9 - index}:00`.replace('08', '10').replace('07', '11'), token)
  await app.drain()
  expect(await bookings()).toHaveLength(1)
  const { rows } = await app.owner.query(
    `select c.table_name as name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = 'public' and c.column_name = 'workspace_id' and t.table_type = 'BASE TABLE'`,
  )
  for (const token of tokens) {
    for (const { name } of rows)
      expect(
        (await app.owner.query(`select 1 from "${name}" t where workspace_id = $1 and t::text like $2`, [ws.id, `%${token}%`])).rows,
        name,
      ).toEqual([])
    expect(app.logs.filter((line) => line.includes(token))).toEqual([])
  }
})

test('a deployment without keys refuses the challenge, and closes the forms that have it', async () => {
  const app = await start({ own: true, vars: { TURNSTILE_SECRET_KEY: '' } })
  try {
    const ws = await app.workspace()
    const named = refused('challenge')
    const refusal = await ws.post('/scheduled-event-types', { name: 'Call', challenge: 'turnstile' })
    expect(refusal).toMatchObject(named)
    expect(refusal.body.error.details.issues[0].message).toMatch(/TURNSTILE_SITE_KEY and TURNSTILE_SECRET_KEY/)
    const { id } = await eventType(ws)
    expect(await ws.patch(`/scheduled-event-types/${id}`, { challenge: 'turnstile' })).toMatchObject(named)
    expect(found(await ws.patch(`/scheduled-event-types/${id}`, { challenge: 'none' }))).toMatchObject({ challenge: 'none' })

    await app.owner.query("update scheduled_event_types set challenge = 'turnstile' where id = $1", [id])
    expect(found(await ws.patch(`/scheduled-event-types/${id}`, { name: 'First meeting' }))).toMatchObject({ challenge: 'turnstile' })
    const page = await openPage(ws)
    const form = await visitor(app).get(formAt(page, '09:00'))
    expect([form.text.includes(AWAY), form.text.includes('cf-turnstile')]).toEqual([true, false])
    const sent = await visitor(app).post(`${page}/first-meeting`, { ...hiddenFields(form), ...ANA, [FIELD]: 'x' })
    expect([sent.status, sent.text.includes(AWAY), sent.text.includes('value="Ana Lee"')]).toEqual([503, true, true])
    expect(found(await ws.get('/scheduling-bookings'))).toEqual([])
  } finally {
    await app.close()
  }
})

test('the client takes a wrong key for an outage, and a wrong token for a refusal', async () => {
  const { turnstile: emulator } = crm.app
  const verify = (secret: string, answer: Row = {}) =>
    turnstile({ url: emulator.url, secret, timeoutMs: 500 }).verify({
      response: tokenOf({ cdata: 'x' }),
      remote_ip: undefined,
      idempotency_key: crypto.randomUUID(),
      ...answer,
    })
  for (const lenient of [false, true]) {
    emulator.lenient = lenient
    expect(await verify(emulator.secret)).toEqual({ outcome: 'passed', hostname: 'api.test', action: 'booking' })
    for (const [secret, answer, code] of [
      ['', {}, 'missing-input-secret'],
      ['0x4wrong', {}, 'invalid-input-secret'],
      [emulator.secret, { idempotency_key: 'x' }, 'bad-request'],
    ] as const)
      expect(await verify(secret, answer)).toEqual({ outcome: 'unavailable', reason: expect.stringContaining(code) })
    for (const [secret, answer] of [
      [emulator.secret, { response: '' }],
      [emulator.secret, { response: 'made-up' }],
      [emulator.other.secret, {}],
    ] as const)
      expect(await verify(secret, answer)).toEqual({ outcome: 'refused' })
  }
  const answer = { response: tokenOf(), idempotency_key: crypto.randomUUID() }
  for (const _ of [1, 2]) expect(await verify(emulator.secret, answer)).toMatchObject({ outcome: 'passed' })
  expect(await verify(emulator.secret, { response: answer.response })).toEqual({ outcome: 'refused' })
})
