/** The entities that can be merged, purged and scanned for duplicates. */
export const RECORD_ENTITIES = ['contact', 'company', 'opportunity'] as const
export type RecordEntity = (typeof RECORD_ENTITIES)[number]
