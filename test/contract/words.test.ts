import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../dev/settings.ts'

/**
 * The vocabulary: one word has one meaning, and it is the term that a newcomer would search for. A name or phrase that was replaced must
 * not come back. Extend these lists whenever a private term is replaced by the usual one.
 */

/** Names in code that were replaced, with their replacement. Strings and comments are not searched for them. */
const NAMES: Record<string, string> = {
  Work: 'Plan',
  Answer: 'Query, or ApiResponse in tests',
  said: 'constant',
  Said: 'WithWarnings',
  told: 'a noun for what is reported',
  Told: 'RequestLogEntry',
  Asked: 'LoggedRequest',
  asked: 'request, query or body',
  tell: 'logRequest, print or report',
  isTold: 'shouldLog',
  toldOf: 'toEntry',
  ensure: 'assert',
  ensureField: 'assertField',
  Signal: 'RolledBack',
  hold_request: 'create_approval',
  WrittenBody: 'RawJsonBody',
  Slices: 'PageSource',
  amongFew: 'intersectSmallSets',
  makeRoom: 'shiftPositions, or ensureCapacity for a buffer',
  placeOf: 'nextPosition, or parseCursor',
  sift: 'validateEach',
  Sifted: 'Validated',
  LongText: 'Multiline',
  stampsOut: 'timestamps',
  fate: 'outcome or action',
  fates: 'outcomes',
  fatesOf: 'rowOutcomes',
  Fate: 'RowOutcome',
  FATES: 'MERGE_ACTIONS',
  judgeOwn: 'checkUnique',
  judgedOwn: 'uniqueRule',
  judgeTogether: 'checkHierarchy',
  oneMoveAtATime: 'hierarchyLock',
  CIRCLE: 'CYCLE',
  keptReasons: 'mergeReasons',
  givenReasons: 'newReasons',
  known_reasons: 'match_reasons',
  WordList: 'Picklist',
  isLeft: 'remaining',
  takeStep: 'transition',
  TASK_STEPS: 'TASK_TRANSITIONS',
  whoAmI: 'getCurrentKey',
  withinOwn: 'assertScopesWithinCaller',
  isThere: 'isActiveMember, or exists',
  ensureMember: 'assertMember',
  offerPurged: 'registerPurged',
  offerDuplicates: 'registerDuplicates',
  likeness: 'similarity',
  least_likeness: 'min_similarity',
  walk_duplicates: 'scan_duplicates',
  carry_over: 'apply_moves',
  drop_doubles: 'dedupe_moved_rows',
  hand_down_flags: 'inherit_flags',
  own_keys: 'unique_keys',
  by_merge: 'merge_in_progress',
  untold: 'redact_changes',
  blanked: 'redact',
  shared_texts: 'shared_text_columns',
  scrub_journals: 'redact_logs',
  forget_old: 'purge_expired',
  forgetMerges: 'expireMergeUndo',
  forget_rows: 'expire_rows',
  wakeApproval: 'enqueueApproval',
  settle_events: 'ack_events',
  settle_approval: 'complete_approval',
  settle_files: 'sync_file_states',
  settle_invoice: 'derive_invoice_status',
  giveUp: 'deadLetter',
  link_change: 'timeline_records',
  place_opportunity: 'apply_stage',
  workOff: 'processRecords, or the name of what is processed',
  takeBack: 'revert',
  Written: 'JsonQuery',
  View: 'CompiledSelect',
  Cut: 'ListScan',
  Choice: 'Enum',
  holders: 'usages',
  exportsOf: 'registerExports',
  mergeEndpoints: 'registerMerges',
}

/** Wording that was replaced, in comments, messages, documents and test titles. */
const PHRASES: [RegExp, string][] = [
  [/\bunless given\b/i, 'Defaults to …'],
  [/\b(?:is|are|was|were|be|been) told\b/i, 'is reported, is returned'],
  [/\btells? (?:of|that|what|who|whether|which)\b/i, 'reports, returns, shows'],
  [/\b(?:is|are|was|were) asked for\b/i, 'is requested'],
  [/\bkept answers?\b/i, 'stored response'],
  [/\bjournals?\b/i, 'log table'],
  [/\b(?:a|the|its|same) trials?\b/i, 'dry run'],
  [/\bstands twice\b/i, 'Duplicate id in request'],
  [/\bout of reach\b/i, 'temporarily unavailable, unreachable'],
  [/\bwhose doing\b/i, 'the user who caused it'],
  [/\bno such path any more\b/i, 'This endpoint no longer exists'],
  [/\bis no draft any more\b/i, 'is no longer a draft'],
  [/\bmore than can be kept\b/i, 'exceeds 999,999,999,999.99'],
  [/\bis worked on elsewhere\b/i, 'is being processed by another worker'],
  [/\bwhat this request was to change\b/i, 'The record changed after this approval was requested'],
  [/\bmust be its own\b/i, 'already uses one of these unique values'],
  [/\bbehind the (?:cursor|commit|answer|line)\b/i, 'after'],
  [/\bgoes on where it stopped\b/i, 'resumes'],
  [/\bgo(?:es)? untold\b/i, 'log entries are lost'],
  [/\bsrc\/shapes\b/, 'src/schemas'],
  [/\b(?:the|this) register\b/i, 'the endpoint registry'],
  [/\bno such record in this workspace\b/i, '<field> does not exist in this workspace'],
  [/\bnone can be made of\b/i, 'no key can be derived from this label'],
  [/\bthere was none\b/i, 'Created'],
  [/\bgoes? on where\b/i, 'resumes'],
  [/\bwhat every scope opens\b/i, 'List permissions'],
  [/\bwhat (?:becomes|became|has become) of\b/i, 'the outcome of, what happens to'],
  [/\bwhat came of it\b/i, 'the outcome'],
  [/\bhow the pipeline did\b/i, 'Pipeline report'],
  [/\bwhat one request did\b/i, 'Get a request'],
  [/\btake back all that\b/i, 'Undo an import'],
  [/\bchange what an import will do\b/i, 'Update an import'],
  [/\bsay whether metadata\b/i, 'Update custom field settings'],
  [/\bnote that two\b/i, 'Dismiss a duplicate pair'],
  [/\bput the buckets in order\b/i, 'Reorder buckets'],
]

/** Text that other systems determine, or that has another meaning here. It is removed before the search. */
const ALLOWED: [RegExp, string][] = [
  [/\bthe register of (?:companies|invoices)\b/gi, 'an accounting term'],
  [/\binvoice register\b/gi, 'an accounting term'],
  [/\bjournals(?=: | \}|\.|['`])/g, 'a field of the personal data export and of the result of a purge'],
  [/_journal\.json|\bjournal(?= = JSON|\.entries)/g, 'the list of migrations, a file of the migration tool'],
]

const ROOTS = ['src', 'routes', 'queues', 'cron', 'objects', 'schema', 'dev', 'test', 'bench', 'guides']
const ITSELF = 'test/contract/words.test.ts'

const listed = ROOTS.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name))),
)
const files = [...listed, 'README.md', 'ARCHITECTURE.md']
  .filter((file) => /\.(?:ts|js|sql|md)$/.test(file))
  // A released migration is never edited, and generated and vendored files are written by others.
  .filter((file) => !/node_modules|^schema\/migrations|^dev\/(?:pg-extensions|node)\//.test(file))
  .filter((file) => file !== ITSELF)
const textOf = (file: string) => ALLOWED.reduce((text, [allowed]) => text.replace(allowed, ''), readFileSync(join(root, file), 'utf8'))

/** The text without comments and quoted strings. Template literals stay: they hold SQL, whose names count. */
const NOT_CODE = {
  ts: /\/\*[\s\S]*?\*\/|(?<![:'"`\\])\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g,
  sql: /\/\*[\s\S]*?\*\/|--[^\n]*|'[^'\n]*'/g,
}
const blank = (text: string) => text.replace(/[^\n]/g, ' ')

function hits(text: string, pattern: RegExp): number[] {
  return [...text.matchAll(new RegExp(pattern.source, `${pattern.flags.replace('g', '')}g`))].map(
    ({ index }) => text.slice(0, index).split('\n').length,
  )
}

test('no replaced name comes back', () => {
  const pattern = new RegExp(`(?<![\\w$-])(${Object.keys(NAMES).join('|')})(?![\\w$-])`)
  const found = files
    .filter((file) => !file.endsWith('.md'))
    .flatMap((file) => {
      const code = textOf(file).replace(NOT_CODE[file.endsWith('.sql') ? 'sql' : 'ts'], blank)
      return hits(code, pattern).map((line) => {
        const [name = ''] = pattern.exec(code.split('\n')[line - 1] ?? '') ?? []
        return `${file}:${line} ${name}: use ${NAMES[name]}`
      })
    })
  expect(found).toEqual([])
})

test('no replaced wording comes back', () => {
  const found = files.flatMap((file) => {
    const text = textOf(file)
    return PHRASES.flatMap(([pattern, instead]) =>
      hits(text, pattern).map((line) => `${file}:${line} ${pattern.source}: write "${instead}"`),
    )
  })
  expect(found).toEqual([])
})
