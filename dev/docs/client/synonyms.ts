/** Groups of words that readers use for one another. The first ones are those of the documentation. */
const GROUPS = [
  'create add new make insert generate issue',
  'delete remove erase',
  'update edit change modify rename',
  'get read show view retrieve',
  'list get',
  'search find look query lookup',
  'opportunity deal',
  'contact person people lead',
  'company customer organisation organization account client business',
  'task todo to-do',
  'recurring series repeat recurrence repeating recurs',
  'complete done finish finished completed close',
  'overdue due late',
  'activity note call',
  'board kanban',
  'summary forecast total report',
  'product price item',
  'attachment file document upload',
  'tag label',
  'list segment audience',
  'live dynamic smart',
  'custom property',
  'option dropdown choice picklist select',
  'restore undelete recycle bin trash',
  'import spreadsheet excel csv xlsx upload',
  'history audit changed trail',
  'request audit log',
  'key token credential login secret',
  'authentication login auth signin bearer',
  'all everything global universal',
  'universal everything global',
  'member user teammate colleague employee staff',
  'automation workflow trigger flow',
  'queue drip sequence',
  'schedule cron recurring timer',
  'campaign newsletter mailing mass blast',
  'suppression blacklist bounced bounce unsubscribe blocked',
  'unsubscribe consent opt optout opt-out',
  'sms text',
  'voice phone bot ivr',
  'call recording',
  'booking book meeting appointment',
  'move reschedule',
  'available availability free slots slot',
  'hours availability',
  'holiday vacation leave',
  'off vacation leave holiday',
  'mailbox gmail',
  'webhook hook callback subscribe',
  'retry replay again resend',
  'page pagination cursor',
  'follow sync',
  'limit throttle throttling quota many',
  'rate_limited throttled many 429',
  'exchange conversion convert',
  'upsert update',
  'approve confirm accept',
  'assigned owner',
  'purge erase gdpr',
  'personal gdpr privacy',
  'lost closed',
  'sign signature verify',
]

const bySynonym = new Map<string, Set<string>>()
for (const group of GROUPS) {
  const [meant = '', ...others] = group.split(' ')
  for (const other of others) {
    if (!bySynonym.has(other)) bySynonym.set(other, new Set())
    bySynonym.get(other)?.add(meant)
  }
}

/** Words of the documentation for a word of its reader. */
export const synonymsOf = (word: string): string[] => [...(bySynonym.get(word) ?? [])]

const QUESTION_WORDS = new Set(
  (
    'a an and any are as at be by can could do does for from how i if in into is it me my of on one or our should that the there this to ' +
    'via was we what when where which who why will with would you your'
  ).split(' '),
)

/** The words of a query that say what is sought: without those of a question, unless there are no others. */
export function wordsOf(query: string): string[] {
  const words = query
    .toLowerCase()
    .split(/[\s?!,;"“”]+/)
    .filter(Boolean)
  const own = words.filter((word) => !QUESTION_WORDS.has(word))
  return own.length > 0 ? own : words
}

/** The beginning that the forms of a word have in common: "deals" and "deal", "merging" and "merge", "companies" and "company". */
export function stemOf(word: string): string {
  if (!/^[a-z]{4,}$/.test(word)) return word
  const stem = word.replace(/(?:ies|y)$/, '').replace(/(?:sses|(?<=[a-z]{3})(?:ing|ed|es|s))$/, '')
  // The final consonant of "scheduled", "stopped" and "running".
  return stem.length < 3 ? word : stem.replace(/([bdgmnprt])\1$/, '$1').replace(/(?<=[a-z]{3})e$/, '')
}
