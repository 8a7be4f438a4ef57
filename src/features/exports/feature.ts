import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: {
    'Export Templates': 'Files with chosen columns, also of related records: their templates, saved views, previews and runs.',
    Exports: 'What the files of exports can contain: the fields of filters, and the columns.',
  },
  scopes: { exports: ['read', 'write', 'delete'] },
  tables: {
    export_templates: { readers: ['exports:read'] },
    export_views: { readers: ['exports:read'], hidden: { private_to: 'Nobody else sees the record, nor its history' } },
  },
}
