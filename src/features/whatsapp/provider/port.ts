import type { Delivery } from '../../email/provider/port.ts'
import type { FetchedMedia } from '../../message-media/provider/port.ts'
import type { MessageKey } from '../rules/jids.ts'
import type { CallOutcome } from '../rules/reactions.ts'

/** The state of a connection at the provider, with the account of the phone once it is open. */
export type ConnectionState =
  | { kind: 'missing' }
  | { kind: 'open'; jid: string | null; name: string | null }
  | { kind: 'connecting' }
  | { kind: 'closed'; reason: number | null }
/** `qr`: a data URL of the QR code, or null while there is none. */
export type Connecting = { isOpen: boolean; qr: string | null }
export type Subscription = { url: string }
export type GroupMember = { phone_number: string | null; lid: string | null; role: 'member' | 'admin' | 'owner' }
export type ProviderGroup = { jid: string; name: string; description: string | null; members: GroupMember[] }
/** A page of the messages that the provider has stored, as it posts them to webhooks; the newest are on page 1. */
export type StoredMessages = { pages: number; messages: Record<string, unknown>[] }
export type Search = { jid?: string; from_me?: boolean; from: Date; to: Date; page: number }

/** A file with its caption; `content` is base64. */
export type FileToSend = { name: string; content_type: string; content: string }

/** The message that is replied to. */
export type Quote = { key: MessageKey; text: string }
export type MessageToSend = { to: string; text: string; file?: FileToSend | undefined; quote?: Quote | null }

/**
 * WhatsApp through a linked device. `send`, `react` and `markRead` never throw: every failure is an outcome. The others throw when the
 * provider fails.
 */
export type WhatsAppProvider = {
  /** Makes a connection and begins its pairing. One of this name that exists is left as it is. */
  create(name: string, subscription: Subscription): Promise<Connecting>
  connect(name: string): Promise<Connecting>
  state(name: string): Promise<ConnectionState>
  subscribe(name: string, subscription: Subscription): Promise<void>
  /** Whether the provider has this subscription, to all events that are needed. */
  isSubscribed(name: string, subscription: Subscription): Promise<boolean>
  /** Logs the phone out and deletes the connection. Whether that has happened is known by `state`. */
  remove(name: string): Promise<void>
  send(name: string, message: MessageToSend): Promise<Delivery>
  /** Reacts to a message with an emoji, or takes the reaction away with an empty text. */
  react(name: string, key: MessageKey, emoji: string): Promise<CallOutcome>
  /** Sends the read receipts of messages. */
  markRead(name: string, keys: MessageKey[]): Promise<CallOutcome>
  /** The file of a message, of at most `max` bytes, by the id of the message. @throws TooLarge */
  media(name: string, keyId: string, max: number): Promise<FetchedMedia>
  search(name: string, search: Search): Promise<StoredMessages>
  groups(name: string): Promise<ProviderGroup[]>
  group(name: string, jid: string): Promise<ProviderGroup | undefined>
}
