import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: {
    Files: 'Files of the workspace: PDFs, public images, and confidential files.',
    'Public Image Upload': 'Images that visitors upload without a key.',
  },
  scopes: { files: ['read', 'write', 'delete'] },
  tables: {
    attachments: {
      readers: ['companies:read', 'contacts:read', 'opportunities:read'],
      timeline: ['opportunity_id', 'contact_id', 'customer_id'],
      merges: {
        contact: { contact_id: 'attachments' },
        company: { customer_id: 'attachments' },
        opportunity: { opportunity_id: 'attachments' },
      },
    },
    files: { readers: ['files:read'] },
  },
}
