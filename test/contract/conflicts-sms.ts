/** Unique keys of SMS and credits that no call can violate. */
export const NEVER_OF_SMS: Record<string, string> = {
  credit_entries_message_key: 'a message is charged once',
  credit_entries_reference_key: 'a grant that is repeated is left out',
  credit_usage_key: 'counters',
  phone_numbers_number_key: 'reserve_phone_number locks the number',
  sms_conversations_key: 'a message of known numbers is added to their conversation',
  sms_messages_provider_key: 'a message that came before is not stored again',
}
