import type { ObjectName } from '../../../domain/filters/types.ts'

/** A related record that a record refers to by a column. */
export type One = { to: ObjectName; key: string }
/** Rows that link a record, named by `key`, to the related one, named by `id`; without `id` they are the related records themselves. */
export type Link = { table: string; key: string; id?: string }
export type Many = { to: ObjectName; links: Link[] }

/** The relations with at most one record, by object. */
export const ONE: Record<ObjectName, Record<string, One>> = {
  contacts: { company: { to: 'companies', key: 'customer_id' } },
  companies: { parent: { to: 'companies', key: 'parent_company_id' } },
  opportunities: { company: { to: 'companies', key: 'customer_id' } },
  activities: {
    contact: { to: 'contacts', key: 'contact_id' },
    company: { to: 'companies', key: 'customer_id' },
    opportunity: { to: 'opportunities', key: 'deal_id' },
  },
  tasks: {
    contact: { to: 'contacts', key: 'contact_id' },
    company: { to: 'companies', key: 'customer_id' },
    opportunity: { to: 'opportunities', key: 'opportunity_id' },
  },
}

/** The relations with any number of records, by object. */
export const MANY: Record<ObjectName, Record<string, Many>> = {
  contacts: {
    companies: { to: 'companies', links: [{ table: 'employers', key: 'contact_id', id: 'customer_id' }] },
    opportunities: { to: 'opportunities', links: [{ table: 'opportunity_contacts', key: 'contact_id', id: 'opportunity_id' }] },
    activities: {
      to: 'activities',
      links: [
        { table: 'activities', key: 'contact_id', id: 'id' },
        { table: 'activity_contacts', key: 'contact_id', id: 'activity_id' },
      ],
    },
    tasks: { to: 'tasks', links: [{ table: 'tasks', key: 'contact_id' }] },
  },
  companies: {
    contacts: { to: 'contacts', links: [{ table: 'employers', key: 'customer_id', id: 'contact_id' }] },
    opportunities: { to: 'opportunities', links: [{ table: 'opportunities', key: 'customer_id' }] },
    subsidiaries: { to: 'companies', links: [{ table: 'companies', key: 'parent_company_id' }] },
    activities: { to: 'activities', links: [{ table: 'activities', key: 'customer_id' }] },
    tasks: { to: 'tasks', links: [{ table: 'tasks', key: 'customer_id' }] },
  },
  opportunities: {
    contacts: { to: 'contacts', links: [{ table: 'opportunity_contacts', key: 'opportunity_id', id: 'contact_id' }] },
    activities: { to: 'activities', links: [{ table: 'activities', key: 'deal_id' }] },
    tasks: { to: 'tasks', links: [{ table: 'tasks', key: 'opportunity_id' }] },
  },
  activities: {
    contacts: {
      to: 'contacts',
      links: [
        { table: 'activities', key: 'id', id: 'contact_id' },
        { table: 'activity_contacts', key: 'activity_id', id: 'contact_id' },
      ],
    },
  },
  tasks: {},
}

/** What a column shows of several related records. `first` and `last` are those of the record that was created first or last. */
export const AGGREGATES = ['count', 'sum', 'first', 'last', 'list'] as const
export type Aggregate = (typeof AGGREGATES)[number]

/** Columns that show a name in the place of an id: a path to it. */
export const NAMED_PATHS: Record<ObjectName, Record<string, string>> = {
  contacts: { company: 'company.name' },
  companies: { parent_company: 'parent.name' },
  opportunities: { company: 'company.name', contact: 'contacts.name.list' },
  activities: { contact: 'contacts.name.list', company: 'company.name', opportunity: 'opportunity.name' },
  tasks: { contact: 'contact.name', company: 'company.name', opportunity: 'opportunity.name' },
}

/** Such columns whose name is of another table: the column with the id, and the table and the column of the name. */
export type Lookup = { key: string; table: string; column: string }
const OWNER: Lookup = { key: 'assigned_to', table: 'users', column: 'email' }
export const LOOKUPS: Record<ObjectName, Record<string, Lookup>> = {
  contacts: { owner: OWNER, lead_source: { key: 'source_id', table: 'lead_sources', column: 'name' } },
  companies: { owner: OWNER },
  opportunities: {
    owner: OWNER,
    pipeline: { key: 'pipeline_id', table: 'pipelines', column: 'name' },
    stage: { key: 'stage_id', table: 'stages', column: 'name' },
  },
  activities: {},
  tasks: { owner: OWNER },
}

/** The line items of an opportunity, each as its quantity and its name. */
export const LINE_ITEMS = 'line_items'
