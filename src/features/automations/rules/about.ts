import type { RecordEntity } from '../../../domain/records.ts'

/** What says which records an event is about. The payload is that of the feed. */
export type Happening = { type: string; entity: string; entity_id: string; payload: Record<string, unknown> }
/** The records of a run: at most one of each kind. */
export type Subjects = { contact_id?: string | undefined; customer_id?: string | undefined; opportunity_id?: string | undefined }
/** The records that an event is about, by kind: their ids. */
export type RecordsOf = Record<RecordEntity, string[]>

/** The fields of payloads that name records which the event is about. The ids of a kind are in this order. */
export const NAMING: RecordsOf = {
  contact: ['contact_id', 'contact_ids'],
  company: ['customer_id', 'linked_customer_id'],
  opportunity: ['opportunity_id', 'deal_id', 'linked_deal_id'],
}
const OBJECTS: Record<string, RecordEntity> = { contacts: 'contact', companies: 'company', opportunities: 'opportunity' }
export const isRecord = (entity: string): entity is RecordEntity => Object.hasOwn(NAMING, entity)
const idsIn = (value: unknown): string[] => [value].flat().filter((id) => typeof id === 'string')

/**
 * The records that an event is about: for the start of runs, for waits, for exits of auto queues and for explanations. What happens to a
 * contact, a company or an opportunity is about this record alone, not about the others that it names, such as the company of a contact. An
 * event of a list is about the member. Every other event is about the records that its payload names.
 */
export function recordsOf({ type, entity, entity_id, payload }: Happening): RecordsOf {
  const records: RecordsOf = { contact: [], company: [], opportunity: [] }
  if (isRecord(entity)) return { ...records, [entity]: [entity_id] }
  if (type === 'list.entered' || type === 'list.left') {
    const kind = OBJECTS[String(payload.object)]
    return kind ? { ...records, [kind]: idsIn(payload.record_id) } : records
  }
  for (const kind of Object.keys(records) as RecordEntity[])
    records[kind] = [...new Set(NAMING[kind].flatMap((name) => idsIn(payload[name])))]
  return records
}

/** Whether an event is the deletion or the purge of a contact, a company or an opportunity. */
export const isDeletion = ({ type, entity }: Pick<Happening, 'type' | 'entity'>): boolean =>
  isRecord(entity) && (type === `${entity}.deleted` || type === `${entity}.purged`)

/** The records that a run for this event is about: the first of each kind. One that was deleted is there no longer. */
export function subjectsOf(event: Happening): Subjects {
  if (isDeletion(event)) return {}
  const { contact, company, opportunity } = recordsOf(event)
  return { contact_id: contact[0], customer_id: company[0], opportunity_id: opportunity[0] }
}

/** Whether an event is about one of the records of a run. */
export function isAbout(
  event: Happening,
  { contact_id, customer_id, opportunity_id }: { [name in keyof Subjects]?: string | null },
): boolean {
  const { contact, company, opportunity } = recordsOf(event)
  const has = (ids: string[], id: string | null | undefined) => typeof id === 'string' && ids.includes(id)
  return has(contact, contact_id) || has(company, customer_id) || has(opportunity, opportunity_id)
}

/** The record that enrolment counts by: the opportunity, else the contact, else the company. */
export const mainSubject = ({ opportunity_id, contact_id, customer_id }: Subjects): string | undefined =>
  opportunity_id ?? contact_id ?? customer_id
