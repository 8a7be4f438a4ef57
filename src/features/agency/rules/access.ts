import { AGENCY_ROLES } from './agency.ts'

/** What somebody sees of commission: all of the agency, what clients earned that they brought in, their own only, or nothing. */
export type Scope = 'agency' | 'mine' | 'self' | 'none'
/** The commission that the platform pays to the agency, and the one that the agency pays to its team. */
export type Surface = 'agency' | 'team'

/** Who sees what of commission. Nothing else decides that. A client_admin is an owner; other roles see what they have earned themselves. */
export function scopeOf(role: string, surface: Surface): Scope {
  if (role === 'owner' || role === 'client_admin') return 'agency'
  if (role === 'systems_architect') return 'none'
  if (surface === 'team') return 'self'
  return role === 'account_manager' ? 'mine' : 'none'
}

/** The same for SQL: the scope of each role, and under '' that of every other one. */
export const scopesOf = (surface: Surface): string =>
  JSON.stringify(Object.fromEntries([...AGENCY_ROLES, 'client_admin', ''].map((role) => [role, scopeOf(role, surface)])))
