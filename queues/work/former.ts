/**
 * The types of messages of the previous release, with the kind of work that they stand for now. Its messages, and dead letters that
 * are replayed, come until the next release. What else one stood for is found by the tick.
 */
const FORMER: Record<string, string> = {
  'media.fetch': 'media.fetch',
  'notetakers.run': 'notetakers.run',
  'bookings.copy': 'bookings.copy',
  'calendars.sync': 'calendars.sync',
  'mailboxes.sync': 'mailboxes.sync',
  'whatsapp.mark': 'whatsapp.react',
}

/** A message in its present form. */
export function present(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('type' in body) || !('workspace_id' in body)) return body
  const kind = FORMER[String(body.type)]
  return kind ? { type: 'work.run', kind, workspace_id: body.workspace_id } : body
}
