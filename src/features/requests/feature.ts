import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: {
    Approvals: 'Writes that wait for a person to approve or reject them.',
    'Agent Proposals': 'Writes that agents propose, with their reason and evidence.',
    Requests: 'The log of requests: who called what, how it ended and what it changed.',
  },
  scopes: { 'approval-policies': ['read', 'write', 'delete'], approvals: ['read', 'write'], requests: ['read'] },
  tables: {
    approval_policies: { readers: ['approval-policies:read'] },
    approvals: {
      readers: ['approvals:read'],
      hidden: {
        answer: 'The rows from which the response is built; response_body shows it',
        request: 'Too large for each change, and shown only to those who may read all of it',
        changes: 'Too large for each change, and shown only to those who may read all of it',
        original: 'Too large for each change, and shown only to those who may read all of it',
        response_body: 'Too large for each change, and shown only to those who may read all of it',
      },
    },
  },
  events: [
    'approval.approved',
    'approval.edited',
    'approval.executed',
    'approval.expired',
    'approval.failed',
    'approval.rejected',
    'approval.requested',
    'approval.stale',
  ],
}
