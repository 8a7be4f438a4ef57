/** Descriptions of the named schemas of mailboxes (see SCHEMAS). */
export const MAILBOX_SCHEMAS: Record<string, string> = {
  Mailbox: 'A mailbox that a member has connected.',
}

/** Descriptions of their fields (see FIELDS). */
export const MAILBOX_FIELDS: Record<string, string> = {
  mailbox_id: 'The mailbox.',
  sender_email: 'The address that is sent from.',
}
