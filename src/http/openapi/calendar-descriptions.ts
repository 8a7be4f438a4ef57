/** Descriptions of the named schemas of calendars (see SCHEMAS). */
export const CALENDAR_SCHEMAS: Record<string, string> = {
  BookingCopy: 'The event of a booking in the calendar of a host.',
  CalendarConnection: 'An account with calendars that a member has connected.',
  ConnectionCalendar: 'A calendar of a connected account, and what it is used for.',
  StartedConnection: 'Where a member gives consent to connect an account.',
}

/** Descriptions of their fields (see FIELDS). */
export const CALENDAR_FIELDS: Record<string, string> = {
  account_email: 'The email address or the name of the account.',
  calendar_id: 'The calendar of a connected account.',
  create_video_meeting: 'Whether the calendar of the host creates a video meeting for each booking without a `meeting_link`.',
  on_external_change: 'What happens to a booking whose event was moved or deleted in the calendar of its host.',
  connection_id: 'The connection of a calendar account.',
  synced_at: 'When the calendar was last read.',
}
