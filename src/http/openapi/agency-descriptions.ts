/** Descriptions of the named schemas of agencies. */
export const AGENCY_SCHEMAS: Record<string, string> = {
  Agency: 'An agency, and how many clients it looks after.',
  AgencyClient: 'A client of the agency, with figures about its health.',
  AgencyWebsite: 'A website of a client, with its latest syncs.',
  AgencyCommission: 'The commission that the platform pays to the agency.',
  TeamCommission: 'The commission that the agency pays to its team.',
  CommissionPlan: 'What a member gets of what clients pay that the member has brought in.',
  CommissionLine: 'A line of a commission, with all that its amount follows from.',
  AgencyServiceRequest: 'A service request of a client.',
  AgencyNote: 'A note of the agency on a service request of a client.',
  PayoutState: 'Whether a payout was paid.',
}

/** Descriptions of their fields (see FIELDS). */
export const AGENCY_FIELDS: Record<string, string> = {
  client_name: 'The name of the client.',
}
