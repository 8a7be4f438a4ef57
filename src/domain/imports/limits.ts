import { MAX_RECORDS } from '../csv/describe.ts'

/** What a workspace may keep of imports. An import has finished once all of its lines are done; until then its file is kept. */
export const IMPORT_LIMITS = {
  records: MAX_RECORDS,
  imports: 1_000,
  unfinished: 50,
  bytes: 500 * 1024 * 1024,
  failed_lines: 500_000,
} as const

/** What a workspace has: imports in all, those whose file is kept, the bytes of these, and the lines that became no record. */
export type ImportUsage = { imports: number; unfinished: number; bytes: number; failed_lines: number }

/** Why there can be no other import for now, or undefined. */
export function refusalOf({ imports, unfinished, bytes, failed_lines }: ImportUsage): string | undefined {
  if (imports >= IMPORT_LIMITS.imports) return `There are ${IMPORT_LIMITS.imports} imports, the most a workspace can have: delete old ones`
  if (unfinished >= IMPORT_LIMITS.unfinished)
    return `${IMPORT_LIMITS.unfinished} imports have not finished, the most a workspace can have: finish or delete some`
  if (bytes >= IMPORT_LIMITS.bytes)
    return `The files of unfinished imports take ${IMPORT_LIMITS.bytes / 1024 / 1024} MB, the most a workspace can have: finish or delete some`
  return failed_lines >= IMPORT_LIMITS.failed_lines ? FULL_OF_FAILED_LINES : undefined
}

/** Also why an import that is there can be neither checked nor run. */
export const FULL_OF_FAILED_LINES = `${IMPORT_LIMITS.failed_lines.toLocaleString('en')} failed and skipped lines of imports are kept, the most a workspace can have: delete imports whose report is no longer needed`
