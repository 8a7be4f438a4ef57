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

export type EmailSummary = EmailEnvelope & { preview: string; is_campaign: boolean; attachments: number; acts: string[] }
export type EmailPage = { total: number; emails: EmailSummary[]; next: string | null }

/** `calendar`: the text of an ICS file. */
export type EmailAttachment = { name: string; type: string; size: number; calendar: string | null }
export type ShownEmail = Omit<EmailSummary, 'attachments' | 'acts'> & {
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
