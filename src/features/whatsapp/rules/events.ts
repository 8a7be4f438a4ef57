import { contentOf, type Json, list, nameIn, objectIn, textIn, type WhatsAppMessageType } from './content.ts'
import { addressOfJid, jidOfPerson, lidOfJids, phoneOfJids } from './jids.ts'

/** A message of a chat, as the provider reports it. */
export type ChatMessage = {
  /** The id of the message in its chat. */
  key_id: string
  group_jid: string | null
  /** The person of the chat; of a group null. `lid` is the id of a person whose number is hidden. */
  phone: string | null
  lid: string | null
  from_me: boolean
  /** Who has written a message of a group. */
  sender_phone: string | null
  sender_name: string | null
  /** The writer of a message of a group, as its key has it. */
  sender_jid: string | null
  type: WhatsAppMessageType
  text: string
  media_type: string | null
  media_name: string | null
  media_size: number | null
  /** The message that it answers or reacts to. */
  quoted_key_id: string | null
  at: string
}

export const RECEIPTS = ['sent', 'delivered', 'read', 'failed'] as const
export type Receipt = { key_id: string; status: (typeof RECEIPTS)[number] }

/** What a report of the provider is about. `pairing`: the state of the connection, which is looked up at the provider. */
export type WhatsAppEvent =
  | { kind: 'pairing' }
  | { kind: 'messages'; messages: ChatMessage[] }
  | { kind: 'receipts'; receipts: Receipt[] }
  | { kind: 'deleted'; key_ids: string[] }
  | { kind: 'edited'; messages: ChatMessage[] }
  | { kind: 'groups'; jids: string[] }

const idIn = (value: unknown): string | undefined => (typeof value === 'string' && /^[\x21-\x7e]{1,128}$/.test(value) ? value : undefined)

/**
 * Reads what Evolution API posts to a webhook (release 2.3, src/api/integrations/event/webhook). Undefined for what says nothing to this
 * system. Status broadcasts and channels are left out.
 */
export function readWhatsAppEvent(posted: unknown, now: Date): WhatsAppEvent | undefined {
  const { event, data } = objectIn(posted)
  const name = typeof event === 'string' ? event.toLowerCase().replaceAll('_', '.') : ''
  if (PAIRING_EVENTS.has(name)) return { kind: 'pairing' }
  if (name === 'messages.upsert' || name === 'send.message') {
    const messages = list(data).flatMap((one) => readChatMessage(one, now) ?? [])
    return messages.length > 0 ? { kind: 'messages', messages } : undefined
  }
  if (name === 'messages.update') {
    const receipts = list(data).flatMap(receiptOf)
    return receipts.length > 0 ? { kind: 'receipts', receipts } : undefined
  }
  if (name === 'messages.delete') {
    const key_ids = list(data).flatMap(({ id, keyId, key }) => idIn(keyId) ?? idIn(objectIn(key).id) ?? idIn(id) ?? [])
    return key_ids.length > 0 ? { kind: 'deleted', key_ids } : undefined
  }
  if (name === 'messages.edited') return readEdits(list(data), now)
  if (!GROUP_EVENTS.has(name)) return undefined
  const jids = list(data).flatMap(({ id }) => {
    const address = addressOfJid(textIn(id, 100))
    return address.kind === 'group' ? [address.jid] : []
  })
  return jids.length > 0 ? { kind: 'groups', jids } : undefined
}

/** WhatsApp's messages to programs (proto.Message.ProtocolMessage.Type) that take a message back. */
const REVOKE = new Set<unknown>([0, 'REVOKE'])

/** What was edited, or taken back, at the phone: the provider posts WhatsApp's own message about it. */
function readEdits(protocolMessages: Json[], now: Date): WhatsAppEvent | undefined {
  const edits = protocolMessages.flatMap(({ key, editedMessage, timestampMs }) => {
    const seconds = Number(objectIn(timestampMs).low === undefined ? timestampMs : Number.NaN) / 1000
    return editedMessage ? (readChatMessage({ key, message: editedMessage, messageTimestamp: seconds }, now) ?? []) : []
  })
  if (edits.length > 0) return { kind: 'edited', messages: edits }
  const key_ids = protocolMessages.flatMap(({ key, type }) => (REVOKE.has(type) ? (idIn(objectIn(key).id) ?? []) : []))
  return key_ids.length > 0 ? { kind: 'deleted', key_ids } : undefined
}

const PAIRING_EVENTS = new Set(['qrcode.updated', 'connection.update', 'status.instance', 'logout.instance', 'remove.instance'])
const GROUP_EVENTS = new Set(['groups.upsert', 'group.update', 'groups.update', 'group.participants.update', 'group-participants.update'])
/** WhatsApp's acknowledgements (proto.WebMessageInfo.Status); a played voice message was read. */
const RECEIPT_OF: Record<string, Receipt['status']> = {
  SERVER_ACK: 'sent',
  DELIVERY_ACK: 'delivered',
  READ: 'read',
  PLAYED: 'read',
  ERROR: 'failed',
}

function receiptOf({ keyId, key, status }: Json): Receipt[] {
  const key_id = idIn(keyId) ?? idIn(objectIn(key).id)
  const known = RECEIPT_OF[textIn(status, 20).toUpperCase()]
  return key_id && known ? [{ key_id, status: known }] : []
}

/** Reads a message as the provider posts it, or lists it. Undefined for one without an id, or of a chat that the inbox does not show. */
export function readChatMessage(posted: Json, now: Date): ChatMessage | undefined {
  const key = objectIn(posted.key)
  const [key_id, jid] = [idIn(key.id), textIn(key.remoteJid, 100)]
  const chat = addressOfJid(jid)
  const content = contentOf(objectIn(posted.message))
  if (!key_id || chat.kind === 'other' || !content) return undefined
  const [other, participant] = [textIn(key.remoteJidAlt ?? key.senderPn, 100), textIn(key.participant, 100)]
  const group_jid = chat.kind === 'group' ? chat.jid : null
  const inGroup = group_jid !== null
  return {
    key_id,
    group_jid,
    phone: inGroup ? null : phoneOfJids(jid, other),
    lid: inGroup ? null : lidOfJids(jid, other),
    from_me: key.fromMe === true,
    sender_phone: inGroup ? phoneOfJids(participant, textIn(key.participantAlt ?? key.participantPn, 100)) : phoneOfJids(jid, other),
    sender_name: nameIn(posted.pushName),
    sender_jid: inGroup ? jidOfPerson(participant) : null,
    ...content,
    quoted_key_id:
      idIn(objectIn(posted.contextInfo).stanzaId) ?? idIn(objectIn(objectIn(objectIn(posted.message).reactionMessage).key).id) ?? null,
    at: timeOf(posted.messageTimestamp, now),
  }
}

const DAY_MS = 86_400_000

/** The provider's time in seconds; the current one for a time in the future, which would keep its chat on top. */
function timeOf(seconds: unknown, now: Date): string {
  const at = Number(objectIn(seconds).low ?? seconds) * 1000
  const isUsable = Number.isFinite(at) && at > 0 && at < now.getTime() + DAY_MS / 24
  return new Date(isUsable ? at : now.getTime()).toISOString()
}
