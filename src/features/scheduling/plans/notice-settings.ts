import { sql } from 'drizzle-orm'
import { scheduledEventTypes } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { mapResult, plainRows } from '../../../data/query.ts'
import { assertExists } from '../../../data/store.ts'
import { AppError, invalid } from '../../../errors.ts'
import { inviteFile, inviteMethod } from '../rules/invites.ts'
import { type NoticeFacts, recipientsOf } from '../rules/notice-facts.ts'
import { fillManagementUrl, NOTICE_TAGS, renderNotice, textsOf } from '../rules/notice-texts.ts'
import { NOTICE_KINDS, type NoticeSetting, settingOf } from '../rules/notices.ts'
import type { EventTypeNotices, NoticePreview, NoticeToPreview } from '../schemas/booking-notices.ts'

/** Every kind of notice of an event type, with the texts that are sent. */
export function eventTypeNotices(id: string): Plan<EventTypeNotices> {
  const rows = plainRows<{ notices: NoticeSetting[] }>(sql`select notices from scheduled_event_types where id = ${id}`, ['notices'])
  const result = mapResult(rows, ([row]): EventTypeNotices => {
    const notices = NOTICE_KINDS.map((kind) => {
      const setting = settingOf(row?.notices ?? [], kind)
      const { subject, email, text } = textsOf(setting)
      return { ...setting, email_subject: subject, email_body: email, text_body: text }
    })
    return { event_type_id: id, merge_tags: [...NOTICE_TAGS], notices }
  })
  return plan([assertExists(scheduledEventTypes, id, 'scheduled event type')], result)
}

type Kind = Pick<NoticeFacts, 'workspace' | 'event_type' | 'host'> & {
  duration_minutes: number
  location: string | null
  meeting_link: string | null
  timezone: string
}
type Found = { kind: Kind | null; facts: NoticeFacts | null }

/** Shown in the place of a booking's token. */
const NO_TOKEN = 'token-of-the-booking'

/** A notice as it would be sent about a booking, or about a made-up one. Nothing is sent. */
export function previewNotice(ctx: Ctx, eventTypeId: string, input: NoticeToPreview): Plan<NoticePreview> {
  const { booking_id } = input
  const rows = plainRows<Found>(
    sql`select (select jsonb_build_object('duration_minutes', t.duration_minutes, 'location', t.location, 'meeting_link', t.meeting_link,
          'timezone', coalesce(t.locked_timezone, w.timezone),
            'workspace', jsonb_build_object('name', w.name, 'slug', w.slug, 'color', w.primary_color),
          'host', jsonb_build_object('name', coalesce((select p.name from member_profile(w.id, u.id) p), w.name), 'email', u.email),
          'event_type', jsonb_build_object('name', t.name, 'slug', t.slug, 'locked_timezone', t.locked_timezone, 'notices', t.notices))
        from scheduled_event_types t cross join workspaces w left join users u on u.id = (t.hosts #>> '{0,user_id}')::uuid
        where t.id = ${eventTypeId}) as kind,
      (select notice_facts(b.workspace_id, b.id) from bookings b
        where b.id = ${booking_id}::uuid and b.event_type_id = ${eventTypeId}) as facts`,
    ['kind', 'facts'],
  )
  return read(
    mapResult(rows, ([found]) => {
      if (!found?.kind) throw new AppError('NOT_FOUND', 'No such scheduled event type in this workspace')
      if (booking_id !== null && !found.facts) throw invalid([{ path: 'booking_id', message: 'is no booking of this event type' }])
      return rendered(input, found.facts ?? sampleOf(found.kind, ctx.now.getTime()), ctx)
    }),
  )
}

function rendered({ kind, channel, ...texts }: NoticeToPreview, facts: NoticeFacts, { appUrl, now }: Ctx): NoticePreview {
  const stored = settingOf(facts.event_type.notices, kind)
  const own = { email_subject: texts.email_subject, email_body: texts.email_body, text_body: texts.text_body }
  const sent = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined && value !== null))
  const to = recipientsOf(facts, channel)[0] ?? { channel, recipient: '', is_booker: true }
  const { subject, text, html } = renderNotice(
    { ...stored, ...sent },
    facts,
    { ...to, sequence: facts.changes.at(-1)?.sequence ?? 0 },
    appUrl,
  )
  const url = to.is_booker ? `${appUrl}/book/${encodeURIComponent(facts.workspace.slug)}/manage/${NO_TOKEN}` : null
  const method = channel === 'email' ? inviteMethod(kind, facts) : undefined
  return {
    kind,
    channel,
    recipient: to.recipient || null,
    subject,
    text: fillManagementUrl(text, url),
    html: html && fillManagementUrl(html, url),
    calendar: method ? inviteFile(facts, method, now.getTime(), url) : null,
  }
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** A made-up booking in two days, which was moved from a day earlier. */
function sampleOf({ duration_minutes, location, meeting_link, timezone, ...kind }: Kind, now: number): NoticeFacts {
  const starts_at = Math.ceil((now + 2 * DAY) / HOUR) * HOUR
  return {
    ...kind,
    id: '00000000-0000-0000-0000-000000000000',
    version: 1,
    status: 'confirmed',
    uid: 'sample@bookings',
    sequence: 0,
    starts_at,
    ends_at: starts_at + duration_minutes * 60_000,
    updated_at: now,
    previous_starts_at: starts_at - DAY,
    duration_minutes,
    timezone,
    valid_until: now + HOUR / 2,
    name: 'Ana Lee',
    email: 'ana@example.com',
    phone: '+61412345678',
    attendees: [],
    location,
    video_meet_link: meeting_link,
    awaits_link: false,
    cancellation_reason: 'Found another time',
    is_moved: false,
    is_invited: true,
    booked_again: false,
    booker: null,
    contacts: [],
    hosts: [],
    announced: 0,
    changes: [{ sequence: 0, noted_at: now, host: { name: 'Ben Ito', email: null }, location: '1 Former Street' }],
    suppressed: [],
    configured: ['email'],
    quiet_hours: null,
  }
}
