/** The most characters of an SMS: the limit of Twilio (Message resource, `Body`). */
export const MAX_SMS_CHARACTERS = 1600
/** The most conversations that one call marks as read. */
export const MAX_MARKED_SMS = 500

/** The basic character set of GSM 03.38 (3GPP TS 23.038, 6.2.1), without the escape character. */
const GSM_BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
/** The extension table of the same standard (6.2.1.1): each takes two septets. */
const GSM_EXTENDED = new Set('\f^{}\\[~]|€')

export const SMS_ENCODINGS = ['gsm7', 'ucs2'] as const
export type SmsEncoding = (typeof SMS_ENCODINGS)[number]
/** `units`: septets of GSM-7, or UTF-16 code units of UCS-2. */
export type SmsSize = { encoding: SmsEncoding; units: number; segments: number }

/** The units of one segment alone, and of each of several, which have a header of 6 octets (3GPP TS 23.040, 9.2.3.24.1). */
const ROOM = { gsm7: { one: 160, each: 153 }, ucs2: { one: 70, each: 67 } } as const

/** The encoding of a text and the segments that it is sent as. A character of two units is never split between segments. */
export function smsSize(text: string): SmsSize {
  const characters = [...text]
  const isGsm = characters.every((one) => GSM_BASIC.has(one) || GSM_EXTENDED.has(one))
  const encoding: SmsEncoding = isGsm ? 'gsm7' : 'ucs2'
  const sizes = characters.map((one) => (isGsm ? (GSM_EXTENDED.has(one) ? 2 : 1) : one.length))
  const units = sizes.reduce<number>((sum, size) => sum + size, 0)
  const { one, each } = ROOM[encoding]
  if (units <= one) return { encoding, units, segments: 1 }
  let segments = 1
  let used = 0
  for (const size of sizes) {
    if (used + size > each) {
      segments += 1
      used = 0
    }
    used += size
  }
  return { encoding, units, segments }
}

export const SMS_KEYWORDS = ['stop', 'start', 'help'] as const
export type SmsKeyword = (typeof SMS_KEYWORDS)[number]

/**
 * The words that end, resume and explain messages: those of Twilio's default opt-out handling (STOP, UNSUBSCRIBE, CANCEL …), and their
 * translations. A word counts only if it is the whole message, so that "please stop by" ends nothing.
 */
const KEYWORDS: Record<SmsKeyword, string> = {
  stop:
    'stop stopall unsubscribe cancel end quit optout revoke arret arrêt desabonner stopp abmelden abbestellen parar pare baja basta ' +
    'annulla cancelar sair uit afmelden stoppa avsluta afmeld lopeta zatrzymaj 停止 退订 取消 停 توقف إلغاء стоп отписаться 중지 수신거부 रोकें',
  start: 'start unstop yes optin subscribe demarrer anmelden iniciar alta inizia aan starta aloita 开始 订阅 开始订阅 ابدأ старт 시작 शुरू',
  help: 'help info aide hilfe ayuda aiuto ajuda hjälp hjælp apua pomoc 帮助 ヘルプ مساعدة помощь 도움말 मदद',
}
const BY_WORD = new Map(SMS_KEYWORDS.flatMap((keyword) => KEYWORDS[keyword].split(' ').map((word) => [word, keyword] as const)))

/** What a message may have around its word: spaces, punctuation, and emojis with the signs that join or change them. */
const AROUND = /[\s\p{P}\p{S}\p{Cf}]|\p{Variation_Selector}|\u{20e3}/gu

/** The keyword that a message consists of, without regard to case, width, spaces, punctuation and emojis. */
export function keywordOf(text: string): SmsKeyword | undefined {
  const word = text.normalize('NFKC').toLowerCase().replace(AROUND, '')
  return BY_WORD.get(word)
}

/** Error codes of Twilio after which the number gets no more messages: it has opted out, is not valid, is a landline or does not exist. */
const OPTED_OUT = new Set(['21610'])
const NO_NUMBER = new Set(['21211', '21614', '21217', '30005', '30006'])

/** Why a number is suppressed after an error of the provider, whose code the text begins with. */
export function smsSuppressionOf(error: string): 'unsubscribed' | 'hard_bounce' | null {
  const code = /^\d+/.exec(error)?.[0] ?? ''
  if (OPTED_OUT.has(code)) return 'unsubscribed'
  return NO_NUMBER.has(code) ? 'hard_bounce' : null
}

/** What the states of Twilio mean (Message resource, `Status`); undefined for those before it is handed to the carrier. */
export const DELIVERY_OF: Readonly<Record<string, 'sent' | 'undelivered' | 'failed' | 'delivered' | 'read'>> = {
  sent: 'sent',
  undelivered: 'undelivered',
  failed: 'failed',
  delivered: 'delivered',
  read: 'read',
}

/** The response to HELP; receive_sms puts the name of the workspace in its place. */
export const HELP_TEXT = '{company}: reply STOP to get no more messages, START to get them again.'

/** The states of a phone number: it is bought with an outside call, whose outcome may be unclear, and then belongs to the workspace. */
export const PHONE_NUMBER_STATUSES = ['buying', 'active', 'releasing'] as const

/** What a person has decided about SMS to a number, and how the workspace knows. `keyword`: by replying STOP or START. */
export const CONSENT_DECISIONS = ['opt_in', 'opt_out'] as const
export const RECORDED_SOURCES = ['web_form', 'paper', 'verbal', 'import', 'other'] as const
export const CONSENT_SOURCES = ['keyword', ...RECORDED_SOURCES] as const
