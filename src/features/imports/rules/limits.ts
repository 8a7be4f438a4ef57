import { MAX_RECORDS } from '../../../domain/csv/describe.ts'

/** Limits per workspace. An import is unfinished, and its file is stored, until all of its lines are processed. */
export const IMPORT_LIMITS = {
  records: MAX_RECORDS,
  imports: 1_000,
  unfinished: 50,
  bytes: 500 * 1024 * 1024,
  failed_lines: 500_000,
} as const

/** The most unknown pipelines and stages that an import lists. */
export const MAX_UNKNOWN = 200

/** Usage: all imports, unfinished ones, the bytes of their files, and the lines that did not become a record. */
export type ImportUsage = { imports: number; unfinished: number; bytes: number; failed_lines: number }

/** Why no further import can be created, or undefined. */
export function refusalOf({ imports, unfinished, bytes, failed_lines }: ImportUsage): string | undefined {
  if (imports >= IMPORT_LIMITS.imports) return `A workspace can have at most ${IMPORT_LIMITS.imports} imports: delete old ones`
  if (unfinished >= IMPORT_LIMITS.unfinished)
    return `${IMPORT_LIMITS.unfinished} imports are unfinished, the most that a workspace can have: finish or delete some`
  if (bytes >= IMPORT_LIMITS.bytes)
    return `The files of unfinished imports can take at most ${IMPORT_LIMITS.bytes / 1024 / 1024} MB: finish or delete some`
  return failed_lines >= IMPORT_LIMITS.failed_lines ? FULL_OF_FAILED_LINES : undefined
}

/** Also prevents existing imports from being checked or run. */
export const FULL_OF_FAILED_LINES =
  `${IMPORT_LIMITS.failed_lines.toLocaleString('en')} failed and skipped import lines are stored, the most that a workspace can have: ` +
  'delete imports whose report is no longer needed'
