import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { reply, startLocalServer } from '../../dev/local-server.ts'
import { type SmsEmulator, startSmsEmulator } from '../../dev/sms-emulator.ts'
import { twilioSms } from '../../src/features/sms/provider/twilio.ts'
import { isTwilioSigned } from '../../src/lib/provider-signatures.ts'

let emulator: SmsEmulator
beforeAll(async () => {
  emulator = await startSmsEmulator()
})
afterAll(() => emulator.close())
beforeEach(() => emulator.clear())

const SMS = {
  from: '+61491571570',
  to: '+61412345678',
  body: 'Hi & bye = 100% + é',
  status_callback: 'https://api.example.com/sms-events/w/m',
}
const client = (timeoutMs = 2_000, url = emulator.url) => twilioSms({ url, account: emulator.account, token: emulator.token, timeoutMs })

test('each response and failure of the provider is one outcome', async () => {
  expect(await client().send(SMS)).toEqual({ outcome: 'sent', message_id: emulator.sent[0]?.sid })
  expect(emulator.sent[0]).toMatchObject(SMS)
  const outcomes = {
    21211: 'refused',
    21610: 'refused',
    21614: 'refused',
    401: 'unavailable',
    429: 'unavailable',
    500: 'unclear',
    503: 'unclear',
    drop: 'unclear',
    slow: 'sent',
  }
  for (const [mode, outcome] of Object.entries(outcomes)) {
    emulator.fail(mode as never)
    expect([mode, (await client().send(SMS)).outcome]).toEqual([mode, outcome])
  }
  emulator.fail('timeout', 1, true)
  expect(await client(50).send(SMS)).toMatchObject({ outcome: 'unclear' })
  expect(await client(2_000, 'http://127.0.0.1:9').send(SMS)).toMatchObject({ outcome: 'unclear' })
  expect(await client().send({ ...SMS, to: 'nobody' })).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('21211') })
})

test('a look-up finds messages by numbers, text and time, is repeated a few times, and fails loudly', async () => {
  await client().send(SMS)
  await client().send({ ...SMS, body: 'Other' })
  const sid = emulator.sent[0]?.sid
  const since = new Date(Date.now() - 60_000)
  emulator.failSearch('500', 2)
  expect(await client().find(SMS, since)).toEqual([sid])
  expect(await client().find(SMS, new Date(Date.now() + 3_600_000))).toEqual([])
  expect(await client().find({ ...SMS, to: '+61499999999' }, since)).toEqual([])
  emulator.failSearch('503', 3)
  await expect(client().find(SMS, since)).rejects.toThrow('503')
  emulator.failSearch('401')
  await expect(client().find(SMS, since)).rejects.toThrow('401')
  // A connection that breaks is no answer either.
  emulator.failSearch('drop', 2)
  expect(await client().find(SMS, since)).toEqual([sid])
  emulator.failSearch('drop', 3)
  await expect(client().find(SMS, since)).rejects.toThrow('fetch failed')
  emulator.failSearch('429')
  expect(await client().find(SMS, since)).toEqual([sid])
})

test('a response in another form is unclear', async () => {
  const server = await startLocalServer((_, response) => reply(response, 201, { sid: 7 }))
  expect(await client(2_000, server.url).send(SMS)).toMatchObject({ outcome: 'unclear' })
  await server.close()
})

test('the signature is that of the provider’s documentation, and any changed bit is refused', () => {
  // The example of https://www.twilio.com/docs/usage/security#validating-requests.
  const url = 'https://mycompany.com/myapp.php?foo=1&bar=2'
  const form = new URLSearchParams({
    CallSid: 'CA1234567890ABCDE',
    Caller: '+14158675309',
    Digits: '1234',
    From: '+14158675309',
    To: '+18005551212',
  })
  const signature = 'RSOYDt4T1cUTdK1PDd93/VVr8B8='
  expect(isTwilioSigned('12345', url, form, signature)).toBe(true)
  const bytes = Buffer.from(signature, 'base64')
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes)
    changed[bit >> 3]! ^= 1 << (bit & 7)
    expect(isTwilioSigned('12345', url, form, changed.toString('base64'))).toBe(false)
  }
  expect(isTwilioSigned('12346', url, form, signature)).toBe(false)
  form.set('Digits', '1235')
  expect(isTwilioSigned('12345', url, form, signature)).toBe(false)
})
