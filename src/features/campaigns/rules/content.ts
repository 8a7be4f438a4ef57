import { textOf } from '../../../domain/templates.ts'
import type { Issue } from '../../../errors.ts'
import { escapeHtml } from '../../../lib/html.ts'
import { onOneLine, PERSON_TAGS, renderTags, tagsIn, unknownTags, withoutTags } from '../../email/rules/merge-tags.ts'
import { type AbTest, TRACKING_SETTINGS, type Tracked } from './ab-tests.ts'
import type { SegmentFilter } from './segment.ts'

/** The merge tags of campaigns: those about the contact, and the address at which the recipient unsubscribes. */
export const CAMPAIGN_TAGS = [...PERSON_TAGS, 'unsubscribe_url'] as const
export type CampaignTag = (typeof CAMPAIGN_TAGS)[number]
export type TagValues = Record<CampaignTag, string | null>

/** The email that one recipient gets. The subject is one line, so that no header can follow it. */
export function emailOf({ subject, body_html, body_text }: Content, values: TagValues): { subject: string; html: string; text: string } {
  return {
    subject: onOneLine(renderTags(subject, values)),
    html: renderTags(body_html, values, escapeHtml),
    text: renderTags(body_text, values),
  }
}

export type Content = { subject: string; body_html: string; body_text: string }

/** The plain text of a body. The address of the unsubscribe link is added if it is only in an attribute. */
export function plainTextOf(html: string): string {
  const text = textOf(html)
  return tagsIn(text).includes('unsubscribe_url') ? text : `${text}\n\nUnsubscribe: {{unsubscribe_url}}`
}

/** An email config; `mail_domain`: that from which the deployment may send now. */
export type CampaignSender = { from_email: string; mail_domain: string }
export type Sendable = {
  subject: string | null
  body_html: string | null
  segment_filter: SegmentFilter | null
  ab_test: AbTest | null
  tracked: Tracked
  sender: CampaignSender | null
}

/** What keeps a campaign from being sent, each with the field and the remedy. Empty if it can be sent. */
export function preflight({ subject, body_html, segment_filter, ab_test, tracked, sender }: Sendable): Issue[] {
  const issues: Issue[] = []
  const add = (path: string, message: string) => issues.push({ path, message })
  if (!subject?.trim()) add('subject', 'Required before the campaign is sent: set a subject')
  if (!body_html?.trim()) add('body_html', 'Required before the campaign is sent: set a body')
  if (segment_filter === null)
    add('segment_filter', 'Required before the campaign is sent: choose the audience, or send {} for every contact')
  if (!sender) add('config_id', 'Required before the campaign is sent: add a sender (POST /email/configs)')
  else if (!sender.from_email.endsWith(`@${sender.mail_domain}`))
    add('config_id', `sends as ${sender.from_email}, which is not verified: set its from_email_handle again, or choose another sender`)
  if (ab_test && !tracked[ab_test.by])
    add(
      'ab_test.by',
      `is not tracked: switch on ${TRACKING_SETTINGS[ab_test.by]} in the settings, or choose the other metric, or remove ab_test`,
    )
  const subjects = { subject, ...(ab_test && { 'ab_test.subject_b': ab_test.subject_b }) }
  for (const [path, template] of Object.entries({ ...subjects, body_html }))
    for (const name of unknownTags(template ?? '', CAMPAIGN_TAGS))
      add(path, `has the unknown merge tag {{${name}}}: use ${CAMPAIGN_TAGS.join(', ')}, or remove it`)
  for (const [path, template] of Object.entries(subjects))
    if (template && tagsIn(template).includes('unsubscribe_url')) add(path, 'must not have the merge tag {{unsubscribe_url}}')
  if (!body_html?.trim()) return issues
  if (!tagsIn(body_html).includes('unsubscribe_url'))
    add('body_html', 'has no unsubscribe link: add one, such as <a href="{{unsubscribe_url}}">Unsubscribe</a>')
  if (withoutTags(textOf(body_html)).trim() === '' && !/<img\b/i.test(body_html)) add('body_html', 'has no content that a reader sees')
  return issues
}
