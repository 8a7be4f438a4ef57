/** Descriptions of the named schemas of reputation. */
export const GROWTH_SCHEMAS: Record<string, string> = {
  ReputationProfile: 'How the workspace shows itself to the public.',
  ReputationStats: 'The figures of the profile, its reviews and its case studies.',
  ReputationReview: 'A review of the workspace, with its answer.',
  LeadResult: 'A person or business that was found, and may become a customer.',
  ReputationCaseStudy: 'What the workspace has done for a client.',
}

/** Descriptions of their fields (see FIELDS). */
export const GROWTH_FIELDS: Record<string, string> = {
  profile_id: 'The profile that it belongs to.',
  logo_url: 'The address of the logo.',
  is_published: 'Whether its page can be opened.',
  reviewer_name: 'Who wrote the review.',
  reviewer_title: 'The position of the reviewer.',
  reviewer_company: 'The company of the reviewer.',
  reviewer_company_logo: 'The address of the logo of that company.',
  reviewer_avatar: 'The address of a picture of the reviewer.',
  testimonial_text: 'What the reviewer says.',
  service_category: 'The service that it is about.',
  featured: 'Whether the page shows it first.',
  vendor_response: 'What the workspace has answered.',
  client_name: 'The client.',
  client_logo: 'The address of the client’s logo.',
  image_url: 'The address of a picture.',
  matched_by: 'By what it was found.',
  source_id: 'Its id at the source.',
  consent_basis: 'Why the person may be written to.',
  duplicate_of_id: 'The earlier one that is the same.',
  converted_at: 'When it was converted.',
  reviews: 'The numbers of reviews.',
}
