import { beforeEach, expect, test } from 'vitest'
import type { SmsFailMode } from '../../dev/sms-emulator.ts'
import { created, failed, found, type Row, refused, useCrm } from './crm.ts'
import { phoning } from './phoning.ts'
import { ADDRESS } from './texting.ts'

const crm = useCrm({ own: true })
const { later, postTwilio } = phoning(crm)
beforeEach(() => crm.app.sms.clear())

const addAddress = (fields: Row = {}) => crm.ws.post('/phone/addresses', { ...ADDRESS, ...fields })
const addressOf = async (id: string): Promise<Row> => found(await crm.ws.get(`/phone/addresses/${id}`))
const BUNDLE = {
  friendly_name: 'Sydney numbers',
  email: 'compliance@example.com',
  country: 'AU',
  number_type: 'local',
  end_user_type: 'business',
  end_user: { business_name: 'Harbour Pty Ltd' },
}
const addBundle = (fields: Row = {}) => crm.ws.post('/phone/bundles', { ...BUNDLE, ...fields })
const bundleOf = async (id: string): Promise<Row> => found(await crm.ws.get(`/phone/bundles/${id}`))
/** Documents that fulfil every requirement. */
async function documents(): Promise<Row[]> {
  const { id } = created(await addAddress())
  return [{ type: 'utility_bill', attributes: { document_number: '1' }, address_ids: [id] }]
}
const world = () => {
  const { addresses, bundles, endUsers, documents: papers } = crm.app.sms.compliance
  return { addresses: addresses.length, bundles: bundles.length, endUsers: endUsers.length, documents: papers.length }
}
const atTwilio = () => crm.app.sms.compliance.bundles[0] as (typeof crm.app.sms.compliance.bundles)[number]

test('an address is created at the provider, listed, and refused where the provider refuses it', async () => {
  const address = created(await addAddress({ street_secondary: 'Level 3', country: 'au' }))
  expect(address).toMatchObject({ ...ADDRESS, street_secondary: 'Level 3', status: 'active', validated: true, error: null })
  expect(crm.app.sms.compliance.addresses).toMatchObject([
    { customer_name: 'Harbour Pty Ltd', iso_country: 'AU', friendly_name: address.id },
  ])
  expect(await addAddress({ postal_code: '0000' })).toMatchObject(failed(502, 'PROVIDER_ERROR'))
  expect(found(await crm.ws.get('/phone/addresses'))).toMatchObject([{ id: address.id }])
})

const MODES: [SmsFailMode, boolean][] = [
  ['500', false],
  ['500', true],
  ['drop', false],
  ['drop', true],
  ['429', false],
  ['401', false],
  ['slow', false],
]
test.each(MODES)('after %s (accepted: %s) an address is there exactly once', async (mode, accept) => {
  crm.app.sms.fail(mode, 1, accept)
  const { id, status } = created(await addAddress())
  expect(status).toBe(mode === 'slow' ? 'active' : 'creating')
  crm.app.sms.failSearch('503', 3)
  await later()
  await later()
  expect(await addressOf(id)).toMatchObject({ status: 'active', error: null })
  expect(world().addresses).toBe(1)
})

test('an address that cannot be created is tried six times; one that is refused later ends at once', async () => {
  crm.app.sms.fail('503', 6)
  const { id } = created(await addAddress())
  for (let n = 0; n < 6; n++) await later()
  expect(await addressOf(id)).toMatchObject({ status: 'failed', error: expect.stringContaining('20503') })
  crm.app.sms.fail('503')
  const other = created(await addAddress({ postal_code: '0000' }))
  await later()
  expect(await addressOf(other.id)).toMatchObject({ status: 'failed', error: expect.stringContaining('21628') })
  expect(world().addresses).toBe(0)
})

test('a bundle is created with its parts, evaluated, submitted, and follows its review', async () => {
  const bundle = created(await addBundle({ documents: await documents() }))
  expect(bundle).toMatchObject({ friendly_name: 'Sydney numbers', status: 'draft', submitted_at: null })
  expect(world()).toEqual({ addresses: 1, bundles: 1, endUsers: 1, documents: 1 })
  expect(crm.app.sms.compliance.documents[0]?.attributes).toEqual({
    document_number: '1',
    address_sids: [crm.app.sms.compliance.addresses[0]?.sid],
  })
  const { rows } = await crm.app.owner.query('select items from phone_bundles where id = $1', [bundle.id])
  expect(rows).toEqual([{ items: null }])
  expect(await bundleOf(bundle.id)).toMatchObject({
    provider: { id: atTwilio().sid, status: 'draft' },
    evaluations: [],
    provider_error: null,
  })
  const submitted = found(await crm.ws.post(`/phone/bundles/${bundle.id}/submit`))
  expect(submitted).toMatchObject({ status: 'pending_review', error: null })
  expect(await bundleOf(bundle.id)).toMatchObject({
    provider: { status: 'pending-review' },
    evaluations: [{ status: 'compliant', requirements: [{ name: 'end_user_info', passed: true }, { passed: true }] }],
  })
  atTwilio().status = 'twilio-rejected'
  Object.assign(crm.app.sms.compliance.documents[0]!, { status: 'rejected', failure_reason: 'The document is not readable' })
  const report = crm.app.sms.posted(atTwilio().status_callback, { BundleSid: atTwilio().sid, Status: 'twilio-approved' })
  expect((await postTwilio({ ...report, init: { ...report.init, body: `${report.init.body}1` } })).status).toBe(401)
  for (let n = 0; n < 2; n++) expect((await postTwilio(report)).status).toBe(204)
  await crm.app.drain()
  // What counts is what the provider has, and not what the report says.
  expect(found(await crm.ws.get('/phone/bundles'))).toMatchObject([{ status: 'rejected', failure_reason: 'The document is not readable' }])
  expect(found(await crm.ws.post(`/phone/bundles/${bundle.id}/submit`))).toMatchObject({ status: 'pending_review' })
})

test('a bundle that does not fulfil the requirements is not submitted, and they are named', async () => {
  const { id } = created(await addBundle({ end_user: {} }))
  const refused = await crm.ws.post(`/phone/bundles/${id}/submit`)
  expect(refused).toMatchObject(failed(400, 'VALIDATION_ERROR'))
  expect(refused.body.error.details.issues).toMatchObject([
    { path: 'end_user_info', message: expect.stringContaining('business_name') },
    { path: 'proof_of_address', message: expect.stringContaining('Proof of address') },
  ])
  expect(await bundleOf(id)).toMatchObject({
    status: 'draft',
    error: expect.stringContaining('Business, Proof of address'),
    evaluations: [{ status: 'noncompliant', requirements: [{ passed: false, invalid: [{ field: 'business_name' }] }, { passed: false }] }],
  })
  expect(atTwilio().status).toBe('draft')
  crm.app.sms.compliance.isSilent = true
  expect((await crm.ws.post(`/phone/bundles/${id}/submit`)).body.error.details.issues).toEqual([
    { path: 'end_user_info', message: 'Business; is not fulfilled; business_name: missing' },
    { path: 'proof_of_address', message: 'Proof of address; is not fulfilled; address_sids: missing' },
  ])
})

test('addresses of others, and those that are not there yet, are refused', async () => {
  crm.app.sms.fail('503')
  const { id } = created(await addAddress())
  for (const address_ids of [[id], [crypto.randomUUID()]]) {
    const refused = await addBundle({ documents: [{ type: 'utility_bill', address_ids }] })
    expect(refused.body.error.details.issues).toMatchObject([{ path: 'documents.0.address_ids.0' }])
  }
  expect(world().bundles).toBe(0)
})

/**
 * The calls that creating and submitting a bundle takes: the bundle, two parts, two assignments; then the evaluation and the submission.
 */
const CREATING = [0, 1, 2, 3, 4]
test.each(CREATING)('a bundle whose answer %s is lost is completed, with each part exactly once', async (nth) => {
  const all = await documents()
  for (const accept of [true, false]) {
    crm.app.sms.compliance.clear()
    // The calls before it succeed.
    crm.app.sms.fail('pass', nth)
    crm.app.sms.fail(accept ? 'drop' : '500', 1, accept)
    const { id, status } = created(await addBundle({ documents: all }))
    expect(status).toBe('creating')
    await later()
    expect(await bundleOf(id)).toMatchObject({ status: 'draft', error: null })
    expect(world()).toEqual({ addresses: 0, bundles: 1, endUsers: 1, documents: 1 })
    expect(atTwilio().assigned).toHaveLength(2)
    const { rows } = await crm.app.owner.query('select items from phone_bundles where id = $1', [id])
    expect(rows, 'what the provider has is kept here no longer').toEqual([{ items: null }])
  }
})

test.each([0, 1])('a submission whose answer %s is lost is looked up, and ends as submitted', async (nth) => {
  for (const [mode, accept] of [
    ['drop', true],
    ['429', false],
  ] as const) {
    crm.app.sms.clear()
    const { id } = created(await addBundle({ documents: await documents() }))
    crm.app.sms.fail('pass', nth)
    crm.app.sms.fail(mode, 1, accept)
    expect(found(await crm.ws.post(`/phone/bundles/${id}/submit`))).toMatchObject({ status: 'submitting' })
    await later()
    expect(await bundleOf(id)).toMatchObject({ status: 'pending_review', error: null, provider: { status: 'pending-review' } })
    expect(await crm.ws.post(`/phone/bundles/${id}/submit`)).toMatchObject(failed(409, 'CONFLICT'))
  }
})

test('while the provider does not answer, a bundle is shown as it is stored', async () => {
  const { id } = created(await addBundle({ documents: await documents() }))
  crm.app.sms.failSearch('503', 6)
  expect(await bundleOf(id)).toMatchObject({
    status: 'draft',
    provider: null,
    evaluations: null,
    provider_error: expect.stringContaining('503'),
  })
  found(await crm.ws.post(`/phone/bundles/${id}/submit`))
  const report = crm.app.sms.posted(atTwilio().status_callback, { BundleSid: atTwilio().sid, Status: 'twilio-approved' })
  atTwilio().status = 'twilio-approved'
  crm.app.sms.failSearch('503', 3)
  await postTwilio(report)
  await crm.app.drain()
  expect(found(await crm.ws.get('/phone/bundles'))).toMatchObject([{ id, status: 'pending_review' }])
  await later()
  expect(await bundleOf(id)).toMatchObject({ status: 'approved', error: null })
})

test('a repeated request creates nothing again', async () => {
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const [first, again] = [await crm.ws.post('/phone/bundles', BUNDLE, headers), await crm.ws.post('/phone/bundles', BUNDLE, headers)]
  expect(created(again).id).toBe(created(first).id)
  expect(world()).toMatchObject({ bundles: 1, endUsers: 1 })
})

test('an address and a bundle are deleted with all that the provider has of them, unless they are in use', async () => {
  const papers = await documents()
  const [address] = papers[0]!.address_ids as [string]
  const bundle = created(await addBundle({ documents: papers }))
  const other = created(await addBundle({ documents: papers }))
  expect(bundle.address_ids).toEqual([address])
  const remove = (id: string) => crm.ws.delete(`/phone/bundles/${id}`)
  expect(await crm.ws.delete(`/phone/addresses/${address}`)).toMatchObject({
    ...failed(409, 'CONFLICT'),
    body: { error: { details: { referenced_by: 'phone_bundles', ids: [bundle.id, other.id] } } },
  })
  found(await crm.ws.post(`/phone/bundles/${bundle.id}/submit`))
  expect(await remove(bundle.id)).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT', details: { ids: [bundle.id] } } } })
  expect(await crm.ws.delete(`/phone/bundles/${other.id}?dry_run=true`)).toMatchObject({ status: 200 })
  expect(world()).toEqual({ addresses: 1, bundles: 2, endUsers: 2, documents: 2 })
  // The answer of the first call is lost, and the next one finds that the bundle is gone.
  crm.app.sms.fail('drop', 1, true)
  expect(await remove(other.id)).toMatchObject(failed(502, 'PROVIDER_ERROR'))
  expect((await bundleOf(other.id)).id).toBe(other.id)
  const answers = await Promise.all([remove(other.id), remove(other.id)])
  expect(answers.map(({ status }) => status).filter((status) => status !== 404)).toContain(200)
  expect(world()).toEqual({ addresses: 1, bundles: 1, endUsers: 1, documents: 1 })
  expect(await crm.ws.get(`/phone/bundles/${other.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))

  atTwilio().status = 'twilio-rejected'
  await postTwilio(crm.app.sms.posted(atTwilio().status_callback, { BundleSid: atTwilio().sid, Status: 'twilio-rejected' }))
  await crm.app.drain()
  expect(found(await remove(bundle.id))).toEqual({ id: bundle.id, deleted: true })
  crm.app.sms.fail('503')
  expect(await crm.ws.delete(`/phone/addresses/${address}`)).toMatchObject(failed(502, 'PROVIDER_ERROR'))
  expect(await addressOf(address)).toMatchObject({ status: 'active' })
  found(await crm.ws.delete(`/phone/addresses/${address}`))
  expect(world()).toEqual({ addresses: 0, bundles: 0, endUsers: 0, documents: 0 })
  expect(found(await crm.ws.get('/phone/addresses'))).toEqual([])
  crm.app.sms.fail('drop')
  const unclear = created(await addAddress())
  expect(await crm.ws.delete(`/phone/addresses/${unclear.id}`)).toMatchObject(failed(409, 'CONFLICT'))
})

test('a landline number of Australia is found, and bought with the address and the bundle of the workspace', async () => {
  const search = async (query: string) => found(await crm.ws.get(`/phone/numbers/search?country=AU&${query}`)).numbers as Row[]
  const [landline] = await search('type=local')
  expect(landline).toMatchObject({ address_requirements: 'any', capabilities: { voice: true, sms: false } })
  expect(await search('type=local&sms_enabled=true')).toEqual([])
  const phone_number = `+6125550${String(Date.now()).slice(-4)}`
  const buy = (fields: Row = {}) => crm.ws.post('/phone/numbers/buy', { phone_number, ...fields })
  expect(await buy()).toMatchObject(refused('address_id'))
  expect(crm.app.sms.numbers).toEqual([])
  const address = created(await addAddress())
  expect(await buy({ address_id: null })).toMatchObject(refused('address_id'))
  expect(await buy({ address_id: crypto.randomUUID() })).toMatchObject(refused('address_id'))
  const number = created(await buy())
  expect(number).toMatchObject({ status: 'active', address_id: address.id, bundle_id: null, sms_enabled: false, voice_enabled: true })
  const [atProvider] = crm.app.sms.compliance.addresses
  expect(crm.app.sms.numbers).toMatchObject([{ phone_number, address_sid: atProvider?.sid, bundle_sid: null }])
  expect(await crm.ws.delete(`/phone/addresses/${address.id}`)).toMatchObject({
    ...failed(409, 'CONFLICT'),
    body: { error: { details: { referenced_by: 'phone_numbers', ids: [number.id] } } },
  })
  const other = await crm.app.workspace()
  expect(
    await other.post('/phone/numbers/buy', { phone_number: `+6125551${String(Date.now()).slice(-4)}`, address_id: address.id }),
  ).toMatchObject(refused('address_id'))
})

test('a number of a country that requires a bundle is bought as soon as that is approved', async () => {
  const phone_number = `+4479009${String(Date.now()).slice(-5)}`
  const buy = (fields: Row = {}) => crm.ws.post('/phone/numbers/buy', { phone_number, ...fields })
  created(await addAddress({ country: 'GB', postal_code: 'SW1A 1AA' }))
  const { id } = created(await addBundle({ country: 'GB', number_type: 'mobile', documents: await documents() }))
  expect(await buy()).toMatchObject(refused('bundle_id'))
  expect(await buy({ bundle_id: id })).toMatchObject(refused('bundle_id'))
  found(await crm.ws.post(`/phone/bundles/${id}/submit`, {}))
  const bundle = atTwilio()
  bundle.status = 'twilio-approved'
  await postTwilio(crm.app.sms.posted(bundle.status_callback, { BundleSid: bundle.sid, Status: bundle.status }))
  await crm.app.drain()
  expect(created(await buy())).toMatchObject({ bundle_id: id, status: 'active' })
  expect(crm.app.sms.numbers).toMatchObject([{ bundle_sid: bundle.sid }])
})
