import { escapeHtml } from '../../../../lib/html.ts'
import { pageDocument } from '../../../pages/rules/document.ts'
import { type Fault, faultSummary, fieldsOf, type Typed } from '../../../pages/rules/form-fields.ts'
import { hidden, href, paragraphs } from '../../../pages/rules/html.ts'
import type { ReviewChannel, ReviewRequestStatus } from '../review-requests.ts'
import { image, pagePlace, type ReputationView, STYLE } from './page.ts'
import type { ReputationTexts } from './texts.ts'

export const MOST_WORDS = 5_000
export const MOST_NAME = 200

/** What the page for writing a review shows (review_form). `request`: of a personal link. */
export type ReviewForm = {
  profile: { id: string; slug: string; display_name: string; logo_url: string | null }
  color: string | null
  request: { id: string; status: ReviewRequestStatus; channel: ReviewChannel; first_name: string | null } | null
}
export type WrittenReview = { rating: number; words: string; name: string }

/** What a visitor has written, or what is wrong with it, in the order of the fields. */
export function readReview(typed: Typed, texts: ReputationTexts): { review: WrittenReview } | { faults: Fault[] } {
  const faults: Fault[] = []
  const fault = (field: string, message: string) => faults.push({ field, message })
  const review = { rating: Number(typed.rating), words: clean(typed.words).trim(), name: clean(typed.name).replace(/\s+/g, ' ').trim() }
  if (!/^[1-5]$/.test(typed.rating ?? '')) fault('rating', texts.need_rating)
  if (review.words === '' || review.words.length > MOST_WORDS) fault('words', texts.need_words)
  if (review.name === '' || review.name.length > MOST_NAME) fault('name', texts.need_name)
  // People do not see this field, and programs that fill in forms do.
  if ((typed.website ?? '').trim() !== '') fault('website', texts.leave_empty)
  return faults.length > 0 ? { faults } : { review }
}

/** Without the control characters that no text may have; lines end as everywhere. */
const clean = (text = '') => text.replace(/\r\n?/g, '\n').replace(/[^\P{Cc}\n\t]|\p{Cs}/gu, '')

/** The page on which a review is written. `token` makes a form that is sent twice one review. */
export function reviewFormPage(view: ReputationView, shown: ReviewForm, token: string, typed: Typed, faults: Fault[]): string {
  const { texts } = view
  const { profile, request } = shown
  const fields = fieldsOf(texts, { name: request?.first_name ?? '', ...typed }, faults)
  const ratings = texts.five.map((label, at): [string, string] => [String(at + 1), `${at + 1} – ${label}`]).toReversed()
  const body = `${image(profile.logo_url, 'logo')}${faultSummary(texts, faults)}${paragraphs(texts.about_form)}
<form method="post" action="${href(view.path, {})}">${hidden({ token, lang: view.chosen })}
${fields.radios({ id: 'rating', label: texts.rating_label, required: true }, ratings)}
${fields.area({ id: 'words', label: texts.words_label, required: true }, MOST_WORDS)}
${fields.line({ id: 'name', label: texts.name_label, required: true }, `autocomplete="name" maxlength="${MOST_NAME}"`)}
<div class="trap" aria-hidden="true"><label for="website">${escapeHtml(texts.empty)}</label>\
<input id="website" name="website" tabindex="-1" autocomplete="off"></div>
<button type="submit">${escapeHtml(texts.send)}</button></form>${request ? refusal(view, request.channel) : ''}`
  const title = texts.your_review(profile.display_name)
  return documentOf(view, shown, faults.length > 0 ? `${texts.error}: ${title}` : title, body)
}

const refusal = ({ texts, path, chosen }: ReputationView, channel: ReviewChannel) =>
  `<h2>${escapeHtml(texts.refuse_about)}</h2>
<form method="post" action="${href(`${path}/refuse`, {})}">${hidden({ lang: chosen })}\
<button class="quiet" type="submit">${escapeHtml(texts.refuse[channel])}</button></form>`

/** A page after a form was sent, which says one thing. */
export const reviewNotice = (view: ReputationView, shown: ReviewForm, title: string, text: string): string =>
  documentOf(
    view,
    shown,
    title,
    `${paragraphs(text)}<p><a href="${href(`/reputation/${shown.profile.slug}`, { lang: view.chosen })}">` +
      `${escapeHtml(shown.profile.display_name)}</a></p>`,
  )

const documentOf = (view: ReputationView, { color }: ReviewForm, title: string, body: string) =>
  pageDocument(pagePlace(view), { title, color, style: STYLE, body })
