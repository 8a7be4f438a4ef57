import { sql } from 'drizzle-orm'
import { batch, type Database } from './batch.ts'

/**
 * Stores what the provider of transcripts has reported (reportOf in src/features/transcripts/rules/reports.ts). Repeated reports change
 * nothing.
 */
export const storeTranscriptReport = (database: Database, workspaceId: string, id: string, report: object): Promise<unknown> =>
  batch(database, [sql`select report_transcript(${workspaceId}::uuid, ${id}::uuid, ${JSON.stringify(report)}::jsonb)`])
