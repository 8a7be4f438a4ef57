/** The picklists of a workspace, with an example, and the longest option that the field using it accepts. */
export const PICKLISTS = {
  lost_reasons: { example: 'Price', max: 120 },
  won_reasons: { example: 'Quality', max: 120 },
  opportunity_types: { example: 'New business', max: 80 },
  account_types: { example: 'Supplier', max: 80 },
  contact_types: { example: 'Customer', max: 80 },
  tags: { example: 'VIP', max: 60 },
  lead_sources: { example: 'Trade fair', max: 120 },
} as const
export type PicklistName = keyof typeof PICKLISTS
