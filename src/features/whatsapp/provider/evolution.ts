import * as v from 'valibot'
import type { Delivery } from '../../email/provider/port.ts'
import { bytesOf } from '../../message-media/provider/bounded.ts'
import { TooLarge } from '../../message-media/provider/port.ts'
import { mediaTypeIn } from '../rules/content.ts'
import { addressOfJid, type MessageKey } from '../rules/jids.ts'
import type { CallOutcome } from '../rules/reactions.ts'
import type { Connecting, ConnectionState, FileToSend, ProviderGroup, Quote, Search, WhatsAppProvider } from './port.ts'

export type Options = { url: string; key: string; timeoutMs?: number }

/** What a webhook receives of a connection. */
export const SUBSCRIBED = [
  ...['QRCODE_UPDATED', 'CONNECTION_UPDATE', 'STATUS_INSTANCE', 'LOGOUT_INSTANCE', 'REMOVE_INSTANCE'],
  ...['MESSAGES_UPSERT', 'MESSAGES_UPDATE', 'MESSAGES_EDITED', 'MESSAGES_DELETE', 'SEND_MESSAGE'],
  ...['GROUPS_UPSERT', 'GROUP_UPDATE', 'GROUP_PARTICIPANTS_UPDATE'],
]
/** The messages on a page of a search. */
export const SEARCH_PAGE = 50
const MAX_GROUPS = 1_000
const MAX_MEMBERS = 1_024
const MAX_QR = 100_000
/** The most bytes of a response that is no file: groups with all of their members are the largest. */
const MAX_ANSWER = 50_000_000

const Qr = v.object({ base64: v.optional(v.nullable(v.string())) })
const Connect = v.looseObject({
  base64: v.optional(v.nullable(v.string())),
  qrcode: v.optional(v.nullable(Qr)),
  instance: v.optional(v.looseObject({ state: v.optional(v.string()) })),
})
const Instances = v.array(
  v.looseObject({
    name: v.string(),
    connectionStatus: v.optional(v.nullable(v.string())),
    ownerJid: v.optional(v.nullable(v.string())),
    profileName: v.optional(v.nullable(v.string())),
    disconnectionReasonCode: v.optional(v.nullable(v.number())),
  }),
)
const Webhook = v.nullable(v.object({ enabled: v.boolean(), url: v.string(), events: v.optional(v.nullable(v.array(v.string())), []) }))
const Sent = v.object({ key: v.object({ id: v.pipe(v.string(), v.minLength(1)) }) })
const Media = v.object({ base64: v.string(), mimetype: v.optional(v.nullable(v.string())), fileName: v.optional(v.nullable(v.string())) })
const Found = v.object({ messages: v.object({ pages: v.number(), records: v.array(v.looseObject({})) }) })
const Group = v.looseObject({
  id: v.string(),
  subject: v.optional(v.nullable(v.string())),
  desc: v.optional(v.nullable(v.string())),
  participants: v.optional(
    v.array(v.looseObject({ id: v.string(), phoneNumber: v.optional(v.nullable(v.string())), admin: v.optional(v.nullable(v.string())) })),
  ),
})

/** A response whose status says that the call failed. */
class Refused extends Error {
  readonly status: number
  readonly body: unknown

  constructor(status: number, body: unknown) {
    super(`The WhatsApp provider answers with ${status} ${reasonOf(body)}`.trim())
    this.status = status
    this.body = body
  }
}

/**
 * A client for Evolution API 2.3 (https://github.com/EvolutionAPI/evolution-api, src/api/routes), or any service with the same API at
 * `url`. Every call has a deadline.
 */
export function evolution({ url, key, timeoutMs = 20_000 }: Options): WhatsAppProvider {
  async function call<S extends v.GenericSchema>(
    schema: S,
    method: string,
    path: string,
    body?: unknown,
    most = MAX_ANSWER,
  ): Promise<v.InferOutput<S>> {
    const response = await fetch(url + path, {
      method,
      headers: { apikey: key, Accept: 'application/json', ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const answer = jsonIn(new TextDecoder().decode(await bytesOf(response, most)))
    if (!response.ok) throw new Refused(response.status, answer)
    return v.parse(schema, answer)
  }
  const at = (path: string, name: string) => `${path}/${encodeURIComponent(name)}`
  const webhookOf = ({ url: to }: { url: string }) => ({ enabled: true, url: to, byEvents: false, base64: false, events: SUBSCRIBED })

  return {
    async create(name, subscription) {
      const settings = {
        rejectCall: false,
        groupsIgnore: false,
        alwaysOnline: false,
        readMessages: false,
        readStatus: false,
        syncFullHistory: false,
      }
      const body = { instanceName: name, integration: 'WHATSAPP-BAILEYS', qrcode: true, ...settings, webhook: webhookOf(subscription) }
      return connectingOf(await call(Connect, 'POST', '/instance/create', body))
    },
    connect: async (name) => connectingOf(await call(Connect, 'GET', at('/instance/connect', name))),
    async state(name): Promise<ConnectionState> {
      const found = await absent(call(Instances, 'GET', `/instance/fetchInstances?instanceName=${encodeURIComponent(name)}`), [])
      const one = found.find((instance) => instance.name === name)
      if (!one) return { kind: 'missing' }
      if (one.connectionStatus === 'open') return { kind: 'open', jid: one.ownerJid ?? null, name: one.profileName ?? null }
      return one.connectionStatus === 'connecting'
        ? { kind: 'connecting' }
        : { kind: 'closed', reason: one.disconnectionReasonCode ?? null }
    },
    async subscribe(name, subscription) {
      await call(v.unknown(), 'POST', at('/webhook/set', name), { webhook: webhookOf(subscription) })
    },
    async isSubscribed(name, subscription) {
      const found = await absent(call(Webhook, 'GET', at('/webhook/find', name)), null)
      return found?.enabled === true && found.url === subscription.url && SUBSCRIBED.every((event) => found.events?.includes(event))
    },
    async remove(name) {
      // A connection that is closed already refuses to be logged out.
      await call(v.unknown(), 'DELETE', at('/instance/logout', name)).catch(ignoreRefusal)
      await call(v.unknown(), 'DELETE', at('/instance/delete', name)).catch(ignoreRefusal)
    },
    async send(name, { to, text, file, quote }): Promise<Delivery> {
      const quoted = quote ? { quoted: quotedOf(quote) } : {}
      try {
        const { key: sent } = file
          ? await call(Sent, 'POST', at('/message/sendMedia', name), { number: to, caption: text, ...mediaIn(file), ...quoted })
          : await call(Sent, 'POST', at('/message/sendText', name), { number: to, text, ...quoted })
        return { outcome: 'sent', message_id: sent.id }
      } catch (error) {
        return failureOf(error)
      }
    },
    react: (name, to, emoji) => outcomeOf(call(Sent, 'POST', at('/message/sendReaction', name), { key: keyOf(to), reaction: emoji })),
    markRead: (name, keys) => outcomeOf(call(v.unknown(), 'POST', at('/chat/markMessageAsRead', name), { readMessages: keys.map(keyOf) })),
    async media(name, keyId, max) {
      // Base64 in JSON, with some room for what is around it.
      const found = await call(
        Media,
        'POST',
        at('/chat/getBase64FromMediaMessage', name),
        { message: { key: { id: keyId } }, convertToMp4: false },
        max * 1.4 + 10_000,
      )
      const bytes = Uint8Array.from(atob(found.base64), (sign) => sign.charCodeAt(0))
      if (bytes.byteLength > max) throw new TooLarge(`The file is larger than ${max} bytes`)
      return { bytes, content_type: found.mimetype ?? null, name: found.fileName ?? null }
    },
    async search(name, search) {
      const { messages } = await call(Found, 'POST', at('/chat/findMessages', name), searchOf(search))
      return { pages: messages.pages, messages: messages.records }
    },
    async groups(name) {
      const found = await call(v.array(Group), 'GET', `${at('/group/fetchAllGroups', name)}?getParticipants=true`)
      return found.slice(0, MAX_GROUPS).flatMap(groupOf)
    },
    async group(name, jid) {
      const path = `${at('/group/findGroupInfos', name)}?groupJid=${encodeURIComponent(jid)}`
      const found = await absent(call(v.nullable(Group), 'GET', path), null)
      return found === null ? undefined : groupOf(found)[0]
    },
  }
}

/** Undefined for what is no JSON, such as the page of a proxy or nothing at all: then the status says what is known. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const mediaIn = ({ name, content_type, content }: FileToSend) => ({
  mediatype: mediaTypeIn(content_type),
  mimetype: content_type,
  media: content,
  fileName: name,
})

/** The key of a message (the Key of src/api/dto/chat.dto.ts, and IMessageKey of Baileys, which gets that of a reaction as it is). */
const keyOf = ({ id, jid, from_me, participant }: MessageKey) => ({
  id,
  remoteJid: jid,
  fromMe: from_me,
  ...(participant !== null && { participant }),
})

/**
 * What a message quotes (quotedOptionsSchema in src/validate/message.schema.ts). Of a message without a text, the provider shows what it
 * has stored itself.
 */
const quotedOf = ({ key, text }: Quote) => ({ key: keyOf(key), ...(text !== '' && { message: { conversation: text } }) })

const connectingOf = ({ base64, qrcode, instance }: v.InferOutput<typeof Connect>): Connecting => {
  const qr = base64 ?? qrcode?.base64 ?? null
  return { isOpen: instance?.state === 'open', qr: qr?.startsWith('data:image/') && qr.length <= MAX_QR ? qr : null }
}

/** A connection or a group that does not exist. */
async function absent<Out>(calling: Promise<Out>, value: Out): Promise<Out> {
  try {
    return await calling
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return value
    throw error
  }
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Refused) || error.status >= 500) throw error
}

const searchOf = ({ jid, from_me, from, to, page }: Search) => ({
  where: {
    key: { ...(jid && { remoteJid: jid }), ...(from_me && { fromMe: true }) },
    messageTimestamp: { gte: from.toISOString(), lte: to.toISOString() },
  },
  page,
  offset: SEARCH_PAGE,
})

function groupOf({ id, subject, desc, participants = [] }: v.InferOutput<typeof Group>): ProviderGroup[] {
  const address = addressOfJid(id)
  if (address.kind !== 'group') return []
  const members = participants.slice(0, MAX_MEMBERS).flatMap(({ id: jid, phoneNumber, admin }) => {
    const found = [jid, phoneNumber].map(addressOfJid)
    const phone = found.find((one) => one.kind === 'phone')
    const lid = found.find((one) => one.kind === 'lid')
    const role = admin === 'superadmin' ? 'owner' : admin === 'admin' ? 'admin' : 'member'
    // A member that is no person, such as a bot, has neither.
    if (!phone && !lid) return []
    return [{ phone_number: phone?.kind === 'phone' ? phone.phone : null, lid: lid?.kind === 'lid' ? lid.lid : null, role } as const]
  })
  return [{ jid: address.jid, name: clean(subject, 200) || address.jid, description: clean(desc, 2000) || null, members }]
}

const clean = (text: string | null | undefined, max: number) => (text ?? '').replaceAll('\u0000', '').slice(0, max).toWellFormed().trim()

async function outcomeOf(calling: Promise<unknown>): Promise<CallOutcome> {
  try {
    await calling
    return { outcome: 'done' }
  } catch (error) {
    return failureOf(error)
  }
}

/**
 * A number that WhatsApp does not know is refused for good. Another refusal says that nothing was sent; a broken connection says nothing.
 */
function failureOf(error: unknown): Extract<Delivery, { reason: string }> {
  if (!(error instanceof Refused)) return { outcome: 'unclear', reason: String(error) }
  const reason = error.message
  if (error.status >= 500) return { outcome: 'unclear', reason }
  return { outcome: error.status === 400 && isUnknownNumber(error.body) ? 'refused' : 'unavailable', reason }
}

const messagesIn = (body: unknown): unknown[] => {
  const { message } = (body as { response?: { message?: unknown } } | null)?.response ?? {}
  return Array.isArray(message) ? message : [message]
}
const isUnknown = (one: unknown) => (one as { exists?: unknown } | null)?.exists === false
const isUnknownNumber = (body: unknown) => messagesIn(body).some(isUnknown)
const reasonOf = (body: unknown) =>
  messagesIn(body)
    .map((one) =>
      typeof one === 'string' ? one : isUnknown(one) ? 'The number is not on WhatsApp' : one === undefined ? '' : JSON.stringify(one),
    )
    .join(', ')
    .slice(0, 200)
