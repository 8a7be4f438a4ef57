import type { RecordEntity } from '../../../domain/records.ts'

/** A stored record: its columns by name. */
export type Row = Record<string, unknown>

/** The caller's choices for a merge. `overrides` are columns of the winner; in their metadata, null removes a key. */
export type MergeChoices = {
  entity: RecordEntity
  overrides: Row
  fill: boolean
  appendNotes: boolean
  uniteTags: boolean
}

/** The stored values that a merge decides from. The losers are in the order of the request. */
export type MergeFacts = {
  winner: Row
  losers: Row[]
  /** By loser, the metadata keys whose values the current custom field definitions refuse. */
  unusable: Record<string, string[]>
  /** By company, its parent: for the merged companies, an overriding parent, and all companies above them. */
  parents: Record<string, string | null>
  /** By name of a tag, its normal form in the database. */
  tag_forms: Record<string, string>
}

/** The winner's columns as they will be, and by field the losers that its value is from. Rules change it in turn. */
export type Draft = { values: Row; metadata: Row; sources: Record<string, string[]> }

export const idOf = (row: Row): string => row.id as string

/** Sets a field of the winner to a value that is from these losers. */
export function take(draft: Draft, field: string, value: unknown, losers: Row[]): void {
  draft.values[field] = value
  draft.sources[field] = losers.map(idOf)
}

/** Adds a loser to the sources of a field that combines the values of several. */
export function addSource({ sources }: Draft, field: string, loser: Row): void {
  sources[field] = [...new Set([...(sources[field] ?? []), idOf(loser)])]
}

/** Whether a field has no value: null, an empty list or blank text. The database's is_blank is the same for custom values. */
export const isBlank = (value: unknown): boolean =>
  value == null || (Array.isArray(value) && value.length === 0) || (typeof value === 'string' && value.trim() === '')
