import { expect, test } from 'vitest'
import { found, type Row, useCrm } from '../routes/crm.ts'

const crm = useCrm()
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

test('a dry run returns the changes that the history then shows, and leaves no trace', async () => {
  const { id } = await crm.contact({ city: 'Perth' })
  const patch = { city: 'Hobart', phone: '0412 345 678', metadata: { size: 'M' } }
  const dry = await crm.ws.patch(`/contacts/${id}?dry_run=true`, patch)
  expect(found(await crm.ws.get(`/contacts/${id}/history`))).toHaveLength(1)
  expect(found(await crm.ws.get(`/contacts/${id}`))).toMatchObject({ city: 'Perth', version: 1 })

  const real = found(await crm.ws.patch(`/contacts/${id}`, patch))
  const [change] = found(await crm.ws.get(`/contacts/${id}/history`))
  expect(dry.body.data).toEqual({ ...real, updated_at: expect.any(String) })
  expect(dry.body.dry_run.changes).toEqual([{ entity: 'contact', entity_id: id, action: 'updated', version: 2, fields: change?.fields }])
  expect(dry.body.dry_run.events).toEqual([{ type: 'contact.updated', entity: 'contact', entity_id: id }])
})

test('its times are written as everywhere', async () => {
  const { stages } = await crm.firstPipeline()
  const { id } = await crm.opportunity({ stage_id: stages.New })
  const { body } = await crm.ws.post(`/opportunities/${id}/move?dry_run=true`, { stage_id: stages.Won })
  const [{ fields }] = body.dry_run.changes as [Row]
  expect([fields.closed_at.after, fields.stage_entered_at.before, fields.stage_entered_at.after]).toEqual(
    Array(3).fill(expect.stringMatching(INSTANT)),
  )
})
