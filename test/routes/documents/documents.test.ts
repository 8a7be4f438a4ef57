import { describe, expect, test } from 'vitest'
import { created, failed, found, held, ids, type Row, refused, useCrm } from '../crm.ts'
import { pngOf, useForms, WHOLE_PDF } from './forms.ts'

const crm = useCrm()
const { uploaded, objects, usage } = useForms(crm)
const document = async (fields: Record<string, unknown> = {}) => created(await crm.ws.post('/documents', { name: 'Agreement', ...fields }))

describe('a document', () => {
  test('has a file, a folder and links, and is updated, downloaded and deleted', async () => {
    const [file, contact, company, opportunity] = [await uploaded(), await crm.contact(), await crm.company(), await crm.opportunity()]
    const links = { contact_id: contact.id, customer_id: company, opportunity_id: opportunity.id }
    const made = await document({ folder: 'Contracts', document_type: 'contract', file_id: file.id, ...links })
    expect(made).toMatchObject({ folder: 'Contracts', document_type: 'contract', file_id: file.id, ...links, version: 1 })
    expect(found(await crm.ws.patch(`/documents/${made.id}`, { name: 'Signed', folder: null, contact_id: null }))).toMatchObject({
      name: 'Signed',
      folder: null,
      contact_id: null,
      customer_id: company,
    })
    const { url, expires_at } = found(await crm.ws.get(`/documents/${made.id}/download`))
    expect((Date.parse(expires_at) - Date.now()) / 1000).toBeLessThanOrEqual(60)
    const response = await crm.app.fetch(new URL(url).pathname + new URL(url).search)
    expect(await response.text()).toBe(WHOLE_PDF)
    expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="offer.pdf"/)
    found(await crm.ws.delete(`/documents/${made.id}`))
    expect(await crm.ws.get(`/documents/${made.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(found(await crm.ws.get(`/files/${file.id}`))).toMatchObject({ id: file.id })
    expect(found(await crm.ws.post(`/documents/${made.id}/restore`))).toMatchObject({ id: made.id, file_id: file.id })
    expect((await crm.events(made.id)).map(({ type }) => type)).toEqual([
      'document.created',
      'document.updated',
      'document.deleted',
      'document.created',
    ])
  })

  test('needs only a name; without a file there is nothing to download', async () => {
    const { id } = await document()
    expect(await crm.ws.get(`/documents/${id}/download`)).toMatchObject(failed(409, 'INVALID_STATE'))
    const file = await uploaded()
    found(await crm.ws.patch(`/documents/${id}`, { file_id: file.id }))
    expect((await crm.ws.get(`/documents/${id}/download`)).status).toBe(200)
  })

  test('is found by folder, type, record and words', async () => {
    const contact = await crm.contact()
    const [offer, lease] = [
      await document({ name: 'Offer for the deck', folder: 'Offers', contact_id: contact.id }),
      await document({ name: 'Lease', folder: 'Contracts', document_type: 'contract' }),
    ]
    await document({ folder: 'Contracts' })
    expect(ids(found(await crm.ws.get('/documents?folder=Offers')))).toEqual([offer.id])
    expect(ids(found(await crm.ws.get('/documents?document_type=contract')))).toEqual([lease.id])
    expect(ids(found(await crm.ws.get(`/documents?contact_id=${contact.id}`)))).toEqual([offer.id])
    expect(ids(found(await crm.ws.get('/documents?search=deck')))).toEqual([offer.id])
    expect(ids(found(await crm.ws.get('/documents?search=lease&folder=Contracts')))).toEqual([lease.id])
    expect((found(await crm.ws.get('/documents?sort=name')) as { name: string }[]).map(({ name }) => name)).toEqual([
      'Agreement',
      'Lease',
      'Offer for the deck',
    ])
    expect(found(await crm.ws.get('/documents/folders'))).toEqual(['Contracts', 'Offers'])
    const stranger = await crm.app.workspace()
    expect(found(await stranger.get('/documents/folders'))).toEqual([])
  })

  test('can wait for approval', async () => {
    const file = await uploaded()
    const answer = await crm.ws.post('/documents', { name: 'Held', file_id: file.id, require_approval: true })
    expect(answer).toMatchObject(held)
    expect(found(await crm.ws.get('/documents'))).toEqual([])
    await crm.ws.post(`/approvals/${answer.body.approval_id}/approve`)
    await crm.app.drain()
    expect(found(await crm.ws.get('/documents'))).toMatchObject([{ name: 'Held', file_id: file.id }])
  })

  test('keeps its links through the merge of a contact, and loses them with the contact', async () => {
    const [winner, loser] = [await crm.contact(), await crm.contact({ first_name: 'Bo' })]
    const { id } = await document({ contact_id: loser.id })
    found(await crm.ws.post('/contacts/merge', { winner_id: winner.id, loser_ids: [loser.id] }))
    expect(found(await crm.ws.get(`/documents/${id}`))).toMatchObject({ contact_id: winner.id })
    found(await crm.ws.delete(`/contacts/${winner.id}`))
    expect(found(await crm.ws.get(`/documents/${id}`))).toMatchObject({ contact_id: null })
  })
})

describe('many documents', () => {
  test('are moved to a folder, each judged by itself', async () => {
    const [one, two, three, four] = [await document(), await document(), await document(), await document()]
    const stranger = await crm.app.workspace()
    const foreign = created(await stranger.post('/documents', { name: 'Theirs' }))
    const image = await uploaded('logo.png', await pngOf(10, 10), 'image')
    const nobody = '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d'
    const records = [
      { id: one.id, folder: 'Archive' },
      { id: foreign.id, folder: 'Archive' },
      { id: two.id, file_id: image.id },
      { id: three.id, folder: 'A\nB' },
      { id: four.id, contact_id: nobody },
    ]
    const { results, errors } = found(await crm.ws.post('/documents/bulk-update', { records }))
    expect(results).toMatchObject([{ id: one.id, folder: 'Archive', version: 2 }])
    expect(errors).toMatchObject([
      { index: 1, error: { code: 'NOT_FOUND' } },
      { index: 2, error: { details: { issues: [{ path: 'file_id' }] } } },
      { index: 3, error: { details: { issues: [{ path: 'folder' }] } } },
      { index: 4, error: { details: { issues: [{ path: 'contact_id' }] } } },
    ])
    expect(ids(found(await crm.ws.get('/documents?folder=Archive')))).toEqual([one.id])
    const many = Array.from({ length: 101 }, () => ({ id: one.id, folder: 'Archive' }))
    expect(await crm.ws.post('/documents/bulk-update', { records: many })).toMatchObject(refused('records'))
  })

  test('are added, each judged by itself', async () => {
    const [file, image] = [await uploaded(), await uploaded('logo.png', await pngOf(10, 10), 'image')]
    const records = [{ name: 'One', file_id: file.id }, { folder: 'A' }, { name: 'Two', file_id: image.id }]
    const { results, errors } = found(await crm.ws.post('/documents/bulk-create', { records }))
    expect(results).toMatchObject([{ name: 'One', file_id: file.id, version: 1 }])
    expect(errors).toMatchObject([
      { index: 1, error: { details: { issues: [{ path: 'name' }] } } },
      { index: 2, error: { details: { issues: [{ path: 'file_id' }] } } },
    ])
    expect(found(await crm.ws.get('/documents'))).toEqual(results)
  })

  test('are deleted with the right to write, each judged by itself, and their files stay', async () => {
    const file = await uploaded()
    const [one, two] = [await document({ file_id: file.id }), await document()]
    const foreign = created(await (await crm.app.workspace()).post('/documents', { name: 'Theirs' }))
    const writer = await crm.ws.key({ scopes: ['documents:write'] })
    const { results, errors } = found(await writer.post('/documents/bulk-delete', { ids: [one.id, foreign.id] }))
    expect([results, errors]).toMatchObject([[{ id: one.id, deleted: true }], [{ index: 1, error: { code: 'NOT_FOUND' } }]])
    expect(ids(found(await crm.ws.get('/documents')))).toEqual([two.id])
    expect((await crm.ws.get(`/files/${file.id}`)).status).toBe(200)
    expect(found(await crm.ws.post(`/documents/${one.id}/restore`))).toMatchObject({ id: one.id, file_id: file.id })
  })
})

test('a document is on the timelines of what it is about, for those who may read documents', async () => {
  const [contact, company, opportunity] = [await crm.contact(), await crm.company(), await crm.opportunity()]
  const { id } = await document({ contact_id: contact.id, customer_id: company, opportunity_id: opportunity.id })
  found(await crm.ws.patch(`/documents/${id}`, { name: 'Signed agreement' }))
  found(await crm.ws.delete(`/documents/${id}`))
  const reader = await crm.ws.key({ scopes: ['contacts:read', 'companies:read', 'opportunities:read'] })
  for (const path of [`/contacts/${contact.id}`, `/companies/${company}`, `/opportunities/${opportunity.id}`]) {
    const entries = async (ws = crm.ws) =>
      (found(await ws.get(`${path}/timeline`)) as Row[])
        .filter(({ data }) => data.entity === 'document')
        .map(({ data }) => [data.entity_id, data.action])
    expect(await entries(), path).toEqual([
      [id, 'deleted'],
      [id, 'updated'],
      [id, 'created'],
    ])
    expect(await entries(reader), path).toEqual([])
  }
})

test('a document is found by the search of everything: by id, name, a misspelt name and folder', async () => {
  const { id } = await document({ name: 'Verandah agreement', folder: 'Harbourside', document_type: 'contract' })
  await document({ name: 'Lease' })
  const search = async (q: string, ws = crm.ws) => (await ws.get(`/search?q=${encodeURIComponent(q)}`)).body
  for (const [q, matched_on] of [
    [id, 'id'],
    ['verandah', 'name'],
    ['agreem', 'name'],
    ['verandha', 'name'],
    ['harbourside', 'folder'],
  ] as const) {
    const hit = { type: 'document', id, title: 'Verandah agreement', subtitle: 'Harbourside · contract', matched_on }
    expect((await search(q)).data.documents, q).toMatchObject([hit])
  }
  expect(found(await crm.ws.get('/search?q=verandah&types=documents'))).toEqual({ documents: [expect.objectContaining({ id })] })
  const reader = await crm.ws.key({ scopes: ['contacts:read'] })
  const { data, _warnings } = await search('verandah', reader)
  expect(data).toEqual({ contacts: [] })
  expect(_warnings).toContainEqual(expect.objectContaining({ field: 'documents' }))
  expect((await search('verandah', await crm.app.workspace())).data.documents).toEqual([])
})

describe('the purge of a person', () => {
  const purge = async (id: string) => {
    found(await crm.ws.delete(`/contacts/${id}?purge=true`))
    await crm.app.drain()
  }

  test('takes a document that is about nobody else, with its file and what is stored', async () => {
    const [person, file, before] = [
      await crm.contact({ first_name: 'Zenobia' }),
      await uploaded('zenobia.pdf'),
      await uploaded('zenobia-old.pdf'),
    ]
    const { id } = await document({ name: 'Contract of Zenobia', folder: 'Zenobia', file_id: before.id, contact_id: person.id })
    found(await crm.ws.patch(`/documents/${id}`, { file_id: file.id }))
    const deleted = await document({ name: 'Former contract', file_id: (await uploaded('zenobia-draft.pdf')).id, contact_id: person.id })
    found(await crm.ws.delete(`/documents/${deleted.id}`))
    found(await crm.ws.delete(`/files/${deleted.file_id}`))
    expect(await objects()).toHaveLength(3)
    await purge(person.id)
    expect(await crm.ws.get(`/documents/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    for (const gone of [file.id, before.id, deleted.file_id]) {
      expect((await crm.ws.get(`/files/${gone}`)).status).toBe(404)
      expect((await crm.ws.post(`/files/${gone}/restore`)).status).toBe(404)
      expect(JSON.stringify((await crm.ws.get(`/files/${gone}/history`)).body)).not.toMatch(/zenobia/i)
      expect(JSON.stringify(await crm.events(gone))).not.toMatch(/zenobia/i)
    }
    expect(await objects()).toEqual([])
    expect(await usage()).toEqual({ stored: 0, reserved: 0 })
  })

  test('leaves one that is about somebody else too, and a file that is used elsewhere, without the name', async () => {
    const [person, company] = [await crm.contact({ first_name: 'Zenobia' }), await crm.company()]
    const [file, shared] = [await uploaded('zenobia.pdf'), await uploaded('terms.pdf')]
    const kept = await document({
      name: 'Contract of Zenobia',
      folder: 'Zenobia',
      file_id: file.id,
      contact_id: person.id,
      customer_id: company,
    })
    const other = await document({ name: 'Terms', file_id: shared.id })
    await document({ name: 'Terms for Zenobia', file_id: shared.id, contact_id: person.id })
    await purge(person.id)
    expect(found(await crm.ws.get('/documents?sort=created_at'))).toMatchObject([
      { id: kept.id, name: '(purged)', folder: null, file_id: file.id, contact_id: null, customer_id: company },
      { id: other.id, name: 'Terms', file_id: shared.id },
    ])
    expect(found(await crm.ws.get(`/files/${file.id}`))).toMatchObject({ name: '(purged).pdf' })
    expect(found(await crm.ws.get(`/files/${shared.id}`))).toMatchObject({ name: 'terms.pdf' })
    const { url } = found(await crm.ws.get(`/documents/${kept.id}/download`))
    expect((await crm.app.fetch(new URL(url).pathname + new URL(url).search)).status).toBe(200)
    for (const path of [`/files/${file.id}/history`, `/documents/${kept.id}/history`])
      expect(JSON.stringify((await crm.ws.get(path)).body)).not.toMatch(/zenobia/i)
    expect(JSON.stringify([await crm.events(file.id), await crm.events(kept.id)])).not.toMatch(/zenobia/i)
    expect(await objects()).toHaveLength(2)
  })
})

describe('what is refused', () => {
  test.each([
    ['no name', {}, ['name']],
    ['an unknown field', { name: 'A', path: 'x' }, ['path']],
    ['a name of two lines', { name: 'A\nB' }, ['name']],
    ['an unknown file', { name: 'A', file_id: '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d' }, ['file_id']],
    ['an unknown contact', { name: 'A', contact_id: '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d' }, ['contact_id']],
  ] as const)('%s', async (_, body, paths) => {
    expect(await crm.ws.post('/documents', body)).toMatchObject(refused(...paths))
  })

  test('a public image as its file', async () => {
    const image = await uploaded('logo.png', await pngOf(10, 10), 'image')
    expect(await crm.ws.post('/documents', { name: 'A', file_id: image.id })).toMatchObject(refused('file_id'))
  })

  test('a key without the scope', async () => {
    const key = await crm.ws.key({ scopes: ['documents:read'] })
    expect(await key.post('/documents', { name: 'A' })).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
    expect((await key.get('/documents')).status).toBe(200)
  })
})
