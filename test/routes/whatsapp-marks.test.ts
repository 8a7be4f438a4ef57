import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { messageOf as messageOfPhone } from '../../dev/whatsapp-messages.ts'
import { failed, found, type Row, refused, useCrm } from './crm.ts'
import { ANA, ANAS_CHAT, BEN, marking } from './whatsapp-marking.ts'
import { whatsapping } from './whatsapping.ts'

/** Replies and reactions. */
const crm = useCrm({ own: true })
const wa = whatsapping(crm)
beforeEach(() => crm.app.whatsapp.clear())

const { received, react, read, messageOf, later } = marking(crm, wa)
const SITE = '120363000000000001@g.us'
async function inGroup() {
  wa.world().setGroup(wa.connection(), SITE, 'Site', [{ id: '61400000001@s.whatsapp.net', admin: 'admin' }, { id: ANAS_CHAT }])
  await wa.flush()
}

test('a reply quotes a message of its conversation, sent or received, also to a number and with a group', async () => {
  await wa.paired()
  const question = await received({ text: 'When?' })
  const reply = await wa.send({ conversation_id: question.conversation_id, text: 'At nine', reply_to: question.id })
  expect(wa.world().sent).toMatchObject([{ text: 'At nine', quotes: question.key }])
  expect(wa.connection().messages.at(-1)?.contextInfo).toMatchObject({ quotedMessage: { conversation: 'When?' } })
  expect(await messageOf({ ...reply, id: reply.whatsapp_message_id })).toMatchObject({ replies_to: question.id, status: 'sent' })
  await wa.send({ to_phone: ANA, text: 'Or at ten', reply_to: reply.whatsapp_message_id })
  expect(wa.world().sent.at(-1)).toMatchObject({ text: 'Or at ten', quotes: wa.world().sent[0]?.id })
  await wa.flush({ twice: true })
  expect(await wa.messages(question.conversation_id)).toHaveLength(3)

  await inGroup()
  const inGroupChat = await received({ group: SITE, lid: '98765432109876', hidden: true, text: 'Who?' })
  found(await crm.ws.post('/whatsapp/groups/send', { group_id: inGroupChat.group_id, text: 'Ben', reply_to: inGroupChat.id }))
  await crm.app.drain()
  expect(wa.world().sent.at(-1)).toMatchObject({ to: SITE, quotes: inGroupChat.key })
  found(await react(inGroupChat.id, '👍'))
  await crm.app.drain()
  expect(wa.world().reacted).toMatchObject([
    { key: { id: inGroupChat.key, remoteJid: SITE, participant: '98765432109876@lid' }, emoji: '👍' },
  ])
})

test('a reply names a message that WhatsApp knows in the same conversation or group', async () => {
  await wa.paired()
  const [mine, other] = [await received(), await received({ from: BEN })]
  await inGroup()
  const inSite = await received({ group: SITE })
  await wa.receive({ from: ANA, message: { reactionMessage: { text: '👍', key: { id: mine.key } } }, id: 'REACTION' })
  crm.app.whatsapp.fail('message/sendText', '429')
  const waiting = await wa.send({ to_phone: ANA, text: 'Not yet' })
  const reaction = async () => (await wa.messages(mine.conversation_id)).find(({ type }) => type === 'reaction')?.id
  const fault = async (reply_to: unknown, message: string, body: Row = { conversation_id: mine.conversation_id }) => {
    const answer = await crm.ws.post(body.group_id ? '/whatsapp/groups/send' : '/whatsapp/send', { text: 'Hello', ...body, reply_to })
    expect(answer).toMatchObject(refused('reply_to'))
    expect(JSON.stringify(answer.body)).toContain(message)
  }
  await fault(other.id, 'not a message of this conversation')
  await fault(inSite.id, 'not a message of this conversation')
  await fault(randomUUID(), 'not a message of this conversation')
  await fault(mine.id, 'not a message of this conversation', { to_phone: '+61400000009' })
  await fault(mine.id, 'not a message of this conversation', { group_id: inSite.group_id })
  await fault(waiting.whatsapp_message_id, 'has not been sent')
  await fault(await reaction(), 'is a reaction')
  await fault('x', 'must')
  wa.world().deleteMessage(wa.connection(), mine.key)
  await wa.flush()
  await fault(mine.id, 'was deleted')
  expect(wa.world().sent).toEqual([])
})

test('a reply whose answer was lost is found and sent once, and one to a message that was deleted meanwhile goes without it', async () => {
  await wa.paired()
  const question = await received()
  crm.app.whatsapp.fail('message/sendText', 'drop', 1, true)
  const reply = await wa.send({ to_phone: ANA, reply_to: question.id })
  await wa.again()
  await wa.again()
  expect(wa.world().sent).toHaveLength(1)
  expect(await wa.ledger(reply.id)).toMatchObject({ status: 'sent' })
  crm.app.whatsapp.fail('message/sendText', '503')
  await wa.send({ to_phone: ANA, text: 'Later', reply_to: question.id })
  wa.world().deleteMessage(wa.connection(), question.key)
  await wa.flush()
  await wa.again()
  await wa.again()
  expect(wa.world().sent.at(-1)).toMatchObject({ text: 'Later' })
  expect(wa.world().sent.at(-1)?.quotes).toBeUndefined()
})

test('a reaction costs nothing, is shown at once, and is replaced and taken away; those of others are shown beside it', async () => {
  await wa.paired()
  const message = await received({ text: 'Done!' })
  expect(found(await react(message.id, '👍'))).toMatchObject({
    id: message.id,
    reactions: [{ emoji: '👍', from_me: true, status: 'queued' }],
  })
  await crm.app.drain()
  const key = { id: message.key, remoteJid: ANAS_CHAT, fromMe: false }
  expect(wa.world().reacted).toEqual([{ key, emoji: '👍' }])
  expect(await messageOf(message)).toMatchObject({ reactions: [{ emoji: '👍', status: 'sent', error: null }] })
  await wa.flush({ twice: true })
  await wa.receive({ from: ANA, message: { reactionMessage: { text: '🎉', key: { id: message.key } } } })
  await wa.receive({ from: ANA, message: { reactionMessage: { text: '❤️', key: { id: message.key } } } })
  const { reactions } = await messageOf(message)
  expect(reactions.toSorted((a: Row, b: Row) => Number(a.from_me) - Number(b.from_me))).toMatchObject([
    { emoji: '❤️', from_me: false, sender_phone: ANA, sender_name: 'Ana', status: 'sent' },
    { emoji: '👍', from_me: true, sender_phone: null },
  ])
  found(await react(message.id, null))
  await crm.app.drain()
  await wa.flush()
  expect(wa.world().reacted.at(-1)).toEqual({ key, emoji: '' })
  expect((await messageOf(message)).reactions).toMatchObject([{ emoji: '❤️' }])
  await wa.receive({ from: ANA, message: { reactionMessage: { text: '', key: { id: message.key } } } })
  expect((await messageOf(message)).reactions).toEqual([])
  expect(await wa.balance()).toMatchObject({ balance: 100, reserved: 0 })
  const types = (await crm.events(message.conversation_id)).map(({ type }) => type)
  expect(types.filter((type) => type === 'whatsapp.reaction_sent')).toHaveLength(2)
})

test('a reaction in flight does not settle a message with the same text', async () => {
  await wa.paired()
  const message = await received()
  crm.app.whatsapp.fail('message/sendText', 'drop', 1, false)
  const text = await wa.send({ to_phone: ANA, text: '👍' })
  found(await react(message.id, '👍'))
  await crm.app.drain()
  await wa.flush()
  await wa.again()
  await wa.again()
  expect(wa.world().sent).toMatchObject([{ text: '👍' }])
  expect(await wa.ledger(text.id)).toMatchObject({ status: 'sent', provider_message_id: wa.world().sent[0]?.id })
})

test.each([
  ['429', false],
  ['503', true],
  ['drop', false],
  ['drop', true],
] as const)('after %s, accepted: %s, a reaction and the read receipts are sent again', async (mode, accept) => {
  await wa.paired()
  const message = await received()
  for (const route of ['message/sendReaction', 'chat/markMessageAsRead']) crm.app.whatsapp.fail(route, mode, 1, accept)
  found(await react(message.id, '👍'))
  found(await read(message.conversation_id))
  await crm.app.drain()
  expect(await messageOf(message)).toMatchObject({ reactions: [{ emoji: '👍', status: 'queued' }] })
  await later()
  expect(await messageOf(message)).toMatchObject({ reactions: [{ emoji: '👍', status: 'sent', error: null }] })
  const times = accept ? 2 : 1
  expect(wa.world().reacted.map(({ emoji }) => emoji)).toEqual(Array(times).fill('👍'))
  expect(wa.world().read.map((keys) => keys.map(({ id }) => id))).toEqual(Array(times).fill([message.key]))
  await later()
  expect(wa.world().read).toHaveLength(times)
})

test('however often a reaction is reported, it is one; what somebody does later at the phone holds', async () => {
  await wa.paired()
  const message = await received()
  crm.app.whatsapp.fail('message/sendReaction', 'drop', 1, true)
  found(await react(message.id, '👍'))
  await crm.app.drain()
  await later()
  expect(wa.world().reacted).toHaveLength(2)
  await wa.flush({ twice: true })
  expect(await wa.messages(message.conversation_id)).toHaveLength(1)
  const atPhone = async (emoji: string, at: number) => {
    const draft = messageOfPhone({ from: ANA, at, message: { reactionMessage: { text: emoji, key: { id: message.key } } } })
    wa.world().receive(wa.connection(), { ...draft, key: { ...draft.key, fromMe: true } })
    await wa.flush()
    return (await messageOf(message)).reactions
  }
  const now = Math.floor(Date.now() / 1000)
  expect(await atPhone('🎉', now - 60)).toMatchObject([{ emoji: '👍', from_me: true }])
  expect(await atPhone('🎉', now + 60)).toMatchObject([{ emoji: '🎉', from_me: true }])
  expect(await atPhone('', now + 120)).toEqual([])
})

test('what fails six times ends: the reaction says so, and a read receipt holds up nothing', async () => {
  await wa.paired()
  const message = await received()
  for (const route of ['message/sendReaction', 'chat/markMessageAsRead']) crm.app.whatsapp.fail(route, '500', 100)
  found(await react(message.id, '👍'))
  found(await read(message.conversation_id))
  await crm.app.drain()
  await later(7)
  expect(await messageOf(message)).toMatchObject({ reactions: [{ emoji: '👍', status: 'failed', error: expect.stringContaining('500') }] })
  expect((await crm.events(message.conversation_id)).map(({ type }) => type)).toContain('whatsapp.reaction_failed')
  const { rows } = await crm.app.owner.query('select attempts, due_at, unread, error from whatsapp_reads where workspace_id = $1', [
    crm.ws.id,
  ])
  expect(rows).toEqual([{ attempts: 6, due_at: null, unread: 0, error: expect.stringContaining('500') }])
})

test('of two reactions the later one holds, also when a worker died with the first; duplicated messages send it once', async () => {
  await wa.paired()
  const message = await received()
  await crm.app.capture(true)
  const wake = () => crm.app.deliver('messages', [{ type: 'work.run', kind: 'whatsapp.react', workspace_id: crm.ws.id }])
  const claim = async () => {
    const claim_id = randomUUID()
    const { rows } = await crm.app.owner.query("select claim_work('whatsapp.react', $1, $2, 5, 300, 1) as claimed", [crm.ws.id, claim_id])
    return { ...rows[0].claimed.items[0], claim_id } as Row
  }
  const settle = ({ id, claim_id, turn }: Row, results: Row) =>
    crm.app.owner.query("select end_work('whatsapp.react', $1, $2, $3, $4, $5)", [crm.ws.id, id, claim_id, turn, { results }])
  // A worker claims the first reaction and dies.
  found(await react(message.id, '👍'))
  const dead = await claim()
  found(await react(message.id, '🎉'))
  await Promise.all([wake(), wake()])
  expect(wa.world().reacted).toEqual([])
  await crm.app.owner.query('update whatsapp_reactions set due_at = now(), claimed_until = now() where workspace_id = $1', [crm.ws.id])
  await Promise.all([wake(), wake()])
  expect(wa.world().reacted.map(({ emoji }) => emoji)).toEqual(['🎉'])
  // It was slow instead: its outcome no longer counts.
  await settle(dead, { status: 'failed', error: 'slow' })
  expect(await messageOf(message)).toMatchObject({ reactions: [{ emoji: '🎉', status: 'sent' }] })
  // A change while a worker is at it is sent after its outcome.
  found(await react(message.id, '👍'))
  const held = await claim()
  found(await react(message.id, null))
  await wake()
  await settle(held, { status: 'sent', error: null })
  await wake()
  expect(wa.world().reacted.map(({ emoji }) => emoji)).toEqual(['🎉', ''])
  await crm.app.capture(false)
})

test('a message can be reacted to with one emoji if WhatsApp knows it, and its recipient may be written to', async () => {
  await wa.paired()
  const message = await received()
  for (const emoji of ['', 'x', '1', '👍👍', '👍 ', ' ', 7, undefined])
    expect(await react(message.id, emoji), JSON.stringify(emoji)).toMatchObject(refused('emoji'))
  for (const emoji of ['❤', '❤️', '👍🏽', '👩‍👩‍👧', '🇦🇺', '1️⃣']) found(await react(message.id, emoji))
  expect(await react(randomUUID(), '👍')).toMatchObject(failed(404, 'NOT_FOUND'))
  const other = await crm.app.workspace()
  expect(await other.post(`/whatsapp/messages/${message.id}/reaction`, { emoji: '👍' })).toMatchObject({
    status: expect.any(Number),
    body: { error: {} },
  })
  const reader = await crm.ws.key({ scopes: ['whatsapp:read', 'whatsapp:write'] })
  expect(await reader.post(`/whatsapp/messages/${message.id}/reaction`, { emoji: '👍' })).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
  crm.app.whatsapp.fail('message/sendText', '429')
  const waiting = await wa.send({ to_phone: ANA })
  expect(await react(waiting.whatsapp_message_id, '👍')).toMatchObject({ status: 409, body: { error: { details: { state: 'queued' } } } })
  await crm.contact({ phone: BEN, whatsapp_unsubscribed: true })
  const unwanted = await received({ from: BEN })
  expect(await react(unwanted.id, '👍')).toMatchObject({ status: 409, body: { error: { details: { reason: 'unsubscribed' } } } })
  wa.world().deleteMessage(wa.connection(), message.key)
  await wa.flush()
  expect(await react(message.id, '👍')).toMatchObject({ status: 409, body: { error: { details: { state: 'deleted' } } } })
  found(await crm.ws.post('/whatsapp/disconnect'))
  expect(await react(unwanted.id, '👍')).toMatchObject(failed(409, 'CHANNEL_NOT_CONFIGURED'))
})

test('reactions are deleted and restored with the contact of their conversation', async () => {
  await wa.paired()
  const contact = await crm.contact({ phone: ANA })
  const message = await received()
  found(await react(message.id, '👍'))
  await crm.app.drain()
  found(await crm.ws.delete(`/contacts/${contact.id}`))
  expect(await crm.count('whatsapp_reactions')).toBe(0)
  found(await crm.ws.post(`/contacts/${contact.id}/restore`))
  expect(await messageOf(message)).toMatchObject({ reactions: [{ emoji: '👍', status: 'sent' }] })
})
