import { expect, test } from 'vitest'
import { found, useCrm } from './crm.ts'
import { useImports } from './importing.ts'

const crm = useCrm()
const { imported, act, rows } = useImports(crm)

test('a contact that was changed since an import keeps the company and the employment that the import gave it', async () => {
  const company = await crm.company('Acme')
  const { id } = await crm.contact({ email: 'ana@example.com' })
  const { id: other } = await crm.contact({ first_name: 'Bo', email: 'bo@example.com' })
  const run = await imported('Email,First Name,Company\nana@example.com,Ana,Acme\nbo@example.com,Bo,Acme\n', {
    mode: 'upsert',
    match_by: 'email',
  })
  expect(run.progress).toMatchObject({ updated: 2, failed: 0 })
  found(await crm.ws.patch(`/contacts/${id}`, { notes: 'Called' }))
  expect(await act(run.id, 'undo')).toMatchObject({ state: 'undone', progress: { restored: 1, kept: 1 } })
  expect((await rows(run.id)).map(({ undone }) => undone)).toEqual(['kept', 'restored'])
  expect(found(await crm.ws.get(`/contacts/${id}`)).customer_id).toBe(company)
  expect(found(await crm.ws.get(`/contacts/${other}`)).customer_id).toBeNull()
  const { rows: employers } = await crm.app.owner.query('select contact_id from employers where workspace_id = $1', [crm.ws.id])
  expect(employers).toEqual([{ contact_id: id }])
})

test('the lead sources that an import has created go with its undo, unless something else came from them since', async () => {
  const known = await crm.ws.post('/lead-sources', { name: 'Radio' })
  const file = ['Email,Lead source', 'a@sources.test,Fair', 'b@sources.test,Radio', 'c@sources.test,Mailing', 'd@sources.test,Stand']
  const run = await imported(file.join('\n'), { unknown_lead_sources: 'create' })
  expect(run.progress).toMatchObject({ created: 4, failed: 0 })
  const sources = async () => found(await crm.ws.get('/lead-sources?sort=name')) as { id: string; name: string }[]
  const names = async () => (await sources()).map(({ name }) => name).toSorted()
  expect(await names()).toEqual(['Fair', 'Mailing', 'Radio', 'Stand'])
  const mailing = (await sources()).find(({ name }) => name === 'Mailing')!
  await crm.contact({ email: 'e@sources.test', source_id: mailing.id })
  await crm.opportunity({ lead_source: 'Stand' })
  expect(await act(run.id, 'undo')).toMatchObject({ state: 'undone', progress: { removed: 4, kept: 0 } })
  expect(await names()).toEqual(['Mailing', 'Radio', 'Stand'])
  expect(found(await crm.ws.get(`/lead-sources/${known.body.data.id}`)).name).toBe('Radio')
})
