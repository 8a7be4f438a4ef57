import { batch, type Database } from './batch.ts'
import { call } from './call.ts'

/**
 * Stores what the provider of transcripts has reported (reportOf in src/features/transcripts/rules/reports.ts). Repeated reports change
 * nothing.
 */
export const storeTranscriptReport = (database: Database, workspaceId: string, id: string, report: object): Promise<unknown> =>
  batch(database, [call('report_transcript', workspaceId, id, JSON.stringify(report))])
