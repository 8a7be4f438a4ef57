import { qrPicture } from './qr-picture.ts'
import { posted, type ReportSender } from './report-sender.ts'
import type { WhatsAppFault } from './whatsapp-faults.ts'
import { newKey, seconds, type WireMessage } from './whatsapp-messages.ts'

export type Member = { id: string; phoneNumber?: string; admin?: 'admin' | 'superadmin' | null }
export type Group = { id: string; subject: string; desc: string | null; size: number; participants: Member[] }
export type WireKey = { id: string; remoteJid: string; fromMe: boolean; participant?: string }
export type Connection = {
  name: string
  state: 'close' | 'connecting' | 'open'
  reason: number | null
  qr: number
  ownerJid: string | null
  profileName: string | null
  webhook: { url: string; events: string[] } | null
  messages: WireMessage[]
  groups: Map<string, Group>
}

/** A webhook that was not handed to its receiver yet. */
export type Report = { url: string; body: Record<string, unknown> }
/** A file that the paired phone sends: as the message shows it, and in base64. */
type SentMedia = { message: Record<string, unknown>; file: string }
type Sending = { media?: SentMedia; quotes?: WireMessage }

const codeOf = ({ name, qr }: Connection) => `2@${name.slice(-8)}${qr}`
const JSON_TYPE = { 'content-type': 'application/json' }

/** The phones, their connections, chats and groups, and the webhooks about them. */
export class WhatsAppWorld {
  readonly connections = new Map<string, Connection>()
  readonly faults = new Set<WhatsAppFault>()
  /** Numbers that WhatsApp does not know, in E.164. */
  readonly unknownNumbers = new Set<string>()
  /** What the API was asked to send, oldest first. */
  readonly sent: { to: string; text: string; id: string; file?: string; quotes?: string }[] = []
  /** What the API was asked to react with, and which messages it was asked to mark as read, oldest first. */
  readonly reacted: { key: WireKey; emoji: string }[] = []
  readonly read: WireKey[][] = []
  /** The files of messages in base64, by the ids of the messages. */
  readonly files = new Map<string, string>()
  /** Webhooks that wait for `flush`. */
  readonly held: Report[] = []
  readonly #sender: ReportSender | undefined

  /** Without a sender, webhooks wait for `flush`. */
  constructor(sender?: ReportSender) {
    this.#sender = sender
  }

  create(name: string, webhook: Connection['webhook']): Connection {
    const one: Connection = {
      name,
      state: 'connecting',
      reason: null,
      qr: 0,
      ownerJid: null,
      profileName: null,
      webhook,
      messages: [],
      groups: new Map(),
    }
    this.connections.set(name, one)
    this.newQr(one)
    return one
  }

  /** The current QR code, as the API shows it. */
  qrOf(one: Connection) {
    if (this.faults.has('restless_qr') && one.state === 'connecting') one.qr++
    if (one.qr === 0) return { pairingCode: null, count: 0 }
    return { pairingCode: null, code: codeOf(one), base64: this.pictureOf(one), count: one.qr }
  }

  /** The picture of the current QR code. */
  pictureOf(one: Connection): string {
    return `data:image/png;base64,${qrPicture(codeOf(one)).toString('base64')}`
  }

  /** The phone replaces the QR code. */
  newQr(one: Connection): void {
    if (this.faults.has('no_qr')) return
    one.qr++
    this.#report(one, 'qrcode.updated', { qrcode: { instance: one.name, ...this.qrOf(one) } })
  }

  /** A closed connection of a phone that is paired comes back; another one begins its pairing. */
  reconnect(one: Connection): void {
    if (one.state !== 'close' || this.faults.has('stays_closed')) return
    if (one.ownerJid === null || one.reason === 401) {
      one.state = 'connecting'
      this.newQr(one)
      return
    }
    if (this.faults.has('reconnect_loses_subscription')) one.webhook = null
    this.#open(one)
  }

  /** A phone scans the QR code: the connection closes with 515 and comes back open. Scanned twice, nothing happens. */
  scan(one: Connection, phone = '61400000001', name = 'Demo phone'): void {
    if (one.state !== 'connecting' || one.qr === 0) return
    one.ownerJid = `${phone}:7@s.whatsapp.net`
    one.profileName = name
    this.#report(one, 'connection.update', { instance: one.name, state: 'close', statusReason: 515 })
    this.#report(one, 'connection.update', { instance: one.name, state: 'connecting', statusReason: 200 })
    this.#open(one)
  }

  #open(one: Connection): void {
    one.state = 'open'
    one.reason = null
    const account = { wuid: one.ownerJid, profileName: one.profileName }
    this.#report(one, 'connection.update', { instance: one.name, state: 'open', statusReason: 200, ...account })
  }

  closeConnection(one: Connection, reason: number): void {
    one.state = 'close'
    one.reason = reason
    this.#report(one, 'connection.update', { instance: one.name, state: 'close', statusReason: reason })
  }

  remove(one: Connection): void {
    this.connections.delete(one.name)
    this.#report(one, 'remove.instance', { instance: one.name })
  }

  receive(one: Connection, message: WireMessage): WireMessage {
    one.messages.push(message)
    this.#report(one, 'messages.upsert', message)
    return message
  }

  /** The paired phone sends: through the API, or by hand. */
  send(one: Connection, jid: string, text: string, isByApi: boolean, { media, quotes }: Sending = {}): WireMessage {
    const key = { id: newKey(), remoteJid: jid, fromMe: true }
    const facts = {
      pushName: null,
      status: 'PENDING',
      message: media ? media.message : { conversation: text },
      messageType: media ? (Object.keys(media.message)[0] as string) : 'conversation',
      messageTimestamp: seconds(),
    }
    const contextInfo = quotes && { stanzaId: quotes.key.id, quotedMessage: quotes.message }
    const message: WireMessage = {
      key,
      ...facts,
      instanceId: 'emulator',
      source: isByApi ? 'unknown' : 'android',
      ...(contextInfo && { contextInfo }),
    }
    one.messages.push(message)
    if (isByApi) this.sent.push({ to: jid, text, id: key.id, ...(media && { file: media.file }), ...(quotes && { quotes: quotes.key.id }) })
    this.#report(one, isByApi ? 'send.message' : 'messages.upsert', message)
    return message
  }

  /** The message of a key, if the key also names its chat, its side and its writer. */
  find(one: Connection, { id, remoteJid, fromMe, participant }: WireKey): WireMessage | undefined {
    const isMeant = ({ key }: WireMessage) =>
      key.id === id && [key.remoteJid, key.remoteJidAlt].includes(remoteJid) && key.fromMe === fromMe && key.participant === participant
    return one.messages.find(isMeant)
  }

  /** The API has the paired phone react. An empty emoji takes the reaction away. */
  react(one: Connection, to: WireKey, emoji: string): WireMessage {
    this.reacted.push({ key: to, emoji })
    const message: WireMessage = {
      key: { id: newKey(), remoteJid: to.remoteJid, fromMe: true },
      pushName: null,
      status: 'PENDING',
      message: { reactionMessage: { key: to, text: emoji } },
      messageType: 'reactionMessage',
      messageTimestamp: seconds(),
      instanceId: 'emulator',
      source: 'unknown',
    }
    one.messages.push(message)
    this.#report(one, 'send.message', message)
    return message
  }

  /** The API says which messages were read. */
  markRead(keys: WireKey[], messages: WireMessage[]): void {
    this.read.push(keys)
    for (const message of messages) message.status = 'READ'
  }

  receipt(one: Connection, id: string, status: string): void {
    const message = one.messages.find((candidate) => candidate.key.id === id)
    const { key } = message ?? { key: { remoteJid: '', fromMe: true } }
    if (message) message.status = status
    this.#report(one, 'messages.update', { keyId: id, remoteJid: key.remoteJid, fromMe: key.fromMe, status, instanceId: 'emulator' })
  }

  /** The writer of a message changes it at the phone: the webhook has WhatsApp's own message about it. */
  edit(one: Connection, { key }: WireMessage, message: Record<string, unknown>, at = Date.now()): void {
    const { id, remoteJid, fromMe, participant } = key
    this.#report(one, 'messages.edited', {
      key: { remoteJid, fromMe, id, ...(participant && { participant }) },
      type: 'MESSAGE_EDIT',
      editedMessage: message,
      timestampMs: String(at),
    })
  }

  deleteMessage(one: Connection, id: string): void {
    this.#report(one, 'messages.delete', { id, remoteJid: '', fromMe: false })
  }

  /** Adds or changes a group; without members the phone has left it. */
  setGroup(one: Connection, id: string, subject: string, members: Member[]): void {
    if (members.length === 0) one.groups.delete(id)
    else one.groups.set(id, { id, subject, desc: null, size: members.length, participants: members })
    this.#report(one, 'groups.upsert', [{ id, subject }])
  }

  /** Hands the webhooks that wait to `deliver`; they can come twice and in reverse. */
  async flush(deliver: (report: Report) => Promise<unknown>, { twice = false, reversed = false } = {}): Promise<void> {
    const reports = this.held.splice(0)
    for (const report of reversed ? reports.reverse() : reports) {
      await deliver(report)
      if (twice) await deliver(report)
    }
  }

  clear(): void {
    this.connections.clear()
    this.faults.clear()
    this.unknownNumbers.clear()
    this.files.clear()
    this.sent.length = 0
    this.reacted.length = 0
    this.read.length = 0
    this.held.length = 0
  }

  #report(one: Connection, event: string, data: unknown): void {
    if (this.faults.has('deaf') || !one.webhook?.events.includes(event.replaceAll('.', '_').toUpperCase())) return
    const body = {
      event,
      instance: one.name,
      data,
      destination: one.webhook.url,
      date_time: new Date().toISOString(),
      sender: one.ownerJid,
      server_url: '',
      apikey: null,
    }
    if (this.#sender) this.#sender.send(posted(one.webhook.url, { headers: JSON_TYPE, body: JSON.stringify(body) }))
    else this.held.push({ url: one.webhook.url, body })
  }
}
