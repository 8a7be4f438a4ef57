import { escapeHtml } from '../../../../lib/html.ts'
import { pageDocument } from '../../../pages/rules/document.ts'
import { href, paragraphs } from '../../../pages/rules/html.ts'
import type { Language } from '../../../pages/rules/languages.ts'
import { articleData, organizationData, ratingOf } from './data.ts'
import { REPUTATION_TEXTS, type ReputationTexts } from './texts.ts'

export type ReputationView = { path: string; language: Language; texts: ReputationTexts; chosen: string | undefined; origin: string }
/** `chosen`: the language that the address names, which further addresses keep. */
export const reputationView = (path: string, language: Language, origin: string, chosen?: string): ReputationView => ({
  path,
  language,
  origin,
  texts: REPUTATION_TEXTS[language],
  chosen: chosen === language ? chosen : undefined,
})

type Workspace = { name: string; color: string | null }
export type ShownReview = {
  id: string
  reviewer_name: string
  reviewer_title: string | null
  reviewer_company: string | null
  reviewer_avatar: string | null
  rating: number
  testimonial_text: string
  service_category: string | null
  vendor_response: string | null
  verified_by: string | null
  published_at: string
}
export type ShownCaseStudy = {
  title: string
  client_name: string | null
  image_url: string | null
  summary: string | null
  content: string | null
  service_category: string | null
  published_at: string
}
export type ShownPage = {
  workspace: Workspace
  profile: {
    slug: string
    display_name: string
    description: string | null
    category: string | null
    logo_url: string | null
    website: string | null
    rating_counts: number[]
    accepts_reviews: boolean
  }
  reviews: ShownReview[]
  case_studies: { id: string; title: string; client_name: string | null }[]
  case_study: ShownCaseStudy | null
}

export const STYLE = `.stars{letter-spacing:.1em}.who{color:var(--soft)}\
.answer{border-left:.25rem solid var(--line);padding-left:.8rem;margin-top:.8rem}
img{display:block;max-width:100%;height:auto}.logo{max-height:5rem;margin-bottom:1rem}\
.face{width:3rem;height:3rem;border-radius:50%;object-fit:cover}`

/** The most bytes that the reviews of one page have together; one review is always shown. */
const MOST_TEXT = 20_000
const lengthOf = (review: ShownReview) => new TextEncoder().encode(`${review.testimonial_text}${review.vendor_response ?? ''}`).length

/** The first of the reviews that fit on a page. */
export function fitting(reviews: ShownReview[], most: number): ShownReview[] {
  let length = 0
  return reviews.slice(0, most).filter((review, index) => {
    length += lengthOf(review)
    return index === 0 || length <= MOST_TEXT
  })
}

/** An image that decorates a text beside it; only over TLS, because browsers block any other. */
export const image = (address: string | null, kind: string) =>
  address?.startsWith('https://') ? `<img class="${kind}" src="${escapeHtml(address)}" alt="" loading="lazy">` : ''

export const starsOf = (rating: number, label: string) =>
  `<span class="stars" role="img" aria-label="${escapeHtml(label)}">${'★'.repeat(rating)}${'☆'.repeat(5 - rating)}</span>`

/** A page that says one thing. */
export const messagePage = (view: ReputationView, title: string, text: string): string =>
  pageDocument(pagePlace(view), { title, body: paragraphs(text) })

export const pagePlace = (view: ReputationView) => ({
  path: view.path,
  language: view.language,
  kept: { lang: view.chosen },
  languages: view.texts.language,
})

/** The page of a workspace. `after`: the review that the page before ended with. */
export function profilePage(view: ReputationView, shown: ShownPage, most: number, after?: string): string {
  const { texts } = view
  const { profile, workspace } = shown
  const reviews = fitting(shown.reviews, most)
  const last = reviews.length < shown.reviews.length ? reviews.at(-1) : undefined
  const link = (text: string, params: Record<string, string>) =>
    `<p><a href="${href(view.path, { lang: view.chosen, ...params })}">${escapeHtml(text)}</a></p>`
  const list = `<ul class="plain">${reviews.map((one) => reviewItem(texts, profile.display_name, one)).join('\n')}</ul>`
  const body = `${after ? '' : introduction(view, shown)}
<h2>${escapeHtml(texts.reviews)}</h2>
${reviews.length === 0 ? paragraphs(texts.no_reviews) : list}
${last ? link(texts.more, { from: last.id }) : ''}${after ? link(texts.first, {}) : ''}
${after ? '' : caseStudyList(view, shown)}`
  const address = `${view.origin}${view.path}`
  return pageDocument(pagePlace(view), {
    title: profile.display_name,
    color: workspace.color,
    style: STYLE,
    body,
    here: { from: after },
    listed: { address, summary: summaryOf(profile.description, profile.display_name), data: organizationData(shown, reviews, address) },
  })
}

const summaryOf = (text: string | null, other: string) => (text ?? other).replace(/\s+/g, ' ').slice(0, 160)

function introduction({ texts, chosen }: ReputationView, { profile }: ShownPage): string {
  const rating = ratingOf(profile.rating_counts)
  const number = (value: number) => new Intl.NumberFormat(texts.locale, { maximumFractionDigits: 1 }).format(value)
  const average = rating && texts.rating(number(rating.average), number(rating.count), rating.count === 1)
  const form = href(`/reputation/${profile.slug}/review`, { lang: chosen })
  return `${image(profile.logo_url, 'logo')}
${profile.category ? `<p class="who">${escapeHtml(profile.category)}</p>` : ''}
${rating && average ? `<p class="note">${starsOf(Math.round(rating.average), average)} ${escapeHtml(average)}</p>` : ''}
${paragraphs(profile.description)}
${profile.accepts_reviews ? `<p><a class="button" href="${form}">${escapeHtml(texts.write)}</a></p>` : ''}
${profile.website ? `<p><a href="${escapeHtml(profile.website)}" rel="noopener">${escapeHtml(texts.website)}</a></p>` : ''}`
}

function reviewItem(texts: ReputationTexts, name: string, review: ShownReview): string {
  const date = new Intl.DateTimeFormat(texts.locale, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(review.published_at))
  const who = [review.reviewer_name, review.reviewer_title, review.reviewer_company].filter(Boolean).join(', ')
  const answer = review.vendor_response
    ? `<div class="answer"><p><strong>${escapeHtml(texts.answer(name))}</strong></p>${paragraphs(review.vendor_response)}</div>`
    : ''
  return `<li class="card">${image(review.reviewer_avatar, 'face')}<p>${starsOf(review.rating, texts.stars(review.rating))}</p>
${paragraphs(review.testimonial_text)}
<p class="who">${escapeHtml([who, review.verified_by && texts.verified, review.service_category, date].filter(Boolean).join(' · '))}\
</p>${answer}</li>`
}

function caseStudyList(view: ReputationView, { profile, case_studies }: ShownPage): string {
  if (case_studies.length === 0) return ''
  const items = case_studies.map(({ id, title, client_name }) => {
    const address = href(`/reputation/${profile.slug}/case-studies/${id}`, { lang: view.chosen })
    return (
      `<li><a href="${address}">${escapeHtml(title)}</a>` +
      `${client_name ? ` <span class="who">${escapeHtml(client_name)}</span>` : ''}</li>`
    )
  })
  return `<h2>${escapeHtml(view.texts.case_studies)}</h2><ul>${items.join('\n')}</ul>`
}

export function caseStudyPage(view: ReputationView, shown: ShownPage, study: ShownCaseStudy): string {
  const { texts } = view
  const fact = (name: string, value: string | null) => (value ? `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>` : '')
  const facts = `${fact(texts.client, study.client_name)}${fact(texts.service, study.service_category)}`
  const body = `${image(study.image_url, 'picture')}
${facts && `<dl>${facts}</dl>`}
${study.summary ? `<div class="note">${paragraphs(study.summary)}</div>` : ''}
${paragraphs(study.content)}
<p><a href="${href(`/reputation/${shown.profile.slug}`, { lang: view.chosen })}">${escapeHtml(texts.back)}</a></p>`
  return pageDocument(pagePlace(view), {
    title: study.title,
    workspace: shown.profile.display_name,
    color: shown.workspace.color,
    style: STYLE,
    body,
    listed: { address: `${view.origin}${view.path}`, summary: summaryOf(study.summary, study.title), data: articleData(shown, study) },
  })
}
