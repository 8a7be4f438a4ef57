import { setTimeout as pause } from 'node:timers/promises'
import { program, TARGET_FLAGS, TARGET_USAGE } from '../program.ts'
import { addressesOf, targetOf } from '../runs.ts'
import { Complaint } from '../settings.ts'
import { type Api, apiOf, type Body, type Fetch } from './api.ts'
import { demonstrateCampaign } from './campaign.ts'
import { type InboxClient, inboxClient } from './inbox-client.ts'

const USAGE = `Usage: npm run demo:messaging [-- --contacts 5000 --inbox URL <flags>]

Pairs WhatsApp by a scan in the local inbox, sends and receives an email, an SMS and a WhatsApp message, \
and sends a campaign while the provider fails.
Then it compares the campaign with what has arrived. It takes about four minutes, because an unclear outcome is looked up \
after two. Afterwards the
contacts are deleted; the campaign, the conversations and the emails in the inbox stay.
${TARGET_USAGE}`

const PATIENCE_MS = 900_000
const PHONE = '+61400000001'

export type Surroundings = {
  fetch: Fetch
  /** The address of the inbox. */
  inbox: string
  /** Lets some time pass. */
  pass: () => Promise<void>
}

/** What every part of the demonstration uses. */
export type Stage = {
  api: Api
  quiet: Api
  inbox: InboxClient
  print: (line: string) => void
  say: (text: string) => void
  until: (what: string, holds: () => Promise<unknown>) => Promise<void>
  undo: (() => Promise<unknown>)[]
  unique: string
}

/** Runs the demonstration against the API at `base`; `print` receives every line of output. */
export async function demonstrateMessaging(
  base: string,
  key: string,
  print: (line: string) => void,
  { fetch, inbox, pass }: Surroundings,
  { contacts = 5_000 } = {},
): Promise<void> {
  const patient = waitingOut(fetch)
  const undo: Stage['undo'] = []
  const stage: Stage = {
    api: apiOf(base, key, print, patient),
    quiet: apiOf(base, key, () => {}, patient),
    inbox: inboxClient(inbox),
    print,
    say: (text) => print(`  → ${text}`),
    undo,
    unique: Date.now().toString(36),
    async until(what, holds) {
      for (const end = Date.now() + PATIENCE_MS; !(await holds()); await pass())
        if (Date.now() > end) throw new Complaint(`Waited in vain for ${what}`)
    },
  }
  const { quiet, unique } = stage
  try {
    const phone = `+614${String(Date.now()).slice(-8)}`
    const { data: ana } = await quiet('POST', '/contacts', { first_name: 'Ana', email: `ana-${unique}@example.com`, phone })
    undo.push(() => quiet('DELETE', `/contacts/${ana.id}`))
    await pairWhatsApp(stage)
    await exchangeEmails(stage, ana)
    await exchangeSms(stage, ana)
    await exchangeWhatsApp(stage, ana)
    await demonstrateCampaign(stage, contacts)
  } finally {
    for (const step of undo.toReversed()) await step()
  }
}

/** A call that was refused by the rate limit is made again as soon as it may be. */
const waitingOut =
  (fetch: Fetch): Fetch =>
  async (url, init) => {
    for (;;) {
      const response = await fetch(url, init)
      if (response.status !== 429) return response
      await pause(1_000)
    }
  }

async function pairWhatsApp({ api, quiet, inbox, print, say, until }: Stage): Promise<void> {
  print('\n1. WhatsApp is paired by a scan')
  const status = async () => (await quiet('GET', '/whatsapp/pairing')).data.status
  const { connections } = await inbox.read('whatsapp')
  if ((await status()) === 'connected' && connections.some(({ state }: Body) => state === 'open'))
    return say('a phone is paired already: disconnect it with POST /v1/whatsapp/disconnect to pair another one')
  const { qr_number } = (await api('POST', '/whatsapp/pair')).data
  say(`the API shows QR code number ${qr_number}, and so does the inbox: a phone scans it`)
  let scanned = ''
  await until('the connection', async () => {
    const waiting = (await inbox.read('whatsapp')).connections.findLast(({ qr }: Body) => qr !== null)
    if (waiting && scanned !== waiting.name) {
      scanned = waiting.name
      await inbox.act('whatsapp/scan', { connection: waiting.name, phone: PHONE, name: 'Demo phone' })
    }
    return (await status()) === 'connected'
  })
  const { phone_number, display_name } = (await api('GET', '/whatsapp/pairing')).data
  say(`connected: ${display_name}, ${phone_number}`)
}

async function exchangeEmails({ api, quiet, inbox, print, say, until }: Stage, ana: Body): Promise<void> {
  print('\n2. An email, and its reply')
  const { thread_id } = (
    await api('POST', '/email/send', { contact_id: ana.id, subject: 'Your offer', text: 'Hello Ana, here is your offer.' })
  ).data
  const email = async () => (await inbox.read(`emails?search=${ana.email}`)).emails[0]
  await until('the email', email)
  await inbox.act(`emails/${(await email()).id}/reply`, { text: 'Thank you, I will take it.' })
  const path = `/email/threads/${thread_id}/messages`
  await until('the reply', async () => (await quiet('GET', path)).data.length === 2)
  for (const { direction, body_text } of (await api('GET', path)).data) say(`${direction}: ${body_text}`)
}

async function exchangeSms({ api, quiet, inbox, print, say, until, unique }: Stage, ana: Body): Promise<void> {
  print('\n3. An SMS, its answer, and STOP')
  const known: string[] = (await inbox.read('sms')).numbers
  const own: Body[] = (await quiet('GET', '/phone/numbers')).data
  let number = own.find(({ phone_number }) => known.includes(phone_number))
  if (!number) {
    const phone_number = `+6149${String(Number.parseInt(unique, 36)).slice(-7)}`
    const owner = { customer_name: 'Harbour Renovations', street: '12 Bridge Street', city: 'Sydney', region: 'NSW', postal_code: '2000' }
    await api('POST', '/phone/addresses', { ...owner, country: 'AU' })
    number = (await api('POST', '/phone/numbers/buy', { phone_number })).data
  }
  const send = { contact_id: ana.id, phone_number_id: number.id }
  const { conversation_id } = (await api('POST', '/sms/send', { ...send, text: 'Your kitchen is ready, Ana.' })).data
  const thread = async () => (await inbox.read('sms')).threads.find(({ title }: Body) => title === ana.phone)
  await until('the SMS', thread)
  const answer = (text: string) => inbox.act('sms/receive', { from: ana.phone, to: number.phone_number, text })
  await answer('Great, I come at ten.')
  await answer('STOP')
  const path = `/sms/conversations/${conversation_id}/messages`
  await until(
    'the answers',
    async () => (await quiet('GET', path)).data.filter(({ direction }: Body) => direction === 'inbound').length === 2,
  )
  for (const { direction, text } of (await api('GET', path)).data) say(`${direction}: ${text}`)
  const refusal = await api('POST', '/sms/send', { ...send, text: 'Are you sure?' }, 409)
  say(`after STOP nothing is sent: ${refusal.error.message}`)
}

async function exchangeWhatsApp({ api, quiet, inbox, print, say, until }: Stage, ana: Body): Promise<void> {
  print('\n4. A WhatsApp message, and its answer')
  const { conversation_id } = (await api('POST', '/whatsapp/send', { to_phone: ana.phone, text: 'Hello Ana' })).data
  const world = () => inbox.read('whatsapp')
  await until('the message', async () => (await world()).threads.some(({ title }: Body) => title === ana.phone))
  const connection = (await world()).connections.find(({ state }: Body) => state === 'open').name
  await inbox.act('whatsapp/receive', { connection, from: ana.phone, text: 'Hello to you', name: 'Ana' })
  const path = `/whatsapp/conversations/${conversation_id}/messages`
  await until('the answer', async () => (await quiet('GET', path)).data.length === 2)
  for (const { direction, body_text } of (await api('GET', path)).data) say(`${direction}: ${body_text}`)
}

const options = { ...TARGET_FLAGS, inbox: { type: 'string' }, contacts: { type: 'string' } } as const
await program(import.meta, { usage: USAGE, options }, async (flags) => {
  const contacts = Number(flags.contacts ?? 5_000)
  if (!Number.isInteger(contacts) || contacts < 40 || contacts > 50_000) throw new Complaint('--contacts is a number from 40 to 50,000.')
  const { base, key, run } = targetOf(flags)
  const inbox = flags.inbox ?? addressesOf(run).inbox
  const surroundings = { fetch: fetch as unknown as Fetch, inbox, pass: () => pause(1_000) }
  await demonstrateMessaging(base, key, console.log, surroundings, { contacts })
})
