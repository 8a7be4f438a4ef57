import { expect, test } from 'vitest'
import { changeAgency, readAgencyChange } from '../../../dev/agency/agency.ts'
import { useCrm } from '../crm.ts'
import { agencyIn, inMonth } from './agencies.ts'

const crm = useCrm()

test('a changed percentage counts from the present month on: months that have ended are closed first', async () => {
  const agency = await agencyIn(crm.app)
  const client = await agency.client()
  await agency.pay(client, { amount_cents: 10_000, paid_at: inMonth(1) })
  await agency.pay(client, { amount_cents: 10_000 })
  const change = readAgencyChange({ commission: '12.5', 'signup-link': 'https://example.com/new' })
  await expect(changeAgency(crm.app.owner, agency.ws.id, change)).rejects.toThrow('not closed yet')
  await agency.ws.get('/agency/commission')
  await changeAgency(crm.app.owner, agency.ws.id, change)
  expect((await agency.ws.get('/agency')).body.data).toMatchObject({ commission_percent: 12.5, signup_url: 'https://example.com/new' })
  const { statements, running } = (await agency.ws.get('/agency/commission')).body.data
  expect([statements[0].commission, running.commission]).toEqual([20, 12.5])
})

test('the currency changes before the first payment only, and a sign-up link is taken away', async () => {
  const agency = await agencyIn(crm.app)
  await changeAgency(crm.app.owner, agency.ws.id, readAgencyChange({ currency: 'EUR', 'signup-link': 'none' }))
  expect((await agency.ws.get('/agency')).body.data).toMatchObject({ currency: 'EUR', signup_url: null, commission_percent: 20 })
  await agency.pay(await agency.client(), { amount_cents: 100, currency: 'EUR' })
  await expect(changeAgency(crm.app.owner, agency.ws.id, { currency: 'AUD' })).rejects.toThrow('payments in EUR')
  await changeAgency(crm.app.owner, agency.ws.id, { currency: 'EUR', signup_url: 'https://example.com/join' })
  await expect(changeAgency(crm.app.owner, (await crm.app.workspace()).id, { signup_url: null })).rejects.toThrow('is not an agency')
})

test('a change that cannot be is refused with its option', () => {
  expect(() => readAgencyChange({ commission: '100.01' })).toThrow('--commission')
  expect(() => readAgencyChange({ currency: 'JPY' })).toThrow('JPY')
  expect(() => readAgencyChange({ 'signup-link': 'example' })).toThrow('--signup-link')
  expect(() => readAgencyChange({ commission: '10', since: '2026-01' })).toThrow('--since')
  expect(() => readAgencyChange({})).toThrow('--commission, --currency or --signup-link')
})
