import { expect, test } from 'vitest'
import { created, failed, found, type Row, useCrm } from '../crm.ts'
import { retell, voiceOf } from './calling.ts'
import { audit, beforeClaim, book, eventType, monday, sydney } from './scheduling.ts'
import { day, openPage, visits } from './visitor.ts'

/** The rules of a workspace for the records that its people write, beside bookings, which cannot send what these rules ask for. */
const crm = useCrm()
const say = voiceOf(crm)
const { booked, bookings } = visits(crm)
const at = (time: string) => `${monday(2)} ${time}`

test('fields that records must have keep nobody from booking or waiting, and no booking from being marked', async () => {
  const { ws } = crm
  for (const object of ['contact', 'opportunity', 'activity'])
    created(await ws.post('/custom-fields', { object, key: 'origin', label: 'Origin', type: 'text', required: true }))
  const { pipeline, stages } = await crm.firstPipeline()
  found(await ws.patch(`/pipelines/${pipeline}/stages/${stages.New}`, { required_fields: ['value', 'metadata.origin'] }))
  const type = await eventType(ws)
  const byApi = created(await book(ws, { starts_at: at('09:00') }))
  const spoken = await say(`/${type.id}/book`, retell({ slot: at('10:00'), name: 'Ben Ito' }, { from_number: '+61499005678' }))
  expect(spoken.text).toMatch(/^Booked: /)
  await booked(await openPage(ws), '11:00', { name: 'Cy Ng', email: 'cy@example.com' })
  const made = await bookings()
  expect(made.map(({ name, source }) => [name, source])).toEqual([
    ['Ana Lee', 'api'],
    ['Ben Ito', 'voice'],
    ['Cy Ng', 'page'],
  ])
  for (const { contact_id, deal_id } of made) {
    expect(found(await ws.get(`/contacts/${contact_id}`))).toMatchObject({ metadata: {} })
    expect(found(await ws.get(`/opportunities/${deal_id}`))).toMatchObject({ stage_id: stages.New, value: 0, metadata: {} })
  }
  found(await ws.post(`/scheduling-bookings/${byApi.id}/mark-attended`))
  const subjects = found(await ws.get(`/contacts/${byApi.contact_id}/activities`)).map(({ subject }: Row) => subject)
  expect(subjects).toContain('Attended: First meeting')
  await eventType(ws, { name: 'Class', seats: 2, waiting_list: true })
  for (const email of ['di@example.com', 'ed@example.com']) created(await book(ws, { event_type: 'class', starts_at: at('14:00'), email }))
  const waiting = { event_type: 'class', starts_at: at('14:00'), name: 'Flo Wu', email: 'flo@example.com' }
  created(await ws.post('/scheduling-waiting-list', waiting))
  // What people write themselves must have the fields.
  expect(await ws.post('/contacts', { first_name: 'Di' })).toMatchObject(failed(400, 'VALIDATION_ERROR'))
  expect(await ws.post('/opportunities', { name: 'Roof', metadata: { origin: 'Fair' } })).toMatchObject(failed(400, 'VALIDATION_ERROR'))
  await audit(crm)
})

test('a booking whose pipeline was archived makes its opportunity in the first one', async () => {
  const { ws } = crm
  const { pipeline } = await crm.firstPipeline()
  const other = await crm.pipeline({ name: 'Visits', stages: [{ name: 'Booked' }] })
  await eventType(ws, { pipeline_id: other.id })
  const pipelineOf = async ({ deal_id }: Row) => found(await ws.get(`/opportunities/${deal_id}`)).pipeline_id
  expect(await pipelineOf(created(await book(ws, { starts_at: at('09:00') })))).toBe(other.id)
  found(await ws.patch(`/pipelines/${other.id}`, { archived: true }))
  expect(await pipelineOf(created(await book(ws, { starts_at: at('10:00') })))).toBe(pipeline)
  await booked(await openPage(ws), '11:00')
  expect(await bookings()).toMatchObject([{}, {}, { source: 'page', starts_at: sydney(day, '11:00') }])
  // Nor does one that is archived while somebody books.
  found(await ws.patch(`/pipelines/${other.id}`, { archived: false }))
  beforeClaim(crm.app, async () => found(await ws.patch(`/pipelines/${other.id}`, { archived: true })))
  expect(await pipelineOf(created(await book(ws, { starts_at: at('12:00') })))).toBe(pipeline)
  await audit(crm)
})
