import { describe, expect, test } from 'vitest'
import { created, useCrm } from '../routes/crm.ts'

const crm = useCrm()

describe('a value that another record has', () => {
  test.each([
    ['/contacts', 'external_id', { first_name: 'Ana' }],
    ['/products', 'sku', { name: 'Pro' }],
    ['/pipelines', 'name', {}],
    ['/invoices', 'invoice_number', {}],
  ])('is answered with its record: %s, %s', async (path, field, fields) => {
    const { id } = created(await crm.ws.post(path, { ...fields, [field]: 'Taken' }))
    const conflict = { status: 409, body: { error: { code: 'CONFLICT', details: { field, id } } } }
    expect(await crm.ws.post(path, { ...fields, [field]: 'Taken' })).toMatchObject(conflict)
    const other = created(await crm.ws.post(path, { ...fields, [field]: 'Free' }))
    expect(await crm.ws.patch(`${path}/${other.id}`, { [field]: 'Taken' })).toMatchObject(conflict)
  })

  test('is answered with its record in bulk calls', async () => {
    const { id } = await crm.contact({ external_id: 'Taken' })
    const other = await crm.contact()
    const error = { code: 'CONFLICT', details: { field: 'external_id', id } }
    const creates = await crm.ws.post('/contacts/bulk-create', {
      records: [{ first_name: 'Ben' }, { first_name: 'Cem', external_id: 'Taken' }],
    })
    expect(creates.body.data).toMatchObject({ results: [{ first_name: 'Ben' }], errors: [{ index: 1, error }] })
    const updates = await crm.ws.post('/contacts/bulk-update', { records: [{ id: other.id, external_id: 'Taken' }] })
    expect(updates.body.data.errors).toMatchObject([{ index: 0, id: other.id, error }])
    await crm.ws.post('/products', { name: 'Pro', sku: 'Taken' })
    const products = await crm.ws.post('/products/bulk-create', { records: [{ name: 'Max', sku: 'Taken' }] })
    expect(products.body.data.errors).toMatchObject([{ error: { details: { field: 'sku', id: expect.any(String) } } }])
  })
})
