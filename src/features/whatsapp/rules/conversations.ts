export const CONVERSATION_STATUSES = ['active', 'archived'] as const
export const WHATSAPP_DIRECTIONS = ['inbound', 'outbound'] as const

/** The status of a message rises in this order and never falls. A message that was received is `delivered`. */
export const WHATSAPP_STATUSES = ['queued', 'sent', 'failed', 'delivered', 'read'] as const
export type WhatsAppStatus = (typeof WHATSAPP_STATUSES)[number]

export type GroupMember = { phone_number: string | null; lid: string | null; role: 'member' | 'admin' | 'owner' }

/** The most characters of a text message. */
export const MAX_WHATSAPP_TEXT = 4096
/** The most messages of a group that appear on a timeline when the group is linked; later ones follow as they come. */
export const LINKED_MESSAGES = 200
