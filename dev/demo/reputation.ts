import type { Api } from './api.ts'

const REVIEWS = [
  [
    'Ana Silva',
    'Facility manager',
    5,
    'On time and tidy, and the roof pays for itself.',
    'Thank you, Ana! See you at the next inspection.',
  ],
  [
    'Bo Lind',
    'Owner',
    4,
    'Good work. The scaffolding stood a week longer than planned.',
    'You are right, and we have changed our supplier.',
  ],
  ['Mia Chen', 'Architect', 5, 'They answered every question within a day.', null],
] as const

/** A page with reviews and a case study, and a review that waits for approval. */
export async function addReputation(api: Api): Promise<void> {
  const slug = `demo-${crypto.randomUUID().slice(0, 8)}`
  const fields = { slug, display_name: 'Bright Roofs', category: 'Solar installation', description: 'Solar roofs since 2009.' }
  const { data: profile } = await api('POST', '/reputation/profile', { ...fields, is_published: true })
  for (const [reviewer_name, reviewer_title, rating, testimonial_text, vendor_response] of REVIEWS) {
    const review = { profile_id: profile.id, reviewer_name, reviewer_title, rating, testimonial_text }
    const { data } = await api('POST', '/reputation/reviews', review)
    await publish(api, `/reputation/reviews/${data.id}`)
    if (vendor_response) await api('PATCH', `/reputation/reviews/${data.id}`, { vendor_response })
  }
  const waiting = {
    profile_id: profile.id,
    reviewer_name: 'Noor Haddad',
    rating: 3,
    testimonial_text: 'We are still waiting for the invoice.',
  }
  await api('POST', '/reputation/reviews', waiting)
  const story = { title: 'A roof that pays for itself', client_name: 'Harbour Hotels', summary: 'A third less energy in a year.' }
  const { data: study } = await api('POST', '/reputation/case-studies', { profile_id: profile.id, ...story })
  await publish(api, `/reputation/case-studies/${study.id}`)
}

async function publish(api: Api, path: string): Promise<void> {
  for (const verb of ['approve', 'publish']) await api('POST', `${path}/${verb}`, {})
}
