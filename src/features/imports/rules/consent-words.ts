/**
 * The words of consent in English, German, French, Spanish and Dutch, as patterns of names that `spoken` has reduced. A blank in a pattern
 * may be missing: `do not` also stands for `donot`.
 */
const pattern = (...alternatives: string[]): string => `(?:${alternatives.join('|').replace(/ (?!\?)/g, ' ?')})`

/**
 * Reduces a name to its words: in lower case, without accents and apostrophes, with one blank where the writing divides it. `DoNotE-Mail`
 * becomes `do not e mail`.
 */
export const spoken = (name: string): string =>
  name
    // The Spanish abbreviation of "number".
    .replace(/n\.? ?º/giu, 'num ')
    .normalize('NFKD')
    .replace(/[\p{M}'’‘ʼ`´]/gu, '')
    .replace(/(\p{Ll}|\p{N})(?=\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1$2 ')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

const START = '(?<![a-z0-9])'
const END = '(?![a-z0-9])'

/** The names of each channel. */
export const CHANNEL_WORDS = {
  email: pattern('e mail(?!ed)', 'mail(?!ed)', 'newsletter', 'courriel', 'correo', 'nieuwsbrief', 'boletin', 'infolettre'),
  sms: pattern('sms', 'mms', '(?<!con|pre|hyper)text(?!ile|ure|uel|ed)', 'tekst'),
  voice: pattern(
    '(?<!lo|i)call(?!ed)',
    'p?hone(?!tic|d|y|st)',
    'telefo',
    'telepho',
    'voice(?!d)',
    'anruf',
    'anzuruf',
    'angeruf',
    'appel',
    'llama',
    'gebeld',
    '(?:op)?bellen',
    `${START}(?:tel|bel|ring)${END}`,
  ),
  whatsapp: 'whats ?app',
}
/** Words for being contacted on whatever channel. */
const CONTACT = pattern(
  'contact(?!ed)',
  'kontakt',
  'disturb',
  'molest',
  'storen',
  'derang',
  'solicit',
  'messag',
  'mensaje',
  'nachricht',
  'anschreib',
  'aanschrijv',
  'benader',
  'ecrire',
  'escrib',
  'communicat',
  'kommuni',
  'comunica',
  'demarch',
)
const ADVERTISING = pattern('market(?!ed)', 'werb', 'werving', 'publicit', 'publicid', 'promo', 'reklame', 'reclame', 'advertis', 'spam')
const REACHED = pattern(...Object.values(CHANNEL_WORDS), CONTACT, ADVERTISING, 'be (?:contact|call|e mail|phon|text|messag)ed')

/** Negations. Those that other words contain stand at the beginning of a word. */
const NOT = pattern(
  'do not',
  'dont',
  `${START}${pattern(
    ...['does not', 'doesnt', 'must not', 'may not', 'should not', 'cannot', 'not', 'no(?! of )', 'never', 'stop'],
    ...['nicht', 'kein(?:e[nmrs]?)?', 'nie(?:mals)?', 'stopp'],
    ...['ne pas', 'ne plus', 'pas(?: de?)?', 'plus de?', 'jamais', 'aucune?', 'non', 'sans'],
    ...['nunca', 'jamas', 'sin', 'ningun[ao]?'],
    ...['niet', 'geen', 'nooit'],
    ...['refus(?:e[ds]?|al)?', 'opposition', 'oppose[ds]?', 'objects?', 'rechazar?'],
  )}`,
)
/** Words between a negation and what it denies. The short ones stand for themselves. */
const BETWEEN = `(?:${pattern(
  ...[' any', ' anymore', ' more', ' ever', ' please', ' bulk', ' mass', ' group', ' marketing', ' promotional', ' sales', ' further'],
  ...[
    ' send',
    ' receive',
    ' get',
    ' wants?',
    ' wish(?:es)?',
    ' use',
    ' make',
    ' accept',
    ' allow',
    ' direct',
    ' cold',
    ' automated',
    ' over',
  ],
  ...[' mehr', ' weiteren?', ' bitte', ' senden', ' schicken', ' erhalten', ' per', ' via', ' uber', ' ueber', ' mit', ' durch'],
  ...[' envoyer', ' recevoir', ' souhaite', ' veut', ' etre', ' par', ' plus', ' des', ' les', ' aux'],
  ...[' enviar', ' mandar', ' recibir', ' desea', ' quiere', ' por', ' con', ' mas', ' hacer'],
  ...[' verzenden', ' versturen', ' sturen', ' ontvangen', ' wil', ' meer', ' met'],
)}| (?:a|an|au|by|d|de|den|die|el|en|et|in|l|la|le|los|las|me|o|of|on|op|or|ou|the|to|und|oder|un|us|y|zu|and)(?= ))`
const AFTER = pattern('do not', 'dont', 'never', 'stop', 'nicht', 'niet', 'pas', 'non', 'refus\\w*', 'verboten', 'unerwunscht', 'gesperrt')
const AFTER_TOO = pattern('prohibited', 'forbidden', 'not allowed', 'blocked', 'interdit', 'prohibid', 'verboden', 'ongewenst')

/** Words that say by themselves that a person is out. */
const LEFT = pattern(
  'un ?sub\\w*',
  'desabonn\\w*',
  'desinscri\\w*',
  'dessuscri\\w*',
  'desuscri\\w*',
  '(?:cancel|anul)(?:ar|ad[ao]) suscripcion',
  '(?:dado )?de baja',
  `${START}baja`,
  '(?<!tra|re)baja(?![a-z])',
)
const LEFT_TOO = pattern(
  'abgemeldet\\w*',
  'abmeld\\w*',
  'abbestell\\w*',
  'ausgetragen',
  'afgemeld\\w*',
  'afmeld\\w*',
  'uitgeschreven',
  'uitschrijv\\w*',
)
const OPTED_OUT = pattern(
  'opt(?:ed|s|ing)? out(?:s(?![a-z]))?',
  'suppress\\w*',
  'black list\\w*',
  'block list\\w*',
  'robinson',
  'bloctel',
  'bel me niet',
  'widerspr\\w*',
)
const BARRED = pattern('(?:kontakt|werbe|e mail|mail|anruf|telefon|sms) (?:sperr\\w*|verbot\\w*|widerspr\\w*)', `${START}dn[dc]${END}`)
const OUT = pattern(LEFT, LEFT_TOO, OPTED_OUT, BARRED)

/** Words that say that a person has agreed. */
const IN = pattern(
  ...['opt(?:ed|s)? in(?![a-z])', '(?<!un|un )subscribed', 'subscription status', 'subscriber status', 'consent', 'permission', 'permiso'],
  ...['accepts? (?:e mail|marketing|sms|calls?)', '(?:allow|permit)(?:s|ed)? (?:e mail|marketing|sms|contact|calls?)', 'newsletter'],
  ...['gdpr', 'dsgvo', 'rgpd', 'einwillig', 'zustimmung', 'angemeldet', 'abonniert', 'toestemming', 'aangemeld', 'ingeschreven'],
  ...['suscrit[ao]', '(?<!des|des )abonnee?(?![a-z])', '(?<!des|des )inscrite?(?![a-z])', 'nieuwsbrief', 'boletin', 'infolettre'],
)

const IS_OUT = new RegExp(OUT)
const IS_LEFT = new RegExp(pattern(LEFT, LEFT_TOO))
const IS_IN = new RegExp(IN)
const IS_OPTED_IN = /opt(?:ed|s)? ?in(?![a-z])/
const REFUSAL = `${NOT}${BETWEEN}{0,4} ?[dl]?(?:${REACHED}|${IN})`
const IS_REFUSAL = new RegExp(`${REFUSAL}|${REACHED}\\w*(?: [a-z]+){0,2} ?(?:${AFTER}|${AFTER_TOO})${END}`)
const IS_DOUBLE = new RegExp(`(?<!stop )${NOT.replace('|stop|', '|')}${BETWEEN}{0,2} ?${OUT}`)
const IS_STATUS = /marketing ?status|(?:subscription|subscriber|opt ?in|consent|permission|unsubscribe) ?status/
const IS_BARRED = new RegExp(BARRED)
const IS_CONTACT = new RegExp(CONTACT)
const IS_ADVERTISING = new RegExp(ADVERTISING)
const IS_REACHED = new RegExp(REACHED)

/** Ways of being contacted about which no record of this CRM says anything. */
const ELSEWHERE = /fax|postal ?mail|post ?mail|mailing ?(?:address|street|city|state|country|zip)|(?<![a-z])post(?:al)?(?![a-z])|cookies?/g
/** What HubSpot bills for, which no person has decided. */
const IS_BILLING = /^marketing contact status$/

/** What the name of a column, or the text of a cell, says of consent. */
export type Meaning = {
  /** That a "yes" takes the person out, that it takes them in, that the values must say it themselves, or nothing of consent. */
  yes: 'out' | 'in' | 'unclear' | undefined
  /** Whether it has a word for a channel, or for being contacted. */
  reaches: boolean
  /** Whether every channel is meant if none is named. */
  all: boolean
  text: string
}

const known = new Map<string, Meaning>()
const MOST_KNOWN = 2_000

/** What a name or a text says of consent. The columns of a file are asked about for every line. */
export function saidBy(name: string): Meaning {
  const meaning = known.get(name) ?? read(name)
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(name, meaning)
  return meaning
}

function read(name: string): Meaning {
  const whole = spoken(name)
  const text = whole.replace(ELSEWHERE, ' ').replace(/ +/g, ' ').trim()
  const reaches = IS_REACHED.test(text)
  const nothing = { yes: undefined, reaches, all: false, text }
  if (IS_BILLING.test(whole) || (text !== whole && !reaches)) return { ...nothing, reaches: false }
  const refuses = IS_REFUSAL.test(text)
  const isOut = IS_OUT.test(text)
  const all = IS_CONTACT.test(text) || (IS_ADVERTISING.test(text) && (refuses || isOut)) || IS_BARRED.test(text)
  const meaning = { ...nothing, all: all && !(IS_LEFT.test(text) && !refuses) }
  if (IS_DOUBLE.test(text) || (isOut && IS_OPTED_IN.test(text))) return { ...meaning, yes: 'unclear' }
  if (refuses || isOut) return { ...meaning, yes: IS_STATUS.test(text) && !refuses ? 'unclear' : 'out' }
  if (IS_STATUS.test(text)) return { ...meaning, yes: 'unclear' }
  return { ...meaning, yes: IS_IN.test(text) ? 'in' : undefined }
}

const PHRASES = new RegExp(
  pattern(
    OUT,
    '(?:not |non |never )?(?:un)?subscribed',
    'subscription',
    'consent',
    'permission',
    'opt(?:ed|s)? in',
    'do not|dont',
    'ne pas|ne plus',
  ),
  'g',
)
const REFUSALS = new RegExp(`${REFUSAL}[a-z]{0,6}`, 'g')
/** A word for reaching people with an ending. */
const INFLECTED = new RegExp(`${REACHED}[a-z]{0,6}`, 'g')
/** Words beside those that a name about nothing but consent may have. */
const OTHERS = new Set(
  `has is are be to of from for by per via in out the all any more a global globally status flag please opt opts e allow \
allowed accept accepts
  no not never stop yes y n send receive wants want wish bulk mass contact campaigns messages c s
  nicht kein keine keinen mehr weitere weiteren bitte senden erhalten fur fuer von vom erlaubt nie werden an am
  pas de d des l les par ne plus recevoir envoyer refus refuse aux jamais non sans aucun au
  sin por con mas enviar mandar recibir del el la los nunca dado lista
  niet geen meer ontvangen sturen voor van met nooit op`.split(/\s+/),
)

/** Whether a name is about nothing but consent, so that no other meaning is possible. */
export const saysNothingElse = ({ text }: Pick<Meaning, 'text'>): boolean =>
  text
    .replace(REFUSALS, ' ')
    .replace(PHRASES, ' ')
    .replace(INFLECTED, ' ')
    .split(' ')
    .every((word) => word === '' || OTHERS.has(word))
