import type { Api } from './api.ts'

/** A template whose file shows related records, and a view of it. */
export async function addExportTemplate(api: Api): Promise<void> {
  const columns = [
    { path: 'name', label: 'Deal' },
    { path: 'company.name', label: 'Company' },
    { path: 'contacts.name.list', label: 'People' },
    { path: 'stage', label: 'Stage' },
    { path: 'value', label: 'Value' },
    { path: 'activities.count', label: 'Activities' },
    { path: 'activities.occurred_at.last', label: 'Latest activity' },
  ]
  const { data } = await api('POST', '/exports/templates', {
    name: 'Pipeline for the Monday meeting',
    root_entity: 'opportunities',
    columns,
    filters: { field: 'status', op: 'eq', value: 'open' },
    sort: '-value',
  })
  const large = {
    all: [
      { field: 'status', op: 'eq', value: 'open' },
      { field: 'value', op: 'gte', value: 10_000 },
    ],
  }
  await api('POST', `/exports/templates/${data.id}/views`, { name: 'From 10,000 on', filters: large })
}
