import { expect, test } from 'vitest'
import { type EmailEmulator, startEmailEmulator } from '../../dev/email-emulator.ts'
import { qrPicture } from '../../dev/qr-picture.ts'
import { type ReportFault, ReportSender } from '../../dev/report-sender.ts'
import { startWebhookReceiver } from '../../dev/webhook-receiver.ts'

/** Sends the numbers 1 to 3 with the faults; resolves to what arrives, in its order, once `count` have. */
async function arriving(count: number, ...faults: ReportFault[]): Promise<number[]> {
  const sender = new ReportSender()
  for (const fault of faults) sender.set(fault, true)
  const arrived: number[] = []
  await new Promise<void>((done) => {
    for (const n of [1, 2, 3])
      sender.send(async () => {
        if (arrived.push(n) === count) done()
        return true
      })
  })
  return arrived
}

test('reports come once and in their order, or twice, or in reverse', async () => {
  expect(await arriving(3)).toEqual([1, 2, 3])
  expect((await arriving(6, 'duplicated')).sort()).toEqual([1, 1, 2, 2, 3, 3])
  expect(await arriving(3, 'reordered')).toEqual([3, 2, 1])
  expect(await arriving(6, 'reordered', 'duplicated')).toEqual([3, 3, 2, 2, 1, 1])
})

test('what is withheld is sent when it no longer is, and what was not taken is sent again', async () => {
  const sender = new ReportSender()
  sender.set('withheld', true)
  const answers = [false, true]
  const arrived = new Promise<void>((done) =>
    sender.send(async () => {
      const isTaken = answers.shift() as boolean
      if (isTaken) done()
      return isTaken
    }),
  )
  expect([sender.waiting, answers.length]).toEqual([1, 2])
  sender.set('withheld', false)
  await arrived
  expect(sender.waiting).toBe(0)
})

async function send({ url, token }: EmailEmulator, To: string): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-postmark-server-token': token }
  await fetch(`${url}/email`, { method: 'POST', headers, body: JSON.stringify({ From: 'us@example.com', To, TextBody: 'Hi' }) })
}

test('with an address for them, the emulator of email reports that a message was delivered, or has bounced', async () => {
  const receiver = await startWebhookReceiver()
  const emulator = await startEmailEmulator({ reportsTo: `${receiver.url}/events` })
  try {
    const both = new Promise<void>((done) => {
      const push = receiver.received.push.bind(receiver.received)
      receiver.received.push = (...received) => {
        const count = push(...received)
        if (count === 2) done()
        return count
      }
    })
    await send(emulator, 'ana@example.com')
    await send(emulator, 'hardbounce@bounce-testing.example.com')
    await both
    expect(receiver.received.map(({ path, body }) => [path, body.RecordType, body.Recipient ?? body.Email]).sort()).toEqual([
      ['/events', 'Bounce', 'hardbounce@bounce-testing.example.com'],
      ['/events', 'Delivery', 'ana@example.com'],
    ])
  } finally {
    await emulator.close()
    await receiver.close()
  }
})

test('the picture of a QR code is a PNG, another one for each text', () => {
  const [one, other] = [qrPicture('2@phone1'), qrPicture('2@phone2')]
  expect(one.subarray(1, 4).toString()).toBe('PNG')
  expect(one.equals(other)).toBe(false)
  expect(qrPicture('2@phone1').equals(one)).toBe(true)
})
