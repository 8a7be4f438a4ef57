import { beforeEach, expect, test } from 'vitest'
import { found, type Row, useCrm } from './crm.ts'
import { whatsapping } from './whatsapping.ts'

const crm = useCrm({ own: true })
const wa = whatsapping(crm)
beforeEach(() => crm.app.whatsapp.clear())

const ANA = '+61400000002'
const SITE = '120363000000000003@g.us'

test.each(['deleted', 'purged'] as const)('what a person wrote who was %s does not come back by itself', async (how) => {
  await wa.paired()
  wa.world().setGroup(wa.connection(), SITE, 'Site', [{ id: '61400000001@s.whatsapp.net', admin: 'superadmin' }])
  const contact = await crm.contact({ phone: ANA })
  const at = Math.floor(Date.now() / 1000) - 90
  const [first, inGroup] = [wa.messageOf({ from: ANA, text: 'My address', at }), wa.messageOf({ from: ANA, group: SITE, text: 'Mine', at })]
  const reported = async () => {
    for (const message of [first, inGroup]) {
      await wa.post({ event: 'messages.upsert', data: message }, new URL(wa.connection().webhook!.url).pathname)
      await crm.app.drain()
    }
  }
  wa.connection().messages.push(first, inGroup)
  await reported()
  const sent = await wa.send({ to_phone: ANA, text: 'Thank you' })
  const [group] = found(await crm.ws.get('/whatsapp/groups')) as [Row]
  const inSite = async () => found(await crm.ws.get(`/whatsapp/groups/${group.id}/messages`)).map(({ body_text }) => body_text)
  expect([(await wa.messages(sent.conversation_id)).length, await inSite()]).toEqual([2, ['Mine']])

  found(await crm.ws.delete(`/contacts/${contact.id}${how === 'purged' ? '?purge=true' : ''}`))
  await crm.app.drain()
  // The provider reports everything again, and has stored it; and the phone that the message was read.
  wa.world().receipt(wa.connection(), wa.world().sent[0]!.id, 'READ')
  wa.world().receipt(wa.connection(), first.key.id, 'READ')
  await wa.flush({ twice: true })
  await reported()
  expect(await wa.look()).toMatchObject({ status: 'connected', error: null })
  expect([await wa.conversations(), await inSite()]).toEqual([[], []])

  if (how === 'deleted') {
    found(await crm.ws.post(`/contacts/${contact.id}/restore`))
    expect((await wa.messages(sent.conversation_id)).map(({ body_text }) => body_text)).toEqual(['My address', 'Thank you'])
    await reported()
  }
  await wa.receive({ from: ANA, text: 'Hello again' })
  const [conversation] = await wa.conversations()
  const texts = (await wa.messages(conversation!.id)).map(({ body_text }) => body_text)
  expect(texts).toEqual(how === 'deleted' ? ['My address', 'Thank you', 'Hello again'] : ['Hello again'])
})
