/** Descriptions of the fields of notices of bookings (see FIELDS). */
export const NOTICE_FIELDS: Record<string, string> = {
  channels: 'The channels through which it is sent.',
  notice_id: 'The notice.',
  offsets_minutes: 'The minutes before the start, of reminders, or after the no-show, of rebooking notices.',
  send_at: 'When it is due.',
  text_body: 'The text of the SMS and the WhatsApp message.',
}
