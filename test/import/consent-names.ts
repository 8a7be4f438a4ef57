/** The words of refusal and of channels in five languages, and the names of columns that they make in every spelling. */

export const EMAIL = 'email_unsubscribed'
const SMS = 'sms_unsubscribed'
const VOICE = 'voice_unsubscribed'
export const ALL = [EMAIL, SMS, VOICE, 'whatsapp_unsubscribed']
/** Who leaves does so from something that is sent. */
const LEAVING = /unsub|abgem|abmeld|désab|désins|baja|desus|suscripción|afm|afgem|uitge/i

export const LANGUAGES: Record<string, { refusals: string[]; channels: Record<string, string | undefined> }> = {
  English: {
    refusals: ['do not', 'don’t', "don't", 'no', 'never', 'stop', 'opt out', 'opted out of', 'unsubscribe', 'unsubscribed from'],
    channels: {
      email: EMAIL,
      'e-mail': EMAIL,
      mail: EMAIL,
      call: VOICE,
      phone: VOICE,
      text: SMS,
      SMS,
      contact: undefined,
      market: undefined,
    },
  },
  German: {
    refusals: ['nicht', 'keine', 'keine weiteren', 'nie', 'Abmeldung', 'abgemeldet von', 'Widerspruch'],
    channels: { 'E-Mail': EMAIL, Newsletter: EMAIL, anrufen: VOICE, Telefon: VOICE, SMS, kontaktieren: undefined, Werbung: undefined },
  },
  French: {
    refusals: ['ne pas', 'ne plus', 'pas de', 'jamais', 'désabonné', 'désinscription', 'refus'],
    channels: { email: EMAIL, courriel: EMAIL, appeler: VOICE, téléphone: VOICE, SMS, contacter: undefined, publicité: undefined },
  },
  Spanish: {
    refusals: ['no', 'nunca', 'sin', 'no enviar', 'baja', 'dado de baja', 'desuscrito', 'cancelar suscripción'],
    channels: { correo: EMAIL, email: EMAIL, llamar: VOICE, teléfono: VOICE, SMS, contactar: undefined, publicidad: undefined },
  },
  Dutch: {
    refusals: ['niet', 'geen', 'nooit', 'afgemeld', 'afmelding', 'uitgeschreven'],
    channels: { 'e-mail': EMAIL, nieuwsbrief: EMAIL, bellen: VOICE, telefoon: VOICE, SMS, contacteren: undefined, reclame: undefined },
  },
}
const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
const wordsOf = (phrase: string) => phrase.split(/[\s-]+/)
const SPELLINGS: ((phrase: string) => string)[] = [
  (phrase) => phrase,
  (phrase) => phrase.toUpperCase(),
  (phrase) => wordsOf(phrase).map(capital).join(' '),
  (phrase) => wordsOf(phrase).map(capital).join(''),
  (phrase) => `${wordsOf(phrase).join('_').toLowerCase()}__c`,
  (phrase) => wordsOf(phrase).join('-'),
  (phrase) => `  ${phrase}?`,
  (phrase) => `Has ${phrase}`,
  (phrase) => `${phrase} (Y/N)`,
  (phrase) => phrase.normalize('NFKD').replace(/\p{M}/gu, ''),
  (phrase) => wordsOf(phrase.replace(/['’]/g, '')).join('').toLowerCase(),
]
/** The names, with the fields of the channels that a "yes" closes at least. */
export const NAMES = Object.entries(LANGUAGES).flatMap(([language, { refusals, channels }]) =>
  refusals.flatMap((refusal) =>
    Object.entries(channels).flatMap(([channel, field]) =>
      [
        `${refusal} ${channel}`,
        ...(/^(?:opt out|unsubscribe|Abmeldung|afmelding|baja)$/.test(refusal) ? [`${channel} ${refusal}`] : []),
      ].flatMap((phrase) =>
        SPELLINGS.map((spell) => ({ language, name: spell(phrase), fields: field ? [field] : LEAVING.test(refusal) ? [EMAIL] : ALL })),
      ),
    ),
  ),
)
