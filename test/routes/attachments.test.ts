import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { NeonQuery } from '../../dev/neon-proxy.ts'
import { keyOfFile } from '../../src/domain/file-names.ts'
import { signPath } from '../../src/lib/signed-paths.ts'
import { FILE_SECRET } from '../harness.ts'
import { created, failed, found, ids, type Row, useCrm } from './crm.ts'
import { PDF, useFiles } from './uploads.ts'

const crm = useCrm()
const { upload, uploaded, linkTo, open, objects } = useFiles(crm)

describe('an attachment', () => {
  test('is uploaded, listed, read, downloaded, deleted, restored with its file, and purged', async () => {
    const { id } = await crm.opportunity()
    const answer = await upload(id, 'Quote für März.pdf')
    const attachment = created(answer)
    expect(attachment).toMatchObject({
      opportunity_id: id,
      name: 'Quote für März.pdf',
      content_type: 'application/pdf',
      size: PDF.length,
      sha256: createHash('sha256').update(PDF).digest('hex'),
      state: 'stored',
      uploaded_by: crm.ws.userId,
      version: 1,
    })
    const path = `/opportunities/${id}/attachments/${attachment.id}`
    expect(answer.headers.get('location')).toBe(`/v1${path}`)
    expect(found(await crm.ws.get(path))).toEqual(attachment)
    expect(found(await crm.ws.get(`/opportunities/${id}/attachments`))).toEqual([attachment])

    const file = await open(await linkTo(id, attachment.id))
    expect(file.status).toBe(200)
    expect(await file.text()).toBe(PDF)
    expect(Object.fromEntries(file.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': String(PDF.length),
      'content-disposition': `attachment; filename="Quote f_r M_rz.pdf"; filename*=UTF-8''Quote%20f%C3%BCr%20M%C3%A4rz.pdf`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'private, no-store',
      'x-request-id': expect.any(String),
    })

    expect(await objects()).toEqual([keyOfFile(crm.ws.id, attachment.id)])
    expect((await crm.ws.delete(path)).body.data).toEqual({ id: attachment.id, deleted: true })
    await crm.app.drain()
    expect(await crm.ws.get(path)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await objects()).toEqual([keyOfFile(crm.ws.id, attachment.id)])
    expect(found(await crm.ws.post(`${path}/restore`))).toMatchObject({ id: attachment.id, state: 'stored' })
    found(await crm.ws.delete(path))
    found(await crm.ws.delete(`/opportunities/${attachment.opportunity_id}?purge=true`))
    await crm.app.drain()
    expect(await objects()).toEqual([])
    const life = ['attachment.created', 'attachment.deleted']
    expect((await crm.events(attachment.id)).map(({ type }) => type)).toEqual([...life, ...life, 'attachment.deleted'])
  })

  test('takes two trips: whether the caller may, then the row', async () => {
    const { id } = await crm.opportunity()
    const trips: string[] = []
    crm.app.proxy.onRequest = (request) => {
      const [{ query, params }] = 'queries' in request ? (request.queries as [NeonQuery]) : [request]
      if (query.includes('begin_request')) trips.push(JSON.parse(String(params?.[0])).request_id)
    }
    const { headers } = await upload(id, 'quote.pdf')
    expect(trips.filter((request) => request === headers.get('x-request-id'))).toHaveLength(2)
  })

  test('lists are newest first, page by page', async () => {
    const { id } = await crm.opportunity()
    const made: Row[] = []
    for (let n = 0; n < 5; n++) made.push(await uploaded(id, `${n}.pdf`))
    expect(ids(await crm.walk(`/opportunities/${id}/attachments?limit=2`))).toEqual(ids(made).toReversed())
  })

  test('goes with its opportunity, and comes back with it; a purge removes its file', async () => {
    const { id } = await crm.opportunity()
    await uploaded(id)
    await uploaded(id)
    expect(await objects()).toHaveLength(2)
    found(await crm.ws.delete(`/opportunities/${id}`))
    await crm.app.drain()
    found(await crm.ws.post(`/opportunities/${id}/restore`))
    const back = found(await crm.ws.get(`/opportunities/${id}/attachments`)) as [Row, Row]
    expect(back).toHaveLength(2)
    expect((await open(await linkTo(id, back[0].id))).status).toBe(200)
    // Deleted once more: the purge of a deleted record removes its files too.
    found(await crm.ws.delete(`/opportunities/${id}`))
    found(await crm.ws.delete(`/opportunities/${id}?purge=true`))
    await crm.app.drain()
    expect(await objects()).toEqual([])
  })

  test('a deletion that requires approval keeps the attachment until it is approved', async () => {
    const { id } = await crm.opportunity()
    const attachment = await uploaded(id)
    const { status, body } = await crm.ws.delete(`/opportunities/${id}/attachments/${attachment.id}?require_approval=true`)
    expect(status).toBe(202)
    await crm.app.drain()
    expect((await open(await linkTo(id, attachment.id))).status).toBe(200)
    await crm.ws.post(`/approvals/${body.approval_id}/approve`)
    await crm.app.drain()
    expect(found(await crm.ws.get(`/opportunities/${id}/attachments`))).toEqual([])
  })
})

describe('permissions', () => {
  test.each([
    ['a key that must ask for approval', { level: 'approval' }, 403, 'FORBIDDEN'],
    ['a key that only reads', { level: 'read_only' }, 403, 'FORBIDDEN'],
    ['a viewer', { role: 'client_viewer' }, 403, 'FORBIDDEN'],
    ['a key without the scope', { scopes: ['opportunities:read'] }, 403, 'INSUFFICIENT_SCOPE'],
  ] as const)('%s may not upload, and nothing is kept', async (_, options, status, code) => {
    const { id } = await crm.opportunity()
    const key = await crm.ws.key({ ...options, scopes: [...('scopes' in options ? options.scopes : ['*:*'])] })
    expect(await upload(id, 'quote.pdf', PDF, {}, key)).toMatchObject(failed(status, code))
    expect(await objects()).toEqual([])
  })

  test('without a valid key nothing is read', async () => {
    const { id } = await crm.opportunity()
    for (const authorization of ['', 'Bearer wck_short']) expect((await upload(id, 'quote.pdf', PDF, { authorization })).status).toBe(401)
  })

  test('another workspace’s opportunity and attachments are not there', async () => {
    const [{ id }, stranger] = [await crm.opportunity(), await crm.app.workspace()]
    const attachment = await uploaded(id)
    const theirs = created(await stranger.post('/opportunities', { name: 'Theirs' })).id
    expect(await upload(id, 'quote.pdf', PDF, {}, stranger)).toMatchObject(failed(404, 'NOT_FOUND'))
    for (const opportunity of [id, theirs])
      for (const path of ['', '/download'])
        expect(await stranger.get(`/opportunities/${opportunity}/attachments/${attachment.id}${path}`)).toMatchObject(
          failed(404, 'NOT_FOUND'),
        )
    expect(await stranger.delete(`/opportunities/${theirs}/attachments/${attachment.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await stranger.get(`/opportunities/${id}/attachments`)).toMatchObject(failed(404, 'NOT_FOUND'))
    const other = await crm.opportunity()
    expect(await crm.ws.get(`/opportunities/${other.id}/attachments/${attachment.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect((await (await crm.app.files()).list({ prefix: `attachments/${stranger.id}/` })).objects).toEqual([])
  })
})

describe('the address of a file', () => {
  test('is good for 60 seconds, for its own file, as it was signed', async () => {
    const { id } = await crm.opportunity()
    const [attachment, other] = [await uploaded(id), await uploaded(id)]
    const { url, expires_at } = found(await crm.ws.get(`/opportunities/${id}/attachments/${attachment.id}/download`))
    const seconds = (Date.parse(expires_at) - Date.now()) / 1000
    expect(seconds).toBeGreaterThan(50)
    expect(seconds).toBeLessThanOrEqual(60)
    const good = new URL(url)
    expect((await open(good)).status).toBe(200)
    const now = Math.floor(Date.now() / 1000)
    const changed = (change: (url: URL) => void) => {
      const copy = new URL(good)
      change(copy)
      return copy
    }
    const bad: Record<string, URL> = {
      'past its time': new URL(signPath(FILE_SECRET, good.pathname, now), good),
      'long past its time': new URL(signPath(FILE_SECRET, good.pathname, now - 3600), good),
      'with a later time': changed(({ searchParams }) => searchParams.set('expires', String(now + 3600))),
      'of another file': changed((copy) => Object.assign(copy, { pathname: good.pathname.replace(attachment.id, other.id) })),
      'with another name': changed((copy) => Object.assign(copy, { pathname: good.pathname.replace('quote.pdf', 'quote.html') })),
      'with another signature': changed(({ searchParams }) => searchParams.set('signature', 'A'.repeat(43))),
      'signed with another secret': new URL(signPath('x'.repeat(32), good.pathname, now + 60), good),
      'without a signature': changed(({ searchParams }) => searchParams.delete('signature')),
      'without anything': changed((copy) => Object.assign(copy, { search: '' })),
      'of a folder': new URL('/files/', good),
    }
    for (const [what, address] of Object.entries(bad)) {
      const answer = await open(address)
      expect([answer.status, ((await answer.json()) as Row).error.code], what).toEqual([403, 'FORBIDDEN'])
    }
  })

  test('of a removed attachment cannot be had any longer, and that of a purged one leads nowhere', async () => {
    const { id } = await crm.opportunity()
    const attachment = await uploaded(id)
    const address = await linkTo(id, attachment.id)
    await crm.ws.delete(`/opportunities/${id}/attachments/${attachment.id}`)
    expect(await crm.ws.get(`/opportunities/${id}/attachments/${attachment.id}/download`)).toMatchObject(failed(404, 'NOT_FOUND'))
    found(await crm.ws.delete(`/opportunities/${id}?purge=true`))
    await crm.app.drain()
    expect((await open(address)).status).toBe(404)
  })
})
