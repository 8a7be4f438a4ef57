/** What the server of the local inbox sends to its page. The page runs in a browser, so this imports nothing. */

/** What happened to an email after it was sent. */
export type EmailAct = { kind: string; at: string; detail: string }

/** What identifies an email that was sent, whichever provider has sent it. */
export type EmailEnvelope = {
  id: string
  at: string
  from: string
  to: string
  subject: string
  /** The account of the mailbox that it was sent from; null for one of the workspace. */
  mailbox: string | null
}

/** `campaign`: its id. `more`: how many further emails of the campaign this one stands for in a list. */
export type EmailSummary = EmailEnvelope & { preview: string; campaign: string | null; more: number; attachments: number; acts: string[] }
export type EmailPage = { total: number; emails: EmailSummary[]; next: string | null }

/** Which emails a list shows. */
export const EMAIL_KINDS = { all: 'All', single: 'To one person', campaign: 'Campaigns', mailbox: "From members' mailboxes" }
export type EmailKind = keyof typeof EMAIL_KINDS

/** What often goes wrong with providers, each set with one action. */
export const PRESETS = {
  works: 'Everything works',
  down: 'Providers are down',
  slow: 'Providers are slow',
  limited: 'Too many requests',
  lost: 'Answers get lost',
  doubled: 'Reports come twice, in reverse',
}
export type Preset = keyof typeof PRESETS

/** `calendar`: the text of an ICS file. */
export type EmailAttachment = { name: string; type: string; size: number; calendar: string | null }
export type ShownEmail = Omit<EmailSummary, 'attachments' | 'acts' | 'more'> & {
  has_html: boolean
  text: string
  source: string
  headers: [name: string, value: string][]
  /** The addresses that a click can be reported for. */
  links: string[]
  /** What the people and the provider on the other side can do. */
  actions: string[]
  attachments: EmailAttachment[]
  acts: EmailAct[]
}
