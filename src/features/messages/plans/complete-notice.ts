import { toBase64 } from '../../../lib/base64.ts'
import { type LinkPurpose, linkToken } from '../../../lib/link-tokens.ts'
import { portalPin, portalToken, reviewToken, secretBehind } from '../../../lib/portal-secrets.ts'
import { fillPortal } from '../../portals/rules/messages.ts'
import { reviewUrl } from '../../reputation/plans/ask.ts'
import { fillReview } from '../../reputation/rules/review-messages.ts'
import { inviteFile, inviteMethod, isInvitee } from '../../scheduling/rules/invites.ts'
import { fillManagementUrl } from '../../scheduling/rules/notice-texts.ts'
import type { ClaimedMessage, MessagePortal, MessageReview } from './outcomes.ts'

/** What the links of a workspace are made with. */
export type LinkMaker = { appUrl: string; secret: string; workspaceId: string }

const PAGES: Record<LinkPurpose, string> = { booking_confirmation: 'confirm', waiting_list: 'waiting' }

function urlOf({ notice, link }: ClaimedMessage, { appUrl, secret, workspaceId }: LinkMaker): string | null {
  const page = (slug: string, path: string) => `${appUrl}/book/${encodeURIComponent(slug)}/${path}`
  if (link)
    return page(link.company_slug, `${PAGES[link.purpose]}/${linkToken(secret, link.purpose, { workspace_id: workspaceId, id: link.id })}`)
  return notice?.management_token ? page(notice.facts.workspace.slug, `manage/${notice.management_token}`) : null
}

/**
 * The message of a notice as it is handed to the provider: with the link of the booker's page, which no record of the message has, and with
 * the calendar entry of the booking as it is now.
 */
export function completeNotice(message: ClaimedMessage, maker: LinkMaker, now: number): ClaimedMessage {
  const { notice, link, portal, review, channel, body_text, body_html } = message
  if (portal) return completePortal(message, portal, maker)
  if (review) return completeReview(message, review, maker)
  if (!notice && !link) return message
  const url = urlOf(message, maker)
  const completed = {
    ...message,
    body_text: fillManagementUrl(body_text, url),
    body_html: body_html === null ? null : fillManagementUrl(body_html, url),
  }
  if (!notice) return completed
  const { facts, kind } = notice
  const method = channel === 'email' && isInvitee(facts, message.recipient) ? inviteMethod(kind, facts) : undefined
  if (!method) return completed
  const content_type = `text/calendar; charset=utf-8; method=${method}`
  return { ...completed, made: [{ name: 'invite.ics', content_type, content: toBase64(inviteFile(facts, method, now, url)) }] }
}

/** The message of a portal with its address or its PIN, which no record of the message has. */
function completePortal(message: ClaimedMessage, portal: MessagePortal, { appUrl, secret: secrets }: LinkMaker): ClaimedMessage {
  const { token_seed, token_hash, pin_seed } = portal
  const secret = secretBehind(secrets, token_hash, (one) => portalToken(one, token_seed))
  const { body_text, body_html } = message
  const values = { url: `${appUrl}/portal/${portalToken(secret, token_seed)}`, pin: portalPin(secret, pin_seed) }
  return { ...message, body_text: fillPortal(body_text, values), body_html: body_html === null ? null : fillPortal(body_html, values) }
}

function completeReview(message: ClaimedMessage, review: MessageReview, { appUrl, secret: secrets }: LinkMaker): ClaimedMessage {
  const { token_seed, token_hash } = review
  const secret = secretBehind(secrets, token_hash, (one) => reviewToken(one, token_seed))
  const url = reviewUrl(appUrl, secret, token_seed)
  return {
    ...message,
    unsubscribe_url: `${url}/refuse`,
    body_text: fillReview(message.body_text, url),
    body_html: message.body_html === null ? null : fillReview(message.body_html, url),
  }
}
