import { messageOf } from '../../dev/whatsapp-messages.ts'
import type { Report } from '../../dev/whatsapp-world.ts'
import type { Harness } from '../harness.ts'
import { type Crm, created, found } from '../routes/crm.ts'
import { texting } from '../routes/texting.ts'
import { whatsapping } from '../routes/whatsapping.ts'
import type { TestWorkspace } from '../workspace.ts'

/** Who is written to in each workspace, and how often in all: once before the chaos and once in it, per channel. */
export const CUSTOMER = '+61412000156'
export const TEXTS = 2
const STRANGER = '+61412000157'

/**
 * Workspaces pair, and take their webhooks from the provider, one after the other: each finds its own as the latest, and puts back those of
 * others.
 */
const alone = takingTurns()

/**
 * SMS and WhatsApp of a scenario: a number and a paired phone, from which a customer was written to. Returns what then happens: further
 * messages, the outcome of the first one, repeated and in the wrong order, and what people write.
 */
export async function phonesIn(
  app: Harness,
  ws: TestWorkspace,
  work: () => Promise<void>,
): Promise<{ number: string; phones: () => Promise<void> }> {
  const crm = { app, ws } as Crm
  const [texts, chats] = [texting(crm), whatsapping(crm)]
  await texts.grant()
  const number = await texts.number()
  const connection = await alone(() => chats.pair().then(chats.connection))
  chats.world().scan(connection, '61400000001', 'Harbour Renovations')
  /** Posts the webhooks of this workspace that wait at the provider, each as often as said. */
  const report = (times: number) =>
    alone(async () => {
      const others: Report[] = []
      await chats.world().flush(async (one) => {
        if (one.body.instance !== connection.name) others.push(one)
        else for (let n = 0; n < times; n++) await chats.post(one.body, new URL(one.url).pathname)
      })
      chats.world().held.push(...others)
    })
  chats
    .world()
    .receive(connection, messageOf({ from: CUSTOMER, text: 'Is it ready?', id: 'question', at: Math.floor(Date.now() / 1000) - 60 }))
  await report(1)
  await app.drain()
  created(await ws.post('/contacts', { first_name: 'Cleo', phone: CUSTOMER }))
  const send = async (text: string) => {
    found(await ws.post('/sms/send', { to_phone: CUSTOMER, text }))
    found(await ws.post('/whatsapp/send', { to_phone: CUSTOMER, text }))
  }
  await send('Your order is ready.')
  await work()
  const sms = texts.sentTo(CUSTOMER).find(({ from }) => from === number)!
  const chat = connection.messages.find(({ key }) => key.fromMe)!

  const phones = async () => {
    await send('It can be collected.')
    await react(ws)
    for (const status of ['delivered', 'sent', 'delivered']) await texts.report(sms, status)
    for (const sid of ['SM1', 'SM2', 'SM2'])
      await texts.inbound(CUSTOMER, number, `Thank you (${sid})`, `${sid}${ws.id.replaceAll('-', '')}`)
    for (const word of ['START', 'STOP']) await texts.inbound(STRANGER, number, word)
    chats.world().receipt(connection, chat.key.id, 'READ')
    for (const [at, text] of ['Thank you', 'See you'].entries())
      chats.world().receive(connection, messageOf({ from: CUSTOMER, text, id: `chat${at}`, at: Math.floor(Date.now() / 1000) + at }))
    chats.world().files.set('chat2', btoa('a picture'))
    const message = { imageMessage: { mimetype: 'image/jpeg', fileLength: '9' } }
    chats.world().receive(connection, messageOf({ from: CUSTOMER, id: 'chat2', at: Math.floor(Date.now() / 1000) + 2, message }))
    await report(2)
  }
  return { number, phones }
}

/** Reacts to what the customer has asked, and changes the reaction. */
async function react(ws: TestWorkspace): Promise<void> {
  const [chat] = found(await ws.get('/whatsapp/conversations'))
  const question = found(await ws.get(`/whatsapp/conversations/${chat?.id}/messages`)).find(({ body_text }) => body_text === 'Is it ready?')
  for (const emoji of ['👍', '🎉']) found(await ws.post(`/whatsapp/messages/${question?.id}/reaction`, { emoji }))
  found(await ws.patch(`/whatsapp/conversations/${chat?.id}`, { unread: false }))
}

/** Runs one piece of work after the other. */
function takingTurns() {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work)
    last = turn
    return turn
  }
}
