import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: {
    Invoices: 'Invoices of opportunities and their states.',
    Credits: 'The credits that messages cost: balance, ledger and monthly usage.',
  },
  scopes: { credits: ['read'], invoices: ['read', 'write', 'delete'] },
  tables: {
    billing_parties: {
      readers: ['invoices:read'],
      timeline: ['opportunity_id'],
      merges: { company: { customer_id: 'billing_parties' }, opportunity: { opportunity_id: 'billing_parties' } },
    },
    invoices: {
      readers: ['invoices:read'],
      timeline: ['opportunity_id'],
      merges: { company: { customer_id: 'invoices' }, opportunity: { opportunity_id: 'invoices' } },
    },
  },
}
