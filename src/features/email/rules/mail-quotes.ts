/** The most characters of a text that are searched for quoted messages, and the most lines of what introduces one. */
const SEARCHED = 100_000
const INTRODUCTION_LINES = 3

/** What mail programs write above a quoted message, in the languages of most of their users: "On …, Ana wrote:". */
const WROTE = new RegExp(
  `^(?:On|Am|Le|El|Op|Il|Em|Den|W dniu|Dnia)\\b.*(?:${[
    ...['wrote', 'writes', 'schrieb.*', 'a écrit', 'escribió', 'schreef.*', 'ha scritto', 'escreveu', 'skrev.*', 'napisał(?:a|\\(a\\))?.*'],
  ].join('|')})\\s*[:：]$`,
  'i',
)
const ORIGINAL = /^-{2,}\s*(?:Original Message|Ursprüngliche Nachricht|Message d'origine|Mensaje original|Oorspronkelijk bericht)\s*-{2,}$/i
const FORWARDED = new RegExp(
  `^(?:-{3,}\\s*|begin )(?:${[
    ...['forwarded message', 'weitergeleitete nachricht', 'message (?:transféré|réexpédié)', 'mensaje reenviado', 'doorgestuurd bericht'],
    ...['messaggio inoltrato', '转发的邮件', '전달된 메시지', '転送メッセージ'],
  ].join('|')})`,
  'i',
)
/** The first and a later line of the header block that Outlook writes above a quoted message. */
const FROM = /^\*?(?:From|Von|De|Van|Da|Från|Fra|Od|От|差出人|发件人|寄件者|보낸 사람)\*?\s?[:：]/i
const SENT = new RegExp(
  `^\\*?(?:${[
    ...['Sent', 'Date', 'Gesendet', 'Datum', 'Envoyé', 'Enviado(?: el)?', 'Fecha', 'Verzonden', 'Inviato', 'Data', 'Skickat', 'Sendt'],
    ...['Wysłano', 'Отправлено', 'Дата', '送信日時', '日時', '发送时间', '日期', '보낸 날짜'],
  ].join('|')})\\*?\\s?[:：]`,
  'i',
)
const SEPARATOR = /^[-_\s]{5,}$/
/** The lines after the first one of a header block among which the time is. */
const BLOCK_LINES = 4

/**
 * What the sender wrote, without the messages that are quoted. Lines that begin with > are left out wherever they are, with the line that
 * introduces them, and what stands between them is kept. A quotation without them, such as that of Outlook, goes on to the end. A forwarded
 * message is no quotation. Empty if all is quoted.
 */
export function withoutQuotes(text: string): string {
  const lines = text.slice(0, SEARCHED).split(/\r?\n/)
  const kept: string[] = []
  for (let n = 0; n < lines.length; n++) {
    const line = (lines[n] as string).trim()
    if (FORWARDED.test(line)) return [...kept, ...lines.slice(n)].join('\n').trim()
    if (line.startsWith('>')) continue
    const length = introductionAt(lines, n)
    if (length === 0) kept.push(lines[n] as string)
    else if (isQuoted(lines, n + length)) n += length - 1
    else break
  }
  return withoutSeparator(kept).join('\n').trim()
}

/** How many lines from this one introduce a quoted message; 0 for none. */
function introductionAt(lines: string[], at: number): number {
  const first = (lines[at] as string).trim()
  if (ORIGINAL.test(first) || isBlock(lines, at)) return 1
  if (/[:：]$/.test(first) && (lines[at + 1]?.trim().startsWith('>') || (lines[at + 1]?.trim() === '' && isQuoted(lines, at + 1)))) return 1
  let joined = ''
  for (let n = 0; n < INTRODUCTION_LINES && at + n < lines.length; n++) {
    joined = `${joined} ${(lines[at + n] as string).trim()}`.trim()
    if (joined.length > 400) return 0
    if (WROTE.test(joined)) return n + 1
  }
  return 0
}

const isBlock = (lines: string[], at: number): boolean =>
  FROM.test((lines[at] as string).trim()) && lines.slice(at + 1, at + 1 + BLOCK_LINES).some((line) => SENT.test(line.trim()))

/** Whether the next line that is not empty is quoted with >. */
const isQuoted = (lines: string[], from: number): boolean =>
  lines
    .slice(from, from + 3)
    .find((line) => line.trim() !== '')
    ?.trim()
    .startsWith('>') ?? false

/** Without the line that Outlook draws above a quoted message. */
function withoutSeparator(lines: string[]): string[] {
  const last = lines.findLastIndex((line) => line.trim() !== '')
  return last >= 0 && SEPARATOR.test(lines[last] as string) ? lines.slice(0, last) : lines
}
