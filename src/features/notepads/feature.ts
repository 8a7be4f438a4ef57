import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { Notepads: 'Notes in markdown: content, sections, versions, and who may see them.' },
  scopes: { notepads: ['read', 'write', 'delete'] },
  tables: {
    notepad_versions: { restored: true },
    notepads: {
      readers: ['notepads:read'],
      hidden: {
        private_to: 'Nobody else sees the record, nor its history',
        readers: 'Follows from the visibility, the owner and the access list',
        writers: 'Follows from the visibility, the owner and the access list',
        content: 'Too large for each change, which has its length and its digest',
        title_norm: 'The normal form of the title, for search and sorting',
      },
      timeline: ['opportunity_id', 'contact_id', 'customer_id'],
      purged: { title: '(purged)', content: '' },
    },
  },
}
