/** The status that a stage gives to its opportunities. */
export const STAGE_KINDS = ['open', 'won', 'lost'] as const
export const STATUSES = STAGE_KINDS

/** Where an opportunity's value is from: entered, or the sum of its line items' subtotals or totals. */
export const VALUE_SOURCES = ['manual', 'subtotal', 'total'] as const

/** The most stages of a pipeline. */
export const MAX_STAGES = 100

/** The fields that a stage can require; a custom field is `metadata.<key>`. A value of 0 counts as none. */
export const STAGE_FIELDS = [
  'value',
  'customer_id',
  'assigned_to',
  'expected_close_date',
  'opportunity_type',
  'lead_source',
  'description',
  'notes',
  'tags',
  'next_action_type',
  'next_action_note',
  'next_action_at',
  'lost_reasons',
  'won_reasons',
  'external_id',
] as const
/** The most fields that a stage requires. */
export const MAX_STAGE_FIELDS = 20
export const MAX_ROTTING_DAYS = 3650

/** The parts of an opportunity that a copy can have. */
export const COPIED_PARTS = ['line_items', 'buckets', 'costs', 'contacts', 'users', 'stakeholders', 'tags', 'metadata'] as const
/** The most line items, costs, contacts, users and stakeholders together that one call copies. */
export const MAX_COPIED = 1_000

/** The key of a custom field among a stage's fields: `tier` of `metadata.tier`. */
export const customKeyOf = (field: string): string | undefined => /^metadata\.([a-z][a-z0-9_]{0,59})$/.exec(field)?.[1]
export const isStageField = (field: string): boolean =>
  (STAGE_FIELDS as readonly string[]).includes(field) || customKeyOf(field) !== undefined

const CLOSED_WORDS = {
  won: ['won', 'gewonnen', 'gagné', 'gagnée', 'ganado', 'ganada'],
  lost: ['lost', 'verloren', 'perdu', 'perdue', 'perdido', 'perdida'],
} as const

/** The kind of a stage that only its name is known of: `Closed Won` is won. */
export function kindOfName(name: string): (typeof STAGE_KINDS)[number] {
  const words: readonly string[] =
    name
      .normalize('NFC')
      .toLowerCase()
      .match(/\p{L}+/gu) ?? []
  const says = (kind: keyof typeof CLOSED_WORDS) =>
    words.some((word) => word === `closed${kind}` || CLOSED_WORDS[kind].some((known) => known === word))
  const [won, lost] = [says('won'), says('lost')]
  return won === lost ? 'open' : won ? 'won' : 'lost'
}

type StageDraft = { name: string; kind: (typeof STAGE_KINDS)[number]; probability: number }

/** The stages of a pipeline that is created without any, and of a new workspace's first one. */
export const DEFAULT_STAGES: StageDraft[] = [
  { name: 'New', kind: 'open', probability: 10 },
  { name: 'Qualified', kind: 'open', probability: 30 },
  { name: 'Proposal', kind: 'open', probability: 60 },
  { name: 'Won', kind: 'won', probability: 100 },
  { name: 'Lost', kind: 'lost', probability: 0 },
]
