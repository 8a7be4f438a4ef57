import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { failed, found, ids, type Row, refused, useCrm, uuid } from './crm.ts'
import { whatsapping } from './whatsapping.ts'

const crm = useCrm()
const wa = whatsapping(crm)
beforeEach(() => crm.app.whatsapp.clear())

const SITE = '120363000000000001@g.us'
const OTHER = '120363000000000002@g.us'
const members = [
  { id: '61400000001@s.whatsapp.net', admin: 'superadmin' as const },
  { id: '123456789012@lid', phoneNumber: '61400000002@s.whatsapp.net', admin: null },
  { id: '210987654321@lid', admin: 'admin' as const },
]
const groups = async (query = ''): Promise<Row[]> => found(await crm.ws.get(`/whatsapp/groups${query && `?${query}`}`))
const timeline = async (path: string): Promise<string[]> =>
  found(await crm.ws.get(`${path}/timeline?kinds=activity`)).map(({ data }: Row) => data.body)

test('the groups of the phone are listed with their members, and follow its changes', async () => {
  await wa.credits()
  await wa.pair()
  wa.connection().groups.set(SITE, { id: SITE, subject: '12 Bridge Street', desc: 'The site', size: 3, participants: members })
  wa.world().scan(wa.connection())
  await wa.flush()
  const [group] = await groups()
  expect(group).toMatchObject({ id: uuid, jid: SITE, name: '12 Bridge Street', member_count: 3, is_left: false, linked_deal_id: null })
  const path = `/whatsapp/groups/${group!.id}`
  expect(found(await crm.ws.get(path)).members).toEqual([
    { phone_number: '+61400000001', lid: null, role: 'owner' },
    { phone_number: '+61400000002', lid: '123456789012@lid', role: 'member' },
    { phone_number: null, lid: '210987654321@lid', role: 'admin' },
  ])
  wa.world().setGroup(wa.connection(), SITE, '12 Bridge Street, deck', members.slice(0, 2))
  wa.world().setGroup(wa.connection(), OTHER, 'Crew', members)
  await wa.flush({ twice: true, reversed: true })
  expect(found(await crm.ws.get(path))).toMatchObject({ name: '12 Bridge Street, deck', member_count: 2 })
  expect(await groups()).toHaveLength(2)
  wa.world().setGroup(wa.connection(), SITE, '12 Bridge Street, deck', [])
  await wa.flush()
  expect(found(await crm.ws.get(path))).toMatchObject({ is_left: true })
  expect(await crm.ws.post('/whatsapp/groups/send', { group_id: group!.id, text: 'Hi' })).toMatchObject(refused('group_id'))
  expect(await crm.ws.post('/whatsapp/groups/send', { group_id: randomUUID(), text: 'Hi' })).toMatchObject(refused('group_id'))
})

test('a linked group is on the timelines of the deal and the company, and an unlinked one stays in the inbox', async () => {
  await wa.paired()
  const [ana, deal, company] = [await crm.contact({ phone: '+61400000002' }), await crm.opportunity(), await crm.company()]
  wa.world().setGroup(wa.connection(), SITE, '12 Bridge Street', members)
  await wa.receive({ group: SITE, from: '+61400000002', lid: '123456789012', text: 'Before the link' })
  const [group] = await groups('unlinked=true')
  expect(group).toMatchObject({ name: '12 Bridge Street', message_count: 1, snippet: 'Before the link' })
  const path = `/whatsapp/groups/${group!.id}`
  expect(found(await crm.ws.post(`${path}/link`, { deal_id: deal.id }))).toMatchObject({
    linked_deal_id: deal.id,
    linked_customer_id: null,
  })
  expect(await timeline(`/opportunities/${deal.id}`)).toEqual(['Before the link'])
  const sent = found(await crm.ws.post('/whatsapp/groups/send', { group_id: group!.id, text: 'We begin on Monday' }))
  expect(sent).toMatchObject({ group_id: group!.id, conversation_id: null, recipient: SITE, credits: 1 })
  await crm.app.drain()
  await wa.flush({ twice: true })
  expect(wa.world().sent).toMatchObject([{ to: SITE, text: 'We begin on Monday' }])
  found(await crm.ws.post(`${path}/link`, { customer_id: company }))
  await wa.receive({ group: SITE, from: '+61400000002', lid: '123456789012', text: 'Great' })
  const all = ['Great', 'We begin on Monday', 'Before the link']
  expect(await timeline(`/opportunities/${deal.id}`)).toEqual(all)
  expect(await timeline(`/companies/${company}`)).toEqual(all)
  const messages = found(await crm.ws.get(`${path}/messages`))
  expect(messages.map(({ body_text, contact_id }: Row) => [body_text, contact_id])).toEqual([
    ['Before the link', ana.id],
    ['We begin on Monday', null],
    ['Great', ana.id],
  ])
  for (const query of [`linked_deal_id=${deal.id}`, `linked_customer_id=${company}`, 'unlinked=false'])
    expect(ids(await groups(query))).toEqual([group!.id])
  expect(await groups('unlinked=true')).toEqual([])
  expect(found(await crm.ws.post(`${path}/unlink`))).toMatchObject({ linked_deal_id: null, linked_customer_id: null })
  expect(ids(await groups('unlinked=true'))).toEqual([group!.id])
  await wa.receive({ group: SITE, from: '+61400000002', text: 'After the link' })
  expect(await timeline(`/opportunities/${deal.id}`)).toEqual(all)
  found(await crm.ws.post(`${path}/link`, { deal_id: deal.id }))
  expect(await timeline(`/opportunities/${deal.id}`), 'linked again, each message is there once').toEqual(['After the link', ...all])
  expect(await crm.ws.post(`${path}/link`, { deal_id: randomUUID() })).toMatchObject(refused('deal_id'))
  expect(await crm.ws.post(`${path}/link`, {})).toMatchObject(refused('deal_id'))
  expect(await crm.ws.post(`/whatsapp/groups/${randomUUID()}/link`, { deal_id: deal.id })).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await wa.conversations(), 'a group is no conversation with a person').toEqual([])
})
