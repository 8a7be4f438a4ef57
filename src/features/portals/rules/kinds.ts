/** `work_status`: the progress of one opportunity, for its client. `stakeholder`: what is shared with a stakeholder. */
export const PORTAL_KINDS = ['work_status', 'stakeholder'] as const
export type PortalKind = (typeof PORTAL_KINDS)[number]
