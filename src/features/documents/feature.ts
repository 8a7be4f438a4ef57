import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: {
    Documents: 'Documents in folders, with their files and the records that they are about.',
    'Document Templates': 'Templates of documents: their sections, in order, and previews with the values of records.',
  },
  scopes: { documents: ['read', 'write'] },
  tables: {
    document_template_sections: {
      readers: ['documents:read'],
      hidden: { content: 'Too large for each change, which has its length and its digest' },
    },
    document_templates: { readers: ['documents:read'] },
    documents: {
      readers: ['documents:read'],
      timeline: ['opportunity_id', 'contact_id', 'customer_id'],
      purged: { name: '(purged)', folder: null },
    },
  },
}
