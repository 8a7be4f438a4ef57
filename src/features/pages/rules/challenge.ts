import { escapeHtml } from '../../../lib/html.ts'

/** What a page with a challenge shows: the public key, the script, and its origin, which the policy of the page allows. */
export type ChallengeWidget = { site_key: string; origin: string; script: string }

/** The field in which the script puts its token, and the most characters of one. */
export const CHALLENGE_FIELD = 'cf-turnstile-response'
export const MOST_TOKEN = 2_048
/** What the visitors of pages do, which their tokens name. */
export const CHALLENGE_ACTION = 'booking'

/**
 * The part of a form in which visitors show that they are people. Without a widget, because the deployment has lost its keys, it says that
 * nobody can at present.
 */
export function challengePart(
  widget: ChallengeWidget | undefined,
  { language, fault, texts }: { language: string; fault: string | undefined; texts: { challenge_script: string; challenge_away: string } },
): string {
  const wrong = fault ?? (widget ? undefined : texts.challenge_away)
  const note = wrong ? `<span class="wrong">${escapeHtml(wrong)}</span>` : ''
  if (!widget) return `<div class="field" id="challenge">${note}</div>`
  // The compact widget fits on a screen of 320 pixels.
  const attributes = { sitekey: widget.site_key, action: CHALLENGE_ACTION, language, size: 'compact' }
  const data = Object.entries(attributes).map(([name, value]) => ` data-${name}="${escapeHtml(value)}"`)
  return `<div class="field" id="challenge">${note}<div class="cf-turnstile"${data.join('')}></div>
<noscript><p class="note">${escapeHtml(texts.challenge_script)}</p></noscript></div>
<script src="${escapeHtml(widget.script)}" async defer></script>`
}

/** Whether a token was made on one of our own pages, for what they do. */
export const isOwnChallenge = (
  { hostname, action }: { hostname: string | undefined; action: string | undefined },
  hostnames: string[],
): boolean => hostname !== undefined && hostnames.includes(hostname.toLowerCase()) && action === CHALLENGE_ACTION
