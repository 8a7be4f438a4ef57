export const IDENTITY_KINDS = ['phone', 'email_config'] as const
export type IdentityKind = (typeof IDENTITY_KINDS)[number]
export const RESPONDER_CHANNELS = ['sms', 'email'] as const
export type ResponderChannel = (typeof RESPONDER_CHANNELS)[number]
export const MODES = ['draft', 'auto_send'] as const
export type Mode = (typeof MODES)[number]

/** What a message is about. */
export const CATEGORIES = ['new_enquiry', 'question', 'booking', 'complaint', 'sales_pitch', 'spam', 'other'] as const
export type Category = (typeof CATEGORIES)[number]
export const ACTIONS = ['auto_respond', 'escalate', 'do_nothing'] as const
export type Action = (typeof ACTIONS)[number]
export type TriageActions = Partial<Record<Category, Action>>

const DEFAULT_ACTIONS: Record<Category, Action> = {
  new_enquiry: 'auto_respond',
  question: 'auto_respond',
  booking: 'auto_respond',
  complaint: 'escalate',
  sales_pitch: 'do_nothing',
  spam: 'do_nothing',
  other: 'escalate',
}
/** What is done about a message of a category. */
export const actionFor = (category: Category, actions: TriageActions): Action => actions[category] ?? DEFAULT_ACTIONS[category]

/** What the model reads besides the message and the knowledge base. */
export const CONTEXT_MODULES = ['conversation', 'contact', 'opportunities'] as const
export type ContextModule = (typeof CONTEXT_MODULES)[number]

export const OUTCOMES = ['sent', 'held', 'escalated', 'nothing', 'overtaken', 'failed'] as const

/** Seconds without a further message after which a burst has ended, and seconds after its first message that are not exceeded. */
export const BURST_SECONDS = 20
export const MAX_BURST_SECONDS = 120
/** Replies in one conversation within 24 hours, those that wait for approval included. */
export const MAX_REPLIES_A_DAY = 5
/** Days after which the log forgets a reply. */
export const REPLY_DAYS = 90
export const MAX_TOOLS = 20

/** The credits that a reply may cost, and how many of them the triage may. */
export const REPLY_CREDITS = 60
export const TRIAGE_CREDITS = 10
/** Characters of a message, and of a text of the context, that the model reads. */
export const MAX_MESSAGE = 8_000
export const MAX_CONTEXT = 1_000
/** Passages of the knowledge base that the model reads. */
export const PASSAGES = 8
export const MAX_REPLY = { sms: 1_000, email: 8_000 } as const
