import { expect, test } from 'vitest'
import { articleData, organizationData, ratingOf } from '../../src/features/reputation/rules/pages/data.ts'

const PROFILE = { display_name: 'Acme', website: null, description: null, logo_url: null, rating_counts: [0, 0, 0, 0, 0] }
const dataOf = (profile: object, reviews: object[] = []) =>
  organizationData({ profile: { ...PROFILE, ...profile } } as never, reviews as never, 'https://reviews.example.com/acme')

test('a rating is the mean of the stars, to a tenth, and there is none without reviews', () => {
  expect(ratingOf([0, 0, 0, 0, 0])).toBeUndefined()
  expect(ratingOf([1, 0, 0, 0, 0])).toEqual({ average: 1, count: 1 })
  expect(ratingOf([0, 1, 0, 1, 1])).toEqual({ average: 3.7, count: 3 })
  expect(ratingOf([0, 0, 0, 0, 7])).toEqual({ average: 5, count: 7 })
})

test('a profile is described to programs with what it has, and nothing else', () => {
  const bare = { '@context': 'https://schema.org', '@type': 'Organization', name: 'Acme', url: 'https://reviews.example.com/acme' }
  expect(dataOf({})).toEqual(bare)
  const given = { website: 'https://acme.example', description: 'We build', logo_url: 'https://acme.example/logo.png' }
  expect(dataOf(given)).toEqual({ ...bare, url: given.website, description: given.description, logo: given.logo_url })
  expect(dataOf({ rating_counts: [0, 0, 0, 1, 1] })).toEqual({
    ...bare,
    aggregateRating: { '@type': 'AggregateRating', ratingValue: 4.5, reviewCount: 2, bestRating: 5, worstRating: 1 },
  })
  const review = { reviewer_name: 'Ana', published_at: '2026-01-31T23:00:00.000Z', testimonial_text: 'Good', rating: 4 }
  expect(dataOf({}, [review])).toEqual({
    ...bare,
    review: [
      {
        '@type': 'Review',
        author: { '@type': 'Person', name: 'Ana' },
        datePublished: '2026-01-31',
        reviewBody: 'Good',
        reviewRating: { '@type': 'Rating', ratingValue: 4, bestRating: 5, worstRating: 1 },
      },
    ],
  })
})

test('a case study is described with its summary, if it has one', () => {
  const study = (summary: string | null) => ({ title: 'Built', published_at: '2026-02-01T00:00:00.000Z', summary })
  const bare = {
    '@context': 'https://schema.org',
    '@type': 'Article',
    headline: 'Built',
    author: { '@type': 'Organization', name: 'Acme' },
    datePublished: '2026-02-01',
  }
  expect(articleData({ profile: PROFILE } as never, study(null) as never)).toEqual(bare)
  expect(articleData({ profile: PROFILE } as never, study('Short') as never)).toEqual({ ...bare, abstract: 'Short' })
})
