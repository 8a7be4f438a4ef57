import type { RequestInit } from 'miniflare'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demonstrateMessaging } from '../../dev/demo/messaging.ts'
import { type Inbox, startInbox } from '../../dev/inbox/server.ts'
import { campaigning, TOKEN } from '../routes/campaigning.ts'
import { useCrm } from '../routes/crm.ts'
import { mailing } from '../routes/mailing.ts'
import { whatsapping } from '../routes/whatsapping.ts'
import { limit } from '../speed.ts'

const crm = useCrm({ ownServer: true })
const wa = whatsapping(crm)
const callWorker = async (url: string, init: object) => crm.app.fetch(url.slice('http://api.test'.length), init as RequestInit)
let inbox: Inbox

beforeAll(async () => {
  const { email, sms, whatsapp, google } = crm.app
  inbox = await startInbox({ email, sms, whatsapp, google, apiUrl: 'http://api.test', emailToken: TOKEN, post: callWorker })
})
afterAll(() => inbox.close())

test('a phone is paired, every channel sends and receives, and a campaign whose provider fails reaches everybody once', {
  timeout: limit(240_000),
}, async () => {
  inbox.inboundPath = await mailing(crm).inbox()
  await wa.credits()
  const lines: string[] = []
  // What waits for a time is due.
  const pass = async () => {
    await wa.flush()
    await campaigning(crm).later()
  }
  const surroundings = { fetch: callWorker, inbox: inbox.url, pass }
  await demonstrateMessaging('http://api.test', crm.ws.apiKey, (line) => lines.push(line), surroundings, { contacts: 600 })
  const output = lines.join('\n')
  for (const part of [
    'connected: Demo phone, +61400000001',
    'inbound: Thank you, I will take it.',
    'inbound: Great, I come at ten.',
    'after STOP nothing is sent',
    'inbound: Hello to you',
    'the API reports 1 opened, 1 clicked, 1 bounced, 1 unsubscribed',
    '24 no_address',
    '2 hard_bounce',
    ' 0 twice, 0 missing',
    'nobody got it twice',
  ])
    expect(output).toContain(part)
  expect(crm.app.email.failures.pending).toBe(0)
})
