import { withoutManagementLinks } from '../scheduling/notice-texts.ts'
import { addressOfJid, jidOfPerson, lidOfJids, phoneOfJids } from './jids.ts'

/** What a message is, beside its text. */
export const WHATSAPP_MESSAGE_TYPES = [
  'text',
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'location',
  'contact',
  'reaction',
  'other',
] as const
export type WhatsAppMessageType = (typeof WHATSAPP_MESSAGE_TYPES)[number]

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
  | { kind: 'groups'; jids: string[] }

const MAX_TEXT = 65_536
const MAX_ITEMS = 100
type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const objectIn = (value: unknown): Json => (isObject(value) ? value : {})
const list = (value: unknown): Json[] => (Array.isArray(value) ? value : [value]).filter(isObject).slice(0, MAX_ITEMS)
const textIn = (value: unknown, max = MAX_TEXT): string =>
  typeof value === 'string' ? value.slice(0, max).replaceAll('\u0000', '').toWellFormed() : ''
const nameIn = (value: unknown, max = 120): string | null =>
  textIn(value, max * 2)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, max)
    .toWellFormed() || null
const idIn = (value: unknown): string | undefined => (typeof value === 'string' && /^[\x21-\x7e]{1,128}$/.test(value) ? value : undefined)

/**
 * Reads what Evolution API posts to a webhook (release 2.3, src/api/integrations/event/webhook). Undefined for what says nothing to this system. Status
 * broadcasts and channels are left out.
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
  if (!GROUP_EVENTS.has(name)) return undefined
  const jids = list(data).flatMap(({ id }) => {
    const address = addressOfJid(textIn(id, 100))
    return address.kind === 'group' ? [address.jid] : []
  })
  return jids.length > 0 ? { kind: 'groups', jids } : undefined
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
  if (!key_id || chat.kind === 'other') return undefined
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
    ...contentOf(objectIn(posted.message)),
    quoted_key_id:
      idIn(objectIn(posted.contextInfo).stanzaId) ?? idIn(objectIn(objectIn(objectIn(posted.message).reactionMessage).key).id) ?? null,
    at: timeOf(posted.messageTimestamp, now),
  }
}

const MEDIA: Record<string, WhatsAppMessageType> = {
  imageMessage: 'image',
  videoMessage: 'video',
  audioMessage: 'audio',
  documentMessage: 'document',
  stickerMessage: 'sticker',
}
/** The types of messages that have a file. */
export const MEDIA_TYPES = Object.values(MEDIA)
export const isMedia = (type: WhatsAppMessageType): boolean => MEDIA_TYPES.includes(type)
/** What a file is sent as: WhatsApp shows pictures and films, and has everything else as a document. */
export const mediaTypeIn = (contentType: string): 'image' | 'video' | 'document' =>
  ['image/jpeg', 'image/png'].includes(contentType) ? 'image' : contentType === 'video/mp4' ? 'video' : 'document'
const NO_MEDIA = { media_type: null, media_name: null, media_size: null }

/** What was written. The provider also reports what was sent from here, such as the links of bookings. */
const written = (text: unknown): string => withoutManagementLinks(textIn(text))

/** What wraps a message: a document with a caption, and messages that disappear or are shown once. */
const WRAPPERS = ['documentWithCaptionMessage', 'ephemeralMessage', 'viewOnceMessage', 'viewOnceMessageV2']

function contentOf(posted: Json): Pick<ChatMessage, 'type' | 'text' | 'media_type' | 'media_name' | 'media_size'> {
  const wrapper = WRAPPERS.find((name) => isObject(posted[name]))
  const message = wrapper ? objectIn(objectIn(posted[wrapper]).message) : posted
  if (typeof message.conversation === 'string') return { type: 'text', text: written(message.conversation), ...NO_MEDIA }
  if (isObject(message.extendedTextMessage)) return { type: 'text', text: written(message.extendedTextMessage.text), ...NO_MEDIA }
  if (isObject(message.reactionMessage)) return { type: 'reaction', text: textIn(message.reactionMessage.text, 32), ...NO_MEDIA }
  const [name, type] = Object.entries(MEDIA).find(([one]) => isObject(message[one])) ?? []
  if (name && type) return mediaOf(type, objectIn(message[name]))
  if (isObject(message.locationMessage)) return { type: 'location', text: locationOf(message.locationMessage), ...NO_MEDIA }
  if (isObject(message.contactMessage)) return { type: 'contact', text: textIn(message.contactMessage.displayName, 200), ...NO_MEDIA }
  return { type: 'other', text: '', ...NO_MEDIA }
}

function mediaOf(type: WhatsAppMessageType, { caption, mimetype, fileName, fileLength }: Json) {
  const size = Number(objectIn(fileLength).low ?? fileLength)
  return {
    type,
    text: textIn(caption),
    media_type: nameIn(mimetype, 100),
    media_name: nameIn(fileName, 200),
    media_size: Number.isSafeInteger(size) && size >= 0 && size < 2_147_483_648 ? size : null,
  }
}

const locationOf = ({ name, degreesLatitude, degreesLongitude }: Json): string =>
  [textIn(name, 200), `${Number(degreesLatitude)},${Number(degreesLongitude)}`].filter((part) => part !== '').join(' ')

const DAY_MS = 86_400_000

/** The provider's time in seconds; the current one for a time in the future, which would keep its chat on top. */
function timeOf(seconds: unknown, now: Date): string {
  const at = Number(objectIn(seconds).low ?? seconds) * 1000
  const isUsable = Number.isFinite(at) && at > 0 && at < now.getTime() + DAY_MS / 24
  return new Date(isUsable ? at : now.getTime()).toISOString()
}
