import { companies, fixed, half, type Load, one, oneOf, some, text } from './values.ts'

/** Drafts of emails to contacts, and the templates of emails. */
export const MAILBOX_LOADS: Load[] = [
  {
    table: 'email_templates',
    count: companies,
    columns: fixed({ name: `'Template ' || n`, subject: `'For {{first_name}}'`, body_html: `'<p>Hello {{first_name | there}}</p>'` }),
  },
  {
    table: 'email_drafts',
    count: half,
    columns: {
      ...fixed({ status: oneOf('draft', 'sent', 'failed'), subject: `'Your offer'`, text }),
      contact_id: (size) => some(0.9, one('contact', size)),
    },
  },
]
