/** Those of a workspace that has set none: local times. */
export const DEFAULT_QUIET_HOURS = { from: '20:00', to: '08:00' }
