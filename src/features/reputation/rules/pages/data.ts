import type { Article, Organization, WithContext } from 'schema-dts'
import type { ShownCaseStudy, ShownPage, ShownReview } from './page.ts'

const schema = { '@context': 'https://schema.org' } as const

/** The rating of a profile, from the numbers of its reviews with one to five stars; undefined without any. */
export function ratingOf(counts: number[]): { average: number; count: number } | undefined {
  const count = counts.reduce((sum, one) => sum + one, 0)
  const stars = counts.reduce((sum, one, index) => sum + one * (index + 1), 0)
  return count === 0 ? undefined : { average: Math.round((stars / count) * 10) / 10, count }
}

/** What the page shows of the workspace, for programs. Only what is visible is in it, and the rating is that of the workspace. */
export function organizationData({ profile }: ShownPage, reviews: ShownReview[], address: string): WithContext<Organization> {
  const rating = ratingOf(profile.rating_counts)
  return {
    ...schema,
    '@type': 'Organization',
    name: profile.display_name,
    url: profile.website ?? address,
    ...(profile.description && { description: profile.description }),
    ...(profile.logo_url && { logo: profile.logo_url }),
    ...(rating && {
      aggregateRating: {
        '@type': 'AggregateRating',
        ratingValue: rating.average,
        reviewCount: rating.count,
        bestRating: 5,
        worstRating: 1,
      },
    }),
    ...(reviews.length > 0 && {
      review: reviews.map((review) => ({
        '@type': 'Review' as const,
        author: { '@type': 'Person' as const, name: review.reviewer_name },
        datePublished: review.published_at.slice(0, 10),
        reviewBody: review.testimonial_text,
        reviewRating: { '@type': 'Rating' as const, ratingValue: review.rating, bestRating: 5, worstRating: 1 },
      })),
    }),
  }
}

export function articleData({ profile }: ShownPage, study: ShownCaseStudy): WithContext<Article> {
  return {
    ...schema,
    '@type': 'Article',
    headline: study.title,
    author: { '@type': 'Organization', name: profile.display_name },
    datePublished: study.published_at.slice(0, 10),
    ...(study.summary && { abstract: study.summary }),
  }
}
