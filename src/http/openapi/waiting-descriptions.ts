/** Descriptions of the named schemas of waiting lists (see SCHEMAS). */
export const WAITING_SCHEMAS: Record<string, string> = {
  WaitingListEntry: 'A person who waits for a seat of a time that is full, or has waited.',
}

/** Descriptions of their fields, and of those of event types that concern visitors of the page (see FIELDS). */
export const WAITING_FIELDS: Record<string, string> = {
  challenge: 'What visitors of the booking page pass before they book.',
  confirm_email: 'Whether visitors of the booking page confirm their email address first.',
  entry_id: 'The entry of a waiting list.',
  max_guests: 'How many guests a visitor of the booking page can name.',
  offer_expires_at: 'Until when a seat is kept for the person.',
  offered_at: 'When a seat was offered.',
  redirect_url: 'Where visitors of the booking page are led after a booking.',
  waiting_list: 'Whether people can wait for a seat of a time that is full.',
  waiting_list_offer_minutes: 'How long a free seat is kept for the first in line, in minutes.',
}
