/** The records that people and companies are known by: they can be purged, and looked through for duplicates. */
export const RECORD_ENTITIES = ['contact', 'company', 'opportunity'] as const
export type RecordEntity = (typeof RECORD_ENTITIES)[number]
