import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: {
    Company: 'The workspace’s own profile.',
    Settings: 'The workspace’s picklists, tag palette, birthday messages and options.',
    'Lead sources': 'Where leads come from.',
    'Custom fields': 'Fields that the workspace defines for its records.',
  },
  scopes: { company: ['read', 'write', 'delete'] },
  tables: {
    crm_settings: { entity: 'crm_settings', key: 'workspace_id', readers: ['company:read'] },
    custom_fields: { readers: ['company:read'], renamed: { field_key: 'key' } },
    lead_sources: { readers: ['company:read'] },
    workspaces: { readers: ['company:read'] },
  },
}
