/** Descriptions of the fields of reactions and read receipts (see FIELDS). */
export const WHATSAPP_FIELDS: Record<string, string> = {
  at: 'When it happened.',
  emoji: 'The emoji.',
  whatsapp_message_id: 'The message of a WhatsApp conversation or group.',
  whatsapp_read_receipts: 'Whether those who write by WhatsApp see that their messages were read.',
}
