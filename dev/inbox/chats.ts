import { qrPicture } from '../qr-picture.ts'
import type { SmsEmulator } from '../sms-emulator.ts'
import { messageOf, type WireMessage } from '../whatsapp-messages.ts'
import type { Connection, Member, WhatsAppWorld } from '../whatsapp-world.ts'
import { type Body, deliver, type Post, Refusal, textIn } from './web.ts'

/** A message of a thread, whichever side has written it; `ours` is what the workspace or its phone has sent. */
export type ChatMessage = {
  id: string
  ours: boolean
  author: string
  text: string
  at: string
  status: string
  note: string
  /** Where its files are. */
  files: { name: string; url: string }[]
}
export type Thread = { id: string; title: string; subtitle: string; messages: ChatMessage[] }

const MAX_THREADS = 200
const MAX_MESSAGES = 200
const E164 = /^\+[1-9]\d{6,14}$/
/** A picture that somebody sends. */
const PICTURE = { type: 'image/png', bytes: qrPicture('A picture') }

function phoneIn(body: Body, name: string): string {
  const phone = textIn(body, name, 20).replace(/[\s()-]/g, '')
  if (!E164.test(phone)) throw new Refusal(400, `${name} is a phone number with its country, such as +61491570156`)
  return phone
}

/** The newest threads first. */
function threadsOf(messages: (ChatMessage & { thread: Omit<Thread, 'messages'> })[]): Thread[] {
  const threads = new Map<string, Thread>()
  for (const { thread, ...message } of messages.toSorted((a, b) => a.at.localeCompare(b.at))) {
    const known = threads.get(thread.id)
    threads.delete(thread.id)
    threads.set(thread.id, { ...thread, messages: [...(known?.messages ?? []), message].slice(-MAX_MESSAGES) })
  }
  return [...threads.values()].reverse().slice(0, MAX_THREADS)
}

const numbered = (urls: string[]) => urls.map((url, n) => ({ name: `File ${n + 1}`, url }))

/** The conversations by SMS: one for each pair of a number of ours and a person's. */
export function smsOf(emulator: SmsEmulator, post: Post) {
  const thread = (ours: string, theirs: string) => ({ id: `${ours}/${theirs}`, title: theirs, subtitle: `with ${ours}` })
  return {
    list: () => ({
      numbers: emulator.numbers.map(({ phone_number }) => phone_number),
      threads: threadsOf([
        ...emulator.sent.map(({ sid, from, to, body, date_created, status, media_urls }) => ({
          id: sid,
          ours: true,
          author: from,
          text: body,
          at: new Date(date_created).toISOString(),
          status,
          note: '',
          files: numbered(media_urls),
          thread: thread(from, to),
        })),
        ...emulator.received.map(({ sid, from, to, body, date_created, media_urls }) => ({
          id: sid,
          ours: false,
          author: from,
          text: body,
          at: new Date(date_created).toISOString(),
          status: '',
          note: '',
          files: numbered(media_urls),
          thread: thread(to, from),
        })),
      ]),
    }),
    /** Somebody writes to a number. */
    async receive(body: Body) {
      const [from, to] = [phoneIn(body, 'from'), phoneIn(body, 'to')]
      const number = emulator.numbers.find(({ phone_number }) => phone_number === to)
      if (!number) throw new Refusal(409, 'No workspace has this number: buy it with POST /v1/phone/numbers/buy')
      const media = body.picture === true ? [PICTURE] : []
      const { url, init } = emulator.inbound({ from, to, body: textIn(body, 'text', 1600), url: number.sms_url, media })
      await deliver(post, url, init.body, 'application/x-www-form-urlencoded', init.headers)
    },
  }
}

const phoneOf = (jid: string) => (/^(\d+)(?::\d+)?@s\.whatsapp\.net$/.test(jid) ? `+${jid.split(/[:@]/)[0]}` : jid)
const STATES = { close: 'Disconnected', connecting: 'Waiting for a scan', open: 'Connected' } as const

/** The file of a message, as the message shows it. */
function fileIn(message: WireMessage['message']) {
  const inner = (message.documentWithCaptionMessage as { message: WireMessage['message'] } | undefined)?.message ?? message
  const [kind, file] = Object.entries(inner)[0] ?? []
  if (!kind || !/^(?:image|video|audio|document|sticker)Message$/.test(kind)) return undefined
  const { caption = '', fileName } = file as { caption?: string; fileName?: string }
  return { caption, name: fileName ?? kind.replace('Message', '') }
}

const textOf = ({ message }: Pick<WireMessage, 'message'>): string =>
  typeof message.conversation === 'string' ? message.conversation : (fileIn(message)?.caption ?? `(${Object.keys(message)[0]})`)
type ReactionMessage = { text: string; key: { id: string } }
const reactionIn = ({ message }: WireMessage) => message.reactionMessage as ReactionMessage | undefined

/** The latest reaction of each person to a message. */
function reactionsTo(one: Connection, id: string): string {
  const latest = new Map<string, string>()
  for (const reaction of one.messages) {
    const { text, key } = reactionIn(reaction) ?? {}
    if (key?.id === id) latest.set(reaction.key.fromMe ? '' : (reaction.key.participant ?? reaction.key.remoteJid), text ?? '')
  }
  return [...latest.values()].join(' ').trim()
}

/** A message of one of the chats; reactions are noted with the message that they are about. */
function chatMessage(one: Connection, { key, message, status, messageTimestamp, pushName, source, contextInfo }: WireMessage) {
  const group = one.groups.get(key.remoteJid)
  const person = phoneOf(key.remoteJidAlt ?? key.remoteJid)
  const [text, file] = [textOf({ message }), fileIn(message)]
  const quoted = contextInfo && one.messages.find(({ key: { id } }) => id === contextInfo.stanzaId)
  const author = key.fromMe ? (one.profileName ?? one.name) : (pushName ?? phoneOf(key.participantAlt ?? key.participant ?? key.remoteJid))
  const notes = [
    key.fromMe && source === 'android' && 'written on the phone',
    contextInfo && `in reply to “${quoted ? textOf(quoted).slice(0, 40) : 'an unknown message'}”`,
    reactionsTo(one, key.id),
  ]
  return {
    id: key.id,
    ours: key.fromMe,
    author,
    text,
    at: new Date(messageTimestamp * 1000).toISOString(),
    status: key.fromMe || status === 'READ' ? status.toLowerCase() : '',
    note: notes.filter(Boolean).join(' · '),
    files: file ? [{ name: file.name, url: `/api/whatsapp/files/${encodeURIComponent(key.id)}` }] : [],
    thread: { id: `${one.name}/${key.remoteJid}`, title: group?.subject ?? person, subtitle: group ? 'Group' : (pushName ?? '') },
  }
}

/** The phones that are paired, or being paired, and their conversations. */
export function whatsAppOf(world: WhatsAppWorld) {
  const find = (name: unknown) => {
    const one = world.connections.get(String(name))
    if (!one) throw new Refusal(404, 'No such connection: pair a phone with POST /v1/whatsapp/pair')
    return one
  }
  const open = (name: unknown) => {
    const one = find(name)
    if (one.state !== 'open') throw new Refusal(409, 'No phone is connected: scan its QR code first')
    return one
  }
  const ACTIONS: Record<string, (body: Body) => void> = {
    scan(body) {
      const one = find(body.connection)
      if (one.state !== 'connecting' || one.qr === 0) throw new Refusal(409, 'There is no QR code to scan')
      world.scan(one, phoneIn(body, 'phone').slice(1), textIn(body, 'name', 60))
    },
    'new-qr': (body) => {
      const one = find(body.connection)
      if (one.state !== 'connecting') throw new Refusal(409, 'Only a connection that waits for a scan has a QR code')
      world.newQr(one)
    },
    receive(body) {
      const one = open(body.connection)
      const group = body.group ? String(body.group) : undefined
      if (group && !one.groups.has(group)) throw new Refusal(404, 'The phone is in no such group')
      const [from, text] = [phoneIn(body, 'from').slice(1), textIn(body, 'text', 4096)]
      const draft = messageOf({
        from,
        text,
        ...(body.name && { name: String(body.name) }),
        ...(group && { group }),
        ...pictureIn(body, text),
      })
      if (body.picture === true) world.files.set(draft.key.id, PICTURE.bytes.toString('base64'))
      world.receive(one, draft)
    },
    'phone-sends': (body) => {
      world.send(open(body.connection), `${phoneIn(body, 'to').slice(1)}@s.whatsapp.net`, textIn(body, 'text', 4096), false)
    },
    read(body) {
      const one = open(body.connection)
      const unread = one.messages.filter(({ key, status }) => key.fromMe && key.remoteJid === body.chat && status !== 'READ')
      if (unread.length === 0) throw new Refusal(409, 'Everything in this conversation is read')
      for (const { key } of unread) world.receipt(one, key.id, 'READ')
    },
    group(body) {
      const one = open(body.connection)
      const members: Member[] = [{ id: one.ownerJid ?? '', admin: 'admin' }, { id: `${phoneIn(body, 'member').slice(1)}@s.whatsapp.net` }]
      world.setGroup(one, `12036${Date.now()}@g.us`, textIn(body, 'subject', 100), members)
    },
    'lose-connection': (body) => world.closeConnection(open(body.connection), 428),
    'log-out': (body) => world.closeConnection(open(body.connection), 401),
  }
  return {
    list: () => ({
      connections: [...world.connections.values()].map((one) => ({
        name: one.name,
        state: one.state,
        label: STATES[one.state],
        phone: one.ownerJid && phoneOf(one.ownerJid),
        profile: one.profileName,
        qr: one.state === 'connecting' && one.qr > 0 ? { count: one.qr, image: qrImage(world, one) } : null,
        groups: [...one.groups.values()].map(({ id, subject }) => ({ id, subject })),
      })),
      threads: threadsOf(
        [...world.connections.values()].flatMap((one) =>
          one.messages.filter((message) => !reactionIn(message)).map((message) => chatMessage(one, message)),
        ),
      ),
    }),
    /** The file of a message. */
    file(id: string): { name: string; content: Buffer } {
      const message = [...world.connections.values()].flatMap((one) => one.messages).find(({ key }) => key.id === id)
      const base64 = world.files.get(id) ?? world.sent.find((sent) => sent.id === id)?.file
      if (!message || base64 === undefined) throw new Refusal(404, 'The emulator has no such file: it was started again since')
      return { name: fileIn(message.message)?.name ?? 'file', content: Buffer.from(base64, 'base64') }
    },
    act(action: string, body: Body) {
      const act = ACTIONS[action]
      if (!act) throw new Refusal(404, `The actions are ${Object.keys(ACTIONS).join(', ')}`)
      act(body)
    },
  }
}

const pictureIn = ({ picture }: Body, caption: string) =>
  picture === true && { message: { imageMessage: { caption, mimetype: PICTURE.type, fileLength: String(PICTURE.bytes.length) } } }

/** The picture of the QR code, without asking for another one as the API does. */
const qrImage = (world: WhatsAppWorld, one: Connection) => world.pictureOf(one)
