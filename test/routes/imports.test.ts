import { describe, expect, test } from 'vitest'
import { found, useCrm } from './crm.ts'
import { useImports } from './importing.ts'

const crm = useCrm()
const { uploadForm, imported, rows, act, uploaded } = useImports(crm)

describe('an import', () => {
  test('finds out how a file is written and what its columns mean', async () => {
    const answer = await uploadForm('First Name,Surname,E-mail,Mobile,Company\nAna,Lee,ana@example.com,0412 345 678,Acme\n')
    expect(answer).toMatchObject({ status: 201, body: { data: { state: 'ready', object: 'contacts', file_name: 'contacts.csv' } } })
    expect(answer.body.data).toMatchObject({
      mapping: [
        { column: 'First Name', field: 'first_name' },
        { column: 'Surname', field: 'last_name' },
        { column: 'E-mail', field: 'email' },
        { column: 'Mobile', field: 'phone' },
        { column: 'Company', field: 'company' },
      ],
      file: { encoding: 'utf-8', delimiter: ',', has_header: true, preview: [['Ana', 'Lee', 'ana@example.com', '0412 345 678', 'Acme']] },
      progress: { phase: null, total: 1, done: 0 },
    })
  })

  test('makes records as the API does: names and phone numbers in their own form, history and events, company by its name', async () => {
    const company = await crm.company('Acme')
    const run = await imported(
      'First Name,Surname,E-mail,Mobile,Company\nAna,Lee,ANA@example.com,0412 345 678,acme\nBo,,bo@,,\nCy,,cy@,,Nobody\n',
      { unknown_companies: 'fail' },
    )
    expect(run).toMatchObject({ state: 'finished', progress: { phase: 'run', total: 3, done: 3, created: 1, updated: 0, failed: 2 } })
    const [contact] = found(await crm.ws.get('/contacts'))
    expect(contact).toMatchObject({
      first_name: 'Ana',
      email: 'ana@example.com',
      phone: '+61412345678',
      customer_id: company,
      source: 'import',
    })
    expect(await rows(run.id)).toMatchObject([
      { line: 2, status: 'created', record_id: contact?.id, errors: [], values: null },
      { line: 3, status: 'failed', record_id: null, errors: [{ field: 'email', column: 'E-mail', value: 'bo@' }] },
      {
        line: 4,
        status: 'failed',
        // All issues are reported together, whichever check finds them.
        errors: [
          { field: 'company', column: 'Company', value: 'Nobody', message: expect.stringContaining('import it first') },
          { field: 'email', column: 'E-mail', value: 'cy@' },
        ],
      },
    ])
    const [change] = found(await crm.ws.get(`/contacts/${contact?.id}/history`)).slice(-1)
    expect(change).toMatchObject({ action: 'created', request_id: run.id, user_id: crm.ws.userId })
    expect(found(await crm.ws.get('/events?type=import.finished'))).toMatchObject([
      { entity_id: run.id, payload: { created: 1, failed: 2 } },
    ])
  })

  test('fills a list from one cell or from several columns', async () => {
    const run = await imported(
      'First Name,Mobile,Phone 2,Other Phone,Tags,Labels\nAna,0412 345 678,0498 765 432; 0412 345 678,02 9374 ' +
        '4000,VIP,Deck\nBo,,,+44 20 7946 0018,,Roof\n',
    )
    expect(run).toMatchObject({ state: 'finished', progress: { created: 2, failed: 0 } })
    expect(found(await crm.ws.get('/contacts?sort=name'))).toMatchObject([
      { phone: '+61412345678', alternate_phones: ['+61498765432', '+61293744000'], tags: [{ name: 'VIP' }, { name: 'Deck' }] },
      { phone: null, alternate_phones: ['+442079460018'], tags: [{ name: 'Roof' }] },
    ])
    const again = await imported('First Name,Mobile,Phone 2,Other Phone\nAna,0412 345 678,,0498 765 432\nBo,,,\n', {
      mode: 'update',
      match_by: 'phone',
      clear_empty: true,
    })
    expect(again.progress).toMatchObject({ updated: 1, skipped: 1 })
    expect(found(await crm.ws.get('/contacts?sort=name'))[0]).toMatchObject({ alternate_phones: ['+61498765432'] })
    expect(await rows(again.id, '&status=skipped')).toHaveLength(1)
  })

  test('refuses a bad number of a list by its column', async () => {
    const run = await imported('First Name,Other Phone,Phone 2\nAna,,0498 765 432; soon\n')
    const [row] = await rows(run.id)
    expect(row).toMatchObject({ status: 'failed', errors: [{ field: 'alternate_phones', column: 'Phone 2' }] })
    expect(row?.errors).toHaveLength(1)
  })

  test('is undone', async () => {
    const company = await crm.company('Acme')
    const old = await crm.contact({ email: 'bo@example.com', first_name: 'Bo' })
    const before = found(await crm.ws.get('/contacts'))
    const run = await imported('First Name,Email,Company\nAna,ana@example.com,Acme\nBob,bo@example.com,Acme\n', {
      mode: 'upsert',
      match_by: 'email',
    })
    expect(run.progress).toMatchObject({ created: 1, updated: 1 })
    expect(found(await crm.ws.get(`/contacts/${old.id}`))).toMatchObject({ first_name: 'Bob', customer_id: company })
    const undone = await act(run.id, 'undo')
    expect(undone).toMatchObject({ state: 'undone', progress: { removed: 1, restored: 1, kept: 0 } })
    const without = ({ version: _, updated_at: __, ...row }: Record<string, unknown>) => row
    expect(found(await crm.ws.get('/contacts')).map(without)).toEqual(before.map(without))
    expect(await crm.count('employers')).toBe(0)
  })

  test('is checked', async () => {
    const made = await uploaded('First Name,Email\nAna,ana@example.com\nBo,b@\n')
    const checked = await act(made.id, 'check')
    expect(checked).toMatchObject({ state: 'checked', progress: { phase: 'check', done: 2, created: 1, failed: 1 } })
    expect(await crm.count('contacts')).toBe(0)
  })
})
