import { withoutManagementLinks } from '../../scheduling/rules/notice-texts.ts'

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
export type Content = {
  type: WhatsAppMessageType
  text: string
  media_type: string | null
  media_name: string | null
  media_size: number | null
}

const MAX_TEXT = 65_536
const MAX_ITEMS = 100
export type Json = Record<string, unknown>
export const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
export const objectIn = (value: unknown): Json => (isObject(value) ? value : {})
export const list = (value: unknown): Json[] => (Array.isArray(value) ? value : [value]).filter(isObject).slice(0, MAX_ITEMS)
export const textIn = (value: unknown, max = MAX_TEXT): string =>
  typeof value === 'string' ? value.slice(0, max).replaceAll('\u0000', '').toWellFormed() : ''
export const nameIn = (value: unknown, max = 120): string | null =>
  textIn(value, max * 2)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, max)
    .toWellFormed() || null

const MEDIA: Record<string, WhatsAppMessageType> = {
  imageMessage: 'image',
  videoMessage: 'video',
  // A round video.
  ptvMessage: 'video',
  audioMessage: 'audio',
  documentMessage: 'document',
  stickerMessage: 'sticker',
}
/** The types of messages that have a file. */
export const MEDIA_TYPES = [...new Set(Object.values(MEDIA))]
export const isMedia = (type: WhatsAppMessageType): boolean => MEDIA_TYPES.includes(type)
/** What a file is sent as: WhatsApp shows pictures and films, and has everything else as a document. */
export const mediaTypeIn = (contentType: string): 'image' | 'video' | 'document' =>
  ['image/jpeg', 'image/png'].includes(contentType) ? 'image' : contentType === 'video/mp4' ? 'video' : 'document'
const NO_MEDIA = { media_type: null, media_name: null, media_size: null }

/** What was written. The provider also reports what was sent from here, such as the links of bookings. */
const written = (text: unknown): string => withoutManagementLinks(textIn(text))
const lines = (...texts: unknown[]): string =>
  texts
    .map((text) => textIn(text, 4_096).trim())
    .filter((text) => text !== '')
    .join('\n')

/** How often messages are wrapped in each other: one that disappears, of an album, in a reply to a story. */
const MOST_WRAPPERS = 8
/** What accompanies a message, or says something to programs only. */
const CONTROL = new Set([
  ...['albumMessage', 'botInvokeMessage', 'callLogMesssage', 'encEventResponseMessage', 'encReactionMessage', 'encCommentMessage'],
  ...['keepInChatMessage', 'messageContextInfo', 'messageHistoryBundle', 'messageHistoryNotice', 'newsletterFollowerInviteMessageV2'],
  ...['pinInChatMessage', 'placeholderMessage', 'protocolMessage', 'senderKeyDistributionMessage', 'secretEncryptedMessage'],
  ...['fastRatchetKeySenderKeyDistributionMessage', 'chat', 'stickerSyncRmrMessage'],
])
/** What the provider adds to a message. */
const ADDED = new Set(['base64', 'mediaUrl', 'speechToText', 'contextInfo'])

/**
 * What a message says. Whatever wraps it is taken off: WhatsApp has many wrappers, such as those of disappearing messages and of albums,
 * and each has the message in a field `message`. Undefined for what only programs exchange, such as the frame of an album.
 */
export function contentOf(posted: Json): Content | undefined {
  let message = posted
  for (let depth = 0; depth < MOST_WRAPPERS; depth++) {
    const inner = Object.values(message).find((value) => isObject(value) && isObject(value.message))
    if (inner === undefined) break
    message = objectIn(objectIn(inner).message)
  }
  const names = Object.keys(message).filter((name) => !ADDED.has(name) && message[name] !== null && message[name] !== undefined)
  if (names.length > 0 && names.every((name) => CONTROL.has(name))) return undefined
  if (typeof message.conversation === 'string') return { type: 'text', text: written(message.conversation), ...NO_MEDIA }
  if (isObject(message.extendedTextMessage)) return { type: 'text', text: written(message.extendedTextMessage.text), ...NO_MEDIA }
  if (isObject(message.reactionMessage)) return { type: 'reaction', text: textIn(message.reactionMessage.text, 32), ...NO_MEDIA }
  const name = names.find((one) => !CONTROL.has(one) && isObject(message[one]))
  if (name === undefined) return { type: 'other', text: '', ...NO_MEDIA }
  const type = MEDIA[name]
  const content = objectIn(message[name])
  if (type) return mediaOf(type, content)
  const [kind, read] = READERS[name] ?? ['other', anyText]
  return { type: kind, text: read(content), ...NO_MEDIA }
}

function mediaOf(type: WhatsAppMessageType, { caption, mimetype, fileName, title, fileLength }: Json): Content {
  const size = Number(objectIn(fileLength).low ?? fileLength)
  return {
    type,
    text: written(caption),
    media_type: nameIn(mimetype, 100),
    media_name: nameIn(fileName, 200) ?? nameIn(title, 200),
    media_size: Number.isSafeInteger(size) && size >= 0 && size < 2_147_483_648 ? size : null,
  }
}

const place = ({ name, address, caption, comment, degreesLatitude, degreesLongitude }: Json): string =>
  [...[name, address, caption, comment].map((text) => textIn(text, 1_000)), `${Number(degreesLatitude)},${Number(degreesLongitude)}`]
    .filter((part) => part !== '')
    .join(' ')

/** A contact with its numbers, which are in its card. */
function person({ displayName, vcard }: Json): string {
  const numbers = textIn(vcard, 20_000).matchAll(/^(?:item\d+\.)?TEL[^:\r\n]*:([+\d][\d ()./-]{3,30})\s*$/gim)
  return [textIn(displayName, 200), ...new Set([...numbers].slice(0, 10).map(([, number = '']) => number.trim()))].filter(Boolean).join(' ')
}

const poll: Reader = [
  'other',
  ({ name, options }) => lines(name, ...list(options ?? []).map(({ optionName }) => `- ${textIn(optionName, 200)}`)),
]
const hydrated = (template: Json): string =>
  lines(template.hydratedTitleText, template.hydratedContentText, template.hydratedFooterText) || anyText(template)

type Reader = [type: WhatsAppMessageType, read: (message: Json) => string]
/** The text of each kind of message (WAProto.proto, Message). */
const READERS: Record<string, Reader> = {
  locationMessage: ['location', place],
  liveLocationMessage: ['location', place],
  contactMessage: ['contact', person],
  contactsArrayMessage: ['contact', ({ contacts, displayName }) => lines(...list(contacts ?? []).map(person)) || textIn(displayName, 200)],
  buttonsResponseMessage: ['text', ({ selectedDisplayText, selectedButtonId }) => lines(selectedDisplayText) || lines(selectedButtonId)],
  templateButtonReplyMessage: ['text', ({ selectedDisplayText, selectedId }) => lines(selectedDisplayText) || lines(selectedId)],
  listResponseMessage: [
    'text',
    ({ title, description, singleSelectReply }) => lines(title, description) || lines(objectIn(singleSelectReply).selectedRowId),
  ],
  interactiveResponseMessage: [
    'text',
    ({ body, nativeFlowResponseMessage: flow }) =>
      lines(objectIn(body).text) || lines(objectIn(flow).paramsJson) || lines(objectIn(flow).name),
  ],
  buttonsMessage: ['text', ({ text, contentText, footerText }) => lines(text, contentText, footerText)],
  listMessage: ['text', ({ title, description, footerText }) => lines(title, description, footerText)],
  interactiveMessage: ['text', ({ header, body, footer }) => lines(objectIn(header).title, objectIn(body).text, objectIn(footer).text)],
  templateMessage: [
    'text',
    ({ hydratedTemplate, hydratedFourRowTemplate, interactiveMessageTemplate, ...rest }) =>
      hydrated(objectIn(hydratedTemplate ?? hydratedFourRowTemplate ?? interactiveMessageTemplate ?? rest)),
  ],
  pollCreationMessage: poll,
  pollCreationMessageV2: poll,
  pollCreationMessageV3: poll,
  pollCreationMessageV5: poll,
  eventMessage: ['other', ({ name, description, location, joinLink }) => lines(name, description, objectIn(location).name, joinLink)],
  groupInviteMessage: ['other', ({ groupName, caption }) => lines(groupName, caption)],
  orderMessage: ['other', ({ orderTitle, message }) => lines(orderTitle, message)],
}

/** The fields in which messages of other kinds have what people read, also of kinds that WhatsApp adds. */
const READ = ['title', 'name', 'displayName', 'text', 'body', 'contentText', 'caption', 'description', 'note', 'message', 'footer']
const DEEPEST = 4

/** The texts of a message of a kind that is not known. */
function anyText(message: Json, depth = 0): string {
  const texts = Object.entries(message).flatMap(([name, value]): string[] => {
    if (typeof value === 'string')
      return READ.some((one) => name === one || name.endsWith(`${one[0]?.toUpperCase()}${one.slice(1)}`)) ? [value] : []
    if (depth >= DEEPEST || name === 'contextInfo') return []
    return list(value).map((one) => anyText(one, depth + 1))
  })
  return lines(...new Set(texts))
    .slice(0, 4_096)
    .toWellFormed()
}
