/** Descriptions of the named schemas of reputation and service requests. */
export const GROWTH_SCHEMAS: Record<string, string> = {
  ReputationProfile: 'How the workspace shows itself to the public.',
  ReputationStats: 'The figures of the profile, its reviews and its case studies.',
  ReputationReview: 'A review of the workspace, with its answer.',
  ReputationCaseStudy: 'What the workspace has done for a client.',
  ServiceRequest: 'What the workspace asks of its agency or of the operator of the platform.',
  CreatedServiceRequest: 'A new service request, with those that are similar.',
  ServiceRequestHit: 'A service request that a search has found.',
  ServiceRequestNote: 'A note in the thread of a service request.',
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
  reviews: 'The numbers of reviews.',
}
