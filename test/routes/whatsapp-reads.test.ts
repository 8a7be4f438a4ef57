import { beforeEach, expect, test } from 'vitest'
import { messageOf } from '../../dev/whatsapp-messages.ts'
import { found, useCrm } from './crm.ts'
import { ANA, ANAS_CHAT, BEN, marking } from './whatsapp-marking.ts'
import { whatsapping } from './whatsapping.ts'

/** Read receipts. */
const crm = useCrm({ own: true })
const wa = whatsapping(crm)
const { received, read, later } = marking(crm, wa)
beforeEach(() => crm.app.whatsapp.clear())

test('who has written gets read receipts: of what was unread and nothing older, a hundred at a time, from either inbox', async () => {
  await wa.paired()
  const first = await received({ text: 'One', id: 'K1' })
  found(await read(first.conversation_id))
  await crm.app.drain()
  expect(wa.world().read).toEqual([[{ id: 'K1', remoteJid: ANAS_CHAT, fromMe: false }]])
  await wa.receive({ from: ANA, text: 'Two', id: 'K2' })
  await wa.send({ to_phone: ANA, text: 'Ours' })
  await wa.receive({ from: ANA, id: 'K3', message: { reactionMessage: { text: '👍', key: { id: 'K1' } } } })
  await wa.receive({ from: ANA, text: 'Four', id: 'K4' })
  found(await crm.ws.patch(`/conversations/${first.conversation_id}`, { unread: false }))
  await crm.app.drain()
  expect(
    wa
      .world()
      .read.at(-1)
      ?.map(({ id }) => id)
      .toSorted(),
  ).toEqual(['K2', 'K4'])
  found(await read(first.conversation_id))
  found(await crm.ws.patch(`/conversations/${first.conversation_id}`, { unread: true }))
  found(await crm.ws.post('/conversations/bulk-update', { records: [{ id: first.conversation_id, unread: false }] }))
  await crm.app.drain()
  expect(wa.world().read).toHaveLength(2)

  const many = Array.from({ length: 130 }, (_, n) => messageOf({ from: ANA, text: `${n}`, id: `M${n}` }))
  wa.connection().messages.push(...many)
  for (const data of [many.slice(0, 65), many.slice(65)])
    await wa.post({ event: 'messages.upsert', data }, new URL(wa.connection().webhook?.url ?? '').pathname)
  await crm.app.drain()
  found(await crm.ws.post('/conversations/bulk-update', { records: [{ id: first.conversation_id, unread: false }] }))
  await crm.app.drain()
  const receipts = wa.world().read.slice(2)
  expect(receipts.map(({ length }) => length)).toEqual([100, 30])
  expect(new Set(receipts.flat().map(({ id }) => id)).size).toBe(130)
})

test('a workspace that keeps to itself what was read sends no receipts, and people with a hidden number get none', async () => {
  await wa.paired()
  found(await crm.ws.patch('/company/crm-settings', { whatsapp_read_receipts: false }))
  const { conversation_id } = await received({ id: 'S1' })
  found(await read(conversation_id))
  await later()
  expect(wa.world().read).toEqual([])
  found(await crm.ws.patch('/company/crm-settings', { whatsapp_read_receipts: true }))
  await wa.receive({ from: ANA, id: 'S2' })
  // It is switched off before the queue gets to it.
  await crm.app.capture(true)
  found(await read(conversation_id))
  found(await crm.ws.patch('/company/crm-settings', { whatsapp_read_receipts: false }))
  await crm.app.capture(false)
  await later()
  expect(wa.world().read).toEqual([])
  found(await crm.ws.patch('/company/crm-settings', { whatsapp_read_receipts: true }))
  const hidden = await received({ lid: '98765432109876', hidden: true, from: BEN })
  found(await read(hidden.conversation_id))
  await later()
  expect(wa.world().read).toEqual([])
})
