import type * as v from 'valibot'
import type { Issue } from '../errors.ts'

/** Translates a valibot issue for the caller: the field, and what to send instead. */
export function issueOf(issue: v.BaseIssue<unknown>): Issue {
  const path = issue.path?.map((item) => String(item.key)).join('.') ?? ''
  if (issue.expected === 'never') return { path, message: 'Unknown field: remove it, or check its spelling' }
  if (issue.received === 'undefined') return { path, message: 'Required' }
  return { path, message: issue.message }
}
