import { alternatesTo } from '../../../domain/addresses.ts'
import { MAX_TAGS, MAX_TEXT } from '../../../domain/limits.ts'
import type { RecordEntity } from '../../../domain/records.ts'
import { toCompanyDomain } from '../../../domain/web-addresses.ts'
import type { Issue } from '../../contacts/rules/types.ts'
import { addSource, type Draft, idOf, isBlank, type MergeChoices, type MergeFacts, type Row, take } from './draft.ts'
import { parentIssue, takeParent } from './parent.ts'

/** Columns that no loser fills: the record's identity, its place in a pipeline, and those with a rule of their own below. */
const NEVER_FILLED = [
  ...['id', 'workspace_id', 'version', 'created_at', 'updated_at', 'archived', 'metadata'],
  ...['alternate_emails', 'alternate_phones', 'domains', 'is_primary', 'parent_company_id'],
  ...['pipeline_id', 'stage_id', 'stage_entered_at', 'status', 'probability', 'closed_at', 'lost_reasons', 'won_reasons'],
]

/** Fields that only make sense together, and are taken from one loser; `with` must agree, and is taken along. */
type Group = { fields: string[]; with: string[] }
const ADDRESS: Group = { fields: ['address_line1', 'address_line2', 'city', 'state', 'postal_code'], with: ['country'] }
const GROUPS: Record<RecordEntity, Group[]> = {
  contact: [ADDRESS],
  company: [ADDRESS],
  opportunity: [
    { fields: ['value'], with: ['currency'] },
    { fields: ['next_action_type', 'next_action_note', 'next_action_at'], with: [] },
  ],
}

/** Consent that one of the merged contacts has withdrawn stays withdrawn. */
const REFUSALS = ['email_unsubscribed', 'sms_unsubscribed', 'voice_unsubscribed', 'whatsapp_unsubscribed']

/** The winner's new columns (only those that change), and by field the losers that its value is from. `metadata` is complete. */
export type MergedFields = { values: Row; sources: Record<string, string[]> }

/**
 * Decides the winner's fields. Overrides take precedence. An empty field takes the value of the first loser that has one, and fields that
 * belong together come from the same loser. Nothing may be merged if there are issues.
 */
export function mergeFields(choices: MergeChoices, facts: MergeFacts): MergedFields & { issues: Issue[] } {
  const { entity, overrides, fill, appendNotes, uniteTags } = choices
  const { metadata, ...columns } = overrides
  const draft: Draft = { values: { ...facts.winner, ...columns }, metadata: overriddenMetadata(facts.winner, metadata), sources: {} }
  if (fill) {
    fillFields(draft, choices, facts)
    for (const group of GROUPS[entity]) fillGroup(draft, group, choices, facts)
    fillMetadata(draft, choices, facts)
  }
  const issues: (Issue | undefined)[] = [
    appendNotes ? joinNotes(draft, facts) : undefined,
    uniteTags ? joinTags(draft, choices, facts) : undefined,
    entity === 'company' ? decideParent(draft, choices, facts) : undefined,
    ...(entity === 'opportunity' ? valueIssues(draft, choices, facts) : []),
  ]
  if (entity === 'contact') decideContact(draft, choices, facts)
  if (entity === 'company' && !('domains' in overrides)) joinAlternates(draft, 'domains', domainOf, facts)
  return { ...changed(draft, facts), issues: issues.filter((issue) => issue !== undefined) }
}

function overriddenMetadata(winner: Row, override: unknown): Row {
  const given = (override ?? {}) as Row
  const kept = Object.entries({ ...(winner.metadata as Row), ...given })
  return Object.fromEntries(kept.filter(([key, value]) => value !== null || !(key in given)))
}

function changed({ values, metadata, sources }: Draft, { winner }: MergeFacts): MergedFields {
  const differs = ([name, value]: [string, unknown]) => JSON.stringify(value ?? null) !== JSON.stringify(winner[name] ?? null)
  const changes = Object.fromEntries(Object.entries({ ...values, metadata }).filter(differs))
  const used = Object.entries(sources).filter(([field]) => field in changes || field.startsWith('metadata.'))
  return { values: changes, sources: Object.fromEntries(used) }
}

function fillFields(draft: Draft, { entity, overrides }: MergeChoices, { winner, losers }: MergeFacts): void {
  const grouped = GROUPS[entity].flatMap(({ fields }) => fields)
  // A loser's reasons are only taken for the status that the winner has.
  const reasons = `${winner.status}_reasons`
  for (const field of Object.keys(winner)) {
    if (field in overrides || grouped.includes(field) || (NEVER_FILLED.includes(field) && field !== reasons)) continue
    if (!isBlank(draft.values[field])) continue
    const source = losers.find((loser) => !isBlank(loser[field]))
    if (source) take(draft, field, source[field], [source])
  }
}

/** Whether an opportunity's value is the sum of its line items, which a merge moves to the winner. */
const isSummed = ({ value_source: source }: Row) => source !== undefined && source !== 'manual'

const isEmpty = (value: unknown) => isBlank(value) || value === 0

function fillGroup(draft: Draft, group: Group, { overrides }: MergeChoices, { losers }: MergeFacts): void {
  const { values } = draft
  if (group.fields.includes('value') && isSummed(values)) return
  if (group.fields.some((field) => field in overrides || !isEmpty(values[field]))) return
  const source = losers.find(
    (loser) =>
      group.fields.some((field) => !isEmpty(loser[field])) &&
      group.with.every((field) => isBlank(values[field]) || values[field] === loser[field]),
  )
  if (source) for (const field of [...group.fields, ...group.with]) take(draft, field, source[field], [source])
}

function fillMetadata({ metadata, sources }: Draft, { overrides }: MergeChoices, { losers, unusable }: MergeFacts): void {
  const given = (overrides.metadata ?? {}) as Row
  for (const loser of losers)
    for (const [key, value] of Object.entries((loser.metadata ?? {}) as Row)) {
      if (key in given || isBlank(value) || !isBlank(metadata[key]) || unusable[idOf(loser)]?.includes(key)) continue
      metadata[key] = value
      sources[`metadata.${key}`] = [idOf(loser)]
    }
}

function joinNotes(draft: Draft, { losers }: MergeFacts): Issue | undefined {
  const textOf = (notes: unknown) => (typeof notes === 'string' ? notes.trim() : '')
  const seen = [textOf(draft.values.notes)]
  for (const loser of losers) {
    const notes = textOf(loser.notes)
    if (notes === '' || seen.includes(notes)) continue
    seen.push(notes)
    draft.values.notes = [textOf(draft.values.notes), loser.notes].filter((part) => part !== '').join('\n\n')
    addSource(draft, 'notes', loser)
  }
  return [...textOf(draft.values.notes)].length <= MAX_TEXT
    ? undefined
    : {
        path: 'append_notes',
        message: `The notes would be longer than ${MAX_TEXT} characters together: merge fewer records, or leave this out`,
      }
}

/** Amounts of different currencies are never added, and a value that is a sum cannot be set. */
function valueIssues({ values }: Draft, { overrides }: MergeChoices, { winner, losers }: MergeFacts): (Issue | undefined)[] {
  if (!isSummed(values)) return []
  const differs = (field: string) => field in overrides && overrides[field] !== winner[field]
  const set = ['value', 'currency'].filter(differs).map((field) => ({
    path: `field_overrides.${field}`,
    message: 'The value of the winner comes from its line items: set its value_source to manual first',
  }))
  const other = losers.find(({ currency }) => currency !== winner.currency)
  return other
    ? [
        ...set,
        {
          path: 'loser_ids',
          message: `The value of the winner comes from its line items, in ${winner.currency}, and a loser is in ${other.currency}`,
        },
      ]
    : set
}

const NAMED: Record<RecordEntity, string> = { contact: 'A contact', company: 'A company', opportunity: 'An opportunity' }

function joinTags(draft: Draft, { entity }: MergeChoices, { losers, tag_forms: forms }: MergeFacts): Issue | undefined {
  type Tag = { name: string }
  const tags = [...((draft.values.tags ?? []) as Tag[])]
  const formOf = ({ name }: Tag) => forms[name] ?? name
  const names = new Set(tags.map(formOf))
  for (const loser of losers)
    for (const tag of (loser.tags ?? []) as Tag[]) {
      const name = formOf(tag)
      if (names.has(name)) continue
      names.add(name)
      tags.push(tag)
      addSource(draft, 'tags', loser)
    }
  draft.values.tags = tags
  return tags.length <= MAX_TAGS
    ? undefined
    : { path: 'union_tags', message: `${NAMED[entity]} has at most ${MAX_TAGS} tags: merge fewer records, or leave this out` }
}

function decideParent(draft: Draft, choices: MergeChoices, facts: MergeFacts): Issue | undefined {
  if (!('parent_company_id' in choices.overrides)) {
    takeParent(draft, choices, facts)
    return undefined
  }
  const message = parentIssue(choices, facts)
  return message === undefined ? undefined : { path: 'field_overrides.parent_company_id', message }
}

const domainOf = ({ website_url: url }: Row) => (typeof url === 'string' ? toCompanyDomain(url) : undefined)

function decideContact(draft: Draft, { overrides, fill }: MergeChoices, facts: MergeFacts): void {
  const { values } = draft
  const { losers, winner } = facts
  const named = losers.find((loser) => loser.first_name_derived === false)
  if (fill && winner.first_name_derived === true && named && !('first_name' in overrides))
    take(draft, 'first_name', named.first_name, [named])
  if (!('alternate_emails' in overrides)) joinAlternates(draft, 'alternate_emails', ({ email }) => email, facts)
  if (!('alternate_phones' in overrides)) joinAlternates(draft, 'alternate_phones', ({ phone }) => phone, facts)

  for (const flag of fill ? [...REFUSALS, 'is_referrer'] : REFUSALS) {
    const sources = losers.filter((loser) => loser[flag] === true)
    if (!(flag in overrides) && sources.length > 0 && !values[flag]) take(draft, flag, true, sources)
  }
  if (!('is_primary' in overrides) && !values.is_primary) {
    const primary = losers.find((loser) => loser.is_primary && loser.customer_id && loser.customer_id === values.customer_id)
    if (primary) take(draft, 'is_primary', true, [primary])
  }
}

/** The winner keeps every address, number or domain by which one of the records is known, its own former main one included. */
function joinAlternates(draft: Draft, alternates: string, mainOf: (row: Row) => unknown, { winner, losers }: MergeFacts): void {
  const listOf = (row: Row) => (row[alternates] ?? []) as string[]
  const first = mainOf(draft.values) as string | null | undefined
  const joined = [...listOf(draft.values)]
  const known = new Set([first, ...joined])
  for (const loser of losers)
    for (const value of [mainOf(loser), ...listOf(loser)]) {
      if (typeof value !== 'string' || known.has(value)) continue
      known.add(value)
      joined.push(value)
      addSource(draft, alternates, loser)
    }
  const own = mainOf(winner)
  const former = first && typeof own === 'string' ? [own] : []
  draft.values[alternates] = alternatesTo(first, [...joined, ...former])
}
