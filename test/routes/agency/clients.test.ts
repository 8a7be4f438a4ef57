import { describe, expect, test } from 'vitest'
import { linkClient, unlinkClient } from '../../../dev/agency/agency.ts'
import { useCrm } from '../crm.ts'
import { agencyIn, inMonth } from './agencies.ts'

const crm = useCrm()

describe('the clients of an agency', () => {
  test('are listed with figures about their health, which the background reads, and with nothing that they store', async () => {
    const agency = await agencyIn(crm.app)
    const client = await agency.client()
    const template = await agency.client(undefined, true)
    await client.patch('/company', { website_url: 'https://client.example.com', contact_email: 'a@example.com', phone: '+61412345678' })
    await client.post('/contacts', { first_name: 'Secret' })
    await client.post('/service-requests', { title: 'Help', queue: 'agency' })
    await agency.pay(client, { amount_cents: 10_050, paid_at: inMonth(1), reference: 'p' })
    await agency.refund('p', 50, inMonth(0))
    const path = `/agency/clients/${client.id}`
    expect((await agency.ws.get(path)).body.data).toMatchObject({ amount_paid: 100, checked_at: null, user_count: null })

    await crm.app.deliver('WEBHOOKS', [{ type: 'work.run', kind: 'agency.clients', workspace_id: agency.ws.id }])
    const shown = (await agency.ws.get(path)).body.data
    expect(shown).toMatchObject({
      client_id: client.id,
      is_template: false,
      user_count: 1,
      open_service_requests: 1,
      website_url: 'https://client.example.com',
      unfinished_setup: ['team', 'mailbox', 'calendar'],
    })
    expect(shown.checked_at).not.toBeNull()
    const { body } = await agency.ws.get('/agency/clients')
    expect(body.data.map(({ client_id }: { client_id: string }) => client_id)).toEqual([client.id, template.id])
    expect(JSON.stringify(body)).not.toContain('Secret')
    expect((await agency.ws.get('/agency')).body.data).toMatchObject({ client_count: 1, template_count: 1, commission_percent: 20 })
  })

  test('of another agency are not found, and cannot be taken over', async () => {
    const [agency, other] = [await agencyIn(crm.app), await agencyIn(crm.app)]
    const client = await agency.client()
    expect((await other.ws.get(`/agency/clients/${client.id}`)).status).toBe(404)
    await expect(linkClient(crm.app.owner, other.ws.id, client.id)).rejects.toThrow('Another agency')
    await expect(other.pay(client, { amount_cents: 100 })).rejects.toThrow('no client of this agency')
    await unlinkClient(crm.app.owner, agency.ws.id, client.id)
    expect((await agency.ws.get(`/agency/clients/${client.id}`)).status).toBe(404)
    await linkClient(crm.app.owner, other.ws.id, client.id)
    expect((await other.ws.get(`/agency/clients/${client.id}`)).status).toBe(200)
  })

  test('are listed by the hundred', async () => {
    const agency = await agencyIn(crm.app)
    await agency.client()
    const sizeOf = async (query: string) => (await agency.ws.get(`/agency/clients${query}`)).body.page?.limit
    expect([await sizeOf(''), await sizeOf('?limit=7'), await sizeOf('?limit=101')]).toEqual([100, 7, undefined])
  })

  test('have payments that are recorded once for each reference', async () => {
    const agency = await agencyIn(crm.app)
    const client = await agency.client()
    const payment = { amount_cents: 1_000, reference: 'same', paid_at: inMonth(0) }
    const first = await agency.pay(client, payment)
    expect(await agency.pay(client, payment)).toBe(first)
    await expect(agency.pay(client, { ...payment, amount_cents: 2_000 })).rejects.toThrow('belongs to another payment')
    await expect(agency.pay(client, { ...payment, reference: 'b', currency: 'EUR' })).rejects.toThrow('in AUD')
    await expect(agency.pay(client, { ...payment, reference: 'c', paid_at: '2020-01-01T00:00:00Z' })).rejects.toThrow('begins with')
    await expect(agency.refund('same', 1_001, inMonth(0))).rejects.toThrow('At most 10.00')
    expect((await agency.ws.get(`/agency/clients/${client.id}`)).body.data.amount_paid).toBe(10)
  })
})

describe('the service requests of clients', () => {
  test('are seen by the agency that looks after them, which adds notes that the client sees', async () => {
    const agency = await agencyIn(crm.app)
    const client = await agency.client()
    const { id } = (await client.post('/service-requests', { title: 'Help', queue: 'agency' })).body.data
    await client.post('/service-requests', { title: 'Other' })
    const list = async (query = '') => (await agency.ws.get(`/agency/service-requests${query}`)).body.data
    expect(await list(`?client=${client.id}`)).toMatchObject([
      { title: 'Other', queue: 'platform' },
      { id, queue: 'agency', note_count: 0 },
    ])
    await client.patch(`/service-requests/${id}`, { status: 'in_progress' })
    await client.patch(`/service-requests/${id}`, { status: 'done' })
    expect(await list('?status=done')).toMatchObject([{ id, client_id: client.id }])

    const manager = await agency.member('account_manager')
    const notes = `/agency/service-requests/${id}/notes`
    const added = await manager.post(notes, { content: 'We are on it' })
    expect(added.status, JSON.stringify(added.body)).toBe(201)
    const note = added.body.data
    expect(note).toMatchObject({ content: 'We are on it', user_id: manager.userId, edited_at: null })
    const seen = (await client.get(`/service-requests/${id}`)).body.data
    expect(seen).toMatchObject({ status: 'done', queue: 'agency', notes: [{ id: note.id, by_agency: true, content: 'We are on it' }] })
    expect(await list('?status=done')).toMatchObject([{ note_count: 1 }])

    expect((await agency.ws.patch(`${notes}/${note.id}`, { content: 'Mine?' })).status).toBe(403)
    const edited = (await manager.patch(`${notes}/${note.id}`, { content: 'Solved' })).body.data
    expect(edited).toMatchObject({ content: 'Solved', edited_at: expect.any(String) })
    expect((await manager.post(notes, { content: 'x'.repeat(20_001) })).status).toBe(400)
    const own = (await client.post(`/service-requests/${id}/notes`, { content: 'Ours' })).body.data
    expect((await manager.patch(`${notes}/${own.id}`, { content: 'Taken' })).status).toBe(404)

    const other = await agencyIn(crm.app)
    expect((await other.ws.post(notes, { content: 'Hello' })).status).toBe(404)
    expect((await other.ws.get('/agency/service-requests')).body.data).toEqual([])
    await unlinkClient(crm.app.owner, agency.ws.id, client.id)
    expect((await manager.post(notes, { content: 'Late' })).status).toBe(404)
    expect((await manager.patch(`${notes}/${note.id}`, { content: 'Late' })).status).toBe(404)
    expect(await list()).toEqual([])
    expect((await client.get(`/service-requests/${id}`)).body.data.notes).toHaveLength(2)
  })
})
