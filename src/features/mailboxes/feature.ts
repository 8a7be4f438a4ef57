import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { Mailboxes: 'The mailboxes of members, from which they send, and which receive what contacts write to them.' },
  scopes: { mailboxes: ['read', 'write'], 'personal-email': ['read', 'send'] },
  tables: {
    mailboxes: {
      readers: ['mailboxes:read'],
      derived: {
        cursor: 'What the background knows of a reading',
        synced_at: 'What the background knows of a reading',
        sync_error: 'What the background knows of a reading',
        watch_expires_at: 'What the background knows of a reading',
        watch_due_at: 'What the background knows of a reading',
      },
      // Its grant ends with it.
      restored: false,
    },
  },
  events: ['mailbox.errored'],
}
