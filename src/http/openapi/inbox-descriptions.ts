/** Descriptions of the named schemas of the inbox (see SCHEMAS). */
export const INBOX_SCHEMAS: Record<string, string> = {
  Conversation: 'A conversation by email, SMS or WhatsApp in the inbox; a WhatsApp group is one too.',
  ConversationMessage: 'A message of a conversation, in the shape that all channels share.',
}

/** Descriptions of their fields (see FIELDS). */
export const INBOX_FIELDS: Record<string, string> = {
  conversation_id: 'The conversation.',
  snoozed_until: 'When a snoozed conversation is opened again.',
}
