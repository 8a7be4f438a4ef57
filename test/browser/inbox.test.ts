import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Browser, startChromium } from '../../bench/chromium.ts'
import { type Inbox, startInbox } from '../../dev/inbox/server.ts'
import { campaigning, LINK, TOKEN } from '../routes/campaigning.ts'
import { type Row, useCrm } from '../routes/crm.ts'
import { connecting, ME } from '../routes/mailboxes/connecting.ts'
import { mailing } from '../routes/mailing.ts'
import { texting } from '../routes/texting.ts'
import { whatsapping } from '../routes/whatsapping.ts'
import { newReader, type Reader } from './reader.ts'

let browser: Browser
let inbox: Inbox
beforeAll(async () => {
  browser = await startChromium()
})
const crm = useCrm()
beforeAll(async () => {
  const { email, sms, whatsapp, google, fetch } = crm.app
  const post = async (url: string, init: object) => fetch(url.slice('http://api.test'.length), init)
  inbox = await startInbox({ email, sms, whatsapp, google, apiUrl: 'http://api.test', emailToken: TOKEN, post })
})
afterAll(async () => {
  await inbox?.close()
  await browser?.close()
})
const [mail, texts, wa, campaigns, box] = [mailing(crm), texting(crm), whatsapping(crm), campaigning(crm), connecting(crm)]

test.each([
  [360, false],
  [1360, true],
])('a keyboard is enough to read an email, reply, bounce and unsubscribe, on a screen of %i pixels', async (width, dark) => {
  inbox.inboundPath = await mail.inbox(true)
  const person = `ana-${width}@example.com`
  const contact = await crm.contact({ first_name: 'Ana', email: person })
  const log = await mail.send({ contact_id: contact.id, html: '<p>The <b>offer</b></p><script>document.title = "Run"</script>' })
  const reader = await newReader(browser, { width, dark })
  await reader.open(`${inbox.url}/`)
  await reader.sees('Live')
  await reader.check()
  await reader.follow(new RegExp(person))
  await reader.sees('As the recipient')
  await reader.check()
  expect(await reader.tab.evaluate('document.querySelector("iframe").getAttribute("sandbox")')).toBe('')
  await reader.goTo(/^HTML/)
  for (const shown of ['Hello Ana', 'Message-ID', '<b>offer</b>']) {
    await reader.press('ArrowRight')
    await reader.sees(shown)
  }
  await reader.write(/^Reply/, 'Yes, please')
  await reader.follow(/^Send reply/)
  await reader.sees(`Replied as ${person}`)
  await reader.sees('replied')
  await crm.app.drain()
  expect((await mail.messages(log.thread_id)).map(({ body_text }: Row) => body_text)).toContain('Yes, please')
  await reader.follow(/^Bounce$/)
  await reader.sees('bounced')

  const { id } = await campaigns.draft({ subject: `News ${width}`, body_html: `<p>News</p>${LINK}` })
  await campaigns.people(1, `reader-${width}`)
  await campaigns.send(id)
  await crm.app.drain()
  // The list shows it by itself.
  if (width < 800) await reader.follow(/All emails/)
  await reader.follow(new RegExp(`reader-${width}-1`))
  await reader.follow(/^Unsubscribe$/)
  await reader.sees('Unsubscribed with one click')
  await crm.app.drain()
  expect((await campaigns.show(id)).stats.unsubscribed).toBe(1)
  await reader.check()
})

test.each([
  [360, true],
  [1360, false],
])('a keyboard is enough to read an email from a Gmail mailbox, and reply to it, on a screen of %i pixels', async (width, dark) => {
  await box.reset()
  box.gmail().addAlias(ME, 'sales@harbour.example', 'Harbour Sales')
  const mailbox = await box.connect()
  await crm.ws.patch(`/mailboxes/${mailbox.id}`, { sender_email: 'sales@harbour.example' })
  const contact = await crm.contact({ email: `ben-${width}@example.com` })
  const log = (await box.send({ contact_id: contact.id, html: '<p>The <b>plan</b></p><script>document.title = "Run"</script>' })).body.data
  const content = Buffer.from('BEGIN:VCALENDAR\r\nSUMMARY:Visit\r\nEND:VCALENDAR\r\n').toString('base64')
  const attachments = [{ name: 'Besüch.ics', content_type: 'text/calendar', content }]
  box.gmail().compose(ME, { to: contact.email, subject: 'Invitation', attachments })

  const reader = await newReader(browser, { width, dark })
  await reader.open(`${inbox.url}/`)
  await reader.follow(/Invitation/)
  await reader.sees(`from the Gmail mailbox ${ME}`)
  await reader.goTo(/^HTML/)
  for (const shown of ['Hello', 'Gmail labels', '<p>Hello</p>', 'SUMMARY:Visit']) {
    await reader.press('ArrowRight')
    await reader.sees(shown)
  }
  await reader.check()
  if (width < 800) await reader.follow(/All emails/)
  await reader.follow(/Your offer/)
  await reader.sees('Harbour Sales')
  expect(await reader.tab.evaluate('document.querySelector("iframe").getAttribute("sandbox")')).toBe('')
  expect(await reader.text()).not.toMatch(/Bounce|Complain/)
  await reader.write(/^Reply/, 'Yes, please')
  await reader.follow(/^Send reply/)
  await reader.sees(`Replied as ben-${width}@example.com`)
  await reader.sees('replied')
  await reader.check()
  await box.push()
  expect((await box.messages(log.thread_id)).map(({ body_text }: Row) => body_text)).toEqual(['Hello Ana', 'Yes, please'])

  await reader.follow(/^Faults/)
  await reader.goTo(/^Sending from a mailbox/)
  await reader.press('ArrowDown')
  await reader.follow(/^Apply to Sending from a mailbox/)
  await reader.sees('1 on')
  expect(crm.app.google.failuresOf('gmail.send').always).toEqual({ mode: '400', accept: false })
  await reader.check()
  crm.app.google.clear()
})

test.each([
  [360, false],
  [1360, true],
])(
  'a keyboard is enough to open a campaign, filter and clear the emails, and choose a preset of faults, on a screen of %i pixels',
  async (width, dark) => {
    await campaigns.people(3, `grouped-${width}`)
    const { id } = await campaigns.draft({ subject: `Grouped ${width}`, body_html: `<p>News</p>${LINK}` })
    await campaigns.send(id)
    await crm.app.drain()
    const reader = await newReader(browser, { width, dark })
    await reader.open(`${inbox.url}/`)
    await reader.follow(/and 2 more/)
    await reader.sees('3 emails of a campaign')
    await reader.check()
    await reader.follow(new RegExp(`grouped-${width}-2`))
    await reader.sees('As the recipient')
    await reader.check()
    if (width < 800) await reader.follow(/All emails/)
    else await reader.follow(/^All emails/)
    await reader.goTo(/^Show/)
    await reader.press('ArrowDown')
    await reader.misses(`Grouped ${width}`)
    await reader.follow(/^Clear/)
    await reader.sees('No email')
    await reader.check()
    await reader.follow(/^Faults/)
    await reader.follow(/^Answers get lost/)
    await reader.sees('Answers get lost')
    await reader.sees('1 on')
    await reader.check()
    await reader.follow(/^Everything works/)
    await reader.sees('Works')
    expect(crm.app.email.failures.always).toBeUndefined()
  },
)

/** Opens a channel by its link in the navigation. */
async function channel(reader: Reader, name: RegExp, shows: string): Promise<void> {
  await reader.follow(name)
  await reader.sees(shows)
  await reader.check()
}

test('conversations by SMS and WhatsApp, a scan, and faults by keyboard on a screen of 360 pixels', async () => {
  const reader = await newReader(browser)
  const phone = '+61491570159'
  const contact = await crm.contact({ phone })
  await texts.grant()
  await texts.number()
  await texts.send({ contact_id: contact.id })
  await crm.app.drain()
  await reader.open(`${inbox.url}/`)
  await reader.sees('Live')
  await channel(reader, /^SMS/, phone)
  await reader.follow(new RegExp(`\\${phone}`))
  await reader.write(/^Reply as/, 'Thank you')
  await reader.follow(/^Send$/)
  await reader.follow(/^STOP$/)
  await reader.sees('STOP\n')
  await reader.check()
  await crm.app.drain()
  expect((await texts.send({ contact_id: contact.id })).status).toBe(409)

  await wa.pair()
  await channel(reader, /^WhatsApp/, 'Waiting for a scan')
  await reader.follow(/^Scan QR code/)
  await reader.sees('Connected')
  await wa.flush()
  expect(await wa.pairing()).toMatchObject({ status: 'connected' })
  await reader.goTo(/^Write to this phone/)
  await reader.press('Space')
  await reader.write(/^Message/, 'Is it ready?')
  await reader.follow(/^Send$/)
  await reader.sees('Is it ready?')
  await wa.flush()
  expect((await wa.conversations()).map(({ snippet }) => snippet)).toEqual(['Is it ready?'])

  await channel(reader, /^Faults/, 'Faults of the providers')
  await reader.goTo(/^Events: duplicated/)
  await reader.press('Space')
  await reader.sees('Events: duplicated: on')
  expect(crm.app.email.reports.faults.has('duplicated')).toBe(true)
  await reader.goTo(/^Sending$/)
  await reader.press('ArrowDown')
  await reader.follow(/^Apply to Sending$/)
  await reader.sees('2 on')
  expect(crm.app.email.failures.always).toEqual({ mode: '401', accept: false })
  crm.app.email.clear()
})
