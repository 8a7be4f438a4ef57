/** Descriptions of the fields of notices and notetakers of bookings, and of telephony (see FIELDS). */
export const NOTICE_FIELDS: Record<string, string> = {
  end_user_type: 'Whether the end user is a person or a business.',
  is_enabled: 'Whether it is in use.',
  meeting_url: 'The link of the meeting.',
  notetaker_enabled: 'Whether notetakers may join meetings.',
  campaign_open_tracking: 'Whether it is recorded who opened the emails of campaigns.',
  campaign_click_tracking: 'Whether it is recorded who followed the links in emails of campaigns.',
  number_type: 'The type of the numbers.',
  requirements: 'What is required, and whether it is met.',
  speaker: 'Who speaks.',
  text: 'The words.',
  channels: 'The channels through which it is sent.',
  notice_id: 'The notice.',
  offsets_minutes: 'The minutes before the start, of reminders, or after the no-show, of rebooking notices.',
  send_at: 'When it is due.',
  text_body: 'The text of the SMS and the WhatsApp message.',
}
