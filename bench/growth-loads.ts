import { vector } from './knowledge-loads.ts'
import { fixed, half, id, type Load, one, oneOf, word } from './values.ts'

/** The profile of a workspace, its reviews and its case studies, its service requests and its leads (see LOADS). */
export const GROWTH: Load[] = [
  {
    table: 'reputation_profiles',
    count: () => 1,
    columns: fixed({ id: id('profile', 'n'), slug: `'filled-' || gen_random_uuid()`, display_name: `'Filled'`, is_published: 'true' }),
  },
  {
    table: 'reputation_reviews',
    count: half,
    columns: fixed({
      id: id('review', 'n'),
      profile_id: one('profile', 1),
      reviewer_name: word,
      rating: '1 + n % 5',
      testimonial_text: `${word} || ' roof'`,
      service_category: oneOf('Repair', 'Installation'),
      featured: 'n % 10 = 0',
      status: oneOf('draft', 'approved', 'published'),
      published_at: 'created',
    }),
  },
  {
    table: 'reputation_case_studies',
    count: () => 40,
    columns: fixed({
      id: id('caseStudy', 'n'),
      profile_id: one('profile', 1),
      title: word,
      status: oneOf('draft', 'approved', 'published'),
      position: 'n',
    }),
  },
  {
    table: 'review_requests',
    count: half,
    columns: fixed({
      id: id('reviewRequest', 'n'),
      profile_id: one('profile', 1),
      contact_id: id('contact', 'n'),
      channel: oneOf('email', 'sms'),
      status: oneOf('sent', 'reviewed', 'reminded'),
      expires_at: "created + interval '90 days'",
      token_hash: `sha256(('review' || n)::bytea || current_workspace()::text::bytea)`,
      token_seed: 'gen_random_uuid()',
    }),
  },
  {
    table: 'service_requests',
    count: half,
    columns: fixed({
      id: id('serviceRequest', 'n'),
      title: `${word} || ' stops'`,
      type: oneOf('bug', 'feature', 'question'),
      priority: oneOf('low', 'normal', 'urgent'),
      status: oneOf('open', 'in_progress', 'done'),
      queue: oneOf('agency', 'platform'),
    }),
  },
  {
    table: 'service_request_notes',
    count: half,
    columns: fixed({ id: id('serviceRequestNote', 'n'), request_id: id('serviceRequest', 'n'), content: word }),
  },
  {
    table: 'service_request_vectors',
    count: (size) => size / 20,
    columns: fixed({ id: id('serviceRequest', 'n'), model: `'text-embedding-3-small'`, embedding: vector, created_at: 'created' }),
    unstamped: true,
  },
  {
    table: 'lead_results',
    count: half,
    columns: fixed({
      id: id('lead', 'n'),
      name: word,
      email: `'lead-' || n || '@leads.example'`,
      source: oneOf('Trade fair', 'Search'),
      consent_basis: oneOf('none', 'consent'),
      status: oneOf('new', 'converted', 'rejected'),
    }),
  },
  {
    table: 'lead_initiatives',
    count: () => 5,
    columns: fixed({ id: id('initiative', 'n'), name: word }),
  },
]
