import { expect, test } from 'vitest'
import { created, failed, found, type Row, refused, useCrm } from './crm.ts'
import { texting } from './texting.ts'

/** What people have decided about SMS to their numbers. */
const crm = useCrm()
const { grant, inbound, number, send } = texting(crm)
const ANA = '+61412345678'
const record = (decision: string, fields: Row = {}) =>
  crm.ws.post('/sms/consents', { phone_number: ANA, decision, source: 'web_form', ...fields })
const consents = async (query = '') => found(await crm.ws.get(`/sms/consents${query}`)) as Row[]
const decisions = async (query = '') => (await consents(query)).map(({ decision, source }) => [decision, source])
const unsubscribed = async (id: string) => found(await crm.ws.get(`/contacts/${id}`)).sms_unsubscribed

test('STOP and START are recorded with the reply, and the latest word holds in whatever order they come', async () => {
  const to = await number()
  const { id } = await crm.contact({ phone: ANA })
  for (const word of ['STOP', 'Hello', 'Start']) await inbound(ANA, to, word)
  await crm.app.drain()
  expect(await unsubscribed(id)).toBe(false)
  const [start, stop, ...others] = await consents(`?phone_number=${encodeURIComponent(ANA)}`)
  expect(others).toEqual([])
  expect(start).toMatchObject({ decision: 'opt_in', source: 'keyword', evidence: 'Replied Start', contact_id: id, recorded_by: null })
  expect(stop).toMatchObject({ decision: 'opt_out', evidence: 'Replied STOP' })
  expect(found(await crm.ws.get(`/sms/consents/${stop?.id}`))).toEqual(stop)
})

test('a decision that was made elsewhere is recorded with who has recorded it, and decides whether the number gets messages', async () => {
  await grant()
  await number()
  const { id } = await crm.contact({ phone: ANA })
  const out = created(await record('opt_out', { evidence: 'Said so by phone', source: 'verbal' }))
  expect(out).toMatchObject({
    phone_number: ANA,
    contact_id: id,
    recorded_by: crm.ws.userId,
    source: 'verbal',
    evidence: 'Said so by phone',
  })
  expect(await unsubscribed(id)).toBe(true)
  expect(found(await crm.ws.get('/suppressions?channel=sms'))).toMatchObject([
    { address: ANA, reason: 'unsubscribed', note: 'Said so by phone' },
  ])
  expect(await send({ to_phone: ANA })).toMatchObject(failed(409, 'RECIPIENT_UNREACHABLE'))

  // An earlier decision that becomes known later changes nothing.
  created(await record('opt_in', { occurred_at: '2026-01-31T09:30:00.000Z' }))
  expect(await unsubscribed(id)).toBe(true)
  created(await record('opt_in'))
  expect([await unsubscribed(id), (await send({ to_phone: ANA })).status]).toEqual([false, 201])
  expect(await decisions('?decision=opt_in')).toHaveLength(2)
  expect(await decisions(`?contact_id=${id}`)).toEqual([
    ['opt_in', 'web_form'],
    ['opt_out', 'verbal'],
    ['opt_in', 'web_form'],
  ])
})

test('what cannot be recorded is refused with its field, and a dry run records nothing', async () => {
  for (const [fields, path] of [
    [{ phone_number: '12' }, 'phone_number'],
    [{ decision: 'maybe' }, 'decision'],
    [{ source: 'keyword' }, 'source'],
    [{ occurred_at: '2090-01-31T09:30:00.000Z' }, 'occurred_at'],
  ] as const)
    expect([path, await record('opt_in', fields)]).toMatchObject([path, refused(path)])
  expect((await crm.ws.post('/sms/consents?dry_run=true', { phone_number: ANA, decision: 'opt_out', source: 'paper' })).status).toBe(200)
  expect(await consents()).toEqual([])
  const other = await crm.app.workspace()
  created(await other.post('/sms/consents', { phone_number: ANA, decision: 'opt_out', source: 'paper' }))
  expect(await consents()).toEqual([])
})

test('they are part of the personal data of the contact, come back with a restore, and go with a purge', async () => {
  const { id } = await crm.contact({ phone: ANA })
  created(await record('opt_out'))
  expect(found(await crm.ws.get(`/contacts/${id}/data`)).records.sms_consents).toMatchObject([{ phone_number: ANA, decision: 'opt_out' }])
  found(await crm.ws.delete(`/contacts/${id}`))
  expect(await consents()).toEqual([])
  found(await crm.ws.post(`/contacts/${id}/restore`))
  expect(await consents()).toMatchObject([{ contact_id: id }])
  found(await crm.ws.delete(`/contacts/${id}?purge=true`))
  expect(await consents()).toEqual([])
})

test.each(['manual', 'hard_bounce', 'complaint'])('START lifts the STOP of its sender, and leaves a suppression as %s', async (reason) => {
  await grant()
  const to = await number()
  const { id } = await crm.contact({ phone: ANA })
  const suppression = created(await crm.ws.post('/suppressions', { channel: 'sms', address: ANA, reason, note: 'Kept' }))
  for (const word of ['START', 'STOP', 'START']) {
    await inbound(ANA, to, word)
    await crm.app.drain()
    expect([word, await unsubscribed(id)]).toEqual([word, word === 'STOP'])
    expect(found(await crm.ws.get('/suppressions?channel=sms'))).toMatchObject([{ id: suppression.id, reason, note: 'Kept' }])
    expect(await send({ to_phone: ANA })).toMatchObject(failed(409, 'RECIPIENT_UNREACHABLE'))
  }
})
