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
