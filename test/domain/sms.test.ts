import { expect, test } from 'vitest'
import { keywordOf, smsSize, smsSuppressionOf } from '../../src/features/sms/rules/sms.ts'

test.each<[string, string, 'gsm7' | 'ucs2', number, number]>([
  ['nothing', '', 'gsm7', 0, 1],
  ['160 characters', 'a'.repeat(160), 'gsm7', 160, 1],
  ['161 characters', 'a'.repeat(161), 'gsm7', 161, 2],
  ['306 characters', 'a'.repeat(306), 'gsm7', 306, 2],
  ['307 characters', 'a'.repeat(307), 'gsm7', 307, 3],
  ['characters of the basic set', 'Grüße, Ñandú à ΔΩ', 'ucs2', 17, 1],
  ['German umlauts', 'Größe für Ärzte', 'gsm7', 15, 1],
  ['80 of the extension table', '€'.repeat(80), 'gsm7', 160, 1],
  ['one of them over the end of a segment', `${'a'.repeat(152)}€${'a'.repeat(10)}`, 'gsm7', 164, 2],
  ['one that does not fit in a segment begins the next', `${`${'a'.repeat(152)}€`.repeat(2)}a`, 'gsm7', 309, 3],
  ['70 of UCS-2', 'я'.repeat(70), 'ucs2', 70, 1],
  ['71 of UCS-2', 'я'.repeat(71), 'ucs2', 71, 2],
  ['35 emoji', '😀'.repeat(35), 'ucs2', 70, 1],
  ['36 emoji, none of which is split', '😀'.repeat(36), 'ucs2', 72, 2],
  ['67 emoji take three segments of 33', '😀'.repeat(67), 'ucs2', 134, 3],
])('%s', (_, text, encoding, units, segments) => {
  expect(smsSize(text)).toEqual({ encoding, units, segments })
})

test('keywords count only as the whole message, in any case, width and language', () => {
  for (const text of [
    'STOP',
    'stop.',
    ' Stop ',
    'ＳＴＯＰ',
    'Arrêt',
    'ARRET',
    'stopp',
    'Baja',
    'PARAR',
    'annulla',
    '停止',
    'СТОП',
    'إلغاء',
    'zatrzymaj',
    'opt-out',
    'STOP ⛔️',
    '🛑 Stop! 🙏🏽',
    'Stop 👩‍💻',
    '\u200eSTOP\u200b',
    '\ufeffstop',
  ])
    expect([text, keywordOf(text)]).toEqual([text, 'stop'])
  for (const text of ['start', 'UNSTOP', '开始', 'शुरू ✔️']) expect([text, keywordOf(text)]).toEqual([text, 'start'])
  for (const text of ['Help', 'INFO?', 'ayuda']) expect([text, keywordOf(text)]).toEqual([text, 'help'])
  for (const text of ['please stop', 'stop by tomorrow', 'The end of it', '', '!', 'constructor'])
    expect([text, keywordOf(text)]).toEqual([text, undefined])
})

test('error codes of the provider say why a number gets no more messages', () => {
  expect(['21610 Attempt', '21211 x', '30006', '30003', '21602 Message', 'no code'].map(smsSuppressionOf)).toEqual([
    ...['unsubscribed', 'hard_bounce', 'hard_bounce'],
    ...[null, null, null],
  ])
})
