/** The kinds of records that have custom fields, with their plural: the name of their table, path, scopes and imports. */
export const PLURAL_OF = {
  contact: 'contacts',
  company: 'companies',
  opportunity: 'opportunities',
  product: 'products',
  task: 'tasks',
  activity: 'activities',
} as const

/** The entities that can be merged, purged and scanned for duplicates. */
export const RECORD_ENTITIES = ['contact', 'company', 'opportunity'] as const
export type RecordEntity = (typeof RECORD_ENTITIES)[number]

/** The plurals of RECORD_ENTITIES: what can be imported, exported and searched. */
export type RecordPlural = (typeof PLURAL_OF)[RecordEntity]
export const RECORD_PLURALS = RECORD_ENTITIES.map((entity) => PLURAL_OF[entity]) as ['contacts', 'companies', 'opportunities']

/** The entity of a plural: `contact` of `contacts`. */
export const entityOf = (plural: RecordPlural): RecordEntity =>
  RECORD_ENTITIES.find((entity) => PLURAL_OF[entity] === plural) as RecordEntity
