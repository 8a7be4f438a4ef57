import { expect, test } from 'vitest'
import { readWhatsAppEvent } from '../../src/features/whatsapp/rules/events.ts'
import { addressOfJid } from '../../src/features/whatsapp/rules/jids.ts'
import {
  decide,
  MAX_LOOKS,
  MAX_QR_CODES,
  type Observation,
  PAIRED,
  PAIRING_STATES,
  type Pairing,
} from '../../src/features/whatsapp/rules/pairing.ts'

const NOW = new Date('2026-11-20T12:00:00.000Z')
const NEW: Pairing = {
  status: 'connecting',
  qr_image: null,
  qr_number: 0,
  qr_expires_at: null,
  attempts: 0,
  phone_number: null,
  display_name: null,
  connected_at: null,
  error: null,
  due_at: null,
}
const SEEN: Observation[] = [
  { kind: 'missing' },
  ...[0, 3].map((missed): Observation => ({ kind: 'open', jid: '61400000001:7@s.whatsapp.net', name: 'Ana', missed })),
  ...[null, 'data:image/png;base64,A', 'data:image/png;base64,B'].map((qr): Observation => ({ kind: 'connecting', qr })),
  ...[null, 401, 402, 403, 406, 408, 428, 440, 500, 503, 515].map((reason): Observation => ({ kind: 'closed', reason })),
  { kind: 'unknown', error: 'timeout' },
]
const ENDED = ['qr_expired', 'logged_out']

/** Every state, with what it may be known of it. */
const pairings = PAIRING_STATES.flatMap((status) =>
  [0, 1, MAX_LOOKS, 50].flatMap((attempts) =>
    [0, MAX_QR_CODES].flatMap((qr_number) =>
      (status === 'awaiting_qr' ? [NOW.toISOString(), '2026-11-20T12:00:30.000Z'] : [null]).map(
        (qr_expires_at): Pairing => ({
          ...NEW,
          status,
          attempts,
          qr_number,
          qr_expires_at,
          qr_image: qr_expires_at && 'data:image/png;base64,A',
        }),
      ),
    ),
  ),
)

test('whatever is seen in whatever state: the watch goes on or has ended, and only what the provider says pairs a phone', () => {
  for (const pairing of pairings)
    for (const seen of SEEN) {
      const { next, action } = decide(pairing, seen, NOW)
      const what = JSON.stringify({ pairing, seen, next, action })
      const isForgotten = action === 'forget'
      expect(next.due_at === null, what).toBe(ENDED.includes(next.status) || isForgotten)
      if (next.due_at !== null) expect(next.due_at > NOW.toISOString() && next.due_at <= '2026-11-20T12:10:00.000Z', what).toBe(true)
      expect(next.qr_number, what).toBeLessThanOrEqual(MAX_QR_CODES)
      expect(next.qr_image !== null && next.status !== 'awaiting_qr', what).toBe(false)
      if (PAIRED.includes(next.status) && !PAIRED.includes(pairing.status)) expect(seen.kind, what).toBe('open')
      if (pairing.status === 'disconnecting') expect([next.status, isForgotten], what).toEqual(['disconnecting', seen.kind === 'missing'])
      if (next.status === 'qr_expired' && pairing.status !== 'qr_expired') expect(action, what).toBe('remove')
      expect(decide(pairing, seen, NOW), 'it depends on nothing else').toEqual({ next, action })
    }
})

/** Logged out by the phone, not allowed, banned, and refused for good: Baileys, DisconnectReason, which the product does not export. */
const FOR_GOOD = [401, 402, 403, 406]

test('a phone that logged out or was banned is not connected again, whatever is seen later but an open connection', () => {
  for (const reason of FOR_GOOD)
    for (const pairing of pairings.filter(({ status }) => status !== 'disconnecting' && !ENDED.includes(status))) {
      const what = `${reason} ${JSON.stringify(pairing)}`
      let { next, action } = decide(pairing, { kind: 'closed', reason }, NOW)
      expect([next.status, next.due_at, action], what).toEqual(['logged_out', null, 'none'])
      for (const seen of SEEN.filter(({ kind }) => kind !== 'open')) {
        ;({ next, action } = decide(next, seen, NOW))
        expect([next.status, next.due_at, action], what).toEqual(['logged_out', null, 'none'])
      }
    }
})

test('a pairing that the customer has ended stays ended, and is removed until the provider no longer has it', () => {
  for (const pairing of pairings.filter(({ status }) => status === 'disconnecting'))
    for (const seen of SEEN) {
      const { next, action } = decide(pairing, seen, NOW)
      const expected = { missing: 'forget', unknown: 'none' }[seen.kind as string] ?? 'remove'
      expect([next.status, action], JSON.stringify({ pairing, seen })).toEqual(['disconnecting', expected])
    }
})

test('a pairing that nothing comes of ends after a bounded number of looks', () => {
  for (const seen of SEEN.filter(({ kind }) => kind !== 'open')) {
    let pairing = NEW
    let looks = 0
    for (let now = NOW; !ENDED.includes(pairing.status); now = new Date(now.getTime() + 60_000)) {
      pairing = decide(pairing, seen, now).next
      if (++looks > MAX_LOOKS + MAX_QR_CODES) throw new Error(`It goes on: ${JSON.stringify({ seen, pairing })}`)
    }
  }
})

test('an id of WhatsApp gives a phone number only if it is one', () => {
  expect(addressOfJid('61400000001:12@s.whatsapp.net')).toEqual({ kind: 'phone', phone: '+61400000001' })
  expect(addressOfJid('61400000001@lid')).toEqual({ kind: 'lid', lid: '61400000001@lid' })
  expect(addressOfJid('120363000000000001@g.us')).toEqual({ kind: 'group', jid: '120363000000000001@g.us' })
  for (const jid of ['status@broadcast', '1@newsletter', 'x@s.whatsapp.net', '', null, undefined, '61400000001'])
    expect(addressOfJid(jid)).toEqual({ kind: 'other' })
})

test('whoever has the link of a booking can cancel it: a report has its tag, in a text and below a picture', () => {
  const link = 'https://crm.example.com/book/acme/manage/254c7c7e-1984-4f11-8697-608a60dfd742'
  const key = { id: 'A1', remoteJid: '61400000002@s.whatsapp.net', fromMe: true }
  for (const message of [{ conversation: link }, { extendedTextMessage: { text: link } }, { imageMessage: { caption: link } }])
    expect(readWhatsAppEvent({ event: 'messages.upsert', data: { key, message } }, NOW)).toMatchObject({
      messages: [{ text: '{management_url}' }],
    })
})

test('reports are read in every form that the provider has, and whatever is odd is left out', () => {
  const key = { id: 'A1', remoteJid: '98765@lid', remoteJidAlt: '61400000002@s.whatsapp.net', fromMe: false }
  const data = { key, pushName: ' Ana\nLee ', message: { conversation: 'Hi\u0000' }, messageTimestamp: { low: 1763640000 } }
  expect(readWhatsAppEvent({ event: 'MESSAGES_UPSERT', data }, NOW)).toMatchObject({
    messages: [
      { key_id: 'A1', phone: '+61400000002', lid: '98765@lid', sender_name: 'Ana Lee', text: 'Hi', at: '2025-11-20T12:00:00.000Z' },
    ],
  })
  for (const messageTimestamp of [-1, 'x', null, 1e18, 4e9])
    expect(readWhatsAppEvent({ event: 'messages.upsert', data: { ...data, messageTimestamp } }, NOW)).toMatchObject({
      messages: [{ at: NOW.toISOString() }],
    })
  for (const event of [undefined, 1, 'chats.update', 'messages.upsert', 'messages.update', 'messages.delete', 'groups.upsert'])
    for (const odd of [null, 'x', [], [null], {}, { key: null }, { key: { id: 'a b' } }, { keyId: 'A B', status: 'READ' }, { id: {} }])
      expect(readWhatsAppEvent({ event, data: odd }, NOW)).toBeUndefined()
  expect(readWhatsAppEvent({ event: 'connection.update', data: { state: 'open' } }, NOW)).toEqual({ kind: 'pairing' })
})
