import { sql } from 'drizzle-orm'
import { Guard } from '../../data/bulk.ts'

/** Marks, for the transaction, the opportunities of a bulk call that would enter a stage without a field that it requires, or lose one in it. */
export const checkOpportunities = (patches: Record<string, unknown>[]): Guard | undefined =>
  patches.length === 0 ? undefined : new Guard(sql`select check_opportunities(${JSON.stringify(patches)}::jsonb)`)
