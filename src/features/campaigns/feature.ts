import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { 'Email Campaigns': 'Emails to an audience of contacts: content, audience, sending, recipients and unsubscribes.' },
  scopes: { 'email-campaigns': ['read', 'write', 'delete'] },
  tables: {
    campaign_clicks: { restored: true },
    campaign_recipients: { merges: { contact: { contact_id: 'campaigns' } }, restored: true },
    email_campaigns: { readers: ['email-campaigns:read'] },
    unsubscribes: { restored: true },
  },
}
