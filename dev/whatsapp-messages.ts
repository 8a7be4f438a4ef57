import { randomBytes } from 'node:crypto'

/** A message as Evolution API reports it. */
export type WireMessage = {
  key: { id: string; remoteJid: string; fromMe: boolean; participant?: string; participantAlt?: string; remoteJidAlt?: string }
  pushName: string | null
  status: string
  message: Record<string, unknown>
  messageType: string
  messageTimestamp: number
  instanceId: string
  source: string
  contextInfo?: { stanzaId: string; quotedMessage?: Record<string, unknown> }
}
type Draft = {
  from?: string
  text?: string
  id?: string
  group?: string
  lid?: string
  hidden?: boolean
  name?: string
  at?: number
  quotes?: string
  message?: Record<string, unknown>
}

/** Seconds since 1970. */
export const seconds = () => Math.floor(Date.now() / 1000)
/** An id as WhatsApp makes them. */
export const newKey = () => `3EB0${randomBytes(9).toString('hex').toUpperCase()}`

/** A message that somebody sends to the paired phone: to it alone, or to a group. With `hidden`, only the sender's hidden id is known. */
export function messageOf({
  from = '61400000002',
  text = 'Hello',
  id = newKey(),
  group,
  lid,
  hidden,
  name = 'Ana',
  at = seconds(),
  quotes,
  message,
}: Draft): WireMessage {
  const phone = `${from.replace('+', '')}@s.whatsapp.net`
  const jid = lid ? `${lid}@lid` : phone
  const alt = lid && !hidden ? phone : undefined
  return {
    key: group
      ? { id, remoteJid: group, fromMe: false, participant: jid, ...(alt && { participantAlt: alt }) }
      : { id, remoteJid: jid, fromMe: false, ...(alt && { remoteJidAlt: alt }) },
    pushName: name,
    status: 'DELIVERY_ACK',
    message: message ?? { conversation: text },
    messageType: Object.keys(message ?? { conversation: 1 })[0] as string,
    messageTimestamp: at,
    instanceId: 'emulator',
    source: 'android',
    ...(quotes && { contextInfo: { stanzaId: quotes } }),
  }
}
