/** The records that customers and what is sold to them are known by: they can be merged, purged, and looked through for duplicates. */
export const RECORD_ENTITIES = ['contact', 'company', 'opportunity'] as const
export type RecordEntity = (typeof RECORD_ENTITIES)[number]
